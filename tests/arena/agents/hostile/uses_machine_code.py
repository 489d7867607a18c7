from gamefast import fast
from gamelib import SearchAgent, mcts

agent = SearchAgent(fast(mcts), simulations=500)

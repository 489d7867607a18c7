from gamelib import SearchAgent, fast, mcts

agent = SearchAgent(fast(mcts), simulations=500)

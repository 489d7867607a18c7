from gamelib import SearchAgent, mcts

agent = SearchAgent(mcts, engine="compiled", simulations=500)

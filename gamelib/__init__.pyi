from gamelib.agents import PlayedGame as PlayedGame
from gamelib.agents import SearchAgent as SearchAgent
from gamelib.agents import lookahead_agent as lookahead_agent
from gamelib.agents import play_game as play_game
from gamelib.agents import random_agent as random_agent
from gamelib.check import check_game as check_game
from gamelib.games import *
from gamelib.search import *
from gamelib.state import CHANCE as CHANCE
from gamelib.state import Action as Action
from gamelib.state import GameState as GameState
from gamelib.state import IllegalActionError as IllegalActionError
from gamelib.truth import SearchReport as SearchReport
from gamelib.truth import check_search as check_search

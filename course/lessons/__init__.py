"""The lessons: one folder for each notebook, with the notebook's name."""

LESSONS = (  # in the order of the course, so that notebook 03 is LESSONS[3]
    "start_here",
    "framework",
    "minimax",
    "alpha_beta",
    "mcts",
    "solver",
    "multiplayer",
    "experiments",
    "capstone",
    "chance",
    "knowledge",
    "learning",
)

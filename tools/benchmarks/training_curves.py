"""Write the training curves and the network of notebook 11, with five seeds for each training.

This takes four minutes.  The files are in the folder of the lesson, with the same bytes on every
machine.  The printed seconds are those of one processor.
"""

import time
from pathlib import Path

from course.lessons.capstone.budget_match import play_match
from course.lessons.capstone.reference_agents import LEVELS, NODES
from course.lessons.learning import td_connect_four
from course.lessons.learning.accuracy import accuracy_of_choices
from course.lessons.learning.lab_programs import ChampionTraining, OneSideTraining, SteadyTraining
from course.lessons.learning.net import WEIGHT_RESOLUTION
from course.lessons.learning.stored_runs import ROUNDS, SEEDS
from course.lessons.learning.td_connect_four import (
    BATCH_GAMES,
    FourTraining,
    accuracy_on_exact,
    evaluation,
)
from course.lessons.learning.training import Training, search_accuracy
from gamelib import SearchAgent, centre_first, iterative_deepening, mcts

LESSON_FOLDER = Path(__file__).parents[2] / "course" / "lessons" / "learning"
FILE_HEADER = "# Written by `python -m tools.benchmarks training_curves`: do not edit.\n"
MEASURES = ("by priors", "by values", "searched")
MEASURED_AFTER, MATCH_GAMES = (2_560, 5_120, 10_240, 20_480), 40  # games of training, of a match
SEARCHED_ROUNDS = range(0, ROUNDS + 1, 3)  # rounds after which every position is searched


def run(kind: type[Training], seed: int) -> tuple[Training, list[dict[str, int]]]:
    """Run a training for all its rounds, and return it with its rows."""
    training, rows, began = kind(seed), [], time.process_time()
    for number in range(ROUNDS + 1):
        if number:
            training.round()
        rows.append(dict(training.rounds[-1]))
        if number in SEARCHED_ROUNDS:
            rows[-1]["searched"] = search_accuracy(training.outputs)[0]
    print(f"{kind.__name__} {seed}: {rows[-1]}, {time.process_time() - began:.1f} s", flush=True)
    return training, rows


def as_toml(name: str, of_seeds: list[list[dict[str, int]]]) -> str:
    """Return the rows as TOML tables, in which each measure has a list with a number per seed."""
    text = ""
    for rows in zip(*of_seeds, strict=True):
        text += f"\n[[{name}]]\ngames = {rows[0]['games']}\n"
        for measure in MEASURES:
            if measure in rows[0]:
                text += f'"{measure}" = {[row[measure] for row in rows]}\n'
    return text


def plain_mcts(simulations: int) -> list[int]:
    """Return the number of positions in which plain MCTS chooses an optimal action, by seed."""
    runs = [
        accuracy_of_choices(lambda s, rng=seed: mcts(s, simulations=simulations, rng=rng).action)[0]
        for seed in SEEDS
    ]
    print(f"plain MCTS with {simulations}: {runs}", flush=True)
    return runs


def main() -> None:
    """Write the curves and the network of tic-tac-toe, and then the file of Connect Four."""
    text = FILE_HEADER + "\n[plain]\n"
    text += "".join(f'"{budget}" = {plain_mcts(budget)}\n' for budget in (25, 50, 100))
    for kind in (Training, OneSideTraining, SteadyTraining, ChampionTraining):
        found = [run(kind, seed) for seed in SEEDS]
        text += as_toml(kind.__name__, [rows for _, rows in found])
        if kind is Training:
            weights = [
                (w * WEIGHT_RESOLUTION).astype(int).tolist() for w in found[0][0].net.weights
            ]
            (LESSON_FOLDER / "trained.toml").write_text(
                f"{FILE_HEADER}weights = {weights}\n", encoding="utf-8"
            )
    (LESSON_FOLDER / "curves.toml").write_text(text, encoding="utf-8")
    connect_four()


def connect_four() -> None:
    """Write the learned weights for Connect Four, the curve of each seed, and the matches."""
    found, first = {games: [] for games in MEASURED_AFTER}, None
    for seed in SEEDS:
        training = FourTraining(seed)
        for batch in range(1, max(MEASURED_AFTER) // BATCH_GAMES + 1):
            training.play()
            if batch * BATCH_GAMES in found:
                found[batch * BATCH_GAMES].append(
                    accuracy_on_exact(evaluation(training.weights))[0]
                )
        first = training.weights if first is None else first
        print(f"fours {seed}: {[counts[-1] for counts in found.values()]}", flush=True)
    text = f"{FILE_HEADER}weights = {(first * td_connect_four.GRID).astype(int).tolist()}\n"
    for games, counts in found.items():
        text += f"\n[[curve]]\ngames = {games}\nright = {counts}\n"
    place = LESSON_FOLDER / "td_connect_four.toml"
    place.write_text(text, encoding="utf-8")
    evaluate = evaluation(first)
    for other in LEVELS[1:]:
        options = {"nodes": NODES, "evaluate": evaluate, "order": centre_first}
        agent = SearchAgent(iterative_deepening, "learned", **options)
        played = play_match(agent, other, games=MATCH_GAMES).tally()
        points = played.wins + played.draws / 2
        text += f'\n[[match]]\nagainst = "{other.name}"\npoints = {points}\ngames = {MATCH_GAMES}\n'
        print(f"{other.name}: {played!r}", flush=True)
    place.write_text(text, encoding="utf-8")

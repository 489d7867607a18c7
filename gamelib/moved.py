"""Where things went that once stood in `gamelib`: an import of them says so."""

import sys

MODULES = {
    "gamelib.arena": "arena",
    "gamelib.draw": "course.draw and gamelib.picture",
    "gamelib.exercises": "course.lessons and course.kit",
    "gamelib.widgets": "course.widgets",
}
NAMES = {
    "arena": "ForfeitError GameRecord MatchUp match_up tournament wilson_interval",
    "course": "ExperimentLab FillInTree Lab PlayBoard Playground Predict Quiz SearchStepper "
    "against depth_cost depth_lab exploration_lab favour hint maxn_outcomes mcts_choices "
    "proof_cost quiz quiz_answers rollouts_lab seat_shares seats_lab security_values solution "
    "solver_lab stability_lab",
}
PLACES = {name: package for package, names in NAMES.items() for name in names.split()}


class Signpost:
    """The last finder that Python asks for a module: it finds none, and says where it went."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Raise a ModuleNotFoundError for a module that has moved; no other is found here."""
        if name in MODULES:
            raise ModuleNotFoundError(f"{name} has moved: it is {MODULES[name]} now", name=name)


sys.meta_path.append(Signpost)

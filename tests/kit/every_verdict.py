"""What every check says of right, blank and wrong programs, as JSON: the same in a student's copy.

python every_verdict.py CHECKOUT [all]

The programs come from the checkout, the checks from the course that Python finds.  Without `all`,
only the last mistake of each check is tried, and no check that compares with no program.
"""

import json
import sys
import tomllib
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from course.kit import guarded
from course.kit.mistakes import edited
from gamelib import hurt_the_leader

CHECKS = {  # check -> program, groups of its mistakes
    "framework": {
        "check_misere_sticks": "MisereSticks misere_sticks",
        "check_positions_at": "positions_at positions_at",
        "check_payoffs": "payoffs payoffs",
        "check_leaves_alone": "leaves_alone leaves_alone",
    },
    "minimax": {
        "check_limited_minimax": "limited_minimax limited_minimax",
        "check_negamax": "negamax_value negamax_value",
        "check_heuristic": "my_heuristic",
    },
    "alpha_beta": {
        "check_cut_negamax": "cut_negamax wrong_cuts few_cuts",
        "check_at_least": "at_least at_least",
        "check_order": "good_order",
        "check_table_negamax": "table_negamax table_negamax",
    },
    "mcts": {
        "check_backpropagate": "backpropagate backpropagate",
        "check_select_and_expand": "select_and_expand select_and_expand",
        "check_rewards_along": "rewards_along rewards_along",
    },
    "solver": {
        "check_proven": "proven proven",
        "check_nim_move": "nim_move nim_move",
        "check_proven_bounds": "proven_bounds proven_bounds",
    },
    "multiplayer": {
        "check_limited_maxn": "limited_maxn limited_maxn",
        "check_sure_value": "sure_value sure_value sure_value_cuts",
        "check_schedule": "schedule",
    },
    "experiments": {"check_beats_random": "beats_random"},
    "chance": {
        "check_expected_value": "expected_value expected_value",
        "check_drawn": "drawn drawn",
        "check_mean_limits": "mean_limits mean_limits",
        "check_child_window": "child_window child_window",
    },
    "capstone": {"check_four_heuristic": "my_heuristic", "check_agent": "my_agent"},
    "learning": {
        "check_td_targets": "td_targets td_targets",
        "check_learnt": "learnt learnt",
        "check_root_scores": "root_scores root_scores",
        "check_taught": "taught taught",
    },
}


def blank(*arguments):
    raise NotImplementedError


def read(checkout, lesson):
    """Return the reference programs of a checkout's lesson, and its table of mistakes."""
    folder = checkout / "course" / "lessons" / lesson
    spec = spec_from_file_location(f"right_{lesson}", folder / "reference.py")
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    path = folder / "mistakes.toml"
    return module, tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def wrong(program, entry):
    """Return a program with a mistake of the table."""
    line, mistake = ([x] if isinstance(x, str) else x for x in (entry["line"], entry["mistake"]))
    return edited(program, *zip(line, mistake, strict=True))


def main(checkout, wanted):
    guarded.LIMIT = 60
    said = {}
    for lesson, checks in CHECKS.items():
        right, tables = read(checkout, lesson)
        module = import_module(f"course.lessons.{lesson}.check")
        for check, names in checks.items():
            name, *groups = names.split()
            program = getattr(right, name)
            entries = [entry for group in groups for entry in tables[group]]
            if wanted != "all" and not groups:
                continue
            said[f"{check} right"] = repr(getattr(module, check)(program))
            said[f"{check} blank"] = repr(getattr(module, check)(blank))
            for entry in entries if wanted == "all" else entries[-1:]:
                feedback = getattr(module, check)(wrong(program, entry))
                said[f"{check} {entry['hint']}"] = repr(feedback)
    rules = import_module("course.lessons.multiplayer.check")
    right, _ = read(checkout, "multiplayer")
    for rule, test in ((hurt_the_leader, right.tie_test), (min, right.tie_test), (min, min)):
        said[f"tie rule {rule.__name__} {test.__name__}"] = repr(rules.check_tie_rule(rule, test))
    scores = import_module("course.lessons.mcts.check")
    for action in "xy":
        said[f"ucb {action}"] = repr(scores.check_ucb(scores.ucb_scores(), action))
    return said


print(json.dumps(main(Path(sys.argv[1]), "".join(sys.argv[2:]))))

"""Ten seeds: with other questions, too, right programs pass and each mistake gets its hint.

The table is that of `tests/lessons/test_mutants.py`; some minutes.
"""

import sys
from pathlib import Path

from course.kit import guarded
from course.kit.questions import seeded

SEEDS = range(10)


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "lessons"))
    import test_mutants as table

    guarded.LIMIT = 60
    for seed in SEEDS:
        with seeded(seed):
            for check, right in table.RIGHT:
                assert (feedback := check(right)), feedback
            for check, hint, wrong in table.TABLE:
                table.test_a_wrong_answer_gets_its_own_hint_and_no_other(check, hint, wrong)
        print(
            f"seed {seed}: {len(table.RIGHT)} right, {len(table.TABLE)} wrong programs", flush=True
        )


if __name__ == "__main__":
    main()

"""Let several programs take turns at the same work, and write their times as Markdown tables."""

import gc
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import process_time

COMPILED, READABLE = "gamefast", "gamelib"
MIN_ROUNDS_FOR_INTERVAL = 20


@dataclass(frozen=True)
class Sample:
    """One measurement of a program; `count` is its number of nodes, simulations or positions."""

    seconds: float
    count: int
    answer: object = None  # None if there is no result to compare with other programs
    proven: bool = True


Measure = Callable[[int], Sample]  # its argument is the number of the round, also used as a seed


@dataclass(frozen=True)
class Program:
    """One row of a table: a program and its measure, or None if it is not installed."""

    name: str
    measure: Measure | None


@dataclass
class Workload:
    """Programs that do the same work.

    unit         what the program counts; costs are seconds per unit, or per run for a "proof"
    rounds       how often each program works
    other_trees  the names of programs that visit other trees than the rest
    samples      the measurements of each program, one for each round
    """

    title: str
    unit: str
    programs: Sequence[Program]
    rounds: int = 5
    notes: Sequence[str] = ()
    other_trees: Sequence[str] = ()
    samples: dict[str, list[Sample]] = field(default_factory=dict)

    def run(self) -> None:
        """Measure each program once in every round, so that a busy machine slows all equally.

        ValueError if two programs return different results, or visit different trees although
        they should not, because their times cannot be compared then.
        """
        programs = [program for program in self.programs if program.measure]
        for program in programs:
            if program.name == COMPILED:
                program.measure(0)  # loads the compiled code before the first round
        gc.collect()
        gc.freeze()  # so that no program pays for the objects of others in memory
        self.samples = {program.name: [] for program in programs}
        for number in range(1, self.rounds + 1):
            found = {program.name: program.measure(number) for program in programs}
            self.check(found)
            for name, sample in found.items():
                self.samples[name].append(sample)

    def check(self, found: dict[str, Sample]) -> None:
        """Raise a ValueError if the answers, or the nodes of equal trees, are not all equal."""
        answers = {name: one.answer for name, one in found.items() if one.answer is not None}
        if any(answer != next(iter(answers.values())) for answer in answers.values()):
            raise ValueError(f"{self.title}: the programs return different results: {answers}")
        nodes = {name: one.count for name, one in found.items() if name not in self.other_trees}
        if self.unit == "node" and len(set(nodes.values())) > 1:
            raise ValueError(f"{self.title}: the programs visit different trees: {nodes}")

    def costs(self, name: str) -> list[float]:
        """Return the seconds per unit of each round."""
        proof = self.unit == "proof"
        return [one.seconds / (1 if proof else one.count) for one in self.samples[name]]

    def ours(self) -> str:
        """Return the name of the fastest of our own programs."""
        own = [name for name in self.samples if name in (COMPILED, READABLE)]
        return min(own, key=lambda name: median(self.costs(name)))

    def ratios_to_ours(self, name: str) -> list[tuple[float, float]]:
        """Return (its cost, the cost of the fastest of ours) for each round."""
        return list(zip(self.costs(name), self.costs(self.ours()), strict=True))


def ratio_of_sums(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the sum of the first numbers, divided by the sum of the second ones."""
    return sum(one for one, _ in pairs) / sum(other for _, other in pairs)


def median_ratio(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the median of the ratios of the pairs."""
    return median(one / other for one, other in pairs)


def ratio_with_interval(
    pairs: Sequence[tuple[float, float]], statistic: Callable[..., float]
) -> str:
    """Return a ratio with its 95 % interval; if there are few rounds, with its extremes."""
    if len(pairs) < MIN_ROUNDS_FOR_INTERVAL:
        found = sorted(one / other for one, other in pairs)
        low, high = found[0], found[-1]
    else:
        rng = random.Random(0)
        found = sorted(statistic(rng.choices(pairs, k=len(pairs))) for _ in range(2000))
        low, high = found[49], found[1949]
    return f"{three_digits(statistic(pairs))} [{three_digits(low)}, {three_digits(high)}]"


def timed_measure(run: Callable[[], tuple[object, int]], least: float = 0.02) -> Measure:
    """Return a measure of `run`, which returns (answer, count), over `least` seconds or more."""

    def measure(_: int) -> Sample:
        times, started = 0, process_time()
        while (elapsed := process_time() - started) < least:
            answer, count = run()
            times += 1
        return Sample(elapsed / times, count, answer)

    return measure


def duration(seconds: float) -> str:
    for factor, unit in ((1e9, "ns"), (1e6, "µs"), (1e3, "ms")):
        if seconds * factor < 999.5:
            return f"{three_digits(seconds * factor)} {unit}"
    return f"{seconds:,.1f} s"


def three_digits(number: float) -> str:
    """Return a positive number with three digits, or with all digits before the point."""
    places = 2 if number < 9.995 else 1 if number < 99.95 else 0
    return f"{number:,.{places}f}"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table whose first column is text, and whose other columns are numbers."""
    marks = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, marks, *rows))


def section(work: Workload, earlier: Sequence[Workload] = ()) -> str:
    """Return the section of one workload: its title, its table and its notes.

    Notes of earlier workloads are not repeated.
    """
    counted = {"proof": "simulations"}.get(work.unit, f"{work.unit}s")
    head = (
        "program", f"time per {work.unit}, least", "median", "ratio of totals", "median", counted,
    )  # fmt: skip
    rows = [_row(work, program) for program in work.programs]
    said = {note for other in earlier for note in other.notes}
    notes = "".join(f"\n- {note}" for note in work.notes if note not in said)
    text = f"### {work.title}\n\nRounds: {work.rounds}.\n\n{markdown(head, rows)}\n"
    return text + (f"{notes}\n" if notes else "")


def _row(work: Workload, program: Program) -> list[str]:
    name = program.name
    if not program.measure:
        return [name, "not installed", "", "", "", ""]
    costs, pairs = work.costs(name), work.ratios_to_ours(name)
    cells = [duration(min(costs)), duration(median(costs))]
    cells += [ratio_with_interval(pairs, ratio_of_sums), ratio_with_interval(pairs, median_ratio)]
    if not all(one.proven for one in work.samples[name]):
        cells = [f"> {cell}" for cell in cells]
    return [name, *cells, _counts(work.samples[name])]


def _counts(samples: Sequence[Sample]) -> str:
    least, most = min(one.count for one in samples), max(one.count for one in samples)
    if not all(one.proven for one in samples):
        proven = sum(one.proven for one in samples)
        return f"{proven or 'no'} {'proofs' if proven > 1 else 'proof'} within {most:,}"
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def lost(works: Sequence[Workload], limits: Sequence[str]) -> str:
    """Return a table of the work at which another program is faster than the fastest of ours.

    `limits` are the programs that were written as a limit, so that they do not count.
    """
    rows = []
    for work in works:
        others = set(work.samples) - {COMPILED, READABLE, *limits}
        for name in sorted(others):
            if not all(one.proven for one in work.samples[name]):
                continue
            pairs = work.ratios_to_ours(name)
            totals, middle = ratio_of_sums(pairs), median_ratio(pairs)
            if min(totals, middle) < 1:
                rows.append([work.title, name, three_digits(totals), three_digits(middle)])
    return markdown(["work", "faster", "ratio of totals", "median ratio"], rows)


def summary(works: Sequence[Workload], names: Sequence[str]) -> str:
    """Return one table of all workloads: the median time of ours, and the ratios of the others."""
    rows = []
    for work in works:
        best = work.ours()
        cells = [_cell(work, name, best) for name in names]
        took = f"{duration(median(work.costs(best)))} per {work.unit}"
        if not all(one.proven for one in work.samples[best]):
            took = "no proof"
        rows.append([f"{work.title}: {took}", *cells])
    return markdown(["work", *names], rows)


def _cell(work: Workload, name: str, best: str) -> str:
    if name not in work.samples:
        return "not installed" if name in [program.name for program in work.programs] else ""
    if not all(one.proven for one in work.samples[name]):
        return "no proof"
    if name == best:
        return "1"
    pairs = work.ratios_to_ours(name)
    cell = three_digits(median_ratio(pairs))
    return (
        f"{three_digits(ratio_of_sums(pairs))}; {cell}"
        if work.rounds >= MIN_ROUNDS_FOR_INTERVAL
        else cell
    )

"""How much memory a tree of MCTS takes beside OpenSpiel's, and the kernel of each notebook.

A tree is grown in a process of its own, which is larger after the search than before.

Each notebook is run to its end in a kernel of its own, and all kernels stay.  RSS counts what
a kernel has in memory; PSS counts what several share (Python, libraries) by parts, so the sum of
all PSS is what the machine needs.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from time import process_time

from nbclient import NotebookClient

from benchmarks.compiled import open_spiel_mcts
from benchmarks.mcts import open_spiel_search
from gamelib import ConnectFour, SearchTree, mcts
from tools.refresh_notebooks import read

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
HEADER = f"{'MB':24}{'RSS':>8}{'PSS':>8}{'alone':>8}"


def megabytes(process: int) -> dict[str, float]:
    """Return what Linux says of the memory of a process: `Rss`, `Pss`, `Private_Dirty` ..."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    return {
        name: int(kilobytes) / 1000 for name, kilobytes in re.findall(r"(\w+): +(\d+) kB", text)
    }


def grown(name: str, simulations: int) -> tuple[float, float] | None:
    """Return the bytes and the seconds that a simulation takes; None without the program."""
    tree = SearchTree()
    search: Callable[[], object] | None
    if name == "gamelib, readable":
        mcts(ConnectFour(), simulations=1000, rng=1)  # fills what the game remembers
        search = lambda: mcts(ConnectFour(), simulations=simulations, rng=1, tree=tree)  # noqa: E731
    elif name == "OpenSpiel, Python":
        search = open_spiel_search("connect_four", simulations, solve=False)
    else:
        search = open_spiel_mcts("connect_four", simulations)
    if search is None:
        return None
    before, started = megabytes(os.getpid())["Rss"], process_time()
    kept = search()
    seconds, after = process_time() - started, megabytes(os.getpid())["Rss"]
    del kept
    return 1e6 * (after - before) / simulations, seconds / simulations


def trees(simulations: int = 100_000) -> None:
    """Print what a tree of Connect Four takes."""
    print(f"A tree of {simulations:,} simulations{'bytes':>12}{'µs':>8}  per simulation")
    for name in ("gamelib, readable", "OpenSpiel, Python", "OpenSpiel, C++"):
        with get_context("spawn").Pool(1) as processes:
            found = processes.apply(grown, (name, simulations))
        cells = f"{found[0]:12.0f}{1e6 * found[1]:8.1f}" if found else f"{'not installed':>20}"
        print(f"{name:30}{cells}", flush=True)


async def kernels() -> None:
    """Run all notebooks, one after the other, and print what their kernels take in the end."""
    clients = {}
    for path in [None, *sorted(NOTEBOOKS.glob("*.ipynb"))]:
        notebook = read(path or NOTEBOOKS / "00_start_here.ipynb")
        if path is None:
            notebook.cells = []
        resources = {"metadata": {"path": str(NOTEBOOKS)}}
        client = NotebookClient(notebook, kernel_name="python3", timeout=600, resources=resources)
        client.create_kernel_manager()
        await client.async_start_new_kernel()
        await client.async_start_new_kernel_client()
        for number, cell in enumerate(notebook.cells):
            await client.async_execute_cell(cell, number)
        clients[path.stem if path else "nothing run"] = client
    print(HEADER)
    total = 0.0
    for name, client in clients.items():
        found = megabytes(client.km.provisioner.pid)
        alone = found["Private_Clean"] + found["Private_Dirty"]
        total += found["Pss"]
        print(f"{name:24}{found['Rss']:8.0f}{found['Pss']:8.0f}{alone:8.0f}", flush=True)
    print(f"all {len(clients)} kernels: {total:.0f} MB")
    for client in clients.values():
        await client._async_cleanup_kernel()


def main() -> None:
    trees()
    asyncio.run(kernels())


if __name__ == "__main__":
    main()

"""Measure the memory of each notebook's kernel.

Each notebook runs to its end in its own kernel, and all kernels keep running.  RSS is the memory of
a kernel.  PSS divides memory that several kernels share, such as Python and libraries, among them,
so the sum of all PSS is the memory that the machine needs.
"""

import re
from pathlib import Path

from nbclient import NotebookClient

from tools.refresh_notebooks import read_notebook

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
HEADER = f"{'MB':24}{'RSS':>8}{'PSS':>8}{'alone':>8}"


def megabytes(process: int) -> dict[str, float]:
    """Return the memory figures of a process on Linux: `Rss`, `Pss`, `Private_Dirty`, ..."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    return {
        name: int(kilobytes) / 1000 for name, kilobytes in re.findall(r"(\w+): +(\d+) kB", text)
    }


def main() -> None:
    """Run all notebooks in turn, and print the memory of their kernels at the end."""
    clients = {}
    for path in [None, *sorted(NOTEBOOKS.glob("*.ipynb"))]:
        notebook = read_notebook(path or NOTEBOOKS / "00_start_here.ipynb")
        if path is None:
            notebook.cells = []
        resources = {"metadata": {"path": str(NOTEBOOKS)}}
        client = NotebookClient(notebook, kernel_name="python3", timeout=600, resources=resources)
        client.execute(cleanup_kc=False)
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
        client._cleanup_kernel()

"""What the image of Python is made of."""

import json
from pathlib import Path

from tools.site import python_image


def test_imports_of_cells_are_found(tmp_path: Path) -> None:
    sources = {
        "code": ["import os, sys\n", "import numpy.linalg\n", "from numpy import array\n"],
        "markdown": ["import this"],
    }
    cells = [{"cell_type": kind, "source": source} for kind, source in sources.items()]
    inner = {"cell_type": "code", "source": ["def f():\n", "    from a.b import c as d"]}
    notebook = tmp_path / "one.ipynb"
    notebook.write_text(json.dumps({"cells": [*cells, inner]}), encoding="utf-8")
    found = python_image.imports_of([notebook], without=["numpy"])
    assert found == ["from a.b import c as d", "import os, sys"]

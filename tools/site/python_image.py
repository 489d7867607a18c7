"""Write the image of a Python that has started: a tab begins with it instead of starting one.

The memory of a Python that has imported what each notebook needs is the same in every tab, so it
is made once, when the site is built.  The image is three files, compressed with gzip:

    files       the files of the packages: 4 bytes, little endian, with the length of a JSON text,
                [[name of each package, ...], [[path, bytes], ...]], this text, and the contents
    suspending  the memory, for browsers that can suspend WebAssembly, which Python notices early
    plain       the memory, for other browsers

`load_progress.js` reads them.  Pyodide's own functions make and read the memory, which fits only
the very build of Pyodide that made it.  No memory holds a library (.so), so packages with one are
loaded when a notebook imports them.
"""

import ast
import gzip
import json
import subprocess
import tempfile
import zipfile
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from tools.site import pyodide_lock

MEMORY_SCRIPT = Path(__file__).with_suffix(".mjs")
NODE_OPTIONS = {"suspending": ["--experimental-wasm-jspi"], "plain": []}


def write(
    node: Sequence[str], pyodide: Path, roots: Sequence[str], imports: Sequence[str], python: str
) -> dict[str, Path]:
    """Write the image to the folder of Pyodide, and return its files by their names above.

    node     the command of Node.js
    roots    the names of the packages; those that they need are added
    imports  statements that import what is to be in the memory besides the kernel
    python   Python's version, for example "3.12"
    """
    packages = pyodide_lock.read(pyodide)["packages"]
    needed = pyodide_lock.with_dependencies(packages, roots)
    names = [name for name in needed if packages[name]["file_name"].endswith("-none-any.whl")]
    image = {}
    with tempfile.TemporaryDirectory() as place:
        root, memory = Path(place) / "files", Path(place) / "memory"
        for name in names:
            unpack(pyodide / packages[name]["file_name"], root, python)
        image["files"] = _write(pyodide, "files", _joined(root, names))
        given = [str(path) for path in (MEMORY_SCRIPT, pyodide, root, memory)]
        for kind, options in NODE_OPTIONS.items():
            command = [*node, *options, *given, "\n".join(imports)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            image[kind] = _write(pyodide, kind, memory.read_bytes())
    return image


def imports_of(notebooks: Iterable[Path], *, without: Collection[str]) -> list[str]:
    """Return the statements by which notebooks import something, except some packages."""
    found = set()
    for notebook in notebooks:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        for node in (node for source in sources for node in ast.walk(ast.parse(source))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                first = getattr(node, "module", None) or node.names[0].name
                found |= set() if first.partition(".")[0] in without else {ast.unparse(node)}
    return sorted(found)


def unpack(wheel: Path, root: Path, python: str) -> None:
    """Unpack a wheel below a folder as Pyodide would unpack it below /."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            _, is_data, inside = name.partition(".data/data/")
            path = root / (inside if is_data else f"lib/python{python}/site-packages/{name}")
            if not name.endswith("/"):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(name))


def _joined(root: Path, names: list[str]) -> bytes:
    """Return all files below a folder in one."""
    paths = sorted(path for path in root.rglob("*") if path.is_file())
    contents = [path.read_bytes() for path in paths]
    sizes = [
        [f"/{path.relative_to(root)}", len(content)]
        for path, content in zip(paths, contents, strict=True)
    ]
    head = json.dumps([names, sizes]).encode()
    return b"".join([len(head).to_bytes(4, "little"), head, *contents])


def _write(pyodide: Path, kind: str, content: bytes) -> Path:
    """Write a file of the image, and return its path."""
    file = pyodide / f"python-{kind}"
    file.write_bytes(gzip.compress(content, mtime=0))
    # The name depends on the content, because a browser may have cached the file of an older site.
    return file.rename(pyodide / f"python-{kind}-{pyodide_lock.sha256(file)[:8]}.bin")

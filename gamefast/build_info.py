"""The sources of the machine code, and the library that is made of them for a browser tab."""

import hashlib
from pathlib import Path

SOURCES = Path(__file__).parent
LIBRARY = SOURCES / "kernels.so"


def version() -> str:
    """Return a name of these sources: kernels contain each other, so all change with one file."""
    sources = b"".join(path.read_bytes() for path in sorted(SOURCES.glob("*.py")))
    return hashlib.sha256(sources).hexdigest()[:16]

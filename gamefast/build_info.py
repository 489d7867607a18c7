"""The sources of the compiled code, and the library built from them for a browser tab."""

import hashlib
from pathlib import Path

SOURCES = Path(__file__).parent
LIBRARY = SOURCES / "kernels.so"


def version() -> str:
    """Return a hash of all sources, because kernels contain each other and change together."""
    sources = b"".join(path.read_bytes() for path in sorted(SOURCES.glob("*.py")))
    return hashlib.sha256(sources).hexdigest()[:16]

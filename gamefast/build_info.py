"""The sources of the compiled code, and the library built from them for a browser tab."""

import hashlib
from pathlib import Path

SOURCES = Path(__file__).parent
LIBRARY = SOURCES / "kernels.so"
INSTALL = (
    "install the extra `fast`: "
    'python -m pip install "adversarial-search-course[fast]" (`make fast` in a checkout)'
)
# The kinds of processors for which code can be compiled on another machine, the fastest first, and
# the features that LLVM may use for them (System V ABI for AMD64, section 3.1.1).
_V2 = "+cx16,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,+ssse3"
_V3 = f"{_V2},+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+xsave"
KINDS = {"x86-64-v3": _V3, "x86-64-v2": _V2}


def version() -> str:
    """Return a hash of all sources, because kernels contain each other and change together."""
    sources = b"".join(path.read_bytes() for path in sorted(SOURCES.glob("*.py")))
    return hashlib.sha256(sources).hexdigest()[:16]

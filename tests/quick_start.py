"""A plugin of pytest that saves seconds in each process; `-p` loads it before all others."""

import gc
import sys

# The plugin that runs notebooks imports `jsonschema`, and this builds a grammar of internet
# addresses if an optional package is there, which takes 1.6 seconds.  No notebook needs it.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]  # None: there is no such module

# The tests and the packages that they import stay in memory, and a full collection of garbage looks
# through them all.  With Python's own threshold, 700 new objects, collections take 14 seconds.
gc.set_threshold(50_000, 20, 20)

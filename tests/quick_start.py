"""A plugin of pytest that saves each process 1.6 seconds; `-p` loads it before all others.

The plugin that runs notebooks imports `jsonschema`, and this builds a grammar of internet addresses
if an optional package is there.  No notebook needs it.
"""

import sys

sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]  # None: there is no such module

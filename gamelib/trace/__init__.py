"""What a search did: its events, the tree that they describe, and every moment of it."""

from gamelib.trace.trace import Moment, Trace, record

__all__ = ["Moment", "Trace", "record"]

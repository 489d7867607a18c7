"""Record what a program does, without changing it, and derive the steps of the search from it."""

from course.tracing.trace import Trace, TraceFrame, record

__all__ = ["Trace", "TraceFrame", "record"]

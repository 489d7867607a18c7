"""What a program did: a recorder from outside, and what is read off its record."""

from course.tracing.trace import Trace, TraceFrame, record

__all__ = ["Trace", "TraceFrame", "record"]

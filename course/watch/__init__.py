"""What a program did: a recorder from outside, and what is read off its record."""

from course.watch.trace import Moment, Trace, record

__all__ = ["Moment", "Trace", "record"]

"""Symmetric systems of linear equations, so that ratings need nothing but Python.

A matrix is a list of rows.  A rating has one equation for each agent, so these systems are small:
one of 100 agents is factored in a few hundredths of a second.
"""

from collections.abc import Sequence
from math import sqrt
from operator import mul

Vector = Sequence[float]
Matrix = Sequence[Vector]


def dot(first: Vector, second: Vector) -> float:
    """Return the sum of the products of two vectors; the shorter one says how many."""
    return float(sum(map(mul, first, second)))


def cholesky(matrix: Matrix) -> list[list[float]]:
    """Return the lower triangle L with L times its transpose equal to a matrix.

    The matrix must be symmetric and positive definite.  Row i of the triangle has i + 1 numbers.
    Source: Golub and Van Loan, Matrix Computations, section 4.2.
    """
    lower: list[list[float]] = []
    for i, row in enumerate(matrix):
        own: list[float] = []
        for j in range(i):
            own.append((row[j] - dot(own, lower[j])) / lower[j][j])
        own.append(sqrt(row[i] - dot(own, own)))
        lower.append(own)
    return lower


def solve(lower: Matrix, right: Vector) -> list[float]:
    """Return x with L times its transpose times x equal to `right`, where L is `lower`."""
    return _solve_both(lower, _columns(lower), right)


def inverse(lower: Matrix) -> list[list[float]]:
    """Return the inverse of the matrix whose lower triangle of Cholesky is `lower`."""
    size, columns = range(len(lower)), _columns(lower)
    return [_solve_both(lower, columns, [float(i == j) for j in size]) for i in size]


def _columns(lower: Matrix) -> list[list[float]]:
    """Return the columns of a triangle, each from below up to its number on the diagonal."""
    columns: list[list[float]] = [[] for _ in lower]
    for row in reversed(lower):
        for column, number in zip(columns, row, strict=False):
            column.append(number)
    return columns


def _solve_both(lower: Matrix, columns: Matrix, right: Vector) -> list[float]:
    """Return the solution from both triangles, so that each number is one product of vectors."""
    forward: list[float] = []
    for row, value in zip(lower, right, strict=True):
        forward.append((value - dot(row, forward)) / row[-1])
    backward: list[float] = []  # from the last number to the first
    for column, value in zip(reversed(columns), reversed(forward), strict=True):
        backward.append((value - dot(column, backward)) / column[-1])
    return backward[::-1]

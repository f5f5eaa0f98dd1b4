"""definition.py - matrices as lists of rows: inputs, products, comparison

Sums are exact or in double precision; a result may differ from them by the roundings of
its type.
"""
import functools

from aclnn import BF16, FLOAT, FLOAT16

PLACES = {FLOAT16: 11, BF16: 8, FLOAT: 24}  # binary digits


@functools.lru_cache(maxsize=None)
def numbers(salt, rows, columns, kind=None):
    """Small whole numbers that all types represent exactly."""
    return [[((salt * 31 + i * 17 + j * 7 + i * j) % 9) - 4 for j in range(columns)] for i in range(rows)]


def product(left, right, bias=None):
    columns = list(zip(*right))
    return [[sum(a * b for a, b in zip(row, column)) + (bias[j] if bias else 0) for j, column in enumerate(columns)]
            for row in left]


def add(a, b):
    return [[x + y for x, y in zip(r, s)] for r, s in zip(a, b)]


def scaled(rows, row_scale, column_scale):
    return [[v * row_scale[i] * column_scale[j] for j, v in enumerate(row)] for i, row in enumerate(rows)]


def rows_of(rows, first, count):
    return rows[first:first + count]


def columns_of(rows, first, count):
    return [row[first:first + count] for row in rows]


def expect(tensor, expected, roundings=2, magnitude=None):
    """Returns the differences, as texts. magnitude: of the largest partial sum."""
    found = tensor.read()
    if len(found) != len(expected):
        return [f"{len(found)} elements in place of {len(expected)}"]
    step = 2.0 ** -PLACES.get(tensor.kind, 60) * roundings
    largest = magnitude or max([abs(v) for v in expected] + [1])
    bad = [(i, f, w) for i, (f, w) in enumerate(zip(found, expected)) if not abs(f - w) <= step * largest]
    return [f"element {i} is {f}, expected {w}" for i, f, w in bad[:2]]

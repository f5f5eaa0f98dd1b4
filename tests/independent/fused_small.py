"""fused_small.py - factors of 4 and 8 bits on a 950, with scales of groups"""
import functools

from aclnn import (BF16, FLOAT, FLOAT16, FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT8_E8M0, HIFLOAT8, INVALID, Tensor, int_array)
from definition import add, columns_of, expect, numbers, product, rows_of

E2M1 = 40
MX, MX_GROUP = 6, 32 | 1 << 16 | 1 << 32
BLOCK = 128
BLOCK_GROUP = BLOCK | BLOCK << 16 | BLOCK << 32
MOST = {FLOAT8_E5M2: 57344, FLOAT8_E4M3FN: 448}


def small_float(bits, exponent_bits, fraction_bits, bias):
    sign = -1 if bits >> (exponent_bits + fraction_bits) else 1
    exponent, fraction = bits >> fraction_bits & (1 << exponent_bits) - 1, bits & (1 << fraction_bits) - 1
    if exponent == 0:
        return sign * fraction * 2.0 ** (1 - bias - fraction_bits)
    return sign * (1 + fraction / (1 << fraction_bits)) * 2.0 ** (exponent - bias)


def hifloat(bits):
    sign, rest = -1 if bits & 0x80 else 1, bits & 0x7F
    if rest == 0:
        return 0.0
    if rest < 8:
        return sign * 2.0 ** (rest - 23)
    if rest < 16:  # exponent 0
        return sign * (1 + (rest & 7) / 8)
    # exponent bits, fraction bits and the place of the first exponent bit, by the prefix
    digits, fraction_bits = (1, 3) if rest < 32 else (2, 3) if rest < 64 else (3, 2) if rest < 96 else (4, 1)
    field = rest >> fraction_bits & (1 << digits) - 1
    size = 1 << digits - 1 | field & (1 << digits - 1) - 1
    exponent = -size if field >> digits - 1 else size
    return sign * (1 + (rest & (1 << fraction_bits) - 1) / (1 << fraction_bits)) * 2.0 ** exponent


DECODE = {FLOAT8_E4M3FN: lambda b: small_float(b, 4, 3, 7), FLOAT8_E5M2: lambda b: small_float(b, 5, 2, 15),
          HIFLOAT8: hifloat, E2M1: lambda b: small_float(b, 2, 1, 1)}


@functools.lru_cache(maxsize=None)
def codes(kind):
    """The bits of each value."""
    return {DECODE[kind](bits): bits for bits in reversed(range(16 if kind == E2M1 else 256))}


def encoded(kind, rows):
    """The bytes of a tensor; of two numbers of 4 bits, the first has the lower half."""
    data = [codes(kind)[float(v)] for row in rows for v in row]
    return [a | b << 4 for a, b in zip(data[::2], data[1::2])] if kind == E2M1 else data


def nearest(kind, value):
    """The value of the type nearest to a value; of two, the one with even bits."""
    finite = [(v, b) for v, b in codes(kind).items() if abs(v) <= MOST[kind]]
    return min(finite, key=lambda pair: (abs(pair[0] - value), pair[1] & 1))[0]


def factor(rank, rows, columns):
    """Numbers that every type has: 0, 1, 2, 3, 4 and their negatives."""
    return numbers(5 * rank + rows, rows, columns)


def power(salt, i, group):
    return 2.0 ** ((salt + i + 2 * group) % 4 - 1)


def mx_rows(salt, rows, k):
    """A scale for 32 neighbours along k of each row, as numbers and as bytes (rows, k / 64, 2)."""
    groups = 2 * -(-k // 64)
    values = [[power(salt, i, g) for g in range(groups)] for i in range(rows)]
    return values, [127 + int((salt + i + 2 * g) % 4 - 1) for i in range(rows) for g in range(groups)]


def tensor_of(kind, rows):
    return Tensor([len(rows), len(rows[0])], kind, encoded(kind, rows))


class Scaled:
    """A factor with scales: the rows of the left one, or the columns of the right one."""

    def __init__(self, way, salt, rows, k, is_left):
        if way == "tensor":
            value = 0.5 if is_left else 0.25
            self.of = lambda i, l: value
            self.tensor = lambda: Tensor([1], FLOAT, value)
        elif way == "mx":
            values, data = mx_rows(salt, rows, k)
            self.of = lambda i, l: values[i][l // 32]
            self.tensor = lambda: Tensor([rows, -(-k // 64), 2], FLOAT8_E8M0, data)
        else:
            count, groups = -(-rows // BLOCK), -(-k // BLOCK)
            values = [[power(salt, i, g) for g in range(groups)] for i in range(count)]
            self.of = lambda i, l: values[i // BLOCK][l // BLOCK]
            shape = [count, groups] if is_left else [groups, count]
            data = values if is_left else [list(c) for c in zip(*values)]
            self.tensor = lambda: Tensor(shape, FLOAT, [v for row in data for v in row])


GROUP_SIZE = {"tensor": 0, "mx": MX_GROUP, "blocks": BLOCK_GROUP}


def scaled_product(left, left_scale, right, right_scale, bias=None):
    """Scales apply to the factors; a bias is added before the scales of whole tensors."""
    a = [[v * left_scale.of(i, l) for l, v in enumerate(row)] for i, row in enumerate(left)]
    b = [[v * right_scale.of(j, l) for j, v in enumerate(row)] for l, row in enumerate(right)]
    return product(a, b, bias)


def flat(rows):
    return [v for row in rows for v in row]


def gather(me, kind, way, m=3, n=5, k=256):
    left = [factor(rank, m, k) for rank in range(me.ranks)]
    scale = [Scaled(way, rank if way != "tensor" else 0, m, k, True) for rank in range(me.ranks)]
    right, right_scale = factor(me.rank + 40, k, n), Scaled(way, me.rank + 7, n, k, False)
    out = Tensor([me.ranks * m, n], FLOAT)
    rows = Tensor([me.ranks * m, k], kind)
    me.call("aclnnAllGatherMatmulV2", tensor_of(kind, left[me.rank]), tensor_of(kind, right), None, scale[me.rank].tensor(),
            right_scale.tensor(), None, 0, me.group, 0, 0, 1, GROUP_SIZE[way], "ccu", out, rows, None)
    expected = [row for a, s in zip(left, scale) for row in scaled_product(a, s, right, right_scale)]
    bad = expect(out, flat(expected), 1)
    arrived = bytes(v for a in left for v in encoded(kind, a))
    if rows.raw()[:len(arrived)] != arrived:
        bad.append("the gathered rows are wrong")
    return bad


def scatter(me, kind, way, part=3, n=5, k=256):
    m = part * me.ranks
    out = Tensor([part, n], FLOAT)
    total = [[0] * n for _ in range(m)]
    for rank in range(me.ranks):
        left, right = factor(rank, m, k), factor(rank + 40, k, n)
        scale, right_scale = Scaled(way, rank, m, k, True), Scaled(way, rank + 7, n, k, False)
        total = add(total, scaled_product(left, scale, right, right_scale))
        if rank == me.rank:
            call = (tensor_of(kind, left), tensor_of(kind, right), None, scale.tensor(), right_scale.tensor())
    me.call("aclnnMatmulReduceScatterV2", *call, None, 0, me.group, "sum", 0, 1, GROUP_SIZE[way], "ccu", out, None)
    return expect(out, flat(rows_of(total, me.rank * part, part)), me.ranks)


def all_reduce(me, kind, way, version, m=5, n=3, k=192):
    out = Tensor([m, n], FLOAT16)
    total = [[0] * n for _ in range(m)]
    for rank in range(me.ranks):
        left, right, extra = factor(rank, m, k), factor(rank + 40, k, n), numbers(rank + 50, m, n)
        scale, right_scale = Scaled(way, rank, m, k, True), Scaled(way, rank + 7, n, k, False)
        total = add(total, add(scaled_product(left, scale, right, right_scale), extra))
        if rank == me.rank:
            call = (tensor_of(kind, left), tensor_of(kind, right), None, Tensor([m, n], FLOAT16, flat(extra)), scale.tensor(),
                    right_scale.tensor())
    mode = ("ccu",) if version == 5 else ()
    me.call(f"aclnnQuantMatmulAllReduceV{version}", *call, None, None, me.group, "sum", *mode, 0, 1, GROUP_SIZE[way], 0, out)
    return expect(out, flat(total), me.ranks + 2)


def weight(me, kind, m=4, n=5, k=64):
    out = Tensor([m, n], BF16)
    total = [[0] * n for _ in range(m)]
    for rank in range(me.ranks):
        left, right = factor(rank, m, k), factor(rank + 40, k, n)
        total = add(total, product(left, [[(v + 1) * 0.5 for v in row] for row in right]))
        if rank == me.rank:
            call = (Tensor([m, k], BF16, flat(left)), tensor_of(kind, right))
    me.call("aclnnWeightQuantMatmulAllReduceV2", *call, None, Tensor([n], BF16, 0.5), Tensor([n], BF16, 1.0), None, me.group,
            "sum", "ccu", 0, 1, 0, out)
    return expect(out, flat(total), me.ranks + 1)


def received(me, height, width):
    """The rows that come from each rank: for each row, its parts by rank."""
    part = height // me.ranks
    return [[factor(rank, height, width)[me.rank * part + row] for rank in range(me.ranks)] for row in range(part)]


def to_product(me, kind, version=1, part=2, width=6, n=3):
    """The cores quantise the rows that arrived."""
    height = part * me.ranks
    right, bias = factor(me.rank + 40, width * me.ranks, n), numbers(me.rank + 60, 1, n)[0]
    column = [0.5, 0.25, 1.0]
    expected = []
    for row in received(me, height, width):
        row = flat(row)
        scale = max(abs(v) for v in row) / MOST[kind] or 1
        quantised = [[nearest(kind, v / scale) for v in row]]
        expected += [v * scale * c for v, c in zip(product(quantised, right, bias)[0], column)]
    out = Tensor([part, n], FLOAT)
    mode = ("ccu",) if version == 2 else ()
    me.call("aclnnAlltoAllQuantMatmul" + ("V2" if version == 2 else ""),
            Tensor([height, width], FLOAT16, flat(factor(me.rank, height, width))), tensor_of(kind, right),
            Tensor([n], FLOAT, bias), None, Tensor([n], FLOAT, column), None, None, None, me.group, *mode, None, 7, 2, 0, -1,
            kind, 0, False, False, out, None)
    return expect(out, expected, 64)  # a quotient between two values may fall to either


def to_product_mx(me, kind, part=2, width=64, n=3):
    height = part * me.ranks
    right, right_scale = factor(me.rank + 40, width * me.ranks, n), Scaled("mx", me.rank, n, width * me.ranks, False)
    scale = [Scaled("mx", rank, height, width, True) for rank in range(me.ranks)]
    bias = numbers(me.rank + 60, 1, n)[0]
    left = [[v * scale[rank].of(me.rank * part + i, l) for rank, values in enumerate(row) for l, v in enumerate(values)]
            for i, row in enumerate(received(me, height, width))]
    b = [[v * right_scale.of(j, l) for j, v in enumerate(row)] for l, row in enumerate(right)]
    stored = [list(c) for c in zip(*right)]
    out, rows = Tensor([part, n], FLOAT), Tensor([part, width * me.ranks], kind)
    me.call("aclnnAlltoAllQuantMatmulV2", tensor_of(kind, factor(me.rank, height, width)), tensor_of(kind, stored),
            Tensor([n], FLOAT, bias), scale[me.rank].tensor(), right_scale.tensor(), None, None, None, me.group, "ccu",
            int_array([-2, -1]), MX, MX, 0, -1, kind, MX_GROUP, False, True, out, rows)
    expected = encoded(kind, [flat(row) for row in received(me, height, width)])
    return expect(out, flat(product(left, b, bias)), 2) + expect(rows, expected, 0)


def from_product(me, kind, way, version=1, rows=5, part=3, k=64):
    n = part * me.ranks
    token, column = [0.5 + 0.5 * (i % 2) for i in range(rows)], [0.25 * (1 + j % 3) for j in range(n)]
    expected = []
    for rank in range(me.ranks):
        left, right, bias = factor(rank, rows, k), factor(rank + 40, k, n), numbers(rank + 60, 1, n)[0]
        if way == "mx":
            result = scaled_product(left, Scaled("mx", rank, rows, k, True), right, Scaled("mx", rank + 7, n, k, False), bias)
        else:
            result = [[v * t * c for v, c in zip(row, column)] for row, t in zip(product(left, right, bias), token)]
        expected += columns_of(result, me.rank * part, part)
        if rank == me.rank:
            call = (tensor_of(kind, left), tensor_of(kind, right), Tensor([n], FLOAT, bias))
    if way == "mx":
        scales = (Scaled("mx", me.rank, rows, k, True).tensor(), Scaled("mx", me.rank + 7, n, k, False).tensor())
    else:
        scales = (Tensor([rows], FLOAT, token), Tensor([n], FLOAT, column))
    out = Tensor([rows * me.ranks, part], FLOAT)
    mode = ("ccu",) if version == 2 else ()
    modes = (MX, MX) if way == "mx" else (3, 2)
    me.call("aclnnQuantMatmulAlltoAll" + ("V2" if version == 2 else ""), *call, *scales, None, None, None, int_array([-1, -2]),
            me.group, *mode, *modes, 0, -1, GROUP_SIZE[way], False, False, out)
    return expect(out, flat(expected), 2)


def bad_modes(me):
    """Modes and sizes of groups that no operator has."""
    n = 3 * me.ranks
    x, w, scales = Tensor([4, 64], FLOAT8_E4M3FN), Tensor([64, n], FLOAT8_E4M3FN), (Tensor([4], FLOAT), Tensor([n], FLOAT))
    bad = []
    for x1, x2, size in ((3, 1, 0), (9, 2, 0), (3, 6, 0), (0, 2, 0), (3, 2, 32), (3, 2, -1), (1 << 40, 2, 0)):
        found = me.ask("aclnnQuantMatmulAlltoAll", x, w, None, *scales, None, None, None, None, me.group, x1, x2, 0, -1, size,
                       False, False, Tensor([4 * me.ranks, 3], FLOAT))[0]
        if found != INVALID:
            bad.append(f"modes {x1}, {x2} and group size {size}: {found}")
    for size in (-1, 1 << 48, -1 << 63):
        found = me.ask("aclnnAllGatherMatmulV2", x, w, None, *scales, None, 0, me.group, 0, 0, 1, size, "ccu",
                       Tensor([4 * me.ranks, n], FLOAT), Tensor([4 * me.ranks, 64], FLOAT8_E4M3FN), None)[0]
        if found != INVALID:
            bad.append(f"group size {size}: {found}")
    return bad


WAYS = ("tensor", "mx", "blocks")
A5 = "950"
CASES = [
    *[(f"AllGatherMatmulV2 of 8 bits, scales: {way}", lambda me, w=way, k=kind: gather(me, k, w), A5)
      for way, kind in zip(WAYS, (HIFLOAT8, FLOAT8_E4M3FN, FLOAT8_E5M2))],
    ("AllGatherMatmulV2 of 4 bits, scales: mx", lambda me: gather(me, E2M1, "mx", n=6), A5),
    ("MatmulReduceScatterV2 of 4 bits, scales: mx", lambda me: scatter(me, E2M1, "mx", n=6), A5),
    ("AllGatherMatmulV2 of 8 bits, scales of many blocks", lambda me: gather(me, FLOAT8_E4M3FN, "blocks", m=130), A5, (2,)),
    *[(f"MatmulReduceScatterV2 of 8 bits, scales: {way}", lambda me, w=way, k=kind: scatter(me, k, w), A5)
      for way, kind in zip(WAYS, (FLOAT8_E5M2, FLOAT8_E4M3FN, HIFLOAT8))],
    *[(f"QuantMatmulAllReduceV{version} of 8 bits, scales: {way}", lambda me, w=way, k=kind, v=version: all_reduce(me, k, w, v), A5)
      for way, kind, version in zip(WAYS, (FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT8_E4M3FN), (4, 5, 4))],
    ("WeightQuantMatmulAllReduceV2 of 8 bits", lambda me: weight(me, FLOAT8_E4M3FN), A5),
    ("AlltoAllQuantMatmul of 8 bits", lambda me: to_product(me, FLOAT8_E5M2), A5),
    ("AlltoAllQuantMatmulV2 of 8 bits", lambda me: to_product(me, FLOAT8_E4M3FN, 2), A5),
    ("AlltoAllQuantMatmulV2 of 8 bits, scales: mx", lambda me: to_product_mx(me, FLOAT8_E4M3FN), A5),
    ("QuantMatmulAlltoAll of 8 bits", lambda me: from_product(me, FLOAT8_E4M3FN, "tensor"), A5),
    ("QuantMatmulAlltoAllV2 of 8 bits, scales: mx", lambda me: from_product(me, FLOAT8_E5M2, "mx", 2), A5),
    ("calls with wrong modes of quantisation", bad_modes, A5),
]

"""fused_alltoall.py - products with an all-to-all before or after them"""
from aclnn import BF16, FLOAT, FLOAT16, INT8, Tensor, int_array
from definition import columns_of, expect, numbers, product, scaled

A2 = "910B"


def flat(rows):
    return [v for row in rows for v in row]


def gathered(me, height, width):
    """The left factor of a rank: its part of the rows of all ranks, side by side."""
    part = height // me.ranks
    all_rows = [numbers(rank, height, width) for rank in range(me.ranks)]
    return [[v for rows in all_rows for v in rows[me.rank * part + row]] for row in range(part)]


def allto_all(me, kind=FLOAT16, version=1, part=3, width=5, n=7, swapped=False, out_rows=True):
    height = part * me.ranks
    left = gathered(me, height, width)
    right, bias = numbers(me.rank + 40, width * me.ranks, n), numbers(me.rank + 60, 1, n)[0]
    stored = [list(c) for c in zip(*right)] if swapped else right
    out = Tensor([part, n], kind)
    rows = Tensor([part, width * me.ranks], kind) if out_rows else None
    axes = int_array([-2, -1]) if swapped else None
    mode = ("aiv",) if version == 2 else ()
    me.call("aclnnAlltoAllMatmul" + ("V2" if version == 2 else ""),
            Tensor([height, width], kind, flat(numbers(me.rank, height, width))),
            Tensor([len(stored), len(stored[0])], kind, flat(stored)),
            Tensor([n], FLOAT if kind == BF16 else kind, bias), axes, me.group, *mode, False, swapped, out, rows)
    return expect(out, flat(product(left, right, bias)), 1) + (expect(rows, flat(left), 0) if rows else [])


def quant_allto_all(me, smooth, version=1, part=2, width=4, n=3):
    height = part * me.ranks
    factor = [1 + 0.5 * (i % 2) for i in range(width * me.ranks)]
    left = [[v * (f if smooth else 1) for v, f in zip(row, factor)] for row in gathered(me, height, width)]
    scales = [max(abs(v) for v in row) / 127 or 1 for row in left]
    left = [[round(v / s) for v in row] for row, s in zip(left, scales)]
    right, bias = numbers(me.rank + 40, width * me.ranks, n), numbers(me.rank + 60, 1, n)[0]
    column = [0.5, 0.25, 1.0]
    out = Tensor([part, n], FLOAT16)
    mode = ("aiv",) if version == 2 else ()
    head = (me.group, *mode, None)
    me.call("aclnnAlltoAllQuantMatmul" + ("V2" if version == 2 else ""),
            Tensor([height, width], FLOAT16, flat(numbers(me.rank, height, width))),
            Tensor([width * me.ranks, n], INT8, flat(right)), Tensor([n], FLOAT16, bias),
            Tensor([width * me.ranks], FLOAT, factor) if smooth else None, Tensor([n], FLOAT, column), None, None,
            None, *head, 7, 2, 0, -1, INT8, 0, False, False, out, None)
    result = scaled(product(left, right), scales, column)
    return expect(out, [v + bias[i % n] for i, v in enumerate(flat(result))], 3)


def products(me, rows, inner, part, scales=None):
    result = []
    for rank in range(me.ranks):
        right, bias = numbers(rank + 40, inner, part * me.ranks), numbers(rank + 60, 1, part * me.ranks)[0]
        first = me.rank * part
        term = product(numbers(rank, rows, inner), columns_of(right, first, part))
        if scales:
            term = scaled(term, scales[0], scales[1][first:first + part])
        result += [[v + b for v, b in zip(row, bias[first:first + part])] for row in term]
    return flat(result)


def matmul(me, kind=FLOAT16, version=1, rows=5, inner=6, part=3, quantised=False):
    n = part * me.ranks
    right, bias = numbers(me.rank + 40, inner, n), numbers(me.rank + 60, 1, n)[0]
    token, column = [0.5 + 0.5 * (i % 2) for i in range(rows)], [0.25 * (1 + j % 3) for j in range(n)]
    out = Tensor([rows * me.ranks, part], FLOAT16 if quantised else kind)
    x = (Tensor([rows, inner], kind, flat(numbers(me.rank, rows, inner))), Tensor([inner, n], kind, flat(right)),
         Tensor([n], out.kind, bias))
    axes, mode = int_array([-1, -2]), ("aiv",) if version == 2 else ()
    suffix = "V2" if version == 2 else ""
    if quantised:
        me.call("aclnnQuantMatmulAlltoAll" + suffix, *x, Tensor([rows], FLOAT, token), Tensor([n], FLOAT, column),
                None, None, None, axes, me.group, *mode, 3, 2, 0, -1, 0, False, False, out)
    else:
        me.call("aclnnMatmulAlltoAll" + suffix, *x, axes, me.group, *mode, False, False, out)
    return expect(out, products(me, rows, inner, part, (token, column) if quantised else None), 1)


CASES = [
    ("AlltoAllMatmul", allto_all),
    ("AlltoAllMatmul bfloat, transposed", lambda me: allto_all(me, BF16, swapped=True)),
    ("AlltoAllMatmul tiles", lambda me: allto_all(me, part=33, width=70, n=1, out_rows=False)),
    ("MatmulAlltoAll", matmul),
    ("MatmulAlltoAll tiles", lambda me: matmul(me, BF16, rows=70, inner=1, part=60)),
    ("AlltoAllMatmulV2", lambda me: allto_all(me, version=2), A2),
    ("AlltoAllQuantMatmul", lambda me: quant_allto_all(me, False), A2),
    ("AlltoAllQuantMatmulV2 smooth", lambda me: quant_allto_all(me, True, 2), A2),
    ("MatmulAlltoAllV2", lambda me: matmul(me, version=2), A2),
    ("QuantMatmulAlltoAll", lambda me: matmul(me, INT8, quantised=True), A2),
    ("QuantMatmulAlltoAllV2", lambda me: matmul(me, INT8, 2, quantised=True), A2),
]

"""fused_product.py - operators that multiply and reduce, gather or scatter"""
from aclnn import BF16, FLOAT, FLOAT16, INT32, INT64, INT8, Tensor
from definition import add, expect, numbers, product, rows_of, scaled
import struct


def factors(rank, m, n, k, kind, salt=0):
    """The factors and the bias of a rank, as lists of rows."""
    return (numbers(7 * rank + salt, m, k, kind), numbers(7 * rank + salt + 1, k, n, kind),
            numbers(7 * rank + salt + 2, 1, n, INT8)[0])


def flat(rows):
    return [v for row in rows for v in row]


def all_reduce(me, kind, m=5, n=3, k=4, x3=None, swapped=False):
    a, b, bias = factors(me.rank, m, n, k, kind)
    extra = numbers(me.rank + 50, m, n, INT8)
    out = Tensor([m, n], kind)
    given = (Tensor([m, k], kind, flat(a)), Tensor([k, n], kind, flat(b), swapped), Tensor([n], kind, bias))
    if x3:
        mode = (me.group, "sum", "ai_cpu") if x3 == 3 else (me.group, "sum")
        me.call(f"aclnnMatmulAllReduceV{x3}", *given, Tensor([m, n], kind, flat(extra)), *mode, 0, 1, out)
    else:
        me.call("aclnnMatmulAllReduce", *given, me.group, "sum", 0, 1, out)
    total = [[0] * n for _ in range(m)]
    for rank in range(me.ranks):
        a, b, bias = factors(rank, m, n, k, kind)
        total = add(total, product(a, b, bias))
        if x3:
            total = add(total, numbers(rank + 50, m, n, INT8))
    return expect(out, flat(total))


def quant_all_reduce(me, version, m=5, n=6, k=33):
    a, b, bias = factors(me.rank, m, n, k, INT8)
    column = [0.0625 * (1 + j % 3) for j in range(n)]
    row = [0.5 * (1 + i % 2) for i in range(m)] if version in (2, 3, 4, 5) else [1] * m
    extra = numbers(me.rank + 50, m, n, INT8)
    out = Tensor([m, n], FLOAT16)
    bits = [struct.unpack("<I", struct.pack("<f", v))[0] for v in column]
    scale = Tensor([n], INT64, bits) if version == 1 else Tensor([1, n], FLOAT, column)
    x = (Tensor([m, k], INT8, flat(a)), Tensor([k, n], INT8, flat(b)), Tensor([n], INT32, bias),
         Tensor([m, n], FLOAT16, flat(extra)))
    token = Tensor([m], FLOAT, row)
    if version <= 3:
        scales = (scale,) + ((token,) if version > 1 else ()) + ((None, None) if version > 2 else ())
        me.call("aclnnQuantMatmulAllReduce" + ("" if version == 1 else f"V{version}"), *x, *scales, me.group,
                "sum", 0, 1, out)
    else:
        mode = ("ai_cpu",) if version == 5 else ()
        me.call(f"aclnnQuantMatmulAllReduceV{version}", *x, token, scale, None, None, me.group, "sum", *mode, 0, 1,
                0, 0, out)
    total = [[0] * n for _ in range(m)]
    for rank in range(me.ranks):
        a, b, bias = factors(rank, m, n, k, INT8)
        total = add(total, add(scaled(product(a, b, bias), row, column), numbers(rank + 50, m, n, INT8)))
    return expect(out, flat(total), 4)


def coded_all_reduce(me, m=3, n=4, k=5):
    """The transfer is quantised: each term, and the sum, become whole numbers."""
    a, b, bias = factors(me.rank, m, n, k, INT8)
    out = Tensor([m, n], FLOAT16)
    first, second = [2.0] * n, [8.0] * n
    me.call("aclnnQuantMatmulAllReduceV3", Tensor([m, k], INT8, flat(a)), Tensor([k, n], INT8, flat(b)),
            Tensor([n], INT32, bias), None, Tensor([n], FLOAT, 1.0), Tensor([m], FLOAT, 1.0),
            Tensor([n], FLOAT, first), Tensor([n], FLOAT, second), me.group, "sum", 0, 1, out)
    sums = [[0] * n for _ in range(m)]
    for rank in range(me.ranks):
        a, b, bias = factors(rank, m, n, k, INT8)
        sums = add(sums, [[max(-128, min(127, round(v / 2))) for v in row] for row in product(a, b, bias)])
    return expect(out, [max(-128, min(127, round(v * 2 / 8))) * 8 for v in flat(sums)])


def weight_all_reduce(me, group, version=1, m=4, n=5, k=64):
    kind = FLOAT16
    a = numbers(me.rank, m, k, kind)
    groups = k // group if group else 1

    def weight(rank):
        w = numbers(rank + 9, k, n, INT8)
        return [[(w[l][j] + 1) * scales[(l // group if group else 0) * n + j] for j in range(n)] for l in range(k)]
    scales = [0.25 * (1 + i % 3) for i in range(groups * n)]
    shape = [groups, n] if groups > 1 else [n]
    out = Tensor([m, n], kind)
    mode = ("ai_cpu",) if version == 2 else ()
    me.call("aclnnWeightQuantMatmulAllReduce" + ("V2" if version == 2 else ""), Tensor([m, k], kind, flat(a)),
            Tensor([k, n], INT8, flat(numbers(me.rank + 9, k, n, INT8))), None, Tensor(shape, kind, scales),
            Tensor(shape, kind, 1.0), None, me.group, "sum", *mode, 0, 1, group, out)
    total = [[0] * n for _ in range(m)]
    for rank in range(me.ranks):
        total = add(total, product(numbers(rank, m, k, kind), weight(rank)))
    return expect(out, flat(total), me.ranks + 1)


def add_rms_norm(me, kind, inplace, m=6, n=5, k=3):
    a, b, bias = factors(me.rank, m, n, k, FLOAT16)
    residual = numbers(me.rank + 70, m, n, INT8)
    gamma = [1 + 0.5 * (j % 2) for j in range(n)]
    x = [Tensor([m, k], FLOAT16, flat(a)), Tensor([k, n], FLOAT16, flat(b)), Tensor([n], FLOAT16, bias)]
    scales = []
    if kind == "Quant":
        x = [Tensor([m, k], INT8, flat(a)), Tensor([k, n], INT8, flat(b)), Tensor([n], INT32, bias)]
        scales = [Tensor([1], INT64, [struct.unpack("<I", struct.pack("<f", 0.5))[0]])]
    if kind == "WeightQuant":
        x[1] = Tensor([k, n], INT8, flat(b))
        scales = [Tensor([1], FLOAT16, 0.5), None]
    before = Tensor([1, m, n], FLOAT16, flat(residual))
    y, norm = Tensor([1, m, n], FLOAT16), Tensor([1, m, n], FLOAT16)
    outs = [norm] if inplace else [y, norm]
    group = [0] if kind == "WeightQuant" else []
    me.call("aclnn" + ("Inplace" if inplace else "") + kind + "MatmulAllReduceAddRmsNorm", *x, *scales, before,
            Tensor([n], FLOAT16, gamma), 0.001, me.group, "sum", 0, 1, *group, *outs)
    total = [list(row) for row in residual]
    for rank in range(me.ranks):
        a, b, bias = factors(rank, m, n, k, FLOAT16)
        if kind == "Quant":
            term = scaled(product(a, b, bias), [1] * m, [0.5] * n)
        elif kind == "WeightQuant":
            term = product(a, scaled(b, [1] * k, [0.5] * n), bias)
        else:
            term = product(a, b, bias)
        total = add(total, term)
    expected = []
    for row in total:
        size = (sum(v * v for v in row) / n + 0.001) ** 0.5
        expected += [v / size * g for v, g in zip(row, gamma)]
    return expect(before if inplace else y, flat(total), me.ranks) + expect(norm, expected, 3 + me.ranks)


def gather(me, version, kind=FLOAT16, m=3, n=4, k=256):
    a, b, _ = factors(me.rank, m, n, k, kind)
    out_kind = FLOAT16 if version > 1 else kind
    out, rows = Tensor([me.ranks * m, n], out_kind), Tensor([me.ranks * m, k], kind)
    x = (Tensor([m, k], kind, flat(a)), Tensor([k, n], kind, flat(b), True), None)
    token = [[0.5 + 0.25 * ((r + i) % 3) for i in range(m)] for r in range(me.ranks)]
    column = [0.125 * (1 + j % 2) for j in range(n)]
    if version == 1:
        me.call("aclnnAllGatherMatmul", *x, me.group, 0, 0, 1, out, rows)
    else:
        me.call("aclnnAllGatherMatmulV2", *x, Tensor([m, 1], FLOAT, token[me.rank]), Tensor([1, n], FLOAT, column),
                None, 0, me.group, 0, 0, 1, 0, "aiv", out, rows, None)
    gathered = [row for rank in range(me.ranks) for row in factors(rank, m, n, k, kind)[0]]
    result = product(gathered, b)
    if version > 1:
        result = scaled(result, flat(token), column)
    return expect(out, flat(result), 1) + expect(rows, flat(gathered), 0)


def scatter(me, version, kind=FLOAT16, part=3, n=4, k=256):
    m = part * me.ranks
    out = Tensor([part, n], FLOAT16 if version > 1 else kind)
    a, b, bias = factors(me.rank, m, n, k, kind)
    row = [0.5 + 0.25 * (i % 3) for i in range(m)]
    column = [0.125 * (1 + j % 2) for j in range(n)]
    x = (Tensor([m, k], kind, flat(a)), Tensor([k, n], kind, flat(b)))
    if version == 1:
        me.call("aclnnMatmulReduceScatter", *x, None, me.group, "sum", 0, 1, out)
    else:
        me.call("aclnnMatmulReduceScatterV2", *x, Tensor([n], FLOAT, bias), Tensor([m], FLOAT, row),
                Tensor([n], FLOAT, column), None, 0, me.group, "sum", 0, 1, 0, "aiv", out, None)
    total = [[0] * n for _ in range(m)]
    for rank in range(me.ranks):
        a, b, bias = factors(rank, m, n, k, kind)
        term = product(a, b)
        total = add(total, term if version == 1 else [[v + c for v, c in zip(line, bias)]
                                                      for line in scaled(term, row, column)])
    return expect(out, flat(rows_of(total, me.rank * part, part)), me.ranks + 1)


A2, A5 = "910B", "950"
CASES_OF_A2 = [
    ("MatmulAllReduce half", lambda me: all_reduce(me, FLOAT16)),
    ("MatmulAllReduce bfloat, tiles", lambda me: all_reduce(me, BF16, 70, 33, 5, swapped=True)),
    ("MatmulAllReduce without k", lambda me: all_reduce(me, FLOAT16, 3, 2, 1)),
    ("MatmulAllReduceV2", lambda me: all_reduce(me, FLOAT16, x3=2)),
    ("MatmulAllReduceV3", lambda me: all_reduce(me, BF16, x3=3)),
    *[(f"QuantMatmulAllReduce{f'V{v}' if v > 1 else ''}", lambda me, v=v: quant_all_reduce(me, v)) for v in (1, 2, 3, 4, 5)],
    ("QuantMatmulAllReduceV3 coded", coded_all_reduce),
    ("WeightQuantMatmulAllReduce", lambda me: weight_all_reduce(me, 0)),
    ("WeightQuantMatmulAllReduce groups", lambda me: weight_all_reduce(me, 32)),
    ("WeightQuantMatmulAllReduceV2", lambda me: weight_all_reduce(me, 32, 2)),
    *[(f"{'Inplace' if i else ''}{kind}MatmulAllReduceAddRmsNorm", lambda me, k=kind, i=i: add_rms_norm(me, k, i))
      for kind in ("", "Quant", "WeightQuant") for i in (False, True)],
]
CASES = [(name, body, A2) for name, body in CASES_OF_A2] + [
    ("MatmulAllReduce on a 950", lambda me: all_reduce(me, BF16), A5),
    ("MatmulAllReduceV3 on a 950", lambda me: all_reduce(me, FLOAT16, x3=3), A5),
    ("AllGatherMatmul", lambda me: gather(me, 1)),
    ("AllGatherMatmulV2", lambda me: gather(me, 2, INT8), "910"),
    ("MatmulReduceScatter", lambda me: scatter(me, 1)),
    ("MatmulReduceScatterV2", lambda me: scatter(me, 2, INT8), "910"),
]

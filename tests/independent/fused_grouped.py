"""fused_grouped.py - grouped products with an all-to-all of different lengths"""
from aclnn import BF16, FLOAT, FLOAT16, FLOAT8_E4M3FN, FLOAT8_E8M0, Tensor, int_array
from definition import expect, numbers, product

EXPERTS = 3
KINDS = {"mixed": lambda s, d, j: (s * 5 + d * 3 + j) % 4,  # with empty experts
         "one": lambda s, d, j: 4 if d == 0 and j == 1 else 0,  # all tokens to one expert
         "none": lambda s, d, j: 0}
FP8 = {0: 0x00, 1: 0x38, 2: 0x40, 3: 0x44, 4: 0x48}  # FLOAT8_E4M3FN


def flat(rows):
    return [v for row in rows for v in row]


def fp8(rows):
    return [FP8[abs(v)] | (0x80 if v < 0 else 0) for v in flat(rows)]


def weights(rank, k, n):
    return [numbers(rank * EXPERTS + j + 200, k, n) for j in range(EXPERTS)]


def tokens(me, kind, source, k):
    """The rows of a rank, by destination and its expert; each is a list of rows."""
    count, at, rows = KINDS[kind], 0, {}
    every = numbers(source + 300, 400, k)
    for d in range(me.ranks):
        for j in range(EXPERTS):
            rows[d, j] = every[at:at + count(source, d, j)]
            at += count(source, d, j)
    return rows


def counts(me, kind):
    count = KINDS[kind]
    send = [count(me.rank, d, j) for d in range(me.ranks) for j in range(EXPERTS)]
    receive = [count(s, me.rank, j) for s in range(me.ranks) for j in range(EXPERTS)]
    return send, receive


def second(me, kind):
    x, w = numbers(me.rank, 3, 4), numbers(me.rank + 1, 4, 2)
    return Tensor([3, 4], kind, flat(x)), Tensor([4, 2], kind, flat(w)), Tensor([3, 2], kind), flat(product(x, w))


def dispatch(me, kind, data=FLOAT16, k=5, n=4, version=1, swapped=False, both=False):
    send, receive = counts(me, kind)
    mine = tokens(me, kind, me.rank, k)
    own = weights(me.rank, k, n)
    arrived = [row for j in range(EXPERTS) for s in range(me.ranks) for row in tokens(me, kind, s, k)[me.rank, j]]
    results = [row for j in range(EXPERTS) for s in range(me.ranks)
               for row in product(tokens(me, kind, s, k)[me.rank, j], own[j])]
    stored = [v for w in own for v in flat([list(c) for c in zip(*w)] if swapped else w)]
    out, rows = Tensor([len(arrived), n], data), Tensor([len(arrived), k], data)
    x, w, y, expected = second(me, data) if both else (None, None, None, None)
    mode = ("ai_cpu",) if version == 2 else ()
    me.call("aclnnAlltoAllvGroupedMatMul" + ("V2" if version == 2 else ""),
            Tensor([sum(send), k], data, flat([r for rows in mine.values() for r in rows])),
            Tensor([EXPERTS, n, k] if swapped else [EXPERTS, k, n], data, stored), None, None, x, w, me.group, *mode,
            me.ranks, int_array(send), int_array(receive), swapped, False, True, out, y, rows)
    return expect(out, flat(results), 1) + expect(rows, flat(arrived), 0) + (expect(y, expected) if both else [])


def combine(me, kind, data=FLOAT16, k=5, n=4, version=1):
    send, receive = counts(me, kind)
    sent = [send[d * EXPERTS + j] for d in range(me.ranks) for j in range(EXPERTS)]
    mine = [row for j in range(EXPERTS) for d in range(me.ranks) for row in tokens(me, kind, me.rank, k)[d, j]]
    expected = [row for s in range(me.ranks) for j in range(EXPERTS)
                for row in product(tokens(me, kind, s, k)[me.rank, j], weights(s, k, n)[j])]
    out = Tensor([len(expected), n], data)
    mode = ("ai_cpu",) if version == 2 else ()
    me.call("aclnnGroupedMatMulAlltoAllv" + ("V2" if version == 2 else ""), Tensor([sum(send), k], data, flat(mine)),
            Tensor([EXPERTS, k, n], data, [v for w in weights(me.rank, k, n) for v in flat(w)]), None, None, None, None,
            me.group, *mode, me.ranks, int_array(sent), int_array(receive), False, False, out, None)
    return expect(out, flat(expected), 1)


def scale_bytes(count, salt):
    return [126 + (i + salt) % 3 for i in range(count)]  # 0.5, 1, 2


def quantised(me, is_dispatch, is_mx, version=1, kind="mixed", k=64, n=3):
    send, receive = counts(me, kind)
    own = weights(me.rank, k, n)
    pairs = k // 64

    def left_scales(source, row):
        return [2.0 ** (v - 127) for v in scale_bytes(2 * pairs, source + row)] if is_mx else None

    def right_scale(rank, j, l, column):
        return 2.0 ** (scale_bytes(2, rank + j + column)[l // 32] - 127) if is_mx else 1

    def multiply(row, scales, rank, j):
        w = weights(rank, k, n)[j]
        return [sum(row[l] * (scales[l // 32] if is_mx else 0.5) * w[l][c] * (right_scale(rank, j, l, c) if is_mx else 2)
                    for l in range(k)) for c in range(n)]
    numbered, order = {}, [(d, j) for d in range(me.ranks) for j in range(EXPERTS)]
    for source in range(me.ranks):
        at, rows = 0, tokens(me, kind, source, k)
        keys = order if is_dispatch else [(d, j) for j in range(EXPERTS) for d in range(me.ranks)]
        for d, j in keys:
            numbered[source, d, j] = [(row, left_scales(source, at + i)) for i, row in enumerate(rows[d, j])]
            at += len(rows[d, j])
    keys = order if is_dispatch else [(d, j) for j in range(EXPERTS) for d in range(me.ranks)]
    mine = [pair for d, j in keys for pair in numbered[me.rank, d, j]]
    x = Tensor([len(mine), k], FLOAT8_E4M3FN, fp8([row for row, _ in mine]))
    w = Tensor([EXPERTS, k, n], FLOAT8_E4M3FN, [v for m in own for v in fp8(m)])
    if is_mx:
        xs = Tensor([len(mine), pairs, 2], FLOAT8_E8M0, flat([scale_bytes(2 * pairs, me.rank + i) for i in range(len(mine))]))
        ws = Tensor([EXPERTS, pairs, n, 2], FLOAT8_E8M0,
                    [scale_bytes(2, me.rank + j + c)[h] for j in range(EXPERTS) for c in range(n) for h in range(2)])
    else:
        xs, ws = Tensor([1], FLOAT, 0.5), Tensor([1], FLOAT, 2.0)
    mode, number = ("ccu",) if version == 2 else (), 6 if is_mx else 1
    suffix = "V2" if version == 2 else ""
    if is_dispatch:
        expected = [multiply(row, scales, me.rank, j) for j in range(EXPERTS) for s in range(me.ranks)
                    for row, scales in numbered[s, me.rank, j]]
        arrived = [row for j in range(EXPERTS) for s in range(me.ranks) for row, _ in numbered[s, me.rank, j]]
        out, rows = Tensor([len(expected), n], FLOAT16), Tensor([len(expected), k], FLOAT8_E4M3FN)
        me.call("aclnnAlltoAllvQuantGroupedMatMul" + suffix, x, w, xs, ws, None, None, None, None, None, None, number,
                number, 0, 0, me.group, *mode, me.ranks, int_array(send), int_array(receive), False, False, 0, True, out,
                None, rows)
        return expect(out, flat(expected), 1) + expect(rows, fp8(arrived), 0)
    expected = [multiply(row, scales, s, j) for s in range(me.ranks) for j in range(EXPERTS)
                for row, scales in numbered[s, me.rank, j]]
    out = Tensor([len(expected), n], BF16)
    me.call("aclnnQuantGroupedMatMulAlltoAllv" + suffix, x, w, xs, ws, None, None, None, None, None, None, None, number,
            number, 0, 0, 0, -1, 0, me.group, *mode, me.ranks, int_array(send), int_array(receive), False, False, out,
            None)
    return expect(out, flat(expected), 1)


A3, A5 = "910_93", "950"
CASES = [
    *[(f"AlltoAllvGroupedMatMul {kind}", lambda me, kind=kind: dispatch(me, kind), A3) for kind in KINDS],
    *[(f"GroupedMatMulAlltoAllv {kind}", lambda me, kind=kind: combine(me, kind), A3) for kind in KINDS],
    ("AlltoAllvGroupedMatMul both", lambda me: dispatch(me, "mixed", BF16, 7, 1, swapped=True, both=True), A3),
    ("AlltoAllvGroupedMatMul on a 950", lambda me: dispatch(me, "mixed"), A5),
    ("GroupedMatMulAlltoAllv on a 950", lambda me: combine(me, "mixed", BF16), A5),
    ("AlltoAllvGroupedMatMulV2", lambda me: dispatch(me, "mixed", version=2), A3),
    ("GroupedMatMulAlltoAllvV2", lambda me: combine(me, "mixed", BF16, version=2), A3),
    *[(f"{'AlltoAllvQuantGroupedMatMul' if d else 'QuantGroupedMatMulAlltoAllv'}{'V2' if v == 2 else ''}"
       f"{' mx' if mx else ''}", lambda me, d=d, mx=mx, v=v: quantised(me, d, mx, v), A5)
      for d in (True, False) for mx in (False, True) for v in (1, 2)],
]

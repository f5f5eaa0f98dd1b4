"""fused_twogroups.py - operators of an expert group and a tensor group

Rank r has the place r // tp in its expert group and r % tp in its tensor group.
"""
import math

from aclnn import BF16, FLOAT, FLOAT16, INT8, INVALID, NULLPTR, Tensor
from definition import expect, numbers, product

ACTIVATIONS = [lambda x: x, lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))),
               lambda x: x / (1 + math.exp(-x)), lambda x: max(x, 0), lambda x: x / (1 + math.exp(-1.702 * x))]
LOCAL, ROWS, WIDTH, INNER = 2, 4, 8, 6  # experts of a rank, C, H, and M of a rank


def flat3(blocks):
    return [v for block in blocks for row in block for v in row]


def bias_of(rank, width, has_bias):
    return [[(rank + 2 * j + c) % 5 - 2 for c in range(width)] for j in range(LOCAL)] if has_bias else None


def sizes(me):
    tp = 4 if me.ranks == 8 else 2
    return me.ranks // tp, tp


def tokens_of(ep, rank, rows, width):
    """x of a rank: for each expert, rows x width."""
    return [numbers(7 * rank + expert, rows, width) for expert in range(ep * LOCAL)]


def gathered(me, shard, activation, kind=FLOAT16, has_bias=False, outputs=True):
    ep, tp = sizes(me)
    p, q = divmod(me.rank, tp)
    group_ep, group_tp = me.groups(tp)
    rows, width = (ROWS // tp, WIDTH) if shard else (ROWS, WIDTH // tp)
    x = Tensor([ep * LOCAL, rows, width], kind, flat3(tokens_of(ep, me.rank, rows, width)))
    weights = [numbers(me.rank + 3 * j, WIDTH, INNER) for j in range(LOCAL)]
    bias = bias_of(me.rank, INNER, has_bias)
    shape = [LOCAL, ep * ROWS]
    y1, y2 = Tensor(shape + [INNER], kind, 77), Tensor(shape + [WIDTH], kind, 77) if outputs else None
    y3 = Tensor(shape + [INNER], kind, 77) if outputs and activation else None
    me.call("aclnnAlltoAllAllGatherBatchMatMul", x, Tensor([LOCAL, WIDTH, INNER], kind, flat3(weights)),
            Tensor([LOCAL, INNER], FLOAT if kind == BF16 else kind, [v for b in bias for v in b]) if bias else None,
            group_ep, group_tp, ep, tp, shard, activation, y1, y2, y3)
    experts, products = [], []
    for j in range(LOCAL):
        lines = []
        for s in range(ep):  # place in the expert group, whose ranks have x for this rank's expert
            sent = [tokens_of(ep, s * tp + u, rows, width)[p * LOCAL + j] for u in range(tp)]
            if shard:
                lines += [row for u in range(tp) for row in sent[u]]
            else:
                lines += [[v for u in range(tp) for v in sent[u][c]] for c in range(ROWS)]
        experts.append(lines)
        products.append(product(lines, weights[j], bias[j] if bias else None))
    bad = expect(y1, [ACTIVATIONS[activation](v) for v in flat3(products)], 4)
    if y2:
        bad += expect(y2, flat3(experts), 0)
    return bad + (expect(y3, flat3(products), 2) if y3 else [])


def scattered(me, shard, kind=FLOAT16, has_bias=False):
    ep, tp = sizes(me)
    p, q = divmod(me.rank, tp)
    group_ep, group_tp = me.groups(tp)

    def x_of(rank):
        return [numbers(5 * rank + j, ep * ROWS, INNER) for j in range(LOCAL)]

    def weight_of(rank):
        return [numbers(rank + 11 * j, INNER, WIDTH) for j in range(LOCAL)]

    rows, width = (ROWS // tp, WIDTH) if shard else (ROWS, WIDTH // tp)
    bias = bias_of(me.rank, width, has_bias)
    out = Tensor([ep * LOCAL, rows, width], kind, 77)
    me.call("aclnnBatchMatMulReduceScatterAlltoAll", Tensor([LOCAL, ep * ROWS, INNER], kind, flat3(x_of(me.rank))),
            Tensor([LOCAL, INNER, WIDTH], kind, flat3(weight_of(me.rank))),
            Tensor([LOCAL, 1, width], FLOAT if kind == BF16 else kind, [v for b in bias for v in b]) if bias else None,
            group_ep, group_tp, ep, tp, shard, out)
    expected = []
    for v in range(ep):  # the expert's place
        terms = [[product(x, w) for x, w in zip(x_of(v * tp + u), weight_of(v * tp + u))] for u in range(tp)]
        for j in range(LOCAL):
            for c in range(rows):
                row = p * ROWS + (q * rows + c if shard else c)
                total = [sum(terms[u][j][row][h] for u in range(tp)) for h in range(WIDTH)]
                kept = total if shard else total[q * width:(q + 1) * width]
                added = bias_of(v * tp + q, width, True)[j] if has_bias else [0] * width
                expected += [a + b for a, b in zip(kept, added)]
    return expect(out, expected, 2 * tp)


def bad_calls(me):
    ep, tp = sizes(me)
    group_ep, group_tp = me.groups(tp)
    x, y1 = Tensor([ep * LOCAL, ROWS, WIDTH // tp], FLOAT16), Tensor([LOCAL, ep * ROWS, INNER], FLOAT16)
    w, y2 = Tensor([LOCAL, WIDTH, INNER], FLOAT16), Tensor([LOCAL, ep * ROWS, WIDTH], FLOAT16)
    first = [x, w, None, group_ep, group_tp, ep, tp, 0, 1, y1, y2, Tensor([LOCAL, ep * ROWS, INNER], FLOAT16)]
    second = [Tensor([LOCAL, ep * ROWS, INNER], FLOAT16), Tensor([LOCAL, INNER, WIDTH], FLOAT16), None, group_ep, group_tp,
              ep, tp, 0, Tensor([ep * LOCAL, ROWS, WIDTH // tp], FLOAT16)]
    both = [(0, None, NULLPTR), (1, None, NULLPTR), (3, None, NULLPTR), (4, None, NULLPTR), (3, "no such group", INVALID),
            (4, "no such group", INVALID), (4, group_ep, INVALID), (3, "", INVALID), (5, 3, INVALID), (6, 1, INVALID),
            (6, ep * tp, INVALID), (7, 2, INVALID), (0, Tensor([ep * LOCAL, ROWS], FLOAT16), INVALID),
            (1, Tensor([LOCAL, WIDTH + 1, INNER], FLOAT16), INVALID), (1, Tensor([LOCAL, WIDTH, INNER], BF16), INVALID),
            (0, Tensor([ep * LOCAL, ROWS, WIDTH // tp], INT8), INVALID), (2, Tensor([LOCAL, 5], FLOAT16), INVALID),
            (2, Tensor([LOCAL, INNER], FLOAT), INVALID)]
    own = [(8, 5, INVALID), (8, 0, INVALID), (9, None, NULLPTR), (9, Tensor([LOCAL, ROWS, INNER], FLOAT16), INVALID),
           (10, Tensor([LOCAL, ep * ROWS, WIDTH], BF16), INVALID)]
    other = [(8, None, NULLPTR), (8, Tensor([ep * LOCAL, ROWS, WIDTH], FLOAT16), INVALID)]
    bad = []
    for name, good, wrong in (("aclnnAlltoAllAllGatherBatchMatMul", first, both + own),
                              ("aclnnBatchMatMulReduceScatterAlltoAll", second, both + other)):
        if me.ask(name, *good)[0]:
            bad.append(f"{name}: the right call is refused")
        for position, value, code in wrong:
            arguments = list(good)
            arguments[position] = value
            status, _, _ = me.ask(name, *arguments)
            if status != code:
                bad.append(f"{name}, argument {position}: {status} in place of {code}")
    return bad


A3 = "910_93"
CASES = [
    *[(f"AlltoAllAllGatherBatchMatMul {shard} {activation}", lambda me, s=shard, a=activation: gathered(me, s, a), A3, (4, 8))
      for shard in (0, 1) for activation in range(5)],
    ("AlltoAllAllGatherBatchMatMul bfloat", lambda me: gathered(me, 0, 2, BF16, True), A3, (4, 8)),
    ("AlltoAllAllGatherBatchMatMul one output", lambda me: gathered(me, 1, 0, FLOAT16, True, False), A3, (4, 8)),
    *[(f"BatchMatMulReduceScatterAlltoAll {shard}", lambda me, s=shard: scattered(me, s), A3, (4, 8)) for shard in (0, 1)],
    ("BatchMatMulReduceScatterAlltoAll bfloat", lambda me: scattered(me, 0, BF16, True), A3, (4, 8)),
    ("BatchMatMulReduceScatterAlltoAll bias", lambda me: scattered(me, 1, FLOAT16, True), A3, (4, 8)),
    ("calls of two groups with wrong arguments", bad_calls, A3, (4, 8)),
]

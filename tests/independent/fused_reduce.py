"""fused_reduce.py - sums over ranks of quantised data; calls with wrong arguments"""
from aclnn import (BOOL, FLOAT, FLOAT16, FLOAT8_E8M0, INT32, INT64, INT8, INVALID, NULLPTR, Tensor, int_array)
from definition import expect, numbers

WIDTH = 1024


def reduce(me, scattered, is_mx, part=2):
    rows = part * me.ranks if scattered else part
    neighbours = 32 if is_mx else 128
    count = WIDTH // neighbours

    def scale(rank, row, group):
        return 2.0 ** ((rank + row + group) % 3 - 1)
    given = [scale(me.rank, row, group) for row in range(rows) for group in range(count)]
    if is_mx:
        bits = {0.5: 126, 1.0: 127, 2.0: 128}
        scales = Tensor([rows, count // 2, 2], FLOAT8_E8M0, [bits[v] for v in given])
    else:
        scales = Tensor([rows, count], FLOAT, given)
    out = Tensor([part, WIDTH], FLOAT16)
    x = Tensor([rows, WIDTH], INT8, [v for row in numbers(me.rank, rows, WIDTH) for v in row])
    me.call("aclnnQuantReduceScatter" if scattered else "aclnnQuantAllReduce", x, scales, me.group, "sum", out)
    first = me.rank * part if scattered else 0
    expected = [sum(numbers(rank, rows, WIDTH)[first + row][i] * scale(rank, first + row, i // neighbours)
                    for rank in range(me.ranks)) for row in range(part) for i in range(WIDTH)]
    return expect(out, expected, 1)


def refused(me, name, arguments, position, value, code):
    """One argument is replaced; the first function must return the code."""
    arguments = list(arguments)
    arguments[position] = value
    status, _, _ = me.ask(name, *arguments)
    return [] if status == code else [f"argument {position} = {value}: {status} in place of {code}"]


def bad_products(me):
    good = [Tensor([4, 8], FLOAT16), Tensor([8, 6], FLOAT16), None, me.group, "sum", 0, 1, Tensor([4, 6], FLOAT16)]
    wrong = [(0, None, NULLPTR), (1, None, NULLPTR), (3, None, NULLPTR), (7, None, NULLPTR), (3, "", INVALID),
             (3, "x" * 128, INVALID), (4, "max", INVALID), (5, 1, INVALID), (6, 2, INVALID),
             (0, Tensor([4, 7], FLOAT16), INVALID), (1, Tensor([8, 6], INT8), INVALID), (0, Tensor([8], FLOAT16), INVALID),
             (7, Tensor([6, 4], FLOAT16), INVALID), (2, Tensor([5], FLOAT16), INVALID)]
    bad = [text for p, v, c in wrong for text in refused(me, "aclnnMatmulAllReduce", good, p, v, c)]
    good = [Tensor([4 * me.ranks, 2], FLOAT16), Tensor([2 * me.ranks, 6], FLOAT16), None, None, me.group, False, False,
            Tensor([4, 6], FLOAT16), None]
    wrong = [(0, Tensor([4 * me.ranks + 1, 2], FLOAT16), INVALID), (3, int_array([-1, -2]), INVALID), (5, True, INVALID),
             (4, "no such group", INVALID), (7, Tensor([4, 5], FLOAT16), INVALID), (8, Tensor([1, 1], FLOAT16), INVALID),
             (1, None, NULLPTR)]
    return bad + [text for p, v, c in wrong for text in refused(me, "aclnnAlltoAllMatmul", good, p, v, c)]


def bad_tokens(me):
    n, rows = me.ranks, 4 * me.ranks * 2
    good = [Tensor([4, 8], FLOAT16), Tensor([4, 2], INT32), None, None, None, me.group, n, me.rank, 2 * n, None, 0, 0, 0,
            0, 0, 0, 0, 1, "", Tensor([rows, 8], FLOAT16), Tensor([rows], FLOAT), Tensor([rows * 128], INT32),
            Tensor([2], INT64), Tensor([2 * n], INT32), Tensor([1], INT32), Tensor([rows], FLOAT)]
    wrong = [(0, None, NULLPTR), (5, None, NULLPTR), (5, "", NULLPTR), (5, "x" * 128, NULLPTR), (6, n + 1, INVALID),
             (7, n, INVALID), (7, -1, INVALID), (8, 2 * n + 1, INVALID), (10, 2, INVALID), (15, 9, INVALID),
             (16, 4 * n - 1, INVALID), (17, 2, INVALID), (18, "fast", INVALID), (19, Tensor([1, 8], FLOAT16), INVALID),
             (19, Tensor([rows, 8], INT8), INVALID), (1, Tensor([4, 2], INT64), INVALID), (19, None, NULLPTR),
             (3, Tensor([5], BOOL), INVALID), (12, 1, INVALID), (13, -1, INVALID)]
    return [text for p, v, c in wrong for text in refused(me, "aclnnMoeDistributeDispatchV2", good, p, v, c)]


A5 = "950"
CASES = [
    ("calls of products with wrong arguments", bad_products, "910B"),
    ("calls of dispatch with wrong arguments", bad_tokens, "910"),
    *[(f"{'QuantReduceScatter' if s else 'QuantAllReduce'}{' mx' if mx else ''}", lambda me, s=s, mx=mx: reduce(me, s, mx),
       A5) for s in (False, True) for mx in (False, True)],
]

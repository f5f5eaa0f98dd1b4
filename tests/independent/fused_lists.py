"""fused_lists.py - lists of products whose results are summed over the ranks"""
from aclnn import BF16, FLOAT, FLOAT16, INT8, INVALID, NULLPTR, Tensor, int_array, tensor_list
from definition import add, expect, numbers, product

SHAPES = [(5, 7, 9), (33, 3, 4), (1, 12, 6)]


def flat(rows):
    return [v for row in rows for v in row]


def grouped(me, split, kind=FLOAT16, swapped=False, empty=False, with_bias=True):
    """split: 0 many x and y, 1 one x, 2 one y, 3 one of both."""
    shapes = [(m, SHAPES[0][1] if split in (1, 3) else k, SHAPES[0][2] if split in (2, 3) else n) for m, k, n in SHAPES]
    if empty:
        shapes[1] = (0, *shapes[1][1:])
    each = []
    for rank in range(me.ranks):
        each.append([(numbers(rank + g, m, k), numbers(rank + 2 * g + 5, k, n),
                      [(rank + g + j) % 5 - 2 for j in range(n)] if with_bias else None)
                     for g, (m, k, n) in enumerate(shapes)])
    own = each[me.rank]
    if split in (1, 3):
        x = [Tensor([sum(m for m, _, _ in shapes), shapes[0][1]], kind, flat([row for left, _, _ in own for row in left]))]
        ends, at = [], 0
        for m, _, _ in shapes:
            at += m
            ends.append(at)
        ends = int_array(ends)
    else:
        x, ends = [Tensor([m, k], kind, flat(left)) for (m, k, _), (left, _, _) in zip(shapes, own)], None
    weight = [Tensor([k, n], kind, flat(right), swapped) for (_, k, n), (_, right, _) in zip(shapes, own)]
    bias = tensor_list([Tensor([n], FLOAT if kind == BF16 else kind, values) for (_, _, n), (_, _, values) in
                        zip(shapes, own)]) if with_bias else None
    if split in (2, 3):
        y = [Tensor([sum(m for m, _, _ in shapes), shapes[0][2]], kind, 77)]
    else:
        y = [Tensor([m, n], kind, 77) for m, _, n in shapes]
    me.call("aclnnGroupedMatMulAllReduce", tensor_list(x), tensor_list(weight), bias, ends, split, me.group, "sum", 0, 1,
            tensor_list(y))
    expected = []
    for g in range(len(shapes)):
        total = product(*each[0][g])
        for rank in range(1, me.ranks):
            total = add(total, product(*each[rank][g]))
        expected.append(flat(total))
    if split in (2, 3):
        return expect(y[0], flat(expected), 2 * me.ranks)
    return [text for tensor, values in zip(y, expected) for text in expect(tensor, values, 2 * me.ranks)]


def bad_lists(me):
    x, w, b, y = Tensor([4, 8], FLOAT16), Tensor([8, 6], FLOAT16), Tensor([6], FLOAT16), Tensor([4, 6], FLOAT16)
    good = [tensor_list([x]), tensor_list([w]), tensor_list([b]), None, 0, me.group, "sum", 0, 1, tensor_list([y])]
    wrong = [(0, None, NULLPTR), (1, None, NULLPTR), (9, None, NULLPTR), (5, None, NULLPTR), (5, "no such group", INVALID),
             (6, "max", INVALID), (7, 1, INVALID), (8, 2, INVALID), (4, 4, INVALID), (4, -1, INVALID),
             (3, int_array([4]), INVALID), (4, 1, INVALID), (0, tensor_list([x, x]), INVALID), (0, tensor_list([]), INVALID),
             (1, tensor_list([Tensor([7, 6], FLOAT16)]), INVALID), (1, tensor_list([Tensor([8, 6], INT8)]), INVALID),
             (2, tensor_list([Tensor([5], FLOAT16)]), INVALID), (9, tensor_list([Tensor([5, 6], FLOAT16)]), INVALID)]
    bad = []
    for position, value, code in wrong:
        arguments = list(good)
        arguments[position] = value
        status, _, _ = me.ask("aclnnGroupedMatMulAllReduce", *arguments)
        if status != code:
            bad.append(f"argument {position}: {status} in place of {code}")
    return bad


CASES = [
    *[(f"GroupedMatMulAllReduce splitItem {split}", lambda me, split=split: grouped(me, split), "910") for split in range(4)],
    ("GroupedMatMulAllReduce bfloat", lambda me: grouped(me, 0, BF16, swapped=True), "910"),
    ("GroupedMatMulAllReduce empty", lambda me: grouped(me, 3, empty=True, with_bias=False), "910"),
    ("calls of GroupedMatMulAllReduce with wrong arguments", bad_lists, "910"),
]

"""fused_barrier.py - no rank passes the barrier before all ranks have reached it"""
from aclnn import FLOAT, FLOAT16, INT32, INVALID, NULLPTR, Tensor
from definition import expect


def barrier(me, version):
    """Each rank counts before the barrier; behind it the counts of all ranks are complete."""
    values = [me.rank + i for i in range(5)]
    x, limit = Tensor([5], FLOAT16, values), Tensor([1], INT32, 10 ** 6)
    early = []
    for turn in range(1, 6):
        me.shared[version, me.rank] = turn
        if version == 2:
            me.call("aclnnDistributeBarrierV2", x, limit, None, me.group, me.ranks)
        else:
            me.call("aclnnDistributeBarrier", x, me.group, me.ranks)
        early += [f"turn {turn}: rank {rank} had not begun" for rank in range(me.ranks)
                  if me.shared.get((version, rank), 0) < turn]
    return early + expect(x, values, 0)


def bad_calls(me):
    x = Tensor([5], FLOAT16)
    bad = []
    for name, good, wrong in (
            ("aclnnDistributeBarrier", [x, me.group, me.ranks],
             [(0, None, NULLPTR), (1, None, NULLPTR), (1, "", INVALID), (1, "no such group", INVALID), (2, me.ranks + 1, INVALID),
              (2, 0, INVALID), (2, -1, INVALID)]),
            ("aclnnDistributeBarrierV2", [x, None, None, me.group, me.ranks],
             [(0, None, NULLPTR), (3, None, NULLPTR), (3, "no such group", INVALID), (4, me.ranks + 1, INVALID),
              (1, Tensor([1], FLOAT), INVALID)])):
        if me.ask(name, *good)[0]:
            bad.append(f"{name}: the right call is refused")
        for position, value, code in wrong:
            arguments = list(good)
            arguments[position] = value
            status, _, _ = me.ask(name, *arguments)
            if status != code:
                bad.append(f"{name}, argument {position}: {status} in place of {code}")
    return bad


CASES = [
    ("DistributeBarrier", lambda me: barrier(me, 1)),
    ("DistributeBarrierV2", lambda me: barrier(me, 2)),
    ("calls of barriers with wrong arguments", bad_calls),
]

"""fused_halves.py - dispatch and combine in two calls each; 2 or 8 ranks"""
import ctypes
import functools

import aclnn
from aclnn import BF16, BOOL, FLOAT, FLOAT16, INT32, INT64, INT8, INVALID, NULLPTR, Tensor, argument
from definition import expect

WIDTH, K, EXPERTS, TOKENS = 4096, 2, 32, 2


@functools.lru_cache(maxsize=None)
def token(rank, number):
    return [float((rank * 31 + number * 17 + i * 7) % 9 - 4) for i in range(WIDTH)]


def ids_of(rank, choose):
    if choose == "one":
        return [[2] * K] * TOKENS
    return [[(rank * 5 + t * 3 + k * 11) % EXPERTS for k in range(K)] for t in range(TOKENS)]


def is_sent(rank, number, masked):
    return not masked or number < TOKENS - rank % 2


def sizes(name, count, *inputs):
    out = [ctypes.c_uint64(0) for _ in range(count)]
    status = getattr(aclnn.LIB.api, name)(*[argument(v) for v in inputs], *[ctypes.byref(v) for v in out])
    return [status] + [v.value for v in out]


def flat(rows):
    return [v for row in rows for v in row]


def halves(me, kind=BF16, choose="mixed", masked=False):
    n, per_rank = me.ranks, EXPERTS // me.ranks
    place = (me.group, n, me.rank, EXPERTS, 0, 0, 0)
    ids = Tensor([TOKENS, K], INT32, flat(ids_of(me.rank, choose)))
    x = Tensor([TOKENS, WIDTH], kind, flat(token(me.rank, t) for t in range(TOKENS)))
    mask = Tensor([TOKENS], BOOL, [is_sent(me.rank, t, masked) for t in range(TOKENS)]) if masked else None
    pairs, capacity = TOKENS * K, TOKENS * n * K
    commands = (pairs + n * per_rank) * 16
    found = sizes("aclnnMoeDistributeDispatchSetupTeardownCalcOutputSize", 4, x, ids, None, mask, *place, 0, 0, 1, 2, "")
    if n == 4:
        return [] if found[0] == INVALID else [f"4 ranks: {found[0]}"]
    bad = [] if found == [0, WIDTH, pairs, n * per_rank, commands] else [f"sizes are {found}"]
    y, index, command = Tensor([pairs, WIDTH], kind), Tensor([pairs], INT32), Tensor([commands], INT32)
    setup = [x, ids, None, mask, *place, 0, 0, 2, "", y, index, command]
    for position, value, code in ((0, None, NULLPTR), (4, None, NULLPTR), (13, 1, INVALID), (11, 2, INVALID),
                                  (15, Tensor([pairs, WIDTH + 1], kind), INVALID)):
        wrong = list(setup)
        wrong[position] = value
        status, _, _ = me.ask("aclnnMoeDistributeDispatchSetup", *wrong)
        bad += [] if status == code else [f"argument {position}: {status} in place of {code}"]
    me.call("aclnnMoeDistributeDispatchSetup", *setup)
    bad += expect(y, flat(token(me.rank, i // K) for i in range(pairs)), 0)
    rows, dynamic = Tensor([capacity, WIDTH], kind), Tensor([1], FLOAT)
    sums, counts = Tensor([n * per_rank], INT32), Tensor([per_rank], INT64)
    me.call("aclnnMoeDistributeDispatchTeardown", x, y, ids, command, *place, 0, 0, 1, 2, "", rows, dynamic, sums, counts)
    arrived, ends, numbers = [], [], []
    for j in range(per_rank):
        first = len(arrived)
        for source in range(n):
            arrived += [(source, t) for t in range(TOKENS) for k in range(K)
                        if ids_of(source, choose)[t][k] == me.rank * per_rank + j and is_sent(source, t, masked)]
            ends.append(len(arrived))
        numbers.append(len(arrived) - first)
    bad += expect(sums, ends, 0) + expect(counts, numbers, 0)
    if rows.read()[:len(arrived) * WIDTH] != flat(token(s, t) for s, t in arrived):
        bad.append("the rows of the experts are wrong")
    # expert v multiplies by 1 + v % 3
    worked, at = [], 0
    for j in range(per_rank):
        for s, t in arrived[at:at + numbers[j]]:
            worked.append([v * (1 + (me.rank * per_rank + j) % 3) for v in token(s, t)])
        at += numbers[j]
    back = Tensor([capacity, WIDTH], kind, flat(worked) + [0.0] * (capacity - len(worked)) * WIDTH)
    commands, message = (capacity + n) * 16, (WIDTH + WIDTH // 8 * 4 + 511) // 512 * 512
    found = sizes("aclnnMoeDistributeCombineSetupTeardownCalcOutputSize", 2, back, ids, sums, *place, 0, 0, 2, "")
    bad += [] if found == [0, message, commands] else [f"sizes of combine are {found}"]
    coded, command = Tensor([capacity, message], INT8), Tensor([commands], INT32)
    me.call("aclnnMoeDistributeCombineSetup", back, ids, sums, *place, 0, 0, 2, "", coded, command)
    weights = [[0.25 * (1 + (me.rank + t + k) % 4) for k in range(K)] for t in range(TOKENS)]
    out = Tensor([TOKENS, WIDTH], kind, 77)
    me.call("aclnnMoeDistributeCombineTeardown", back, coded, ids, index, Tensor([TOKENS, K], FLOAT, flat(weights)), command,
            mask, None, *place, 0, 0, 2, "", out)
    expected = []
    for t in range(TOKENS):
        factor = sum(w * (1 + v % 3) for w, v in zip(weights[t], ids_of(me.rank, choose)[t]))
        expected.append([v * factor for v in token(me.rank, t)] if is_sent(me.rank, t, masked) else [77.0] * WIDTH)
    return bad + expect(out, flat(expected), 2)


A5 = "950"
CASES = [
    ("MoeDistributeDispatchSetup, Teardown and MoeDistributeCombineSetup, Teardown", halves, A5, (2, 8)),
    ("Setup and Teardown of one expert with a mask", lambda me: halves(me, FLOAT16, "one", True), A5, (2, 8)),
]

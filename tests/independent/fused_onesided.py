"""fused_onesided.py - rows that ranks write into the windows of others, which take no part"""
import struct

from aclnn import (BF16, BOOL, FLOAT, FLOAT16, INT32, INT64, INT8, INVALID, NULLPTR, Tensor, clear_card, int_array,
                   read_card, size_of, unpack)
from definition import numbers

TOKENS, WIDTH, K, SHARED = 5, 20, 3, 1


def aligned(count, step):
    return (count + step - 1) // step * step


class Places:
    """FFN ranks come first; each expert has one or two copies."""

    def __init__(self, ranks):
        self.ffn = max(1, ranks // 2)
        self.workers = ranks - self.ffn
        self.experts = 2 * self.ffn
        self.slots = K + SHARED
        self.rows = []
        for expert in range(self.experts + SHARED):
            copies = 1 + expert % 2
            row = [copies]
            for copy in range(copies):
                row += [(expert + copy) % self.ffn, 10 * expert + copy]
            self.rows.append(row + [0] * (5 - len(row)))

    def ids(self, worker, spread):
        return [[(worker + token * spread + k) % self.experts if spread else 0 for k in range(K)] for token in range(TOKENS)]

    def sent(self, worker, active, spread):
        """(token, slot, expert, rank, local expert) of each row."""
        for token in range(active):
            for slot, expert in enumerate(self.ids(worker, spread)[token] + [self.experts + j for j in range(SHARED)]):
                row = self.rows[expert]
                pair = worker % row[0]
                yield token, slot, expert, row[1 + 2 * pair], row[2 + 2 * pair]


def attention(me, kind=FLOAT16, quant=0, sync=0, masked=False, spread=1):
    places, batches, batch, layer = Places(me.ranks), 2, 1, 7
    worker = me.rank - places.ffn
    table = places.workers * batches * (2 + TOKENS * places.slots)
    pitch = (aligned(WIDTH, 32) + 128) if quant else WIDTH + 4
    unit = 1 if quant else size_of(kind)
    rows_at = aligned(4 * table, 512)
    size = rows_at + places.workers * batches * TOKENS * places.slots * pitch * unit
    window, _ = me.window()
    clear_card(window, size)
    me.meet()

    def active(number):
        return TOKENS - 1 - number % 2 if masked else TOKENS

    def factor(expert, i):
        return 0.5 * (1 + (expert + i) % 3) if quant else 1
    if worker >= 0:
        scales = Tensor([places.experts + SHARED, WIDTH], FLOAT,
                        [factor(e, i) for e in range(places.experts + SHARED) for i in range(WIDTH)]) if quant else None
        mask = Tensor([1, TOKENS], BOOL, [t < active(worker) for t in range(TOKENS)]) if masked else None
        x = Tensor([1, TOKENS, WIDTH], kind, [v for row in numbers(worker, TOKENS, WIDTH) for v in row])
        me.call("aclnnAttentionToFFN", x, Tensor([1], INT32, worker), Tensor([1], INT32, batch), Tensor([1], INT32, layer),
                Tensor([1, TOKENS, K], INT32, [v for row in places.ids(worker, spread) for v in row]),
                Tensor([1, len(places.rows), 5], INT32, [v for row in places.rows for v in row]), scales, mask, me.group,
                me.ranks, int_array([places.workers, batches, 2 + TOKENS * places.slots]),
                int_array([places.workers, batches, TOKENS, places.slots, pitch]),
                int_array([batches, TOKENS, places.slots]), places.experts, quant, sync, 0)
    me.meet()
    data = read_card(window, size)
    found = list(struct.unpack(f"<{table}i", data[:4 * table]))
    if worker >= 0:
        all_slots = TOKENS * places.slots
        own = [0] * table
        for i in range(active(worker) * places.slots, all_slots):
            own[batch * all_slots + i] = 1
        return [] if found == own else [f"own window has {found}"]
    bad, expected = [], [0] * table
    for w in range(places.workers):
        at = (w * batches + batch) * (2 + TOKENS * places.slots)
        rows = [row for row in places.sent(w, active(w), spread) if row[3] == me.rank]
        if rows or sync == 0:
            expected[at], expected[at + 1] = 1, layer
        for token, slot, expert, _, local in rows:
            expected[at + 2 + token * places.slots + slot] = local
            start = rows_at + (((w * batches + batch) * TOKENS + token) * places.slots + slot) * pitch * unit
            values = [v * factor(expert, i) for i, v in enumerate(numbers(w, TOKENS, WIDTH)[token])]
            if quant:
                most = max(abs(v) for v in values)
                got = unpack(INT8, data[start:start + WIDTH])
                scale = struct.unpack("<f", data[start + aligned(WIDTH, 32):start + aligned(WIDTH, 32) + 4])[0]
                if abs(scale - most / 127) > 1e-6 or any(abs(q - v / scale) > 0.501 for q, v in zip(got, values)):
                    bad.append(f"row of worker {w}, token {token}, slot {slot}: {got} x {scale}, expected {values}")
            elif unpack(kind, data[start:start + WIDTH * unit]) != values:
                bad.append(f"row of worker {w}, token {token}, slot {slot} is wrong")
    return bad[:2] + ([] if found == expected else [f"table is {found}, expected {expected}"])


def back(me, kind=FLOAT16, listed=False, actual=4):
    """Rank r sends row y to the attention rank (r + y) % n."""
    batches, slots, rows, pitch = 2, 3, 5, WIDTH + 8
    table = batches * TOKENS * slots * 1
    rows_at = aligned(4 * table, 512)
    size = rows_at + table * pitch * 2
    window, _ = me.window()
    clear_card(window, size)
    me.meet()

    def place(rank, y):
        """Micro batch, token, slot: different for all rows of a receiver."""
        number = rank % 6 * 5 + y
        return number // 15 % 2, number // 3 % TOKENS, number % 3

    def receiver(rank, y):
        return (rank + y) % me.ranks if rank < 6 else me.ranks + y
    sessions = [receiver(me.rank, y) for y in range(rows)]
    ranks = None
    if listed:
        ranks = Tensor([me.ranks + rows], INT32, [(r + 1) % me.ranks if r < me.ranks else -1
                                                  for r in range(me.ranks + rows)])
    me.call("aclnnFFNToAttention",
            Tensor([rows, WIDTH], kind, [v for row in numbers(me.rank, rows, WIDTH) for v in row]),
            Tensor([rows], INT32, sessions), *[Tensor([rows], INT32, [place(me.rank, y)[i] for y in range(rows)])
                                               for i in range(3)],
            Tensor([1], INT64, actual), ranks, me.group, me.ranks, int_array([batches, TOKENS, slots]),
            int_array([batches, TOKENS, slots, pitch]))
    me.meet()
    data, bad, expected = read_card(window, size), [], [0] * table
    for rank in range(min(me.ranks, 6)):
        for y in range(actual):
            if (receiver(rank, y) + (1 if listed else 0)) % me.ranks != me.rank:
                continue
            batch, token, slot = place(rank, y)
            number = (batch * TOKENS + token) * slots + slot
            expected[number] = 1
            at = rows_at + number * pitch * 2
            if unpack(kind, data[at:at + 2 * WIDTH]) != numbers(rank, rows, WIDTH)[y]:
                bad.append(f"row {y} of rank {rank} is wrong")
    found = list(struct.unpack(f"<{table}i", data[:4 * table]))
    return bad[:2] + ([] if found == expected else [f"table is {found}, expected {expected}"])


def refused(me, name, good, wrong):
    bad = []
    for position, value, code in wrong:
        arguments = list(good)
        arguments[position] = value
        status, _, _ = me.ask(name, *arguments)
        if status != code:
            bad.append(f"{name}, argument {position}: {status} in place of {code}")
    return bad


def bad_calls(me):
    one, places = Tensor([1], INT32), Places(me.ranks)
    slots = K + SHARED
    sizes = [places.workers, 1, 2 + TOKENS * slots], [places.workers, 1, TOKENS, slots, WIDTH], [1, TOKENS, slots]
    good = [Tensor([1, TOKENS, WIDTH], FLOAT16), one, one, one, Tensor([1, TOKENS, K], INT32),
            Tensor([1, places.experts + SHARED, 5], INT32), None, None, me.group, me.ranks,
            *[int_array(v) for v in sizes], places.experts, 0, 0, 0]
    bad = refused(me, "aclnnAttentionToFFN", good, [
        (0, None, NULLPTR), (4, None, NULLPTR), (8, None, NULLPTR), (10, None, NULLPTR), (0, Tensor([TOKENS, WIDTH], FLOAT16), INVALID),
        (0, Tensor([1, TOKENS, WIDTH], INT8), INVALID), (8, "no such group", INVALID), (9, me.ranks + 1, INVALID),
        (10, int_array([1, 2]), INVALID), (11, int_array(sizes[1][:4] + [WIDTH - 1]), INVALID), (14, 1, INVALID),
        (15, 2, INVALID), (16, me.ranks, INVALID), (13, 0, INVALID)])
    row = Tensor([3], INT32)
    good = [Tensor([3, WIDTH], BF16), row, row, row, row, Tensor([1], INT64), None, me.group, me.ranks, int_array([1, TOKENS, 2]),
            int_array([1, TOKENS, 2, WIDTH])]
    return bad + refused(me, "aclnnFFNToAttention", good, [
        (0, None, NULLPTR), (5, None, NULLPTR), (7, None, NULLPTR), (9, None, NULLPTR), (1, Tensor([2], INT32), INVALID),
        (8, me.ranks - 1, INVALID), (10, int_array([1, TOKENS, 2, WIDTH - 1]), INVALID), (9, int_array([2, TOKENS, 2]), INVALID)])


A3 = "910_93"
CASES = [
    ("AttentionToFFN", attention, A3),
    ("AttentionToFFN bfloat, marks the ranks with rows", lambda me: attention(me, BF16, sync=1), A3),
    ("AttentionToFFN mask", lambda me: attention(me, masked=True), A3),
    ("AttentionToFFN one expert", lambda me: attention(me, sync=1, spread=0), A3),
    ("AttentionToFFN quantised", lambda me: attention(me, quant=2), A3),
    ("FFNToAttention", back, A3),
    ("FFNToAttention table of ranks", lambda me: back(me, BF16, listed=True), A3),
    ("FFNToAttention no rows", lambda me: back(me, actual=0), A3),
    ("calls of AttentionToFFN and FFNToAttention with wrong arguments", bad_calls, A3),
]

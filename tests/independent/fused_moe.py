"""fused_moe.py - tokens that go to the ranks of their experts and come back"""
from aclnn import BF16, BOOL, FLOAT, FLOAT16, INT32, INT64, INT8, Single, Tensor
from definition import expect, numbers

WIDTH, K = 12, 3


def flat(rows):
    return [v for row in rows for v in row]


class Layout:
    """The tokens of all ranks, and which of them go where."""

    def __init__(self, ranks, tokens=5, experts=2, shared=0, copies=0, choose="mixed", mask=0, extra=0):
        self.ranks, self.count, self.shared, self.copies = ranks, tokens, shared, copies
        self.moe_ranks = ranks - shared * copies
        self.per_rank, self.experts = experts, experts * self.moe_ranks
        self.x = [numbers(rank, tokens, WIDTH) for rank in range(ranks)]
        self.mask_kind = mask
        every = self.experts + extra

        def ids(rank, token):
            if choose == "one":  # all tokens to one expert
                return [1, *range(self.experts + 5, self.experts + 4 + K)] if extra else [1] * K
            start = rank * 3 + token * 2
            return [(start + k * (1 if choose == "mixed" else 2)) % every for k in range(K)]
        self.ids = [[ids(rank, token) for token in range(tokens)] for rank in range(ranks)]
        self.weights = [[[0.25 * (1 + (rank + token + k) % 4) for k in range(K)] for token in range(tokens)]
                        for rank in range(ranks)]

    def mask(self, rank, token, k):
        if self.mask_kind == 1:
            return token < 3 + rank % 2
        if self.mask_kind == 2:
            return (rank + token + k) % 3 > 0
        return True

    def masks(self, rank):
        if self.mask_kind == 1:
            return Tensor([self.count], BOOL, [self.mask(rank, t, 0) for t in range(self.count)])
        if self.mask_kind == 2:
            return Tensor([self.count, K], BOOL,
                          [self.mask(rank, t, k) for t in range(self.count) for k in range(K)])
        return None

    def token_is_active(self, rank, token):
        return any(self.mask(rank, token, k) for k in range(K))

    def block(self, rank, expert, source):
        """The pairs (token, k) that an expert of a rank gets from a source."""
        shared_ranks = self.shared * self.copies
        if rank < shared_ranks:
            if source % self.copies != rank % self.copies:
                return []
            return [(t, K + rank // self.copies) for t in range(self.count) if self.token_is_active(source, t)]
        number = (rank - shared_ranks) * self.per_rank + expert
        return [(t, k) for t in range(self.count) for k in range(K)
                if self.ids[source][t][k] == number and self.mask(source, t, k)]

    def experts_of(self, rank):
        return 1 if rank < self.shared * self.copies else self.per_rank

    def capacity(self, rank):
        if rank < self.shared * self.copies:
            return self.count * self.ranks // self.copies
        return max(self.count * self.ranks * min(self.per_rank, K), self.count * self.ranks * K)

    def numbers(self, me, tp=None):
        return (me.group, self.ranks, me.rank, self.experts, tp, 0, 0, 0, max(self.shared, 1),
                self.shared * self.copies)


def quantised(row):
    most = max(abs(v) for v in row)
    factor = 127 / most if most else 1
    return [round(v * factor) for v in row], 1 / factor


def round_trip(me, layout, version, kind=BF16, quant=0, indexed=False, coded=0, norm=False, zero=0, copy=0,
               shared_x=False):
    rows = layout.capacity(me.rank)
    x = Tensor([layout.count, WIDTH], kind, flat(layout.x[me.rank]))
    ids = Tensor([layout.count, K], INT32, flat(layout.ids[me.rank]))
    weights = Tensor([layout.count, K], FLOAT, flat(layout.weights[me.rank]))
    out = Tensor([rows, WIDTH], INT8 if quant else kind)
    dynamic, assist = Tensor([rows], FLOAT), Tensor([max(rows * 128, 1)], INT32)
    token_nums, counts = Tensor([layout.per_rank], INT64), Tensor([layout.ranks * layout.per_rank], INT32)
    tp_counts, scales = Tensor([1], INT32), Tensor([rows], FLOAT)
    mask = layout.masks(me.rank)
    names = {1: "", 2: "V2", 3: "V3", 4: "V4"}
    later = {1: (), 2: ("",), 3: ("", zero, copy, 0), 4: ("", zero, copy, 0)}[version]
    optional = {1: (), 2: (), 3: (None,), 4: (None, None)}[version]
    me.call("aclnnMoeDistributeDispatch" + names[version], x, ids, None, mask, weights, *optional,
            *layout.numbers(me), quant, 0, 1, *later, out, dynamic, assist, token_nums, counts, tp_counts, scales)
    bad = check_dispatch(me, layout, out, dynamic, assist, token_nums, counts, scales, quant, indexed)
    if quant:
        return bad
    # each expert multiplies by a number of its own, so that a wrong place is seen
    worked, at = [], 0
    for j in range(layout.experts_of(me.rank)):
        for source in range(layout.ranks):
            for token, _ in layout.block(me.rank, j, source):
                worked.append([v * (1 + (me.rank + j) % 3) for v in layout.x[source][token]])
    back = Tensor([rows, WIDTH], kind, flat(worked) + [0] * (rows - len(worked)) * WIDTH)
    result = Tensor([layout.count, WIDTH], kind, 77)
    own = Tensor([layout.count, WIDTH], kind, 2) if shared_x else None
    optional = {1: (), 2: (own,), 3: (own, None, x, None, None, None), 4: (own, None, x, None, None, None, None)}[version]
    tensors = (back, ids, assist, counts, weights)
    tail = (tp_counts, mask, None, None, None, scales, *optional, *layout.numbers(me), 0, 0, coded, 0)
    if norm:
        residual, gamma = Tensor([layout.count, 1, WIDTH], kind, 1), Tensor([WIDTH], kind, 2)
        y, rstd = Tensor([layout.count, 1, WIDTH], kind, 77), Tensor([layout.count, 1, 1], FLOAT)
        number = (zero, copy, 0) if version == 3 else ()
        me.call("aclnnMoeDistributeCombineAddRmsNorm" + ("V2" if version == 3 else ""), *tensors, residual, gamma, *tail,
                "", Single(0.001), *number, y, rstd, result)
    else:
        me.call("aclnnMoeDistributeCombine" + names[version], *tensors, *tail, *later, result)
    expected = combined(me, layout, zero, copy, shared_x)
    if norm:
        expected = [[v + 1 for v in row] for row in expected]
        norms = [(sum(v * v for v in row) / WIDTH + 0.001) ** -0.5 for row in expected]
        bad += expect(rstd, norms, 1 << 10)
        bad += expect(y, [v * n * 2 for row, n in zip(expected, norms) for v in row], 4)
    return bad + expect(result, flat(expected), 4 if coded else 2)


def combined(me, layout, zero, copy, shared_x):
    expected = []
    for token in range(layout.count):
        if not layout.token_is_active(me.rank, token):
            expected.append([77] * WIDTH)
            continue
        row = [2.0 if shared_x else 0.0] * WIDTH
        for k in range(K):
            expert = layout.ids[me.rank][token][k]
            factor = layout.weights[me.rank][token][k]
            if not layout.mask(me.rank, token, k):
                continue
            if expert < layout.experts:
                home = layout.shared * layout.copies + expert // layout.per_rank
                factor *= 1 + (home + expert % layout.per_rank) % 3
            elif not layout.experts + zero <= expert < layout.experts + zero + copy:
                continue
            row = [a + factor * b for a, b in zip(row, layout.x[me.rank][token])]
        for rank in range(layout.shared * layout.copies):
            if layout.copies and me.rank % layout.copies == rank % layout.copies:
                row = [a + (1 + rank % 3) * b for a, b in zip(row, layout.x[me.rank][token])]
        expected.append(row)
    return expected


def check_dispatch(me, layout, out, dynamic, assist, token_nums, counts, scales, quant, indexed):
    rows, triples, sums, sizes, weights, factors = [], [], [], [], [], []
    for j in range(layout.experts_of(me.rank)):
        first = len(rows)
        for source in range(layout.ranks):
            for token, k in layout.block(me.rank, j, source):
                row = layout.x[source][token]
                if quant:
                    row, factor = quantised(row)
                    factors.append(factor)
                rows.append(row)
                triples += [source, token, k]
                weights.append(layout.weights[source][token][k] if k < K else 0)
            sums.append(len(rows))
        sizes.append(len(rows) - first)
    seen = {}
    index = []
    for token in range(layout.count):
        for k in range(K):
            expert = layout.ids[me.rank][token][k]
            index.append(seen.get(expert, 0))
            seen[expert] = index[-1] + layout.mask(me.rank, token, k)
    bad = []
    for name, tensor, expected in (("rows", out, flat(rows)), ("counts", counts, sums), ("sizes", token_nums, sizes),
                                   ("places", assist, index if indexed else triples), ("weights", scales, weights),
                                   ("factors", dynamic, factors)):
        found = tensor.read()[:len(expected)]
        same = [abs(a - b) <= 1e-6 * abs(b) for a, b in zip(found, expected)]
        if not all(same) or len(found) != len(expected):
            bad.append(f"{name} are {found[:12]}, expected {expected[:12]}")
    return bad


def case(version, indexed=False, layout=None, **options):
    return lambda me: round_trip(me, Layout(me.ranks, **(layout or {})), version, indexed=indexed, **options)


def update(me, by_rank=True):
    table = [[1, 3, 0], [2, 0, 2], [1, 1, 0]]
    ids = [[(t + k) % 3 for k in range(2)] for t in range(4)]
    weights = [[0.1 * (t + 1), 0.5] for t in range(4)]
    out, mask = Tensor([4, 2], INT32), Tensor([4, 2], BOOL)
    me.call("aclnnMoeUpdateExpert", Tensor([4, 2], INT32, flat(ids)), Tensor([3, 3], INT32, flat(table)),
            Tensor([4, 2], FLOAT, flat(weights)), Tensor([2], FLOAT, [0.3, 0.3]), Tensor([4], BOOL, [True, True, False, True]),
            me.rank, me.ranks, 0 if by_rank else 1, out, mask)

    def place(token, expert):
        copies = table[expert][0]
        if copies == 1:
            return table[expert][1]
        return table[expert][(me.rank // -(-me.ranks // copies) if by_rank else token % copies) + 1]
    kept = [t != 2 and w >= 0.3 * sum(weights[t]) for t in range(4) for w in weights[t]]
    return expect(out, [place(t, v) for t in range(4) for v in ids[t]], 0) + expect(mask, [int(v) for v in kept], 0)


A2, A3, A5 = "910B", "910_93", "950"
CASES = [
    ("MoeDistributeDispatch, Combine", case(1, True), "910"),
    ("MoeDistributeDispatch, Combine of one expert", case(1, True, {"choose": "one"}), "910"),
    ("MoeDistributeDispatchV2, CombineV2 on an A2", case(2, True, {"experts": 3}), A2),
    ("MoeDistributeDispatchV2, CombineV2 with a mask on an A2", case(2, True, {"mask": 2}), A2),
    ("MoeDistributeDispatchV2, quantised on an A2", case(2, True, quant=2), A2),
    ("MoeDistributeDispatchV2, CombineV2", case(2, kind=FLOAT16), A3),
    ("MoeDistributeDispatchV2, CombineV2 of leading tokens", case(2, layout={"mask": 1}), A3),
    ("MoeDistributeDispatchV2, CombineV2 of single pairs", case(2, layout={"mask": 2}), A3),
    ("MoeDistributeDispatchV2, CombineV2 with a shared expert", case(2, layout={"shared": 1, "copies": 1}), A3),
    ("MoeDistributeDispatchV2, CombineV2 with idle experts", case(2, layout={"experts": 7, "choose": "even"}), A3),
    ("MoeDistributeDispatchV2, quantised", case(2, quant=2), A3),
    ("MoeDistributeCombineV2, quantised transfer", case(2, coded=2, shared_x=True), A3),
    ("MoeDistributeDispatchV3, CombineV3", case(3, layout={"extra": 3}, zero=1, copy=2), A3),
    ("MoeDistributeDispatchV4, CombineV4", case(4), A3),
    ("MoeDistributeCombineAddRmsNorm", case(2, norm=True), A3),
    ("MoeDistributeCombineAddRmsNormV2", case(3, norm=True), A3),
    ("MoeDistributeDispatchV2, CombineV2 on a 950", case(2), A5),
    ("MoeDistributeDispatch, Combine on a 950", case(1, True), A5),
    ("MoeDistributeDispatchV4, CombineV4 on a 950", case(4, kind=FLOAT16), A5),
    ("MoeDistributeCombineAddRmsNorm on a 950", case(2, norm=True), A5),
    ("MoeUpdateExpert on a 950", update, A5),
    ("MoeUpdateExpert by rank", update, A3),
    ("MoeUpdateExpert by token", lambda me: update(me, False), A3),
]

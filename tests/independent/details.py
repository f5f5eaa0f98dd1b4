"""details.py - checks every field of the blocks 0x05 to 0x08"""
import math

from container import Number, need
from formulas import near

FAMILY = {"A2": "910B", "310P": "310P", "A5": "910A5"}


def keys(node, expected, what):
    need(list(node) == expected or set(node) == set(expected), "%s has %s, not %s", what,
         list(node), expected)


def is_text(node, what):
    need(type(node) is str, "%s is not a text: %r", what, node)


def is_number(node, what):
    need(isinstance(node, Number), "%s is not a number: %r", what, node)


def number_or_na(node, figure, what):
    """Requires a number, or the text NA if the figure is None."""
    if figure is None:
        is_text(node, what)
    else:
        is_number(node, what)
    near(node, figure, what)


def entries(figures):
    """Returns [(block as text, [rows of its sub-cores])] in the order of the blocks."""
    s, found = figures.s, []
    for row in s.rows():
        if s.kind == "mix" and found and found[-1][1][0].block == row.block:
            found[-1][1].append(row)
        else:
            found.append(("NA" if figures.is_310p else str(row.block), [row]))
    return found


def clock_is_low(s):
    return s.current <= 0.95 * s.rated


def basic_info(figures, root):
    s = figures.s
    is_mix = s.kind == "mix"
    table_name = "mix_block_detail" if is_mix else "block_detail"
    keys(root, ["name", "soc", "op_type", "block_dim", "mix_block_dim", "duration",
                "device_id", "pid", "cur_freq", "rated_freq", "advice", table_name], "0x05")
    vectors = sum(row.kind == "vector" for row in s.rows())
    for key, text in (("name", s.name), ("soc", s.soc), ("op_type", s.kind),
                      ("block_dim", str(s.blocks)),
                      ("mix_block_dim", str(vectors) if is_mix else ""),
                      ("device_id", "3"), ("pid", "4711"), ("cur_freq", str(s.current)),
                      ("rated_freq", str(s.rated))):
        is_text(root[key], key)
        need(root[key] == text, "0x05 %s: %s, not %s", key, root[key], text)
    is_number(root["duration"], "duration")
    near(root["duration"], s.duration, "0x05 duration")
    low = ["the current frequency is at most 95% of the rated frequency"]
    need(root["advice"] == low * clock_is_low(s), "0x05 advice: %s", root["advice"])
    table = root[table_name]
    keys(table, ["head_name", "size", "row"], table_name)
    if is_mix:
        heads = ["Block ID"] + [n + " Duration (μs)" for n in ("Cube0", "Vector0", "Vector1")]
    else:
        heads = ["Block ID", "Core Type", "Duration (μs)"][figures.is_310p:]
    need(table["head_name"] == heads, "heads: %s", table["head_name"])
    blocks = entries(figures)
    need([int(n) for n in table["size"]] == [len(blocks) + 1, len(heads)], "size: %s",
         table["size"])
    need(len(table["row"]) == len(blocks), "%d rows", len(table["row"]))
    for (block, rows), line in zip(blocks, table["row"]):
        keys(line, ["value"], "a row")
        cells = list(line["value"])
        need(len(cells) == len(heads) and all(type(c) is str for c in cells), "%s", cells)
        if not figures.is_310p:
            need(cells.pop(0) == block, "block %s", block)
        if is_mix:
            rows = {row.name: row for row in rows}
            times = [rows.get(n) for n in ("cube0", "vector0", "vector1")]
        else:
            need(cells.pop(0) == s.kind, "core type")
            times = rows
        for cell, row in zip(cells, times):
            near(cell, figures.time(row) if row else None, "0x05 duration of a block")


CHART = {
    "old": {"cube": [("Cube All Active", "e73+e74"), ("Cube FP", "e73"), ("Cube INT", "e74"),
                     ("Cube Wait", "e88")],
            "vector": [("Vector All Active", "e8")]},
    "A5": {"cube": [("Cube All Active", "e810"), ("Cube FP", "e808"), ("Cube INT", "e809")],
           "vector": [("Vector All Active", "e1281")]},
}
TABLE = {
    "old": {"cube": [("Cube All Active", "e3"), ("Cube FP", "e1032"), ("Cube INT", "e1033")],
            "vector": [("All Active", "e1"), ("S32", "e78"), ("FP32", "e75-e76"),
                       ("FP16", "e76+e77+e174"), ("S16", "e186"), ("Misc", "e79"),
                       ("Fusion", "e184"), ("DB Para", "e185"),
                       ("All Block", "e100+e101+e102+e103"),
                       ("Bank Group Conflict Block", "e100"), ("Bank Conflict Block", "e101"),
                       ("VALU Resource Conflict Block", "e102"),
                       ("MTE Urgent Request Block", "e103"), ("Wait", "e89")]},
    "A5": {"cube": [("Cube FP", "e789"), ("Cube INT", "e790"), ("Cube All Active", "e768"),
                    ("Cube Wait", "e11")],
           "vector": []},
}
OPERANDS = """F16 F16X2 BF16 BF16X2 E4M3 E5M2 E1M2 E2M1 V2BF16 V2F16 HIF8X2 F8E4M3X2 F8E5M2X2
FMIX HALF F32 F32X2 B4 B8 B16 B32 B64 B128 S16 S32 U16 U32 S8 U8 U64 S64 SX32 ZX32""".split()


def kinds_of(figures, row):
    return ["cube", "vector"] if figures.is_310p else [row.kind]


def workload(figures, root, is_chart):
    s = figures.s
    keys(root, ["advice", "subblock_detail"], "a workload block")
    need(root["advice"] == [], "advice: %s", root["advice"])
    expected = []
    for row in s.rows():
        for kind in kinds_of(figures, row):
            for item in chart_items(figures, row, kind) if is_chart else \
                    table_items(figures, row, kind):
                expected.append((row,) + item)
    need(len(root["subblock_detail"]) == len(expected), "got %d items, expected %d",
         len(root["subblock_detail"]), len(expected))
    unique = set()
    for item, (row, name, unit, value, origin) in zip(root["subblock_detail"], expected):
        what = "%s of block %d %s" % (name, row.block, row.name)
        keys(item, ["block_id", "block_type", "name", "unit", "value"] +
             ["origin_value"] * is_chart, what)
        need(item["block_id"] == ("NA" if figures.is_310p else str(row.block)), what)
        need(item["block_type"] == (row.name if s.kind == "mix" else s.kind), what)
        need(item["name"] == name, "%s: %s", what, item["name"])
        is_number(item["unit"], what)
        need(int(item["unit"]) == unit, "unit of %s: %s", what, item["unit"])
        if is_chart:
            number_or_na(item["value"], value, what)
            number_or_na(item["origin_value"], origin, what)
        else:
            is_text(item["value"], what)
            near(item["value"], value, what)
        unique.add((item["block_id"], item["block_type"] + item["name"]))
    need(len(unique) == len(expected), "items are not unique")


def chart_items(figures, row, kind):
    for name, terms in CHART["A5" if figures.is_a5 else "old"][kind]:
        value = figures.add(row, terms)
        if value is None:
            continue
        share = 100 * value / figures.cycles(row, terms)
        if figures.s.kind == "mix" and kind == "vector":
            name += str(row.sub)
        yield name, 3, float(share), value


def table_items(figures, row, kind):
    if figures.is_a5 and kind == "vector":
        yield from operand_items(figures, row)
        return
    for name, terms in TABLE["A5" if figures.is_a5 else "old"][kind]:
        value = figures.add(row, terms)
        if name == "FP32" and value is None:
            value = 0
        if not name.startswith("Cube"):
            name = "Vector " + name
        if name.endswith(" Wait"):
            yield name, 0, None if value is None else math.floor(value / figures.f), None
        else:
            yield name, 1, value, None


def operand_items(figures, row):
    total = 0
    for kind, name in enumerate(OPERANDS):
        count = sum(counts[0] for (block, _, k), counts in figures.s.operands.items()
                    if block == figures.device_block(row) and k == kind)
        total += count
        if count:
            yield "Vector " + name, 1, count, None
    if figures.s.operands:
        yield "Vector All Active", 1, total, None
    yield "Vector Wait", 0, math.floor(row.get(12) / figures.f), None


def workload_chart(figures, root):
    workload(figures, root, True)


def workload_table(figures, root):
    workload(figures, root, False)


# number: (side, terms, bytes of a request, bandwidth limit)
PATHS_A2 = {
    2: ("cube", "e50-e518", 256, "GM_TO_L1"), 3: ("cube", "4*e19+e518-e524", 128, "L1_TO_GM"),
    4: ("cube", "e28", 256, "L0A"), 5: ("cube", "e34", 128, "L0B"),
    6: ("cube", "e27", 512, None), 7: ("cube", "e33", 512, None),
    8: ("cube", "e42", 1024, None), 9: ("cube", "e518", 128, "L0C_TO_L1"),
    10: ("cube", "e524-e518", 128, "L0C_TO_GM"), 11: ("cube", "e40", 1024, None),
    12: ("vector0", "e62", 128, "GM_TO_UB"), 13: ("vector0", "e61", 128, "UB_TO_GM"),
    14: ("vector0", "e67", 256, None), 15: ("vector0", "e68", 256, None),
    16: ("vector1", "e62", 128, "GM_TO_UB"), 17: ("vector1", "e61", 128, "UB_TO_GM"),
    18: ("vector1", "e67", 256, None), 19: ("vector1", "e68", 256, None),
}
PATHS_310P = {n: ("cube", t, b, None) for n, t, b in (
    (20, "e50", 256), (21, "e28", 512), (22, "e34", 128), (6, "e27", 512), (7, "e33", 512),
    (8, "e42", 1024), (23, "e41", 256), (24, "e39", 256), (25, "e62", 16), (13, "e61", 16),
    (14, "e67", 32), (15, "e68", 32))}
DCACHE = ("e1407+e1408", "e1397+e1398+e1400+e1404", "e1395+e1396+e1404")
PATHS_A5 = {n: (side, t, b, None) for n, side, t, b in (
    (2, "cube", "e1058", 128), (37, "cube", "e1795", 256), (38, "cube", "e1797", 256),
    (6, "cube", "e772", 64), (7, "cube", "e774", 256), (8, "cube", "e776", 1024),
    (39, "cube", "e1804+e1806+e1815+e1059", 128), (41, "cube", "e1806", 128),
    (40, "cube", "e1059", 128), (42, "cube", "e1804", 128), (43, "cube", "e1815", 128),
    (44, "cube", "e1799-e1795-e1797", 256), (46, "cube", "e1801-e1806-e1058/2", 256),
    (12, "vector0", "e1058-e1407-e1408", 128), (13, "vector0", "e1059", 128),
    (14, "vector0", "e1393", 256), (15, "vector0", "e1394", 256),
    (16, "vector1", "e1058-e1407-e1408", 128), (17, "vector1", "e1059", 128),
    (18, "vector1", "e1393", 256), (19, "vector1", "e1394", 256),
    (48, "vector0", DCACHE[0], 128), (52, "vector0", DCACHE[1], 128),
    (54, "vector0", DCACHE[2], 128), (49, "vector1", DCACHE[0], 128),
    (53, "vector1", DCACHE[1], 128), (55, "vector1", DCACHE[2], 128))}
VECTOR_A2, CUBE_A2 = [0, 1, 12, 13, 14, 15], list(range(12))
VECTOR_A5, CUBE_A5 = [0, 1, 12, 13, 14, 15, 48, 52, 54], [0, 1, 2, 37, 38, 6, 7, 8, 39, 41, 40]
# (from, to): (path, path of the second vector, bytes of a request), with transfer records
RECORDED_A5 = {("GM", "UB"): (12, 16, 128), ("UB", "GM"): (13, 17, 128),
               ("L1", "UB"): (44, 45, 256), ("UB", "L1"): (46, 47, 128),
               ("GM", "REG"): (48, 49, 128), ("REG", "GM"): (50, 51, 128)}


def drawing(figures):
    """Returns the numbers of the paths in the drawing."""
    s = figures.s
    if figures.is_310p:
        return [0, 1] + list(PATHS_310P)
    if not figures.is_a5:
        split = [35, 36, 37, 38] if s.chart else []
        return {"vector": VECTOR_A2, "cube": CUBE_A2 + split,
                "mix": CUBE_A2 + split + list(range(12, 20))}[s.kind]
    vector = VECTOR_A5 + ([50] if s.chart else [])
    mix = CUBE_A5 + [42, 43, 44, 46] + list(range(12, 20)) + [48, 49, 52, 53, 54, 55]
    return {"vector": vector, "cube": CUBE_A5,
            "mix": mix + ([45, 47, 50, 51] if s.chart else [])}[s.kind]


def of_all(figures, rows, terms):
    values = [figures.add(row, terms) for row in rows]
    return None if None in values else sum(values)


def l2_paths(figures, rows, blocks):
    """Returns the requests from GM to L2 and from L2 to GM, with the bytes of a request."""
    if figures.is_310p:
        return (rows[0].get(18), 512), (rows[0].get(19), 512)
    if figures.is_a5:
        return (of_all(figures, rows, "e1061+e1062+e1064+e1065"), 128), \
            (of_all(figures, rows, "e1062+e1065+e1068+e1071"), 128)
    back = of_all(figures, rows, "e1282")
    if figures.s.l2:
        back = min(back, figures.s.l2[4] // blocks)
    return (of_all(figures, rows, "e1286+e1290"), 128), (back, 512)


def recorded(figures, row, from_, to, size, sub=None):
    """Returns requests and bytes of a core's transfers, each rounded up to whole requests."""
    block = figures.device_block(row)
    mine = [t[2] for t in figures.s.chart if t[5] == block and t[7] == from_ and t[8] == to and
            (sub is None or t[6] == sub)]
    return sum(-(-n // size) for n in mine), sum(mine)


def recorded_path(figures, sides, number):
    """Returns (row, requests, bytes of a request) of a recorded path, or None."""
    s = figures.s
    if not s.chart:
        return None
    if figures.s.chip == "A2" and number in (35, 36, 37, 38):
        row, is_a = sides["cube"], number in (35, 37)
        size = 256 if is_a else 128
        gm = -(-figures.moved(row, "GM", "L0A" if is_a else "L0B") // size)
        total = row.get(28 if is_a else 34)
        rest = total - gm if total >= gm else None
        return row, (gm if number < 37 else rest), size
    if not figures.is_a5:
        return None
    for (from_, to), (first, second, size) in RECORDED_A5.items():
        if number not in (first, second):
            continue
        sub = int(number == second)
        row = sides.get("vector%d" % sub)
        if from_ == "L1":
            return row, recorded(figures, sides["cube"], "L1", "UB", size, sub)[0], size
        return row, recorded(figures, row, from_, to, size)[0], size
    routes = {52: [("REG", "GM"), ("REG", "PRIVATE")], 54: [("GM", "REG"), ("PRIVATE", "REG")]}
    base = {53: 52, 55: 54}.get(number, number)
    if base in routes:
        row = sides["vector%d" % (number != base)]
        return row, sum(recorded(figures, row, *route, 128)[0] for route in routes[base]), 128
    if number in (14, 15, 18, 19) and s.simt:
        row = sides["vector%d" % (number >= 18)]
        route = ("UB", "REG") if number in (14, 18) else ("REG", "UB")
        return row, recorded(figures, row, *route, 256)[0], 256
    return None


def path(figures, rows, number, blocks):
    """Returns (row of the time base, requests, bytes of a request, limit)."""
    s = figures.s
    if number in (0, 1):
        return (rows[0],) + l2_paths(figures, rows, blocks)[number] + (None,)
    sides = {("vector" if row.kind == "vector" else "cube") +
             (str(row.sub) if row.kind == "vector" else ""): row for row in rows}
    by_record = recorded_path(figures, sides, number)
    if by_record:
        limit = {35: "L0A", 36: "L0B", 37: "L0A", 38: "L0B"}.get(number)
        return by_record + (limit if s.chip == "A2" else None,)
    paths = {"A2": PATHS_A2, "310P": PATHS_310P, "A5": PATHS_A5}[s.chip]
    side, terms, size, limit = paths[number]
    row = sides.get(side)
    if row is None:
        return None, None, size, limit
    if s.simt and number in (14, 15, 18, 19):
        return row, None, size, limit
    return row, figures.add(row, terms), size, limit


def l2_total(figures, rows, side="total"):
    """Returns (hits, misses) by the counters."""
    if figures.is_310p:
        if not figures.s.l2:
            return None, None
        hit, one, two = figures.s.l2[:3]
        return (hit, one + two - hit) if hit <= one + two else (None, None)
    if figures.is_a5:
        terms = {"read": ("e1060+e1063", "e1061+e1062+e1064+e1065"),
                 "write": ("e1066+e1069", "e1067+e1068+e1070+e1071")}
    else:
        terms = {"read": ("e1284+e1288", "e1286+e1290"), "write": ("e1280", "e1282")}
    expected = ["read", "write"] if side == "total" else [side]
    return tuple(sum(of_all(figures, rows, terms[w][i]) for w in expected) for i in (0, 1))


def busy(figures, row, unit):
    terms = {"cube": "e810" if figures.is_a5 else "e10",
             "vector": "e1281" if figures.is_a5 else "e8"}[unit]
    cycles = figures.add(row, terms)
    return cycles, 100.0 * cycles / figures.cycles(row, terms)


def units(figures, rows):
    """Returns [(key, row, unit)]."""
    if figures.is_310p:
        return [("Cube", rows[0], "cube"), ("Vector", rows[0], "vector")]
    return [("Cube" if row.kind == "cube" else "Vector1" if row.sub else "Vector", row, row.kind)
            for row in rows]


PIPES = {  # for the advice: name, bytes, cycles, limits that are averaged, with weights or not
    "A2": {"cube": [("MTE1", "256*e49-512*e19-128*e518+128*e524", "e770",
                     {"L0A": "256*e28", "L0B": "128*e34"}),
                    ("MTE2", "256*e28+128*e34+256*e50-256*e518-512*e19-128*e518+128*e524", "e12",
                     ["MTE2"]),
                    ("MTE3", "128*e1292-128*e524+128*e518", "e13", ["L1_TO_GM"]),
                    ("FIXP", "128*e524", "e771", ["L0C_TO_L1", "L0C_TO_GM"])],
           "vector": [("MTE2", "128*e62", "e12", ["GM_TO_UB"]),
                      ("MTE3", "128*e61", "e13", ["UB_TO_GM"])]},
    "A5": {"cube": [("MTE1", "256*e1799", "e1794", ["L0A", "L0B"]),
                    ("MTE2", "128*e1058", "e514", ["GM_TO_L1"]),
                    ("MTE3", "256*e1801-256*e1806-256*e1058/2", "e515", ["UB_TO_L1"]),
                    ("FIXP", "128*e1804+128*e1806+128*e1815+128*e1059", "e1812",
                     ["L0C_TO_L1", "L0C_TO_GM"])],
           "vector": [("MTE2", "128*e1058-128*e1407-128*e1408", "e514", ["GM_TO_UB"]),
                      ("MTE3", "ubGM", "e515", ["UB_TO_GM"])]},
    "310P": {"cube": [], "vector": []},
}


def slow_pipes(figures, rows):
    found = []
    for row in rows:
        for name, terms, cycles, paths in PIPES[figures.s.chip][row.kind]:
            bytes_ = figures.add(row, terms)
            if terms == "ubGM":
                bytes_ = figures.moved(row, "UB", "GM") if figures.s.chart else None
            bandwidth = figures.bandwidth(row, bytes_)
            count = figures.add(row, cycles)
            if bandwidth is None or not count or any(p not in figures.limits for p in paths):
                continue
            weights = [1] * len(paths)
            if isinstance(paths, dict) and any(figures.add(row, t) for t in paths.values()):
                weights = [figures.add(row, t) for t in paths.values()]
            best = sum(w * figures.limits[p] for w, p in zip(weights, paths)) / sum(weights)
            if bandwidth / best < 0.8 * count / figures.cycles(row, cycles):
                found.append((row.kind, name))
    return found


def advice_of_map(figures, rows, advice):
    want = []
    for unit in ("cube", "vector"):
        if any(u == unit and busy(figures, row, u)[1] < 20
               for _, row, u in units(figures, rows)):
            want.append("the %s unit is active in less than 20%% of the cycles" % unit)
    if clock_is_low(figures.s):
        want.append("the current frequency is at most 95% of the rated frequency")
    same_advice(advice, want)


def advice_of_pipes(figures, rows, advice):
    same_advice(advice, [
        "%s of the %s core uses less than 80%% of its bandwidth while it is active" % (name, kind)
        for kind, name in dict.fromkeys(slow_pipes(figures, rows))])


def same_advice(advice, want):
    for text in advice:
        is_text(text, "advice")
    need(list(advice) == want, "advice %s, not %s", advice, want)


def memory_map(figures, root):
    s, blocks = figures.s, entries(figures)
    keys(root, ["core_memory_map"], "0x08")
    need(len(root["core_memory_map"]) == len(blocks), "%d cores", len(root["core_memory_map"]))
    for core, (block, rows) in zip(root["core_memory_map"], blocks):
        have = units(figures, rows)
        keys(core, ["core_no", "op_type", "soc", "memory_unit", "L2cache", "advice"] +
             ["memory_detail"] * figures.is_a5 + [key for key, _, _ in have], "a core")
        if figures.is_a5:
            number_or_na(core["memory_detail"], int(bool(s.chart)), "memory_detail")
        need(core["core_no"] == block and core["op_type"] == s.kind, "core %s", block)
        need(core["soc"] == FAMILY[s.chip], "family %s", core["soc"])
        expected = drawing(figures)
        need(sorted(int(p["memory_path"]) for p in core["memory_unit"]) == sorted(expected),
             "paths %s, not %s", [p["memory_path"] for p in core["memory_unit"]], expected)
        for item in core["memory_unit"]:
            map_path(figures, rows, item, len(blocks))
        hit, miss = l2_total(figures, rows)
        total = None if hit is None else hit + miss
        keys(core["L2cache"], ["hit", "miss", "total_request", "hit_ratio"], "L2cache")
        for key, figure in (("hit", hit), ("miss", miss), ("total_request", total),
                            ("hit_ratio", None if hit is None else
                             100.0 * hit / total if total else 0.0)):
            number_or_na(core["L2cache"][key], figure, "L2cache " + key)
        for key, row, unit in have:
            cycles, share = busy(figures, row, unit)
            keys(core[key], ["cycle", "total_cycles", "ratio"], key)
            number_or_na(core[key]["cycle"], cycles, key)
            number_or_na(core[key]["total_cycles"], row.total, key)
            number_or_na(core[key]["ratio"], share, key)
        advice_of_map(figures, rows, core["advice"])


def map_path(figures, rows, item, blocks):
    keys(item, ["memory_path", "request", "request_suffix", "bandwidth", "bandwidth_suffix",
                "peak_ratio", "display"], "a path")
    number = int(item["memory_path"])
    row, count, size, limit = path(figures, rows, number, blocks)
    bandwidth = None if row is None or count is None else figures.bandwidth(row, count * size)
    what = "path %d" % number
    number_or_na(item["request"], count, what)
    number_or_na(item["bandwidth"], bandwidth, what + " bandwidth")
    number_or_na(item["peak_ratio"], figures.usage(bandwidth, limit), what + " peak")
    is_number(item["display"], what)
    need(item["display"] == "1", "%s is hidden", what)
    suffix = "(theoretical value)" if number == 1 and not figures.is_310p else ""
    for key in ("request_suffix", "bandwidth_suffix"):
        need(item[key] == suffix, "%s: %s", what, item[key])

"""load.py - checks every field of the blocks 0x0C (load of the cores) and 0x0D (roofline)"""
import math

from container import Number, need
from details import OPERANDS, is_text, keys
from formulas import near

TIB = float(1 << 40)


def loads(figures):
    """Returns [{block, first row, cycles, bytes, hits, requests, simt, simt_cycles}]."""
    s, found = figures.s, []
    if figures.is_a5:
        moved, hits = "e1058+e1059", "e1060+e1063+e1066+e1069"
        all_ = "+".join("e%d" % e for e in range(1060, 1072))
    else:
        moved, hits = "e1292+e1293+e1294", "e1280+e1284+e1288"
        all_ = "e1280+e1282+e1283+e1284+e1286+e1287+e1288+e1290+e1291"
    for row in s.rows():
        one = {"row": row, "core": row.core, "cycles": row.total,
               "bytes": 128 * figures.add(row, moved), "hits": figures.add(row, hits),
               "requests": figures.add(row, all_), "simt": 0, "simt_cycles": 0}
        if figures.is_a5 and row.kind == "vector":
            one["simt"] = figures.add(row, "e1466+e1467+e1468")
            one["simt_cycles"] = row.get(1284)
        same = [o for o in found if s.kind != "mix" and o["core"] == row.core]
        if same:
            for key in ("cycles", "bytes", "hits", "requests", "simt", "simt_cycles"):
                same[0][key] += one[key]
        else:
            found.append(one)
    return found


def hit_rate(one):
    return 100.0 * one["hits"] / one["requests"] if one["requests"] else 0.0


def outliers(figures, found):
    """Returns [(kind, block, sub, quantity)] with 1 / (1 + exp(-z)) of at least 0.6."""
    quantities = [("more cycles", lambda o: o["cycles"]),
                  ("more memory traffic", lambda o: o["bytes"]),
                  ("a lower L2 hit rate", lambda o: -hit_rate(o))]
    named = []
    for kind in ("cube", "vector"):
        mine = [o for o in found if o["row"].kind == kind]
        more = [o for o in mine if o["simt_cycles"]]
        for quantity, get in quantities + [("more SIMT instructions", lambda o: o["simt"])]:
            group = more if quantity == "more SIMT instructions" else mine
            values = [get(o) for o in group]
            if not values:
                continue
            mean = sum(values) / len(values)
            deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
            if deviation <= 0:
                continue
            for o, value in zip(group, values):
                if 1 / (1 + math.exp(-(value - mean) / deviation)) >= 0.6:
                    named.append((kind, o["row"].block, o["row"].sub, quantity))
    return named


def occupancy(figures, root):
    s, found = figures.s, loads(figures)
    keys(root, ["soc", "op_type", "op_detail", "advice"], "0x0C")
    need(root["soc"] == s.soc and root["op_type"] == s.kind, "0x0C of %s", root["soc"])
    cores = {}
    for one in found:
        cores.setdefault(one["row"].block, []).append(one)
    need(len(root["op_detail"]) == len(cores), "%d cores", len(root["op_detail"]))
    for item, (block, ones) in zip(root["op_detail"], cores.items()):
        keys(item, ["core_id", "core_detail"], "a core")
        need(isinstance(item["core_id"], Number) and int(item["core_id"]) == block < 256,
             "core %s", item["core_id"])
        need(len(item["core_detail"]) == len(ones), "%d sub-cores", len(item["core_detail"]))
        for sub, one in zip(item["core_detail"], ones):
            simt = ["simt_vf_instructions"] if one["simt_cycles"] else []
            keys(sub, ["subcore_type", "subcore_id", "throughput", "cycles",
                       "L2cache_hit_rate"] + simt, "a sub-core")
            for key, value in (("subcore_type", one["row"].kind),
                               ("subcore_id", str(one["row"].sub)),
                               ("throughput", str(one["bytes"])),
                               ("cycles", str(one["cycles"]))):
                is_text(sub[key], key)
                need(sub[key] == value, "0x0C %s: %s, not %s", key, sub[key], value)
            near(sub["L2cache_hit_rate"], hit_rate(one), "hit rate")
            if simt:
                keys(sub[simt[0]], ["instructions", "instruction_per_cycle"], simt[0])
                near(sub[simt[0]]["instructions"], one["simt"], "SIMT")
                near(sub[simt[0]]["instruction_per_cycle"],
                     one["simt"] / one["simt_cycles"], "SIMT a cycle")
    is_text(root["advice"], "advice")
    expected = ["%s %d of block %d has %s than the others" % (kind, sub, block, quantity)
              for kind, block, sub, quantity in outliers(figures, found)]
    need(root["advice"] == "; ".join(expected), "advice '%s', not %s", root["advice"], expected)


MEMORY = {"910B1": ((1.8, 8), (1.34, 7.4)), "910B2": ((1.75, 7.78), (1.3, 7.2)),
          "910B4": ((0.8, 4), (1.25, 6.3))}
# title: [(name, bytes, bytes per cycle or limits)]; the limit of a line is the mean of its
# limits, the mean weighted by bytes, or the maximum
A2_CUBE = {
    "Memory Unit(Cube)": [
        ("L1 Read + Write", "256*e50-128*e518+256*e49", 512),
        ("Write to L1", "256*e50-128*e518", 256), ("Read from L1", "256*e49", 256),
        ("Write to L0A", "256*e28", 256), ("Write to L0B", "128*e34", 128),
        ("Read from L0C", "128*e524", 128)],
    "Pipeline(Cube)": [
        ("MTE1", "256*e49-512*e19-128*e518+128*e524", {"L0A": "256*e28", "L0B": "128*e34"}),
        ("MTE2", "256*e28+128*e34+256*e50-256*e518-512*e19-128*e518+128*e524", ["MTE2"]),
        ("MTE3", "128*e1292-128*e524+128*e518", ["L1_TO_GM"]),
        ("FIXP", "128*e524", {"L0C_TO_L1": "128*e518", "L0C_TO_GM": "128*e524-128*e518"})],
    "Memory Transfer(Cube)": [
        ("L1 to GM", "512*e19+128*e518-128*e524", ["L1_TO_GM"]),
        ("L0C to GM", "128*e524-128*e518", ["L0C_TO_GM"]),
        ("L0C to L1", "128*e518", ["L0C_TO_L1"]), ("GM/L1 to L0A", "256*e28", ["L0A"]),
        ("GM/L1 to L0B", "128*e34", ["L0B"])],
}
A2_VECTOR = {
    "Memory Unit(Vector)": [
        ("UB Read + Write", "128*e61+128*e62+256*e67+256*e68", 512),
        ("Read from UB", "128*e61", 128), ("Write to UB", "128*e62", 128),
        ("Vector Read UB", "256*e67", 512), ("Vector Write UB", "256*e68", 512)],
    "Pipeline(Vector)": [("MTE2", "128*e62", ["GM_TO_UB"]), ("MTE3", "128*e61", ["UB_TO_GM"])],
    "Memory Transfer(Vector)": [("UB to GM", "128*e61", ["UB_TO_GM"]),
                                ("GM to UB", "128*e62", ["GM_TO_UB"])],
}
OLD_CUBE = [
    ("L1 Read + Write", "256*e50+512*e49", 768), ("Write to L1", "256*e50", 256),
    ("Read from L1", "512*e49", 128), ("Write to L0A", "256*e28", 256),
    ("Write to L0B", "128*e34", 128), ("Read from L0C", "512*e44", 512)]
OLD_VECTOR = [
    ("UB Read + Write", "16*e61+16*e62+16*e67+16*e68", 256), ("Read from UB", "16*e61", 128),
    ("Write to UB", "16*e62", 128), ("Vector Read UB", "16*e67", 512),
    ("Vector Write UB", "16*e68", 512)]
FIXP_A5 = "128*e1804+128*e1815+128*e1806+128*e1059"
A5_CUBE = {
    "Memory Unit(Cube)": [
        ("L1 Read + Write", "256*e1801+128*e1806+256*e1799", 512),
        ("Write to L1", "256*e1801+128*e1806", 256), ("Read from L1", "256*e1799", 256),
        ("Write to L0A", "256*e1795", ["L0A"]), ("Write to L0B", "256*e1797", ["L0B"]),
        ("Read from L0C", FIXP_A5, 512)],
    "Pipeline(Cube)": [
        ("MTE1", "256*e1799", ("L0A", "L0B", "L1_TO_UB")), ("MTE2", "128*e1058", ["GM_TO_L1"]),
        ("MTE3", "256*e1801-256*e1806-256*e1058/2", ["UB_TO_L1"]),
        ("FIXP", FIXP_A5, ("L0C_TO_L1", "L0C_TO_GM", "L0C_TO_UB"))],
    "Memory Transfer(Cube)": [
        ("L0C to GM", "128*e1059", ["L0C_TO_GM"]), ("L0C to L1", "128*e1806", ["L0C_TO_L1"]),
        ("GM/L1 to L0A", "256*e1795", ["L0A"]), ("GM/L1 to L0B", "256*e1797", ["L0B"])],
}
A5_VECTOR = {"Memory Unit(Vector)": [
    ("SIMT VF", "128*e1407+128*e1408+128*e1397+128*e1398", 128)]}
CUBE_RATES = {"F16": 8192, "BF16": 8192, "E4M3": 16384, "E5M2": 16384, "S8": 16384,
              "E1M2": 32768, "E2M1": 32768, "F32": 4096}
FLOATS = 17  # operand types below this one are floats


def total(figures, kind, terms):
    values = [figures.add(row, terms) for row in figures.s.rows()
              if figures.is_310p or row.kind == kind]
    return float(sum(v for v in values if v is not None))


def old_roofs(figures):
    """Returns {kind: (operations, Tops/s, name)}."""
    mhz, n = float(figures.s.rated), figures.s.cores
    each = 16384 if total(figures, "cube", "e74") > 0 else 8192
    cube = (each * total(figures, "cube", "e33"), each * mhz * n / 1e6,
            "Cube_INT(100%)" if each == 16384 else "Cube_FP(100%)")
    types = [("Vec_FP32", "e75" if figures.is_310p else "e75-e76"),
             ("Vec_FP16", "e76+e77+e174"), ("Vec_INT32", "e78"), ("Vec_INT16", "e186"),
             ("Vec_MISC", "e79")]
    counts = [(name, total(figures, "vector", terms)) for name, terms in types]
    all_ = sum(count for _, count in counts)
    operations = sum(figures.operations(row) or 0 for row in figures.s.rows()
                     if figures.is_310p or row.kind == "vector")
    vector = (float(operations), operations * mhz * 2 * n / all_ / 1e6 if all_ else 0,
              ",".join("%s(%.6f%%)" % (name, 100 * c / all_) for name, c in counts if c))
    return with_both({"cube": cube, "vector": vector})


def new_roofs(figures):
    mhz, n, roofs = float(figures.s.rated), figures.s.cores, {}
    for kind in ("cube", "vector"):
        by_type = {}
        for (block, thread, type_), (_, operations) in figures.s.operands.items():
            if (block % 3 == 2) == (kind == "cube") and (kind == "cube" or thread is not None):
                by_type[type_] = by_type.get(type_, 0) + operations
        parts, cycles = [], 0.0
        for type_, operations in sorted(by_type.items()):
            rate = CUBE_RATES.get(OPERANDS[type_], 0) if kind == "cube" else \
                128 if type_ < FLOATS else 64
            if operations and rate:
                parts.append((OPERANDS[type_], operations))
                cycles += operations / rate
        operations = float(sum(part for _, part in parts))
        cores = n if kind == "cube" else 2 * n
        roof = operations * mhz * cores / cycles / 1e6 if cycles else 0
        name = ",".join("%s_%s(%.6f%%)" % ("Cube" if kind == "cube" else "SIMT", t,
                                           100 * part / operations) for t, part in parts)
        roofs[kind] = (operations, roof, name)
    return with_both(roofs)


def with_both(roofs):
    """Adds the sum of the sides that have operations."""
    sides = [side for side in roofs.values() if side[0] > 0]
    roofs["both"] = (sum(side[0] for side in sides), sum(side[1] for side in sides),
                     " + ".join(side[2] for side in sides))
    return roofs


def memory_lines(figures):
    """Returns (bytes of GM, bytes of L2, TB/s of GM, TB/s of L2)."""
    s = figures.s
    both = lambda terms: total(figures, "cube", terms) + total(figures, "vector", terms)
    if figures.is_a5:
        gm = 128 * both("e1061+e1062+e1064+e1065") + 128 * both("e1062+e1065+e1068+e1071")
        l2 = 128 * both("e1060+e1063+e1066+e1069") + gm
        return gm, l2, *((1.6, 8.8) if figures.limits else (0, 0))
    evicted = both("e1282")
    if s.l2:
        evicted = min(evicted, float(s.l2[4]))
    gm = both("128*e1286+128*e1290") + evicted * 512
    l2 = both("512*e1280+128*e1284+128*e1288") + gm
    row = MEMORY.get({"3": "910B2"}.get(s.soc[10], s.soc[6:11]), ((0, 0), (0, 0)))
    return gm, l2, *row[s.maker == 88]


def expected_charts(figures):
    """Returns [(title, [(name, TB/s, bytes, kind)])]."""
    s, mhz = figures.s, float(figures.s.rated)
    roofs = new_roofs(figures) if figures.is_a5 else old_roofs(figures)

    def line(kind, name, terms, speed):
        cores = s.cores * (2 if kind == "vector" else 1)
        if isinstance(speed, int):
            slope = speed * mhz * cores * 1e6 / TIB
        elif isinstance(speed, dict):
            bytes_ = {path: total(figures, kind, terms) for path, terms in speed.items()}
            slope = sum(figures.limits.get(path, 0) * moved for path, moved in
                        bytes_.items()) / sum(bytes_.values()) * cores / 1024
        else:
            known = [figures.limits.get(path, 0) for path in speed]
            slope = (max(known) if isinstance(speed, tuple) else sum(known) / len(known)) * \
                cores / 1024
        return name, slope, total(figures, kind, terms), kind

    if figures.is_310p:
        yield "Memory Unit", [line(kind, *entry)[:3] + ("both",) for kind, entries in
                              (("cube", OLD_CUBE), ("vector", OLD_VECTOR)) for entry in entries]
        return
    gm, l2, gm_speed, l2_speed = memory_lines(figures)
    yield "GM/L2", [("GM Read + Write", gm_speed, gm, "both"),
                    ("L2 Read + Write", l2_speed, l2, "both")]
    cube, vector = (A5_CUBE, A5_VECTOR) if figures.is_a5 else (A2_CUBE, A2_VECTOR)
    for title in ("Memory Unit", "Pipeline", "Memory Transfer"):
        for kind, views in (("cube", cube), ("vector", vector)):
            whole = "%s(%s)" % (title, kind.title())
            if whole in views and roofs[kind][0] > 0:
                yield whole, [line(kind, *entry) for entry in views[whole]]


def roofline(figures, root):
    s, best, best_is_memory = figures.s, -1, False
    roofs = new_roofs(figures) if figures.is_a5 else old_roofs(figures)
    keys(root, ["multiple_rooflines", "advice"], "0x0D")
    if figures.is_a5 and not s.operands:  # without operand records the operations are unknown
        need(root == {"multiple_rooflines": [], "advice": ""}, "0x0D: %s", root)
        return
    views = [(title, [entry for entry in lines if entry[1] > 0 and entry[2] > 0 and
                      roofs[entry[3]][0] > 0]) for title, lines in expected_charts(figures)]
    views = [(title, lines) for title, lines in views if lines]
    need([v["title"] for v in root["multiple_rooflines"]] == [title for title, _ in views],
         "titles %s, not %s", [v["title"] for v in root["multiple_rooflines"]],
         [title for title, _ in views])
    for view, (title, lines) in zip(root["multiple_rooflines"], views):
        keys(view, ["title", "rooflines"], title)
        need([l["bw_name"] for l in view["rooflines"]] == [entry[0] for entry in lines],
             "%s: %s, not %s", title, [l["bw_name"] for l in view["rooflines"]],
             [entry[0] for entry in lines])
        for item, (name, slope, bytes_, kind) in zip(view["rooflines"], lines):
            operations, roof, roof_name = roofs[kind]
            keys(item, ["bw", "bw_name", "computility", "computility_name", "point",
                        "ratio"], name)
            x, y = operations / bytes_, operations / s.duration / 1e6
            near(item["bw"], float(slope), name + " bw")
            near(item["computility"], roof, name + " roof")
            need(item["computility_name"] == roof_name, "%s, not %s",
                 item["computility_name"], roof_name)
            need(len(item["point"]) == 2, "a point of %s", item["point"])
            near(item["point"][0], x, name + " x")
            near(item["point"][1], y, name + " y")
            above = y >= roof or y > x * slope
            ratio = None if above else y / min(roof, x * slope)
            near(item["ratio"], ratio, name + " ratio")
            if ratio is not None and ratio > best:
                best, best_is_memory = ratio, x * slope < roof
    is_text(root["advice"], "advice")
    need(root["advice"] == advice(figures, best, best_is_memory), "advice %s, not %s",
         root["advice"], advice(figures, best, best_is_memory))


def advice(figures, best, best_is_memory):
    if best > 0.8:
        return "memory bound" if best_is_memory else "compute bound"
    if figures.is_a5:
        pipes = (("e810", 0), ("e1281", 0), ("e1812", 0), ("e1794", 1), ("e514", 1),
                 ("e515", 1))
    elif figures.is_310p:
        pipes = (("e10", 0), ("e8", 0), ("e11", 1), ("e12", 1), ("e13", 1))
    else:
        pipes = (("e10", 0), ("e8", 0), ("e771", 0), ("e770", 1), ("e12", 1), ("e13", 1))
    busiest = (0, 0)
    for row in figures.s.rows():
        for terms, is_memory in pipes:
            cycles = figures.add(row, terms)
            if cycles is not None and cycles / figures.cycles(row, terms) > busiest[0]:
                busiest = (cycles / figures.cycles(row, terms), is_memory)
    if busiest[0] < 0.8:
        return "latency bound:pipeline caused"
    return "latency bound:memory caused" if busiest[1] else "latency bound:compute caused"

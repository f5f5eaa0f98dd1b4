"""viewer_details.py - compares the answers about details of an operator with what Python
reads from the blocks of a file, and of a second file in a comparison
"""
import math
import re

from container import need

SHOWN = "/data/visualize_data.bin"
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?")


def text(node, key):
    """Returns a text or the literal of a number; container.parse() keeps literals."""
    value = node.get(key, "") if isinstance(node, dict) else ""
    return str(value) if isinstance(value, str) else ""


def same(ours, expected, what):
    need(ours == expected, "%s: %.600s, expected %.600s", what, ours, expected)


def body(answer):
    need(answer["result"] and "error" not in answer, "%s: %s", answer["command"], answer)
    return answer["body"]


def number(value):
    try:
        return float(value)
    except ValueError:
        return None


def same_difference(ours, compare, baseline, what):
    """At most three decimals and no zeros at the end; empty when a side is no number."""
    a, b = number(compare), number(baseline)
    if a is None or b is None:
        same(ours, "", what)
        return
    need(NUMBER.fullmatch(ours) and len(ours.partition(".")[2]) <= 3, "%s: %s", what, ours)
    need(abs(float(ours) - (a - b)) <= 0.0005 + 1e-9 * abs(a - b), "%s: %s, expected %s - %s",
         what, ours, compare, baseline)


LABELS = ("blockId", "blockType", "name", "unit", "memoryPath", "requestSuffix",
          "bandwidthSuffix", "display")


def same_sides(ours, compare, baseline, what, none=""):
    """`compare` and `baseline` are what the two files have; {} or None stands for nothing."""
    members = compare or baseline
    empty = {key: False if key == "display" else none if key in ("value", "originValue") else ""
             for key in members}
    same(ours["compare"], compare or empty, what)
    same(ours["baseline"], baseline or empty, what + " of the baseline")
    if not compare or not baseline:
        same(ours["diff"], empty, what + ", empty difference")
        return
    same(sorted(ours["diff"]), sorted(members), what + ", members of the difference")
    for key, value in ours["diff"].items():
        if key in LABELS:
            same(value, compare[key], what + ", label of the difference")
        else:
            same_difference(value, compare[key], baseline[key], f"{what}, difference of {key}")


# --- Blocks ----------------------------------------------------------------------------

def basic_info_side(root):
    members = (("name", "name"), ("soc", "soc"), ("opType", "op_type"), ("blockDim", "block_dim"),
               ("mixBlockDim", "mix_block_dim"), ("duration", "duration"),
               ("deviceId", "device_id"), ("pid", "pid"))
    side = {ours: text(root, theirs) for ours, theirs in members}
    table = root["mix_block_detail" if root["op_type"] == "mix" else "block_detail"] if root \
        else {"head_name": [], "size": [], "row": []}
    side["blockDetail"] = {"headerName": table["head_name"], "size": list(map(str, table["size"])),
                           "row": [{"value": list(map(str, r["value"]))} for r in table["row"]]}
    side["advice"] = []
    return side


def basic_info(answer, root, other=None):
    same(body(answer)["compare"], basic_info_side(root), "baseInfo")
    same(body(answer)["baseline"], basic_info_side(other), "baseInfo of the baseline")


UNITS = {"0": "Duration(μs)", "1": "Instructions", "2": "Data Volume(byte)", "3": "PRE"}


def workload_items(root):
    return [{"blockId": text(item, "block_id"), "blockType": text(item, "block_type"),
             "name": text(item, "name"), "unit": UNITS[item["unit"]],
             "value": text(item, "value"), "originValue": text(item, "origin_value")}
            for item in (root["subblock_detail"] if root else [])]


def workload(answer, charts, tables):
    """Each of the arguments has the block of the file, and of the baseline or None."""
    found = body(answer)
    ids = set()
    for name, (root, other) in (("chartData", charts), ("tableData", tables)):
        items = workload_items(root)
        ids |= {item["blockId"] for item in items}
        key = lambda item: (item["blockId"], item["blockType"], item["name"])
        theirs = {key(item): item for item in workload_items(other)}
        same(len(found[name]["detailDataList"]), len(items), name + ", number of items")
        for ours, item in zip(found[name]["detailDataList"], items):
            same_sides(ours, item, theirs.get(key(item)), name, "-")
        same(found[name]["advice"], root["advice"] if root else [], name + " advice")
    same(sorted(found["blockIdList"]), sorted(ids), "blockIdList")


def memory_unit(unit):
    return {"memoryPath": text(unit, "memory_path"), "request": text(unit, "request"),
            "requestSuffix": text(unit, "request_suffix"), "bandwidth": text(unit, "bandwidth"),
            "bandwidthSuffix": text(unit, "bandwidth_suffix"),
            "peakRatio": text(unit, "peak_ratio"), "display": unit.get("display") == "1"}


def members(part, names):
    return {ours: text(part, theirs) for ours, theirs in names}


def memory_map(answer, core, other=None):
    found, = body(answer)["coreMemory"]
    same([found[key] for key in ("advice", "blockId", "blockType", "chipType")],
         [list(dict.fromkeys(core["advice"])), text(core, "core_no"), text(core, "op_type"),
          text(core, "soc")], "memoryGraph")
    units = [memory_unit(unit) for unit in core["memory_unit"]]
    theirs = {unit["memoryPath"]: unit for unit in map(memory_unit, (other or {}).get("memory_unit", []))}
    names = [unit["memoryPath"] for unit in units]
    alone = [unit for path, unit in theirs.items() if path not in names]
    same(len(found["memoryUnit"]), len(units) + len(alone), "memoryGraph, number of paths")
    for ours, unit in zip(found["memoryUnit"], units):
        same_sides(ours, unit, theirs.get(unit["memoryPath"]), "memoryGraph")
    for ours, unit in zip(found["memoryUnit"][len(units):], alone):
        same_sides(ours, None, unit, "memoryGraph, path of the baseline alone")
    of_cache = (("hitRatio", "hit_ratio"), ("hit", "hit"), ("totalRequest", "total_request"), ("miss", "miss"))
    of_core = (("cycle", "cycle"), ("ratio", "ratio"), ("totalCycles", "total_cycles"))
    for name, key, fields in (("l2Cache", "L2cache", of_cache), ("vector", "Vector", of_core),
                              ("vector1", "Vector1", of_core), ("cube", "Cube", of_core)):
        same_sides(found[name], members(core.get(key), fields),
                   members(other.get(key), fields) if other else None, "memoryGraph " + name)


def memory_table(answer, block, other=None):
    found, = body(answer)["memoryTable"]
    same([found[key] for key in ("advice", "blockId", "tableOpType")],
         [list(dict.fromkeys(block["advice"])), text(block, "block_id"), block["table_op_type"]],
         "memoryTable")
    theirs = {t["table_name"]: {r["name"]: r for r in t["row"]} for t in (other or {}).get("table_detail", [])}
    same(len(found["tableDetail"]), len(block["table_detail"]), "memoryTable, number of tables")
    for ours, table in zip(found["tableDetail"], block["table_detail"]):
        same([ours[key] for key in ("headerName", "tableName", "size")],
             [table["header_name"], table["table_name"], list(map(str, table["size"]))], "memoryTable")
        same(len(ours["row"]), len(table["row"]), "memoryTable, number of rows")
        for shown, row in zip(ours["row"], table["row"]):
            values = list(map(str, row["value"]))
            row_of_other = theirs.get(table["table_name"], {}).get(row["name"])
            same(shown["compare"], {"name": row["name"], "value": values}, "memoryTable row")
            if not row_of_other:
                empty = {"name": "", "value": []}
                same([shown["baseline"], shown["diff"]], [empty, empty], "memoryTable, row alone")
                continue
            other_values = list(map(str, row_of_other["value"]))
            same(shown["baseline"], {"name": row["name"], "value": other_values}, "memoryTable baseline")
            same([shown["diff"]["name"], len(shown["diff"]["value"])], [row["name"], len(values)],
                 "memoryTable difference")
            for triple in zip(shown["diff"]["value"], values, other_values):
                same_difference(*triple, "memoryTable difference")


# --- Load of the cores, roofline, stalls -----------------------------------------------

def level(value, values):
    mean = sum(values) / len(values)
    sigma = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1)) \
        if len(values) > 1 else 0
    return int(10 / (1 + math.exp(-(value - mean) / sigma))) if sigma else 0


def sub_cores(root):
    """Yields the number of the core, the name of the sub-core, and its object."""
    if not root:
        return
    if root["op_type"] == "vector":
        blocks = sorted(root["op_detail"], key=lambda core: int(core["core_id"]))
        for i, core in enumerate(blocks):
            yield i // 2, "vector%d" % (i % 2), core["core_detail"][0]
        return
    for core in root["op_detail"]:
        for sub in core["core_detail"]:
            yield int(core["core_id"]), sub["subcore_type"] + sub["subcore_id"], sub


def load_figures(sub):
    simt = sub.get("simt_vf_instructions", {})
    return {"cycles": float(sub["cycles"]), "throughput": float(sub["throughput"]),
            "cacheHitRate": float(sub["L2cache_hit_rate"]),
            "simtVfInstructions": float(simt.get("instructions", 0)),
            "simtVfInstructionPerCycle": float(simt.get("instruction_per_cycle", 0))}


def core_load(answer, root, other=None):
    found = body(answer)
    cores = list(sub_cores(root))
    theirs = {core[:2]: load_figures(core[2]) for core in sub_cores(other)}
    flat = [(d["coreId"], s["subCoreName"], s) for d in found["opDetails"]
            for s in d["subCoreDetails"]]
    same([f[:2] for f in flat], [c[:2] for c in cores], "names of the cores")
    for (_, name, ours), (core, _, sub) in zip(flat, cores):
        alike = [load_figures(c[2]) for c in cores if c[2]["subcore_type"] == sub["subcore_type"]]
        for key, value in load_figures(sub).items():
            baseline = theirs.get((core, name), {}).get(key, 0)
            shown = ours[key]["value"]
            same([shown["compare"], shown["baseline"]], [value, baseline], f"{name} {key}")
            expected = value - baseline if (core, name) in theirs else 0
            need(abs(shown["diff"] - expected) <= 1e-9 * max(abs(value), abs(baseline)),
                 "%s %s: the difference is %s, expected %s", name, key, shown["diff"], expected)
            same(ours[key]["level"], level(value, [figures[key] for figures in alike]),
                 f"{name} {key}, level")
    same([found["soc"], found["opType"], found["advice"]],
         [root["soc"], root["op_type"], root["advice"]], "load of the cores")


def roofline(answer, root, soc):
    charts = [{"title": c["title"], "rooflines": [
        {"bw": text(r, "bw"), "bwName": r["bw_name"], "computility": text(r, "computility"),
         "computilityName": r["computility_name"], "point": list(map(str, r["point"])),
         "ratio": text(r, "ratio")} for r in c["rooflines"]]} for c in root["multiple_rooflines"]]
    same(body(answer), {"soc": soc, "advice": root["advice"], "data": charts}, "roofline")


def stalls(answer, root, other=None):
    ours = root["top_stall_reason_table"]
    theirs = (other or {"top_stall_reason_table": {}})["top_stall_reason_table"]
    data = [{side: {"name": name, "value": value} for side, value in (
        ("compare", ours.get(name, 0)), ("baseline", theirs.get(name, 0)),
        ("diff", ours.get(name, 0) - theirs.get(name, 0)))} for name in {**ours, **theirs}]
    same(body(answer), {"unit": "count", "data": data}, "stall reasons")


# --- All -------------------------------------------------------------------------------

def element(root, members_of, key, value):
    """Returns the entry of a list in which `key` is `value`, or None."""
    return next((entry for entry in (root or {}).get(members_of, [])
                 if text(entry, key) == value), None)


def check(kind, block_id, answer, roots, others):
    """Checks the answer about a block; `others` has the blocks of the baseline."""
    root, other = roots.get(kind), others.get(kind)
    if kind == 5:
        basic_info(answer, root, other)
    elif kind == 6:
        workload(answer, (root, other), (roots.get(7), others.get(7)))
    elif kind == 8:
        memory_map(answer, element(root, "core_memory_map", "core_no", block_id),
                   element(other, "core_memory_map", "core_no", block_id))
    elif kind == 9:
        memory_table(answer, element(root, "table_per_block", "block_id", block_id),
                     element(other, "table_per_block", "block_id", block_id))
    elif kind == 12:
        core_load(answer, root, other)
    elif kind == 13:
        roofline(answer, root, text(roots.get(5), "soc"))
    elif kind == 15:
        stalls(answer, root, other)

"""simulator.py - checks the tables and blocks that muster makes of simulator logs

The logs are genuine. The expected values were derived by hand from the log format.
"""
import os
import subprocess

import container
import trace
from container import need
from details import keys
from source import an_int, hexadecimal

NAMES = ["Instructions Executed", "Cycles", "GPR Count", "Process Bytes"]
# pc: pipe, name, start, end, registers
A2 = {0x10f86000: ("SCALAR", "MOV_XD_IMM", 11035, 11036, 1),
      0x10f86004: ("SCALAR", "MOVK", 11036, 11037, 1),
      0x10f86008: ("SCALAR", "MOV_XD_SPR", 11036, 11037, 2),
      0x10f8600c: ("SCALAR", "ADD", 11037, 11038, 2),
      0x10f86084: ("MTE2", "SET_FLAG", 11416, 11690, 0),
      0x10f86088: ("SCALAR", "WAIT_FLAG", 11416, 11691, 0)}
A5 = {0x11bbe03c: ("SCALAR", "ADD_IMM", 745, 749, 0),
      0x11bbe040: ("SCALAR", "MOV_XD_SPR", 745, 749, 0),
      0x11bbe044: ("SCALAR", "MOVK", 746, 750, 0)}
MIXED = {0x10cfa000: ("SCALAR", "MOV_XD_IMM", 253, 254, None),
         0x10cfa008: ("VECTOR", "MOVEMASK", 256, 258, None),
         0x10cfa058: ("MTE2", "DMA_MOV", 276, 545, None),
         0x10ce8000: ("SCALAR", "scalar_mov_xd_imme16", 181, 181, None),
         0x10ce8004: ("SCALAR", "scalar_neg", 182, 182, None)}
# folder: (chip, MHz, cores, instructions)
SAMPLES = {"910B": ("Ascend910B1", 1850, ["core0.veccore0", "core0.veccore1"], A2),
           "91095": ("Ascend950PR_9599", 1800, ["core0.veccore0"], A5),
           "mixed": ("Ascend910B2", 1800, ["core0.veccore0"], MIXED)}


def near(value, tick, mhz, what, most=0.00051):
    """Compares with a tolerance, because times are rounded to nanoseconds."""
    need(abs(value - tick / mhz) < most, "%s: %s is not tick %d", what, value, tick)


def check_events(events, mhz, cores, expected, is_a2):
    bars = [e for e in events if e["ph"] == "X" and "Mark" not in e["name"] and
            e["tid"] != "CACHEMISS"]
    plain = {pc: row for pc, row in expected.items() if "FLAG" not in row[1]}
    need(len(bars) == len(cores) * len(plain), "%d bars", len(bars))
    for bar in bars:
        pipe, name, start, end, _ = plain[int(bar["args"]["pc_addr"], 16)]
        need((bar["tid"], bar["name"]) == (pipe, name) and bar["pid"] in cores, "%s", bar)
        near(bar["ts"], start, mhz, name)
        near(bar["dur"], end - start, mhz, name, 0.0011)
    if not is_a2:
        return
    for core in cores:
        mine = [e for e in events if e["pid"] == core]
        times = {(e["ph"], e["name"]): e["ts"] for e in mine if e["ph"] in "BEst"}
        for key, tick in ((("B", "SET_FLAG"), 11689), (("E", "SET_FLAG"), 11690),
                          (("B", "WAIT_FLAG"), 11416), (("E", "WAIT_FLAG"), 11691),
                          (("s", "flow"), 11690), (("t", "flow"), 11691)):
            near(times[key], tick, mhz, "%s %s" % key)
        mark = [e for e in mine if e["name"] == "Mark 0x1"]
        need(len(mark) == 1, "marks: %s", mark)
        near(mark[0]["ts"], 11746, mhz, "the mark")
        near(mark[0]["dur"], 14010 - 11746, mhz, "the mark", 0.0011)
        misses = sorted(e["ts"] for e in mine if e["ph"] == "X" and e["tid"] == "CACHEMISS")
        need(len(misses) == 3, "misses: %s", misses)
        for found, tick in zip(misses, (23071, 23073, 23074)):
            near(found, tick, mhz, "a miss")


def check_instructions(root, cores, expected):
    keys(root, ["Cores", "Instructions Dtype", "Instructions"], "0x04")
    need(root["Cores"] == cores, "cores %s", root["Cores"])
    types = {"Address": "3", "AscendC Inner Code": "3", "Source": "3", "Pipe": "3",
             **{name: "1" for name in NAMES}}
    need(root["Instructions Dtype"]["Instructions"] == types, "wrong data types of columns")
    need([hexadecimal(row["Address"]) for row in root["Instructions"]] == sorted(expected),
         "wrong addresses")
    for row in root["Instructions"]:
        pipe, name, start, end, registers = expected[hexadecimal(row["Address"])]
        keys(row, list(types), name)
        need(row["Pipe"] == pipe and row["Source"].split(" ")[0] == name and
             "=0x" not in row["Source"] and row["AscendC Inner Code"] == "", "%s", row)
        for column, value in zip(NAMES, (1, end - start, registers, -1)):
            need(len(row[column]) == len(cores), "%s of %s", column, name)
            for one in row[column]:
                if value is not None:
                    an_int(one, value, "%s of %s" % (column, name))


def check_table(text, mhz, expected):
    lines = text.split("\n")
    need(lines[0] == "instr,addr,pipe,call_count,cycles,running_time(us),detail", lines[0])
    rows = {int(line.split(",")[1]): line.split(",")[:6] for line in lines[1:] if line}
    need(sorted(rows) == sorted(expected), "instr_exe has %s", list(rows))
    for pc, (pipe, name, start, end, _) in expected.items():
        us = "%.6f" % round((end - start) / mhz, 2)
        need(rows[pc] == [name, str(pc), pipe, "1", str(end - start), us], "%s", rows[pc])
    cycles = [int(line.split(",")[4]) for line in lines[1:] if line]
    need(cycles == sorted(cycles, reverse=True), "rows are not sorted by cycles")


def check_own_trace(text, merged, core):
    """Requires the bars and flags of the merged trace, without overlap in a track."""
    events = container.parse(text)["traceEvents"]
    bars = [e for e in events if e["ph"] == "X"]
    mine = [e for e in merged if e["pid"] == core]
    need(len(bars) == sum(e["ph"] in "XB" for e in mine), "%d bars of %s", len(bars), core)
    need(sorted((e["name"], e["ts"]) for e in bars) ==
         sorted((e["name"], e["ts"]) for e in mine if e["ph"] in "XB"), "bars of %s", core)
    for bar in bars:
        need(isinstance(bar["pid"], int) and bar["pid"] % 10 == 0 and bar["tid"] >= 1, "%s", bar)
        for other in bars:
            need(other is bar or (other["pid"], other["tid"]) != (bar["pid"], bar["tid"]) or
                 other["ts"] + other["dur"] <= bar["ts"] or
                 bar["ts"] + bar["dur"] <= other["ts"], "%s and %s overlap", bar, other)


def check(muster, samples, work):
    for folder, (soc, mhz, cores, expected) in SAMPLES.items():
        out = os.path.join(work, "sim." + folder)
        done = subprocess.run([muster, "import", os.path.join(samples, folder), "--soc", soc,
                               "--out", out], capture_output=True, text=True)
        need(done.returncode == 0, "%s: %s", folder, done.stderr)
        path = os.path.join(out, "visualize_data.bin")
        blocks, sources, order = container.read(path)
        need(order == [2, 4] and not sources, "blocks %s", order)
        with open(os.path.join(out, "trace.json"), "rb") as file:
            need(file.read() == blocks[2], "trace.json and the block differ")
        _, events = trace.rules(blocks[2].decode())
        check_events(events, mhz, cores, expected, folder == "910B")
        check_instructions(container.parse(blocks[4].decode(), literal=True), cores, expected)
        for core in cores:
            with open(os.path.join(out, core, core + "_instr_exe.csv")) as file:
                check_table(file.read(), mhz, expected)
            with open(os.path.join(out, core, "trace.json")) as file:
                check_own_trace(file.read(), events, core)

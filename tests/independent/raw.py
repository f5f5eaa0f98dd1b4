"""raw.py - writes raw captures in the layout of the vendor's tool

A Scenario holds the counters of a card; write() writes its folder. The modules that check
the output compute their figures from the same Scenario. No code of muster is used.
"""
import os
import struct

SCHEDULES = {
    "A2": [
        "1032 1033 1280 1282 1283 1292 0 0 | 55 56 1280 1282 1283 1292 0 0",
        "1284 1286 1287 1288 1290 1291 1293 1294 | 1284 1286 1287 1288 1290 1291 1293 1294",
        "19 49 50 518 524 0 0 0 | 61 62 67 68 0 0 0 0",
        "3 4 5 6 526 0 0 0 | 1 75 76 77 78 79 174 186",
        "27 28 33 34 40 42 84 85 | 5 6 100 101 102 103 184 185",
        "1792 1793 1794 1795 1796 1797 1798 1799 | 1792 1793 1794 1795 1796 1797 1798 1799",
        "1780 1781 1782 1783 1784 1785 1786 1787 | 1780 1781 1782 1783 1784 1785 1786 1787",
        "106 107 108 109 110 111 112 113 | 106 107 108 109 110 111 112 113",
        "13 73 74 87 92 114 0 0 | 4 84 85 526 13 87 92 114",
        "9 10 12 88 90 91 770 771 | 8 9 12 770 771 89 90 91",
    ],
    "310P": [
        "3 73 74 75 76 77 78 79",
        "174 184 185 186 4 5 6 18",
        "19 44 49 50 61 62 27 28",
        "33 34 39 40 41 42 55 56",
        "67 68 1 84 85 87 100 101",
        "102 103 9 13 92 0 0 0",
        "8 10 11 12 88 89 90 91",
    ],
    "A5": [
        "1060 1061 1062 1063 1064 1065 1066 1067 1068 1069"
        " | 1060 1061 1062 1063 1064 1065 1066 1067 1068 1069",
        "1070 1071 512 513 768 789 790 1792 1813 0"
        " | 1070 1071 512 513 1344 1366 1376 1377 1378 1379",
        "52 53 772 774 776 778 1058 1059 0 0 | 52 53 516 518 1058 1059 1391 1393 1394 0",
        "1795 1797 1799 1801 1804 1806 1815 0 0 0"
        " | 1395 1396 1397 1398 1400 1404 1407 1408 0 0",
        "10 11 13 14 15 36 0 0 0 0 | 10 12 14 15 0 0 0 0 0 0",
        "1 514 515 808 809 810 1794 1812 0 0 | 1 514 515 1281 1282 1283 1284 1466 1467 1468",
    ],
}
MEMORIES = ["L1", "L0A", "L0B", "L0C", "UB", "BT", "GM", "REG", "PRIVATE"]


def schedule(chip):
    """Returns [(events of the cubes, events of the vectors)] by pass."""
    passes = []
    for line in SCHEDULES[chip]:
        sides = [[int(word) for word in side.split()] for side in line.split("|")]
        passes.append((sides[0], sides[-1]))
    return passes


class Row:
    """Counters and cycles of one sub-core of one block."""

    def __init__(self, scenario, block, sub, kind, core):
        self.scenario, self.block, self.sub = scenario, block, sub
        self.kind, self.core = kind, core  # "cube" or "vector"
        self.passes = schedule(scenario.chip)
        self.start = 5000 + 100 * block + 7 * sub
        self.end = self.start + 2000 + 31 * block + sub

    def cycles(self, number):
        return 200000 + 1000 * self.block + 100 * self.sub + 17 * number

    @property
    def total(self):
        return self.cycles(len(self.passes) - 1)

    def events(self, number):
        return self.passes[number][0 if self.kind == "cube" else 1]

    def value(self, event):
        """Returns a counter. The values vary, so that differences have both signs."""
        if event in self.scenario.fixed:
            return self.scenario.fixed[event]
        mixed = (event * 2654435761 + self.block * 40503 + self.sub * 9973) & 0xFFFFFFFF
        return 1000 + (mixed >> 7) % 90000

    def pass_of(self, event):
        for number in range(len(self.passes)):
            if event in self.events(number):
                return number
        return None

    def get(self, event):
        if self.scenario.chip != "A5" and event == 0:
            return None
        return None if self.pass_of(event) is None else self.value(event)

    @property
    def name(self):
        if self.scenario.chip == "310P":
            return "AiCore"
        return "%s%d" % (self.kind, self.sub)


class Scenario:
    def __init__(self, name, chip, soc, kind, blocks, duration_ticks, **more):
        self.name, self.chip, self.soc, self.kind = name, chip, soc, kind
        self.blocks, self.duration_ticks = blocks, duration_ticks
        self.khz = more.get("khz", {"A2": 50000, "310P": 38400, "A5": 1000000}[chip])
        self.current, self.rated = more.get("current", 1500), more.get("rated", 1650)
        self.cores = more.get("cores", {"A2": 24, "310P": 10, "A5": 32}[chip])
        self.maker = more.get("maker", 0)
        self.simt = more.get("simt", 0)
        self.fixed = more.get("fixed", {})
        self.l2 = more.get("l2", [])
        self.metrics = more.get("metrics", "Default,Occupancy,Roofline")
        self.vectors = more.get("vectors", 2)
        self.shared_cores = more.get("shared_cores", False)
        self.chart = more.get("chart", [])  # transfers
        self.operands = more.get("operands", {})  # (device block, simt, type): (instr, ops)
        self.samples = more.get("samples", [])  # (pc / 8, nine counters)
        self.options = more.get("options", [])  # of the parser
        self.code = None  # source.Code of the binary
        self.pc_start = more.get("pc_start", 0)
        self.counted = more.get("counted", [])  # blocks: (start, end, times)
        self.listed = more.get("listed", {})  # {address: [(register, use)]}
        self.pipes = more.get("pipes", {})  # (core, kind): [(cycles, control, value)]
        self.regions = more.get("regions", {})  # instructions: {(pipe, id): (pc, name)}
        self.warps = more.get("warps", {})  # (core, kind): [(start, end)]
        self.stamps = more.get("stamps", [])  # (block, id, (start, end))
        self.kernel_scale = more.get("kernel_scale", False)
        self.duration = duration_ticks * 1000 / self.khz

    def rows(self):
        rows = []
        for block in range(self.blocks):
            core = block // 2 if self.shared_cores else block
            if self.kind in ("cube", "mix", "AiCore"):
                rows.append(Row(self, block, 0, "cube", core))
            if self.kind == "vector":
                rows.append(Row(self, block, 0, "vector", core))
            if self.kind == "mix":
                for sub in range(self.vectors):
                    rows.append(Row(self, block, sub, "vector", core))
        return rows


def record_a2(row, number):
    head = struct.pack("<HHHHQBBHHHI", 0x29, 0x6BD3, 3, 9, 0, 0, 0, 0,
                       (row.kind == "vector") | row.core << 1, 0, 0)
    slots = [row.value(e) if e else 0 for e in row.events(number)]
    return head + struct.pack("<HHQQ8QQQ", row.sub, row.block, row.cycles(number), 0,
                              *slots, row.start, row.end)


def record_a5(row, number):
    head = struct.pack("<HHHHQBBHHHHHI", 0x29, 0x6BD3, 3, 9, row.cycles(number), 0, 0, 0,
                       (row.kind == "vector") | row.core << 8, 0, row.sub, row.block, 0)
    slots = [row.value(e) for e in row.events(number)]
    return head + struct.pack("<10QQQ", *slots, row.start, row.end)


def record_310p(row, number):
    slots = [row.value(e) if e else 0 for e in row.events(number)]
    return struct.pack("<16xQQ8Q32x", row.cycles(number), 0, *slots)


RECORDS = {"A2": record_a2, "A5": record_a5, "310P": record_310p}


def task_log(scenario):
    if scenario.chip == "310P":
        return b"".join(struct.pack("<BxHHxxQ48x", kind, 0x6BD3, 9, ticks) for kind, ticks in
                        ((0, 4000), (1, 4000 + scenario.duration_ticks)))
    rest = 16 if scenario.chip == "A5" else 48
    return b"".join(struct.pack("<HHHHQ%dx" % rest, kind, 0x6BD3, 3, 9, ticks)
                    for kind, ticks in ((0, 4000), (1, 4000 + scenario.duration_ticks)))


def chart(transfers):
    """Encodes tuples (src, dst, bytes in, bytes out, pc, block, sub-block, from, to)."""
    out = b""
    for serial, t in enumerate(transfers):
        out += struct.pack("<QQQQQQHHBBxx", t[0], t[1], t[2], t[3], t[4], serial, t[5], t[6],
                           MEMORIES.index(t[7]), MEMORIES.index(t[8]))
    return out


def operand_records(operands):
    """Encodes {(device block, None or SIMT thread, type): (instructions, operations)}."""
    blocks = 1 + max(block for block, _, _ in operands)
    out = bytearray(8 + blocks * 1754008)
    struct.pack_into("<II", out, 0, 0x5A5A5A5A, 0)
    for (block, thread, kind), counts in operands.items():
        at = 8 + block * 1754008 + (0 if thread is None else 1 + thread) * 856 + kind * 24
        struct.pack_into("<QQQ", out, at, counts[0], counts[1], 0)
    return bytes(out)


def unit(core, kind, data):
    return struct.pack("<HHI", core, kind, len(data)) + data + bytes(2097152 - len(data))


def samples(rows):
    return unit(0, 1, b"".join(struct.pack("<I", pc)[:3] + bytes(counts) + bytes(4)
                               for pc, counts in rows))


def warp_block(core, kind, spans):
    times = b"".join(struct.pack("<QQ", *span) for span in spans)
    return struct.pack("<IIII", 0x5A5A5A5A, len(spans), core, kind) + times + \
        bytes(1104 - 16 - len(times))


def write(scenario, folder):
    """Writes device0/NAME/0/dump below `folder`."""
    dump = os.path.join(folder, "device0", scenario.name, "0", "dump")
    os.makedirs(dump)

    def put(name, data):
        with open(os.path.join(dump, name), "wb") as file:
            file.write(data)

    facts = ["Op Name=%s" % scenario.name, "Block Dim=%d" % scenario.blocks,
             "Run Soc Version=%s" % scenario.soc, "Device Id=3", "Pid=4711",
             "Current Freq=%d" % scenario.current, "Rated Freq=%d" % scenario.rated,
             "Has Simt=%d" % scenario.simt, "Ticks Khz=%d" % scenario.khz,
             "Core Count=%d" % scenario.cores, "Hbm Maker=%d" % scenario.maker,
             "Metrics=%s" % scenario.metrics]
    for number, (cubes, vectors) in enumerate(schedule(scenario.chip)):
        facts.append("Pass %d Aic=%s" % (number + 1, " ".join(map(str, cubes))))
        facts.append("Pass %d Aiv=%s" % (number + 1, " ".join(map(str, vectors))))
        put("DeviceProf%d.bin" % (number + 1),
            b"".join(RECORDS[scenario.chip](row, number) for row in scenario.rows()))
    put("op_basic_info.txt", "\n".join(facts).encode())
    put("duration.bin", task_log(scenario))
    if scenario.l2:
        put("L2Cache.bin", struct.pack("<8x8Q", *scenario.l2))
    if scenario.chart:
        put("MemoryChart.bin", chart(scenario.chart))
    if scenario.operands:
        put("OperandRecord.bin", operand_records(scenario.operands))
    if scenario.samples:
        put("pcSampling.bin.0", samples(scenario.samples))
    if scenario.code:
        functions = scenario.code.functions
        with open(scenario.code.elf, "rb") as elf:
            put("aicore_binary.o", elf.read())
        put("pc_start_addr.txt", b"0x%x" % scenario.pc_start)
        put("pc_start_pcsampling.txt", b"0x%x" % scenario.pc_start)
        if scenario.counted:
            put("fdata", block_counts(scenario.counted, functions))
        if scenario.listed:
            put("lrm.bin", live_registers(scenario.listed, functions))
    if scenario.pipes:
        put("timeline.bin.0", b"".join(unit(core, kind, b"".join(
            struct.pack("<HH", cycles, control << 12 | value)
            for cycles, control, value in entries))
            for (core, kind), entries in scenario.pipes.items()))
    if scenario.regions:
        put("dfx_region_map.txt", "".join(
            "region_id=%d,pipe=%s,line=1,pc=0x%x,opcode=%s\n" % (number, pipe.lower(), pc, name)
            for (pipe, number), (pc, name) in scenario.regions.items()).encode())
    if scenario.warps:
        put("WarpTimeline.bin", b"".join(warp_block(core, kind, spans)
                                         for (core, kind), spans in scenario.warps.items()))
    if scenario.stamps:
        put("aic_timestamp.bin", b"".join(
            struct.pack("<QIIQ", at, block, number, 0x40)
            for block, number, span in scenario.stamps for at in span))


def block_counts(counted, functions):
    """Encodes blocks (start, end, count) of functions (name, start) as fdata."""
    lines = []
    for number, (start, _, count) in enumerate(counted):
        name, at = max((f for f in functions if f[1] <= start), key=lambda f: f[1])
        lines.append("%d %s %x %d" % (number, name, start - at, count))
    return ("\n".join(lines) + "\n").encode()


def live_registers(listed, functions):
    """Encodes {address: [(name, use)]} with the register kinds R and X as lrm.bin."""
    def put(tag, data):
        return struct.pack("<IQ", tag, len(data)) + data

    kinds, lists = (("R", 0), ("X", 3)), b""
    for letter, _ in kinds:
        lines = b""
        for address, registers in listed.items():
            mine = b"".join(struct.pack("<HH", int(name[1:]), use) for name, use in registers
                            if name[0] == letter)
            lines += put(10, put(11, struct.pack("<Q", address)) + put(12, mine))
        lists += put(9, lines)
    return put(0, put(1, struct.pack("<2I", *(k for _, k in kinds))) +
               put(2, struct.pack("<2Q", 128, 64)) + put(3, struct.pack("<Q", len(listed))) +
               put(4, struct.pack("<Q", len(functions))) +
               put(5, b"".join(put(6, name.encode()) for name, _ in functions)) +
               put(7, b"".join(struct.pack("<q", i) for i in range(len(functions)))) +
               put(8, lists))

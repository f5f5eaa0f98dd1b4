"""tables.py - checks names, heads, rows and cells of the memory tables, block 0x09"""
from container import need
from details import advice_of_pipes, entries, is_text, keys, l2_total, of_all, recorded
from formulas import near

FLOW = ["requests", "throughput(GB/s)"]
PEAK = FLOW + ["peak(%)"]
HEADS = {"Cache": ["hit", "miss", "total", "hit rate(%)"],
         "Pipe": ["instructions", "cycle", "wait cycles", "active rate(%)", "active bw(GB/s)"],
         "Scalar": ["cycle", "time(us)"]}
WITH_PEAK = {"A2": ("UB", "L1", "L0C"), "310P": (), "A5": ("UB", "L1", "L0A", "L0B", "L0C")}

# table: [(row, terms or None without counter, bytes of a request, limit)]
A2 = {
    "GM": [("Read Main Memory", "e1293+e1294", 128, 0), ("Write Main Memory", "e1292", 128, 0)],
    "UB": [("UB Read MTE", "e62", 128, "GM_TO_UB"), ("UB Write MTE", "e61", 128, "UB_TO_GM"),
           ("UB Read GM", "e62", 128, "GM_TO_UB"), ("UB Write GM", "e61", 128, "UB_TO_GM"),
           ("UB Write Vector", "e67", 256, 0), ("UB Read Vector", "e68", 256, 0),
           ("UB Read Scalar", "e55", 16, 0), ("UB Write Scalar", "e56", 16, 0)],
    "Vector": [("Vector Write UB", "e68", 256, 0), ("Vector Read UB", "e67", 256, 0)],
    "L1": [("L1 Read MTE", "e50-e518", 256, "GM_TO_L1"), ("L1 Write MTE", "e49", 256, 0),
           ("L1 Write L0A/L0B", "e49+e524-4*e19-e518", 256, "L0"), ("L1 Read L0C", "e518", 128, "L0C_TO_L1"),
           ("L1 Write GM", "4*e19+e518-e524", 128, "L1_TO_GM"),
           ("L1 Read GM", "e50-e518", 256, "GM_TO_L1")],
    "L0A": [("L0A Read MTE", "e28", 256, 0), ("L0A Write Cube", "e27", 512, 0),
            ("L0A Read L1/GM", "e28", 256, 0)],
    "L0B": [("L0B Read MTE", "e34", 128, 0), ("L0B Write Cube", "e33", 512, 0),
            ("L0B Read L1/GM", "e34", 128, 0)],
    "Cube": [("Cube Read L0A", "e27", 512, 0), ("Cube Read L0B", "e33", 512, 0),
             ("Cube Write L0C", "e42", 1024, 0), ("Cube Read L0C", "e40", 1024, 0)],
    "L0C": [("L0C Read Cube", "e42", 1024, 0), ("L0C Write Cube", "e40", 1024, 0),
            ("L0C Write GM", "e524-e518", 128, "L0C_TO_GM"),
            ("L0C Write L1", "e518", 128, "L0C_TO_L1")],
}
OLD = {
    "L1": [("L1 Read MTE", "e50", 256, 0), ("L1 Write MTE", "e49", 512, 0),
           ("L1 Read L0A/L0B/UB", "e50", 256, 0), ("L1 Write GM/UB", "e49", 512, 0)],
    "L0A": [("L0A Read MTE", "e28", 512, 0), ("L0A Write Cube", "e27", 512, 0),
            ("L0A Read L1", "e28", 512, 0)],
    "L0B": [("L0B Read MTE", "e34", 128, 0), ("L0B Write Cube", "e33", 512, 0),
            ("L0B Read L1", "e34", 128, 0)],
    "Cube": [("Cube Read L0A", "e27", 512, 0), ("Cube Read L0B", "e33", 512, 0),
             ("Cube Write L0C", "e42", 1024, 0)],
    "L0C": [("L0C Read Cube", "e42", 1024, 0), ("L0C Write UB", "e39", 256, 0),
            ("L0C Read UB", "e41", 256, 0)],
    "UB": [("UB Read MTE", "e62", 16, 0), ("UB Write MTE", "e61", 16, 0),
           ("UB Read GM", "e62", 16, 0), ("UB Write GM", "e61", 16, 0),
           ("UB Write Vector", "e67", 32, 0), ("UB Read Vector", "e68", 32, 0),
           ("UB Read Scalar", "e55", 16, 0), ("UB Write Scalar", "e56", 16, 0),
           ("UB Write L0C", "e41", 256, 0), ("UB Read L0C", "e39", 256, 0)],
    "Vector": [("Vector Write UB", "e68", 32, 0), ("Vector Read UB", "e67", 32, 0)],
    "GM": [("Read Main Memory", "e18", 512, 0), ("Write Main Memory", "e19", 512, 0)],
}
FROM_GM = ("e1058-e1407-e1408", 128, "GM_TO_UB")
A5 = {
    "GM": [("Read Main Memory", "e1058", 128, 0), ("Write Main Memory", "e1059", 128, 0)],
    "UB": [("UB Read MTE", None, 256, "L1_TO_UB"), ("UB Write MTE", None, 128, "UB_TO_L1"),
           ("UB Read GM",) + FROM_GM, ("UB Read Vector", "e1394", 256, 0),
           ("UB Write Vector", "e1393", 256, 0), ("UB Read L0C", None, 128, "L0C_TO_UB")],
    "Vector": [("Vector Write UB", "e1394", 256, 0), ("Vector Read UB", "e1393", 256, 0)],
    "DCache": [("DCache Read GM", "e1407+e1408", 128, 0),
               ("DCache Read Vector", "e1397+e1398+e1400+e1404", 128, 0),
               ("DCache Write Vector", "e1395+e1396+e1404", 128, 0)],
    "L1": [("L1 Read MTE", "e1801-e1806", 256, 0), ("L1 Write MTE", "e1799", 256, 0),
           ("L1 Write L0A/L0B", "e1795+e1797", 256, "L0"),
           ("L1 Read L0C", "e1806", 128, "L0C_TO_L1"), ("L1 Read GM", "e1058", 128, "GM_TO_L1"),
           ("L1 Write UB", "e1799-e1795-e1797", 256, "L1_TO_UB"),
           ("L1 Read UB", "e1801-e1806-e1058/2", 256, "UB_TO_L1")],
    "L0A": [("L0A Read MTE", "e1795", 256, "L0A"), ("L0A Write Cube", "e772", 64, 0),
            ("L0A Read L1/GM", "e1795", 256, "L0A")],
    "L0B": [("L0B Read MTE", "e1797", 256, "L0B"), ("L0B Write Cube", "e774", 256, 0),
            ("L0B Read L1/GM", "e1797", 256, "L0B")],
    "Cube": [("Cube Read L0A", "e772", 64, 0), ("Cube Read L0B", "e774", 256, 0),
             ("Cube Write L0C", "e776", 1024, 0), ("Cube Read L0C", "e778", 1024, 0)],
    "L0C": [("L0C Read Cube", "e776", 1024, 0), ("L0C Write Cube", "e778", 1024, 0),
            ("L0C Write GM", "e1059", 128, "L0C_TO_GM"),
            ("L0C Write L1", "e1806", 128, "L0C_TO_L1"),
            ("L0C Write FIXP", "e1804+e1806+e1815+e1059", 128, 0),
            ("L0C Write UB", "e1804+e1815", 128, "L0C_TO_UB")],
}
MIX_ONLY = ("L1 Write UB", "L1 Read UB", "L0C Write UB", "UB Read L0C")  # on an A5
FLOWS = {"A2": A2, "310P": OLD, "A5": A5}
SIDES = {"cube": ("GM", "L1", "L0A", "L0B", "Cube", "L0C"),
         "vector": ("GM", "UB", "Vector", "DCache"),
         "AiCore": ("GM", "L1", "L0A", "L0B", "Cube", "L0C", "UB", "Vector")}

# pipe: instructions, cycles, waits, bytes while active
PIPES = {
    "A2 cube": [("MTE1", "e4", "e770", "e90", None), ("MTE2", "e5", "e12", "e91", None),
                ("MTE3", "e6", "e13", "e92", "512*e19+128*e518-128*e524"),
                ("FIXP", "e526", "e771", None, "128*e524"), ("Scalar", None, "e9", "e87", None)],
    "A2 vector": [("MTE1", "e4", "e770", None, None), ("MTE2", "e5", "e12", "e91", "128*e62"),
                  ("MTE3", "e6", "e13", "e92", "128*e61"), ("FIXP", "e526", "e771", None, None),
                  ("Scalar", None, "e9", "e87", None)],
    "310P cube": [("MTE1", "e4", "e11", "e90", None), ("MTE2", "e5", "e12", "e91", None),
                  ("MTE3", "e6", "e13", "e92", None), ("Scalar", None, "e9", "e87", None)],
    "A5 cube": [("MTE1", "e1792", "e1794", "e13", "256*e1799"),
                ("MTE2", "e512", "e514", "e14", "128*e1058"),
                ("MTE3", "e513", "e515", "e15", "256*e1801-256*e1806-256*e1058/2"),
                ("FIXP", "e1813", "e1812", "e36", "128*e1804+128*e1806+128*e1815+128*e1059"),
                ("Scalar", "e0", "e1", "e10", None)],
    "A5 vector": [("MTE2", "e512", "e514", "e14", "128*e1058-128*e1407-128*e1408"),
                  ("MTE3", "e513", "e515", "e15", "ubGM"), ("Scalar", "e0", "e1", "e10", None)],
}
SCALARS = {
    "cube": [("Time", 9), ("Single", 112), ("Dual", 113), ("Mte1 Stall", 107),
             ("Mte2 Stall", 108), ("Mte3 Stall", 109), ("WAIT IB", 114), ("Wait", 87),
             ("Cube Stall", 110)],
    "vector": [("Time", 9), ("Single", 112), ("Dual", 113), ("Mte2 Stall", 108),
               ("Mte3 Stall", 109), ("WAIT IB", 114), ("Wait", 87), ("Ub Stall", 106),
               ("Vector Stall", 111)],
}


def cache_rows(figures, rows):
    sides = [] if figures.is_310p else [("L2 Cache Write", "write"), ("L2 Cache Read", "read")]
    for name, side in sides + [("L2 Cache Total", "total")]:
        yield name, *l2_total(figures, rows, side)
    all_, miss = ("e52", "e53") if figures.is_a5 else ("e84", "e85")
    all_, miss = of_all(figures, rows, all_), of_all(figures, rows, miss)
    yield "iCache Total", (all_ - miss if miss <= all_ else None), miss


def cache(figures, rows):
    for name, hit, miss in cache_rows(figures, rows):
        known = hit is not None and miss is not None
        total = hit + miss if known else None
        yield name, [hit, miss, total, (100.0 * hit / total if total else 0.0) if known else None]


def flows(figures, row, table, cube):
    s = figures.s
    for name, terms, size, limit in FLOWS[s.chip][table]:
        if s.chip == "A5" and name in MIX_ONLY and s.kind != "mix":
            continue
        count = figures.add(row, terms) if terms else None
        if s.chip == "A5" and s.chart and row.kind == "vector":
            count = recorded_count(figures, row, name, count, cube)
        if name == "UB Read L0C" and s.chip == "A5" and cube:
            count = cube.get(1815 if row.sub else 1804)
        bandwidth = None if count is None else figures.bandwidth(row, count * size)
        cells = [count, bandwidth]
        if table in WITH_PEAK[s.chip]:
            cells.append(figures.usage(bandwidth, limit))
        yield name, cells


def recorded_count(figures, row, name, count, cube):
    """Returns the recorded count: on vectors of a 950, transfer records replace counters."""
    def of(*lanes, size=128):
        return sum(recorded(figures, row, *lane, size)[0] for lane in lanes)

    return {
        "Read Main Memory": lambda: of(("GM", "UB"), ("GM", "REG")),
        "Write Main Memory": lambda: of(("UB", "GM"), ("REG", "GM")),
        "UB Read MTE": lambda: recorded(figures, cube, "L1", "UB", 256, row.sub)[0] if cube else 0,
        "UB Write MTE": lambda: of(("UB", "L1")),
        "UB Read GM": lambda: of(("GM", "UB")), "DCache Read GM": lambda: of(("GM", "REG")),
        "DCache Read Vector": lambda: of(("REG", "GM"), ("REG", "PRIVATE")),
        "DCache Write Vector": lambda: of(("GM", "REG"), ("PRIVATE", "REG")),
    }.get(name, lambda: count)()


def pipes(figures, row):
    s = figures.s
    for name, instructions, cycles, wait, bytes_ in PIPES["%s %s" % (s.chip, row.kind)]:
        if s.kind == "mix" and s.chip == "A2" and row.kind == "vector" and \
                name in ("MTE1", "FIXP"):
            continue
        count = figures.add(row, cycles)
        if bytes_ == "ubGM":
            moved = figures.moved(row, "UB", "GM") if s.chart else None
        else:
            moved = figures.add(row, bytes_) if bytes_ else None
        if s.chip == "A2" and row.kind == "cube" and s.chart and name in ("MTE1", "MTE2"):
            from_gm = {to: figures.moved(row, "GM", to) for to in ("L0A", "L0B", "L1")}
            moved = sum(from_gm.values()) if name == "MTE2" else \
                max(0, row.get(28) * 256 - from_gm["L0A"]) + \
                max(0, row.get(34) * 128 - from_gm["L0B"])
        yield name, [figures.add(row, instructions) if instructions else None, count,
                     figures.add(row, wait) if wait else None,
                     100.0 * count / figures.cycles(row, cycles), figures.active(moved, count)]


def scalars(figures, row):
    for name, event in SCALARS[row.kind]:
        yield "Scalar " + name, [row.get(event), figures.us(row.get(event))]
    for number in range(16):
        value = row.get(1792 + number if number < 8 else 1780 + number - 8)
        if value:
            yield "Scalar Internuclear ID%d" % number, [value, figures.us(value)]


def expected_tables(figures, rows):
    """Returns {name: (head, [(row, cells)])} of one block."""
    s, found = figures.s, {"Cache": (HEADS["Cache"], list(cache(figures, rows)))}
    cube = next((row for row in rows if row.kind == "cube"), None)
    for row in rows:
        core = " Core%d" % row.sub if row.kind == "vector" else ""

        def name(table, suffixed):
            if s.kind != "mix" or not (suffixed or row.kind == "vector"):
                return table
            return table + (" Cube" if row.kind == "cube" else
                            (" Vector" if suffixed else "") + core)

        for table in SIDES["AiCore" if figures.is_310p else row.kind]:
            if table in FLOWS[s.chip]:
                head = PEAK if table in WITH_PEAK[s.chip] else FLOW
                found[name(table, table == "GM")] = (head, list(flows(figures, row, table, cube)))
        found[name("Pipe", True)] = (HEADS["Pipe"], list(pipes(figures, row)))
        if s.chip == "A2":
            found[name("Scalar", True)] = (HEADS["Scalar"], list(scalars(figures, row)))
    return found


def memory_table(figures, root):
    blocks = entries(figures)
    keys(root, ["table_per_block"], "0x09")
    need(len(root["table_per_block"]) == len(blocks), "%d blocks", len(root["table_per_block"]))
    for item, (block, rows) in zip(root["table_per_block"], blocks):
        keys(item, ["block_id", "table_op_type", "advice", "table_detail"], "a block")
        need(item["block_id"] == block and item["table_op_type"] == figures.s.kind, "block")
        advice_of_pipes(figures, rows, item["advice"])
        expected = expected_tables(figures, rows)
        names = [table["table_name"] for table in item["table_detail"]]
        need(sorted(names) == sorted(expected), "tables %s, not %s", names, list(expected))
        for table in item["table_detail"]:
            head, lines = expected[table["table_name"]]
            what = "block %s table %s" % (block, table["table_name"])
            keys(table, ["table_name", "size", "header_name", "row"], what)
            need(table["header_name"] == [""] + head, "%s: head %s", what, table["header_name"])
            need([int(n) for n in table["size"]] == [len(lines), len(head)], "%s: size %s",
                 what, table["size"])
            need([row["name"] for row in table["row"]] == [name for name, _ in lines],
                 "%s: rows %s, not %s", what, [row["name"] for row in table["row"]],
                 [name for name, _ in lines])
            for row, (name, cells) in zip(table["row"], lines):
                keys(row, ["name", "value"], what)
                need(len(row["value"]) == len(cells), "%s %s: %s", what, name, row["value"])
                for cell, figure, column in zip(row["value"], cells, head):
                    is_text(cell, what)
                    near(cell, figure, "%s, %s, %s" % (what, name, column))

"""formulas.py - computes the figures of a scenario by the vendor's documents

None means NA. GB/s count 2^30 bytes. Cells have six decimals, so they may differ from a
figure by 1e-6; counts must be equal.
"""
import math
import os
import re

from container import Mismatch, need

GIB = 1 << 30
LIMITS = {  # of one core, GiB/s, by chip; the second set is for memory maker 88 ("CJ")
    "910B1": ({"GM_TO_L1": 264, "L1_TO_GM": 199.43, "L0C_TO_L1": 216.88, "L0C_TO_GM": 209.32,
               "GM_TO_UB": 220.06, "UB_TO_GM": 186.8, "L0A": 437.5, "L0B": 210.5,
               "MTE2": 340.1},
              {"GM_TO_L1": 296, "L1_TO_GM": 187.72, "L0C_TO_L1": 220.48, "L0C_TO_GM": 202.41,
               "GM_TO_UB": 219.14, "UB_TO_GM": 197.82, "L0A": 439.32, "L0B": 220.10,
               "MTE2": 302.32}),
    "910B2": ({"GM_TO_L1": 256.86, "L1_TO_GM": 193.99, "L0C_TO_L1": 211.00,
               "L0C_TO_GM": 203.66, "GM_TO_UB": 214.11, "UB_TO_GM": 181.75, "L0A": 425.68,
               "L0B": 204.81, "MTE2": 330.91},
              {"GM_TO_L1": 288.00, "L1_TO_GM": 182.65, "L0C_TO_L1": 214.52,
               "L0C_TO_GM": 196.94, "GM_TO_UB": 213.22, "UB_TO_GM": 192.47, "L0A": 427.45,
               "L0B": 214.15, "MTE2": 294.15}),
    "910B4": ({"GM_TO_L1": 222, "L1_TO_GM": 189.89, "L0C_TO_L1": 190.7, "L0C_TO_GM": 190.7,
               "GM_TO_UB": 195.27, "UB_TO_GM": 176.75, "L0A": 368.2, "L0B": 173.81,
               "MTE2": 222.17},
              {"GM_TO_L1": 274, "L1_TO_GM": 182.07, "L0C_TO_L1": 196.27, "L0C_TO_GM": 189.08,
               "GM_TO_UB": 195.52, "UB_TO_GM": 176.06, "L0A": 391.82, "L0B": 196.3,
               "MTE2": 274}),
    "950 958x": ({"GM_TO_L1": 162.77, "L1_TO_GM": 131.81, "L0C_TO_L1": 377.80,
                  "L0C_TO_GM": 130.21, "GM_TO_UB": 163.13, "UB_TO_GM": 131.76,
                  "L0A": 377.76, "L0B": 377.77, "L0C_TO_UB": 189.02, "L1_TO_UB": 188.99,
                  "UB_TO_L1": 188.99},),
    "950 959x": ({"GM_TO_L1": 177.57, "L1_TO_GM": 143.79, "L0C_TO_L1": 412.15,
                  "L0C_TO_GM": 142.05, "GM_TO_UB": 177.96, "UB_TO_GM": 143.74,
                  "L0A": 412.10, "L0B": 412.11, "L0C_TO_UB": 206.20, "L1_TO_UB": 206.18,
                  "UB_TO_L1": 206.18},),
}


def limits(s):
    if s.chip == "A5":
        model = s.soc.split("_")[1][:3]
        if model in ("958", "957", "950"):
            return LIMITS["950 958x"][0]
        return LIMITS["950 959x"][0] if model in ("959", "95A") else {}
    if s.soc[6:10] not in ("910B",):
        return {}
    row = LIMITS[{"3": "910B2"}.get(s.soc[10], s.soc[6:11])]
    return row[s.maker == 88]


def near(cell, figure, what):
    """Compares a table cell, or a text or number of a block, with the figure."""
    if figure is None:
        need(cell == "NA", "%s: got %s, expected NA", what, cell)
        return
    need(cell != "NA", "%s: got NA, expected %s", what, figure)
    if isinstance(figure, int):
        need(str(cell) == str(figure), "%s: got %s, expected %s", what, cell, figure)
        return
    need(re.fullmatch(r"-?\d+\.\d{6}", str(cell)), "%s: %s does not have six decimals", what, cell)
    need(abs(float(cell) - figure) <= 1e-6 + 1e-9 * abs(figure), "%s: got %s, expected %r",
         what, cell, figure)


class Figures:
    """The formulas of the documents for the rows of one scenario."""

    def __init__(self, scenario):
        self.s = scenario
        self.is_a5, self.is_310p = scenario.chip == "A5", scenario.chip == "310P"
        self.limits = limits(scenario)
        rounds = (scenario.blocks + scenario.cores - 1) // scenario.cores
        self.k = rounds / scenario.blocks if self.is_310p else 1.0
        self.f = float(scenario.current)
        self.whole = scenario.kind == "mix" and not scenario.kernel_scale

    def add(self, row, terms):
        """Adds terms such as 4*e19+e518-e524. A negative sum is NA, on an A5 zero."""
        total = 0
        for sign, factor, event, divisor in re.findall(
                r"([+-]?)(?:(\d+)\*)?e(\d+)(?:/(\d+))?", terms):
            value = row.get(int(event))
            if value is None:
                return None
            value = value // int(divisor or 1) * int(factor or 1)
            total += -value if sign == "-" else value
        if total < 0:
            return 0 if self.is_a5 else None
        return total

    def cycles(self, row, terms):
        """Returns the cycles of the pass that counted the first term."""
        return row.cycles(row.pass_of(int(re.search(r"e(\d+)", terms).group(1))))

    def time(self, row):
        return row.total * self.k / self.f

    def base(self, row):
        return self.s.duration if self.whole else self.time(row)

    def divide(self, over, under):
        if over is None or under is None:
            return None
        if under == 0:
            return None if self.is_a5 else 0.0
        return over / under

    def us(self, x):
        return None if x is None else x * self.k / self.f

    def bandwidth(self, row, nbytes):
        return None if nbytes is None else self.divide(nbytes * 1e6 / GIB, self.base(row))

    def usage(self, bandwidth, path):
        if bandwidth is not None and path == "L0" and self.limits:  # into L0A and L0B
            most = (self.limits["L0A"] + self.limits["L0B"]) / 2
            return min(bandwidth, most) * 100 / most
        if bandwidth is None or path not in self.limits:
            return None
        most = self.limits[path]
        return min(bandwidth, most) * 100 / most

    def active(self, nbytes, cycles):
        if nbytes is None or not cycles:
            return None
        return nbytes * 1e6 / (cycles / self.f) / GIB

    def ratio(self, row, value, cycles):
        if value is None:
            return None
        if self.whole and not self.is_a5:
            cycles = self.s.duration * self.f / self.k
        return self.divide(value, cycles)

    def device_block(self, row):
        """Returns the number of a row's core in the records of an A5."""
        if self.s.kind == "mix":
            return row.block * 3 + (2 if row.kind == "cube" else row.sub)
        return row.block * 3 + 2 if row.kind == "cube" else row.block // 2 * 3 + row.block % 2

    def moved(self, row, from_, to):
        """Returns the bytes that this row's core moved by the transfer records."""
        block = self.device_block(row) if self.is_a5 else row.block
        return sum(t[2] for t in self.s.chart
                   if t[5] == block and t[7] == from_ and t[8] == to)

    def operations(self, row):
        weights = (64, 128, 64, 32, 16, 32, 16) if self.is_310p else \
            (64, 128, 64, 32, 64, 128, 32)
        events = ["e75" if self.is_310p else "e75-e76", "e76", "e77", "e174", "e78", "e186",
                  "e79"]
        parts = [self.add(row, terms) for terms in events]
        if None in parts:
            return None
        return sum(w * p for w, p in zip(weights, parts))

    def column(self, row, formula):
        """Evaluates a formula of columns.txt for a row."""
        match = re.fullmatch(r"(\w+)\((.*)\)", formula)
        if not match or formula.startswith("e"):
            return self.add(row, formula)
        kind, inside = match.groups()
        parts = [part.strip() for part in inside.split(",")]
        if kind == "l2rate":
            hit, one, two = self.s.l2[:3] if self.s.l2 else (None, 0, 0)
            return None if hit is None or hit > one + two else \
                self.divide(100 * hit, one + two)
        if kind == "fops":
            return self.operations(row)
        if kind == "share":
            whole, part, over = (self.add(row, terms) for terms in parts)
            if None in (whole, part, over):
                return None
            value = whole * part // over if over else 0
            return self.ratio(row, value, self.cycles(row, parts[0]))
        if kind == "act":
            bytes_, cycles = parts
            if bytes_ == "ubGM":
                total = self.moved(row, "UB", "GM") if self.s.chart else None
            else:
                terms, factor = re.fullmatch(r"\(?(.*?)\)?\*(\d+)", bytes_).groups()
                terms = re.sub(r"floor\(([^)]*)\)?", r"\1", terms)
                total = self.add(row, terms)
                total = None if total is None else total * int(factor)
            return self.active(total, self.add(row, cycles))
        if parts[0] == "ubGM":
            value = self.moved(row, "UB", "GM") if self.s.chart else None
        else:
            value = self.add(row, parts[0])
        if kind == "us":
            return self.us(value)
        if kind == "ratio":
            return self.ratio(row, value, self.cycles(row, parts[0]))
        if kind in ("percent", "quotient"):
            over = self.add(row, parts[1])
            if value is None or over is None:
                return None
            if kind == "percent" and over == 0:
                return 0.0
            return self.divide((100 if kind == "percent" else 1) * value, over)
        value = None if value is None else value * int(parts[1])
        if kind == "kb":
            return None if value is None else value / 1024
        bandwidth = self.bandwidth(row, value)
        if kind == "bw":
            return bandwidth
        if kind == "use":
            return self.usage(bandwidth, parts[2])
        raise Mismatch("unknown formula %s" % formula)


def tables():
    """Returns {(chip, table): [(column, formula or None)]}."""
    found, columns = {}, None
    with open(os.path.join(os.path.dirname(__file__), "columns.txt")) as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("["):
                columns = found[tuple(line.strip("[]").split())] = []
            elif line and not line.startswith("#"):
                name, _, formula = line.partition(" = ")
                columns.append((name, formula or None))
    return found


# Columns without a prefix that only cube or vector rows have.
CUBE_ONLY = ("GM_to_L1", "L1_to_GM", "L0C_to_L1", "L0C_to_GM")
VECTOR_ONLY = ("GM_to_UB", "UB_to_GM")


def is_filled(column, row, chip):
    if chip == "310P":
        return True
    if column.startswith("aic_") or column.startswith(CUBE_ONLY):
        return row.kind == "cube"
    if column.startswith("aiv_") or column.startswith(VECTOR_ONLY):
        return row.kind == "vector"
    return True


def extra_columns(figures, table):
    """Returns the optional columns: waits between cores, and bandwidths from transfer
    records."""
    extra, s = [], figures.s
    if table != "PipeUtilization" or s.chip != "A2":
        return extra
    for prefix, kind in (("aic", "cube"), ("aiv", "vector")):
        rows = [row for row in s.rows() if row.kind == kind]
        waits = []
        for number in range(16):
            event = 1792 + number if number < 8 else 1780 + number - 8
            if any(row.get(event) for row in rows):
                waits.append(("%s_scalar_wait_id%d_time(us)" % (prefix, number), kind,
                              lambda row, event=event: figures.us(row.get(event))))
        extra += sorted(waits)
    if s.chart:
        def mte1(row):
            l0a = max(0, row.get(28) * 256 - figures.moved(row, "GM", "L0A"))
            l0b = max(0, row.get(34) * 128 - figures.moved(row, "GM", "L0B"))
            return figures.active(l0a + l0b, row.get(770))

        def mte2(row):
            return figures.active(sum(figures.moved(row, "GM", to) for to in
                                      ("L1", "L0A", "L0B")), row.get(12))

        extra += [("aic_mte1_active_bw(GB/s)", "cube", mte1),
                  ("aic_mte2_active_bw(GB/s)", "cube", mte2)]
    return extra


def check_table(figures, table, text):
    s, fixed = figures.s, tables()[figures.s.chip, table]
    extra = extra_columns(figures, table)
    lines = text.split("\n")
    need(lines[-1] == "" and len(lines) == len(s.rows()) + 2 or figures.is_310p,
         "%s has %d lines", table, len(lines))
    names = [name for name, _ in fixed] + [name for name, _, _ in extra]
    need(lines[0] == "".join(name + "," for name in names), "head of %s: %s", table, lines[0])
    for row, line in zip(s.rows(), lines[1:]):
        cells = line.split(",")
        need(cells.pop() == "" and len(cells) == len(names), "%s: %s", table, line)
        for (name, formula), cell in zip(fixed, cells):
            what = "%s %s %d %s %s" % (s.name, table, row.block, row.name, name)
            if name == "sub_block_id":
                need(cell == row.name, "%s: %s", what, cell)
            elif not is_filled(name, row, s.chip):
                near(cell, None, what)
            elif name == "block_id":
                near(cell, row.block, what)
            elif name in ("aic_time(us)", "aiv_time(us)"):
                near(cell, float(figures.time(row)), what)
            elif name.endswith("total_cycles"):
                near(cell, row.total, what)
            else:
                near(cell, figures.column(row, formula), what)
        for (name, kind, value), cell in zip(extra, cells[len(fixed):]):
            near(cell, value(row) if row.kind == kind else None, "%s %s" % (s.name, name))


def check_basic_info_table(figures, text):
    s = figures.s
    head = "Op Name,Op Type,Task Duration(us),Block Dim,%sDevice Id,Pid,Current Freq," \
        "Rated Freq,\n" % ("" if figures.is_310p else "Mix Block Dim,")
    vectors = sum(row.kind == "vector" for row in s.rows())
    mix = "" if figures.is_310p else "%s," % (vectors if s.kind == "mix" else "NA")
    row = "%s,%s,%.6f,%d,%s3,4711,%d,%d,\n" % (s.name, s.kind, s.duration, s.blocks, mix,
                                               s.current, s.rated)
    need(text == head + row, "OpBasicInfo: %s", text)

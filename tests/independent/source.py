"""source.py - checks the blocks 0x01, 0x03, 0x04, 0x0E and 0x0F

Expected lines come from addr2line, blocks and transfers from the scenario, and cache
hits from an independent cache model.
"""
import functools
import subprocess

from container import Number, need
from details import keys
from raw import MEMORIES

STALLS = ["IBuf_Empty", "Nop_Cycles", "Scoreboard_Not_Ready", "Register_bank_conflict",
          "Resource_conflict", "Warp_Level_Sync", "Divergence_Stack_Spill", "Others", "Active"]
SETS = {"Ascend910B1": 16384, "Ascend910B2": 16384, "Ascend910B2C": 16384,
        "Ascend910B3": 16384, "Ascend910B4": 8192, "Ascend910B4-1": 14336,
        "Ascend910_9362": 14336, "Ascend910_9372": 16384, "Ascend910_9381": 16384,
        "Ascend910_9382": 16384, "Ascend910_9391": 16384, "Ascend910_9392": 16384}
WAYS, LINE = 24, 512
MOST = (1 << 31) - 1


class Code:
    """Functions and source lines of the addresses of a kernel."""

    def __init__(self, elf):
        self.elf, self.known = elf, {}
        done = subprocess.run(["nm", "-S", elf], capture_output=True, text=True, check=True)
        rows = [line.split() for line in done.stdout.split("\n")]
        rows = [row for row in rows if len(row) == 4 and row[2] == "T"]
        self.functions = sorted(((row[3], int(row[0], 16)) for row in rows),
                                key=lambda row: row[1])
        self.sizes = {row[3]: int(row[1], 16) for row in rows}

    def inside(self, address):
        """Returns True if a function contains the address."""
        return any(at <= address < at + self.sizes[name] for name, at in self.functions)

    def find(self, addresses):
        new = [a for a in addresses if a not in self.known]
        if new:
            done = subprocess.run(["addr2line", "-f", "-e", self.elf] + [hex(a) for a in new],
                                  capture_output=True, text=True, check=True)
            lines = done.stdout.split("\n")
            for i, address in enumerate(new):
                file, _, number = lines[2 * i + 1].partition(":")
                self.known[address] = (lines[2 * i], file, int(number.split()[0].strip("?") or 0))

    def __getitem__(self, address):
        self.find([address])
        return self.known[address]


class Work:
    """Counters of each address, computed from the scenario."""

    def __init__(self, s):
        self.s, self.sets, self.by_set = s, SETS.get(s.soc), {}
        self.bytes, self.hits, self.misses, self.ways = {}, {}, {}, {}
        for t in s.chart:
            pc = t[4]
            self.ways.setdefault(pc, (t[7], t[8]))
            sides = [(t[0], t[2])] * (t[7] == "GM") + [(t[1], t[3])] * (t[8] == "GM")
            for address, size in sides:
                self.bytes[pc] = self.bytes.get(pc, 0) + size
                if self.sets and size:
                    for line in range(address // LINE, (address + size - 1) // LINE + 1):
                        self.touch(pc, line)

    def touch(self, pc, line):
        record = self.by_set.setdefault(line % self.sets, {"lines": [], True: [0, set()],
                                                           False: [0, set()]})
        hit = line in record["lines"]
        if hit:
            record["lines"].remove(line)
        record["lines"].insert(0, line)
        del record["lines"][WAYS:]
        record[hit][0] += 1
        record[hit][1].add(pc)
        counts = self.hits if hit else self.misses
        counts[pc] = counts.get(pc, 0) + 1

    def executed(self, address):
        for start, end, count in self.s.counted:
            if start <= address < end:
                return count
        return 0

    def rate(self, pcs):
        hits = sum(self.hits.get(pc, 0) for pc in pcs)
        all_ = hits + sum(self.misses.get(pc, 0) for pc in pcs)
        return 100.0 * hits / all_ if all_ else -1.0

    def registers(self, address):
        return self.s.listed.get(address, [])

    def samples(self, address):
        total = [0] * 9
        for at, counts in self.s.samples:
            if at * 8 - self.s.pc_start == address:
                total = [a + b for a, b in zip(total, counts)]
        return total


@functools.lru_cache(maxsize=None)
def work_of(scenario):
    return Work(scenario)


def columns(s):
    found = {"Instructions Executed": 1} if s.counted else {}
    if s.chart:
        found["Process Bytes"] = 1
        if s.soc in SETS:
            found["L2Cache Hit Rate"] = 4
    if s.listed:
        found["GPR Count"] = 1
    if s.samples:
        found["Stall Sampling(All Samples)"] = found["Stall Sampling(Not Issue)"] = 100
    return found


def an_int(node, value, what):
    need(isinstance(node, Number) and not node.is_float and int(node) == min(value, MOST),
         "%s: %s, not %d", what, node, value)


def check_work(s, work, item, addresses, count, what):
    """Checks the sums over some addresses."""
    pcs = [address + s.pc_start for address in addresses]
    if s.counted:
        need(len(item["Instructions Executed"]) == 1, what)
        an_int(item["Instructions Executed"][0], count, what + " executed")
    if s.chart:
        moved = sum(work.bytes.get(pc, 0) for pc in pcs)
        need(len(item["Process Bytes"]) == 1, what)
        an_int(item["Process Bytes"][0], moved or -1, what + " bytes")
        if s.soc in SETS:
            rate = item["L2Cache Hit Rate"]
            need(isinstance(rate, Number) and rate.is_float and
                 abs(float(rate) - work.rate(pcs)) < 1e-6, "%s: rate %s", what, rate)
    if s.listed:
        most = max(len(work.registers(address)) for address in addresses)
        need(len(item["GPR Count"]) == 1, what)
        an_int(item["GPR Count"][0], most, what + " registers")
    if s.samples:
        here = [sum(c) for c in zip(*(work.samples(address) for address in addresses))]
        whole = [sum(c) for c in zip(*(counts for pc, counts in s.samples
                                       if pc * 8 - s.pc_start in s.in_code))]
        for name, kinds in (("All Samples", 9), ("Not Issue", 8)):
            shares = item["Stall Sampling(%s)" % name]
            keys(shares, ["Percent", "Details"], what)
            percent = sum(here[:kinds]) / sum(whole[:kinds])
            need(shares["Percent"].is_float and abs(float(shares["Percent"]) - percent) < 1e-6,
                 "%s: %s of %f", what, shares["Percent"], percent)
            keys(shares["Details"], STALLS[:kinds], what)
            for stall, value in zip(STALLS, here[:kinds]):
                an_int(shares["Details"][stall], value, what + stall)


def hexadecimal(text):
    need(text.startswith("0x") and len(text) >= 10 and text == text.lower(), "%s", text)
    return int(text, 16)


def instructions(figures, root):
    s, work = figures.s, work_of(figures.s)
    keys(root, ["Cores", "Instructions Dtype", "Instructions"], "0x04")
    need(root["Cores"] == ["ALL"], "cores %s", root["Cores"])
    types = {"Address": 3, "AscendC Inner Code": 3, "Source": 3, "Pipe": 3, **columns(s)}
    if s.listed:
        types["GPR Status"] = 5
    keys(root["Instructions Dtype"], ["Instructions"], "types")
    need({k: int(v) for k, v in root["Instructions Dtype"]["Instructions"].items()} == types,
         "types %s", root["Instructions Dtype"])
    places = [hexadecimal(row["Address"]) - s.pc_start for row in root["Instructions"]]
    need(places == sorted(set(places)), "addresses are not sorted")
    expected = {pc - s.pc_start for pc in work.ways} | set(s.listed)
    expected |= {pc * 8 - s.pc_start for pc, _ in s.samples if pc * 8 - s.pc_start in s.in_code}
    need(expected <= set(places), "missing: %s", [hex(a) for a in expected - set(places)])
    others = set(places) - expected
    need(all(work.executed(address) for address in others), "unexpected addresses")
    for start, _, count in s.counted:
        need(not count or start in places, "no instruction for the block at %#x", start)
    s.code.find(places)
    for row, address in zip(root["Instructions"], places):
        what = "instruction at %#x" % address
        keys(row, list(types), what)
        function, file, line = s.code[address]
        inner = "%s:%d" % (file, line) if line else ""
        need(row["AscendC Inner Code"] == inner, "%s: %s, not %s", what,
             row["AscendC Inner Code"], inner)
        from_, to = work.ways.get(address + s.pc_start, (None, None))
        text = "transfer %s to %s" % (from_, to) if from_ else "in " + function
        need(row["Source"] == text, "%s: %s, not %s", what, row["Source"], text)
        pipe = "ALL" if not from_ else "FIXP" if from_ == "L0C" else "MTE2" if from_ == "GM" \
            else "MTE1" if from_ == "L1" and to != "GM" else "MTE3"
        need(row["Pipe"] == pipe, "%s: %s", what, row["Pipe"])
        check_work(s, work, row, [address], work.executed(address), what)
        if s.listed:
            check_registers(s, row["GPR Status"], address, what)
    s.placed = places  # files() expects the same addresses


def check_registers(s, found, address, what):
    order = list(s.listed)
    listed = s.listed.get(address, [])
    need(len(found) == len(listed), "%s: %d registers", what, len(found))
    for item, (name, use) in zip(found, listed):
        keys(item, ["regIndex", "regStatus", "survivalTime"], what)
        at = order.index(address)
        first = last = at
        while first > 0 and name in dict(s.listed[order[first - 1]]):
            first -= 1
        while last + 1 < len(order) and name in dict(s.listed[order[last + 1]]):
            last += 1
        need(item["regIndex"] == name, "%s: %s, not %s", what, item["regIndex"], name)
        an_int(item["regStatus"], use, what)
        an_int(item["survivalTime"], last - first + 1, what + " survival of " + name)


def files(figures, root):
    s, work = figures.s, work_of(figures.s)
    keys(root, ["Cores", "Files Dtype", "Files"], "0x03")
    need(root["Cores"] == ["ALL"], "cores %s", root["Cores"])
    types = {"Line": 1, "Address Range": 0, **columns(s)}
    need({k: int(v) for k, v in root["Files Dtype"]["Lines"].items()} == types, "types")
    keys(root["Files Dtype"], ["Lines"], "types")
    lines = {}
    for address in s.placed:
        _, file, number = s.code[address]
        if number:
            lines.setdefault(file, {}).setdefault(number, []).append(address)
    need([f["Source"] for f in root["Files"]] == sorted(lines), "files %s",
         [f["Source"] for f in root["Files"]])
    for file in root["Files"]:
        keys(file, ["Source", "Lines"], "a file")
        mine = lines[file["Source"]]
        need([int(line["Line"]) for line in file["Lines"]] == sorted(mine), "lines of %s: %s",
             file["Source"], [line["Line"] for line in file["Lines"]])
        for line in file["Lines"]:
            number = int(line["Line"])
            what = "line %d" % number
            keys(line, list(types), what)
            check_work(s, work, line, mine[number],
                       sum(work.executed(address) for address in mine[number]), what)
            spans = [tuple(hexadecimal(end) for end in pair) for pair in line["Address Range"]]
            need(all(len(pair) == 2 for pair in line["Address Range"]) and
                 all(a <= b for a, b in spans) and
                 all(a[1] < b[0] for a, b in zip(spans, spans[1:])), "%s: %s", what, spans)
            inside = [address for address in s.placed if
                      any(a <= address + s.pc_start <= b for a, b in spans)]
            need(inside == mine[number], "%s: its ranges hold %s, not %s", what,
                 [hex(a) for a in inside], [hex(a) for a in mine[number]])


def cachelines(figures, root):
    work = work_of(figures.s)
    keys(root, ["Cacheline Records"], "0x0E")
    records = root["Cacheline Records"]
    need(len(records) == work.sets, "%d sets", len(records))
    table = sorted(work.ways)
    for number, record in enumerate(records):
        keys(record, ["Cacheline Id", "Hit", "Miss"], "a set")
        an_int(record["Cacheline Id"], number, "its number")
        counts = work.by_set.get(number, {True: [0, set()], False: [0, set()]})
        all_ = counts[True][0] + counts[False][0]
        for key, hit in (("Hit", True), ("Miss", False)):
            keys(record[key], ["Value", "Address Range"], key)
            count, pcs = counts[hit]
            need(len(record[key]["Value"]) == 2, "values of set %d", number)
            an_int(record[key]["Value"][0], count, "set %d %s" % (number, key))
            share = record[key]["Value"][1]
            need(share.is_float and abs(float(share) - (count / all_ if all_ else 0)) < 1e-6,
                 "set %d: %s", number, share)
            spans = [tuple(hexadecimal(end) for end in pair)
                     for pair in record[key]["Address Range"]]
            inside = {pc for pc in table if any(a <= pc <= b for a, b in spans)}
            need(inside == pcs and all(a in pcs and b in pcs for a, b in spans),
                 "set %d: %s", number, spans)


def stalls(figures, root):
    keys(root, ["top_stall_reason_table"], "0x0F")
    keys(root["top_stall_reason_table"], STALLS[:8], "0x0F")
    for i, name in enumerate(STALLS[:8]):
        an_int(root["top_stall_reason_table"][name],
               sum(counts[i] for _, counts in figures.s.samples), name)


def check_sources(figures, sources):
    s = figures.s
    if not s.code:
        need(not sources, "sources: %s", list(sources))
        return
    file = s.code[s.placed[0]][1]
    need(list(sources) == [file], "sources: %s, not %s", list(sources), file)
    need(sources[file] == open(file, "rb").read(), "wrong text of %s", file)

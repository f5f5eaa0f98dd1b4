#!/usr/bin/env python3
"""iree.py - reads IREE dumps and profiles a second time and compares the figures

usage: iree.py MUSTER SAMPLES

The reader below shares no code with muster. It compares the tables of the samples, and of
random rings that it writes itself, with `muster export --json`.
"""

import hashlib
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

SHA256 = {
    "plain.idb": "39ba5155a58e5a05a4e2f788fe41d73273e517d9b54e78a5cbe105c4c6562d85",
    "wrap.idb": "c9b3adcb84ac7b51fd6f36d456d8200f7f59f5fc7edbf08d8398e1a9d6ef56b1",
    "hole.idb": "6b1c648794fde75b03b746b6a5b6687a5078957e6462d387222cafb6401100ac",
    "task.ireeprof": "5e6af991a06ad95161c8f71dbc6a01e9b943ca16c372662620c62b400e4f9612",
}
PADDING = 4096
WORKGROUP, PRINT, VALUE, LOAD, STORE = 0, 1, 2, 4, 5


def u16(data, at):
    return struct.unpack_from("<H", data, at)[0]


def u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def u64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


class Table:
    """A table of a flatbuffer."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.vtable = at - struct.unpack_from("<i", data, at)[0]

    def place(self, field):
        row = 4 + 2 * field
        if row + 2 > u16(self.data, self.vtable):
            return None
        offset = u16(self.data, self.vtable + row)
        return self.at + offset if offset else None

    def number(self, field):
        at = self.place(field)
        return u32(self.data, at) if at else 0

    def text(self, field):
        at = self.place(field)
        if not at:
            return ""
        at += u32(self.data, at)
        return self.data[at + 4 : at + 4 + u32(self.data, at)].decode()

    def tables(self, field):
        at = self.place(field)
        if not at:
            return []
        at += u32(self.data, at)
        places = [at + 4 + 4 * i for i in range(u32(self.data, at))]
        return [Table(self.data, p + u32(self.data, p)) for p in places]


def read_metadata(data):
    root = Table(data, u32(data, 0))
    functions = [{"name": t.text(0), "target": t.text(1), "source": t.text(3)} for t in root.tables(2)]
    return functions, [t.number(0) for t in root.tables(3)]


def size_at(ring, mask, sites, position):
    """Returns the size of the record, 16 for a hole, or 0."""
    at = position & mask
    word = u64(ring, at)
    tag = word & 255
    if tag == WORKGROUP:
        ids, counts = struct.unpack_from("<3I", ring, at + 4), struct.unpack_from("<3I", ring, at + 16)
        if (word & 0xFFFFFFFF) >> 8 < sites and all(i < c for i, c in zip(ids, counts)):
            return 32
        return 16 if not any(ring[at : at + 16]) else 0
    owner = word >> 24
    if owner > mask or owner % 16:
        return 0
    length = word >> 8 & 0xFFFF
    if tag == PRINT:
        return (8 + length + 15) // 16 * 16
    if tag == VALUE:
        return 16 if length & 255 < 13 else 0
    return 16 if tag in (LOAD, STORE) and length else 0


def chain(ring, mask, sites, start, head):
    """Returns the positions of the records from start to head, or None."""
    positions = []
    while start < head:
        size = size_at(ring, mask, sites, start)
        if not size:
            return None
        positions.append((start, size))
        start += size
    return positions if start == head else None


class Accesses:
    """Cache lines, strides and conflicting stores of the sites of a ring."""

    def __init__(self, content, size, doubtful):
        self.content, self.size, self.doubtful = content, size, doubtful
        self.lines, self.strides, self.conflicts, self.stored = {}, {}, {}, {}
        self.grids, self.runs, self.workgroups = {}, {}, {}

    def begin(self, site, position):
        at = position & (self.size - 1)
        ids, grid = struct.unpack_from("<3I", self.content, at + 4), struct.unpack_from("<3I", self.content, at + 16)
        iteration = 0
        if position != self.doubtful and self.grids.setdefault(site, grid) == grid:
            iteration = self.runs[site, ids] = self.runs.get((site, ids), 0) + 1
        self.workgroups[at] = {"ids": ids, "iteration": iteration}

    def add(self, site, owner, tag, address, size):
        lines = self.lines.setdefault(site, set())
        lines.update(range(address // 64, (address + size - 1) // 64 + 1))
        workgroup = self.workgroups[owner]
        if tag in workgroup:
            stride = address - workgroup[tag]
            stride = (stride + (1 << 63)) % (1 << 64) - (1 << 63)
            key = (site, "load" if tag == LOAD else "store", stride < 0, abs(stride).bit_length())
            low, high, count = self.strides.get(key, (stride, stride, 0))
            self.strides[key] = (min(low, stride), max(high, stride), count + 1)
        workgroup[tag] = address
        if tag == STORE:
            self.store(site, workgroup, address)

    def store(self, site, workgroup, address):
        if site not in self.conflicts:
            self.conflicts[site] = 0
        if not workgroup["iteration"] or self.conflicts[site] is None:
            self.conflicts[site] = None
            return
        before = self.stored.get((site, address))
        if before and before["iteration"] == workgroup["iteration"] and before["ids"] != workgroup["ids"]:
            self.conflicts[site] += 1
        self.stored[site, address] = workgroup


def read_ring(content, sites):
    size, head = len(content) - PADDING, u64(content, len(content) - 8)
    start = max(0, head - size)
    records = None
    while records is None and start <= head:
        records = chain(content, size - 1, sites, start, head)
        start += 16
    tables, owners = {}, {}
    accesses = Accesses(content, size, start - 16 if head > size else -1)
    for position, length in records:
        at = position & (size - 1)
        word = u64(content, at)
        if word & 255 == WORKGROUP and length == 16:
            continue
        if word & 255 == WORKGROUP:
            owners[at] = (word & 0xFFFFFFFF) >> 8
        owner = at if word & 255 == WORKGROUP else word >> 24
        if owner not in owners:
            continue
        row = tables.setdefault(owners[owner], {"workgroups": 0, "loads": 0, "stores": 0, "values": 0, "prints": 0, "load_bytes": 0, "store_bytes": 0})
        name = {WORKGROUP: "workgroups", PRINT: "prints", VALUE: "values", LOAD: "loads", STORE: "stores"}[word & 255]
        row[name] += 1
        if word & 255 in (LOAD, STORE):
            row[name[:-1] + "_bytes"] += word >> 8 & 0xFFFF
            accesses.add(owners[owner], owner, word & 255, u64(content, at + 8), word >> 8 & 0xFFFF)
        elif word & 255 == WORKGROUP:
            accesses.begin(owners[owner], position)
    return {"lost_bytes": max(0, head - size), "sites": tables, "accesses": accesses}


def read_dump(data):
    """Returns the functions and the rings of an IDB0 file."""
    at, functions, sites, rings = 0, [], [], []
    while at < len(data):
        magic, kind, _, length = struct.unpack_from("<4sHHQ", data, at)
        assert magic == b"0IDB"
        content = data[at + 16 : at + 16 + length]
        if kind == 0:
            functions, sites = read_metadata(content)
        elif kind == 1:
            rings.append(read_ring(content, len(sites)))
        at += (16 + length + 15) // 16 * 16
    return functions, sites, rings


def read_profile(data):
    """Returns the number of records, and the host executions by their type."""
    at, records, times = u32(data, 8), 0, {}
    while at < u64(data, 16):
        head, kind_bytes, name_bytes = struct.unpack_from("<3I", data, at + 56)
        kind = data[at + head : at + head + kind_bytes].decode()
        item = at + head + kind_bytes + name_bytes
        end = item + u64(data, at + 8)
        while kind.endswith(".host-execution-events") and item < end:
            took = u64(data, item + 112) - u64(data, item + 104)
            times.setdefault(u32(data, item + 4), []).append(took)
            item += u32(data, item)
        records += 1
        at += u64(data, at)
    return records, times


def export(muster, path):
    return json.loads(subprocess.run([muster, "export", "--json", path], stdout=subprocess.PIPE, check=True).stdout)


def compare_accesses(path, expected, row):
    site = row["site"]
    assert row["cache_lines"] == (len(expected.lines[site]) if site in expected.lines else None), (path, row)
    assert row["conflicts"] == expected.conflicts.get(site), (path, row, expected.conflicts)


def compare_dump(muster, path):
    functions, sites, rings = read_dump(open(path, "rb").read())
    ours = export(muster, path)
    assert [{k: f[k] for k in ("name", "target", "source")} for f in ours["functions"]] == functions
    assert len(ours["rings"]) == len(rings)
    for number, ring in enumerate(rings):
        assert int(ours["rings"][number]["lost_bytes"]) == ring["lost_bytes"]
        rows = [row for row in ours["sites"] if row["ring"] == number]
        assert {row["site"] for row in rows} == set(ring["sites"]), path
        for row in rows:
            assert row["function"] == functions[sites[row["site"]]]["name"]
            expected = ring["sites"][row["site"]]
            assert {name: row[name] for name in expected} == expected, (path, row, expected)
            compare_accesses(path, ring["accesses"], row)
        strides = {(s["site"], s["access"], s["stride_min"] < 0, abs(s["stride_min"]).bit_length()): (s["stride_min"], s["stride_max"], s["count"])
                   for s in ours.get("strides", []) if s["ring"] == number}
        assert strides == ring["accesses"].strides, (path, strides, ring["accesses"].strides)


def compare_profile(muster, path):
    records, times = read_profile(open(path, "rb").read())
    ours = export(muster, path)
    names = {4: "copy", 5: "fill"}
    assert ours["profiles"][0]["records"] == records
    rows = {r["operation"]: r for r in ours["operations"] if r["source"] == "host-execution-events"}
    assert set(rows) == {names[kind] for kind in times}
    for kind, took in times.items():
        assert abs(rows[names[kind]]["total_us"] * 1000 - sum(took)) < 1e-6


def write_random_ring(seed):
    """Returns a ring chunk of 1 KiB that holds 0.5 to 4 laps of records."""
    draw = random.Random(seed)
    size, head, owners = 1024, 0, []
    ring = bytearray(draw.randbytes(size + PADDING))

    def place(record):
        nonlocal head
        at = head & (size - 1)
        ring[at : at + len(record)] = record
        head += (len(record) + 15) // 16 * 16
        return at

    is_small = seed % 2  # one grid, and few addresses
    while head < size * draw.choice([0.5, 1, 2, 4]):
        counts = [2, 2, 1] if is_small else [draw.randint(1, 5) for _ in range(3)]
        ids = [draw.randrange(c) for c in counts]
        owners.append(place(struct.pack("<I3I3II", draw.randrange(2) << 8, *ids, *counts, draw.randrange(4))))
        for _ in range(draw.randrange(4)):
            owner = draw.choice(owners[-3:]) << 24
            tag = draw.choice([PRINT, VALUE, LOAD, STORE])
            if tag == PRINT:
                place(struct.pack("<Q", PRINT | 5 << 8 | owner) + b"hello")
            elif tag == VALUE:
                place(struct.pack("<QQ", VALUE | draw.randrange(13) << 8 | owner, draw.getrandbits(64)))
            else:
                address = 4096 + 40 * draw.randrange(4) if is_small else draw.getrandbits(48)
                place(struct.pack("<QQ", tag | draw.randint(1, 64) << 8 | owner, address))
    ring[-8:] = struct.pack("<Q", head)
    return struct.pack("<4sHHQ", b"0IDB", 1, 0, len(ring)) + bytes(ring)


def check_memory(muster, metadata, folder):
    """The resident memory must not grow with a ring; this one has 256 MiB of workgroups."""
    path, size, piece = os.path.join(folder, "large.idb"), 256 << 20, 1 << 20
    records = b"".join(struct.pack("<I3I3II", 0, i % 4, 0, 0, 4, 1, 1, i % 4) for i in range(piece // 32))
    with open(path, "wb") as file:
        file.write(metadata + struct.pack("<4sHHQ", b"0IDB", 1, 0, size + PADDING))
        for _ in range(size // piece):
            file.write(records)
        file.write(bytes(PADDING - 8) + struct.pack("<Q", size))
    with subprocess.Popen([muster, "export", "--json", path], stdout=subprocess.PIPE) as process:
        ours = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    assert status == 0
    assert ours["sites"][0]["iterations_min"] == size // 32 // 4
    assert usage.ru_maxrss * 1024 < size * 3 / 4, usage.ru_maxrss


def main():
    muster, samples = sys.argv[1:]
    for name, expected in SHA256.items():
        data = open(os.path.join(samples, name), "rb").read()
        assert hashlib.sha256(data).hexdigest() == expected, name
    for name in ("plain.idb", "wrap.idb", "hole.idb", "values.idb"):
        compare_dump(muster, os.path.join(samples, name))
    compare_profile(muster, os.path.join(samples, "task.ireeprof"))
    metadata = open(os.path.join(samples, "plain.idb"), "rb").read()[:192]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "random.idb")
        with open(path, "wb") as file:
            file.write(metadata + b"".join(write_random_ring(seed) for seed in range(200)))
        compare_dump(muster, path)
        check_memory(muster, metadata, folder)
    print("all figures agree")


if __name__ == "__main__":
    main()

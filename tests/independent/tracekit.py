"""tracekit.py - checks every field of the records of blocks 0x0A and 0x0B"""
import struct

from container import need
from source import LINE, SETS, WAYS

SPACES = {"REG": 0, "PRIVATE": 0, "GM": 1, "L1": 2, "L0A": 3, "L0B": 4, "L0C": 5, "UB": 6}
LOAD, STORE = 3, 4


def records(figures, payload):
    s, expected = figures.s, []
    for t in s.chart:
        is_cube = t[5] % 3 == 2 if s.chip == "A5" else \
            "UB" not in (t[7], t[8]) if s.kind == "mix" else s.kind == "cube"
        for access, memory, address, size in ((LOAD, t[7], t[0], t[2]),
                                              (STORE, t[8], t[1], t[3])):
            expected.append((access, t[5], SPACES[memory], int(is_cube), len(expected), address,
                           size, t[4]))
    need(len(payload) == 32 * len(expected), "0x0A: %d bytes", len(payload))
    for found, want in zip(struct.iter_unpack("<BbbBIQQQ", payload), expected):
        need(found == want, "0x0A: got %s, expected %s", found, want)


def sets(figures, payload):
    s, count = figures.s, SETS[figures.s.soc]
    rows = [[0, 0, i, 0, 0, 0, 0, 0] for i in range(count)]
    ways = {}
    for t in s.chart:
        sides = [(0, t[0], t[2])] * (t[7] == "GM") + [(1, t[1], t[3])] * (t[8] == "GM")
        for is_store, address, size in sides:
            for line in range(address // LINE, (address + size - 1) // LINE + 1):
                row, cached = rows[line % count], ways.setdefault(line % count, [])
                found = [entry for entry in cached if entry[0] == line]
                row[is_store] += 1
                row[3 if found else 4] += 1
                row[5] += not found
                dirty = bool(is_store or (found and found[0][1]))
                cached[:] = [(line, dirty)] + [e for e in cached if e[0] != line]
                if len(cached) > WAYS:
                    row[6 if cached.pop()[1] else 7] += 1
    found = list(struct.iter_unpack("<8I", payload))
    need(found == [tuple(row) for row in rows], "0x0B: a set differs")

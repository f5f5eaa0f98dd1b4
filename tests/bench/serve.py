#!/usr/bin/env python3
"""serve.py - speed of `muster serve`: first answers about a file of 500 MB, and 200 browsers

usage: serve.py REPORT_STORE VIEW_FILE

REPORT_STORE is the program that writes a store, VIEW_FILE a small visualize_data.bin whose
blocks are repeated until the file has 500 MB. The first answer of a view is compared with
reading its block from disk, after the file was dropped from the page cache, plus a heart
beat. Each view has a server of its own, which reads the timeline meanwhile. The processor
time of the server is compared with 5 % of a core while 200 clients do what a page does.
"""

import json
import os
import selectors
import socket
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from figure import print_figure

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from server import Server # noqa: E402
from websocket import WebSocket # noqa: E402

MIB = 1 << 20
FILE_BYTES = 500_000_000
SOURCE_BYTES, LINES_BYTES, CODE_BYTES = 20_000_000, 20_000_000, 40_000_000
PAIRS = 3
BROWSERS, WATCH_S, TASKS = 200, 10, 10000
SHOWN = "/files/large.bin"

VIEWS = ( # name, command, parameters, types of the blocks
    ("base info", "source/details/baseInfo", {"isCompared": False}, (5,)),
    ("workload", "source/details/computeworkload", {"isCompared": False}, (6, 7)),
    ("memory graph", "source/details/memoryGraph", {"blockId": "0", "isCompared": False}, (8,)),
    ("memory table", "source/details/memoryTable", {"blockId": "0", "isCompared": False}, (9,)),
    ("core load", "source/details/interCoreLoadAnalysis", {"isCompared": False}, (12,)),
    ("roofline", "source/details/roofline", {}, (13, 5)),
    ("source", "source/code/file", {"sourceName": None}, (1,)),
    ("lines", "source/api/line/dynamic", {"sourceName": None, "coreName": "ALL"}, (3,)),
    ("instructions", "source/api/instructions/dynamic", {"coreName": "ALL"}, (4,)),
    ("timeline", "unit/threadTraces", {"cardId": SHOWN, "processId": "core", "threadId": "VECTOR", "metaType": "TEXT",
                                       "startTime": 0, "endTime": 10000000}, (2,)),
)


def read_blocks(path):
    """Returns [(type, version, path of a source, payload)]."""
    with open(path, "rb") as file:
        data = file.read()
    blocks, at = [], 0
    while at < len(data):
        size, kind, filler, version, _ = struct.unpack_from("<QBBBB", data, at)
        start = at + 12 + (4096 if kind == 1 else 0)
        blocks.append((kind, version, data[at + 12:start], data[start:start + size - filler]))
        at = start + size
    return blocks


def many_instructions(payload, target):
    """Repeats the instructions until the block has so many bytes; the addresses ascend."""
    block = json.loads(payload)
    rows, count = block["Instructions"], target // len(json.dumps(block["Instructions"][0], separators=(",", ":")))
    block["Instructions"] = [{**rows[i % len(rows)], "Address": f"0x{0x1000 + 4 * i:08x}"} for i in range(count)]
    return json.dumps(block, separators=(",", ":")).encode()


def many_sources(payload, target):
    """Lines of many source files; the last of them is the one of the block with source text."""
    block = json.loads(payload)
    file, = block["Files"]
    count = target // len(json.dumps(file))
    block["Files"] = [{**file, "Source": f"/data/ops/header_{i}.h"} for i in range(count)] + [file]
    return json.dumps(block, separators=(",", ":")).encode()


def timeline(target):
    """Slices of one lane, one behind the other, with arguments as an operator has them."""
    row = '{"args":{"code":"/data/ops/kernel.c:%d","detail":"XD:X1=0x%08x,XN:X2=0x10,XM:X3=0x40,Dtype:F32,Mask:0xffffffffffffffff","pc_addr":"0x%08x"},' \
          '"cname":"rail_response","dur":0.050,"name":"%s","ph":"X","pid":"core","tid":"VECTOR","ts":%.3f}'
    count = target // (len(row) + 24)
    return ('{"traceEvents":[' + ",".join(row % (i % 900, i, i * 4, ("VADD", "VMUL", "VCONV")[i % 3], i * 0.1) for i in range(count)) + "]}").encode()


def write_file(path, small):
    """Returns {type: (place, bytes)} of the blocks, and the path of the source file."""
    places, source, total = {}, "", 0
    blocks = {kind: payload for kind, _, _, payload in small}
    blocks[1] = blocks[1] * (SOURCE_BYTES // len(blocks[1]))
    blocks[3] = many_sources(blocks[3], LINES_BYTES)
    blocks[4] = many_instructions(blocks[4], CODE_BYTES)
    blocks[2] = timeline(FILE_BYTES - sum(len(payload) for kind, payload in blocks.items() if kind != 2))
    with open(path, "wb") as file:
        for kind, version, name, _ in small:
            payload = blocks[kind]
            filler = -len(payload) % 4
            file.write(struct.pack("<QBBBB", len(payload) + filler, kind, filler, version, 0x5A) + name)
            places[kind] = (file.tell(), len(payload))
            file.write(payload + bytes(filler))
            source = name.split(b"\0")[0].decode() if kind == 1 else source
        total = file.tell()
        file.flush()
        os.fsync(file.fileno())
    return places, source, total


def forget(path):
    """Drops the file from the page cache, so that the next read is one of the disk."""
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def time_to_read(path, places, kinds):
    forget(path)
    start = time.monotonic()
    with open(path, "rb", buffering=0) as file:
        for kind in kinds:
            at, size = places[kind]
            while size > 0:
                piece = os.pread(file.fileno(), min(MIB, size), at)
                at, size = at + len(piece), size - len(piece)
    return time.monotonic() - start


class Session:
    """A server of its own with the file open."""

    def __init__(self, path):
        self.server = Server("--out", path + ".none", path)
        self.client = WebSocket(self.server.port)
        self.client.socket.settimeout(120)
        self.number = 0
        self.ask("global", "heartCheck", {})
        self.ask("timeline", "import/action", {"projectName": SHOWN, "path": [SHOWN], "projectAction": 1})

    def ask(self, module, command, parameters):
        """Returns the seconds until the answer."""
        self.number += 1
        start = time.monotonic()
        self.client.send(json.dumps({"id": self.number, "type": "request", "moduleName": module, "command": command, "fileId": "",
                                     "projectName": SHOWN, "params": parameters}))
        while True:
            text = self.client.receive_head()
            if f'"requestId":{self.number},' not in text[:200]: # an event about the timeline
                continue
            if '"error"' in text or '"result":false' in text:
                raise AssertionError(command, text)
            return time.monotonic() - start

    def peak(self):
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))

    def close(self):
        self.client.socket.close()
        self.server.process.kill()
        self.server.process.wait()


def views(folder, small):
    path = os.path.join(folder, "large.bin")
    places, source, total = write_file(path, read_blocks(small))
    for name, command, parameters, kinds in VIEWS:
        parameters = {key: source if value is None else value for key, value in parameters.items()}
        module = "source" if command.startswith("source/") else "timeline"
        ratios, first, peak = [], 0, 0
        for _ in range(1 if kinds == (2,) else PAIRS):
            read = time_to_read(path, places, kinds)
            forget(path)
            session = Session(path)
            beat = session.ask("global", "heartCheck", {})
            first = session.ask(module, command, parameters)
            ratios.append(first / (read + beat))
            peak = max(peak, session.peak())
            session.close()
        size = sum(places[kind][1] for kind in kinds)
        ratio = statistics.median(ratios)
        print_figure(f"serve.first {name}", ratio, f"reading {size / 1e6:.3g} of {total / 1e6:.0f} MB ({first * 1e3:.3g} ms)", "<= 1.5", ratio <= 1.5)
        if size > 1e6:
            allowed = size + 64 * MIB
            print_figure(f"serve.memory {name}", peak / allowed, f"the block + 64 MiB ({peak / MIB:.0f} of {allowed / MIB:.0f} MiB)", "<= 1", peak <= allowed)
    os.unlink(path)


class Browser:
    """The connections of one page: a stream of changes, and requests that follow a change."""

    ADDRESSES = ("/api/v1/jobs/1", "/api/v1/jobs/1/heat?limit=200", "/api/v1/jobs/1/metrics")

    def __init__(self, server, selector):
        self.host, self.tags, self.waiting, self.requests, self.first = server.host, {}, [], 0, 0
        self.stream, self.bytes = self.connect(server, selector, self.on_change), b""
        self.stream.sendall(f"GET /api/v1/changes HTTP/1.1\r\nHost: {self.host}\r\n\r\n".encode())
        self.answers = self.connect(server, selector, self.on_answer)

    @staticmethod
    def connect(server, selector, fn):
        peer = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        selector.register(peer, selectors.EVENT_READ, fn)
        return peer

    def on_change(self):
        if b"event: change" in self.stream.recv(65536) and not self.waiting:
            self.waiting = list(self.ADDRESSES)
            self.send()

    def send(self):
        tag = self.tags.get(self.waiting[0])
        self.answers.sendall(f"GET {self.waiting[0]} HTTP/1.1\r\nHost: {self.host}\r\n{f'If-None-Match: {tag}' if tag else 'Accept: */*'}\r\n\r\n".encode())
        self.requests += 1

    def on_answer(self):
        self.bytes += self.answers.recv(1 << 20)
        head, end, body = self.bytes.partition(b"\r\n\r\n")
        if not end:
            return
        fields = {name.lower(): value for name, _, value in (line.partition(b": ") for line in head.split(b"\r\n")[1:])}
        status = int(head.split()[1])
        if status not in (200, 304):
            raise AssertionError(head)
        if status == 200 and len(body) < int(fields[b"content-length"]):
            return
        address = self.waiting.pop(0)
        self.tags[address] = fields[b"etag"].decode()
        self.bytes = b""
        if address == self.ADDRESSES[1] and status == 304:
            self.waiting.clear() # the page asks for the metrics only after a change of the map
        if self.waiting:
            self.send()
        elif not self.first:
            self.first = self.requests


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def browsers(folder, report_store):
    """A job of 10,000 tasks changes each half second: a figure and an event."""
    out = os.path.join(folder, "out")
    subprocess.run([report_store, os.path.join(out, "store"), str(TASKS // 16), "8", "2"], check=True)
    server, selector = Server("--out", out, "--connections", "1000"), selectors.DefaultSelector()
    database = sqlite3.connect(os.path.join(out, "store", "muster.db"))
    tasks, = database.execute("SELECT count(*) FROM tasks").fetchone()
    pages = [Browser(server, selector) for _ in range(BROWSERS)]

    def serve_until(end, change_s):
        changed = time.monotonic()
        while time.monotonic() < end:
            for key, _ in selector.select(0.05):
                key.data()
            if time.monotonic() - changed >= change_s:
                changed = time.monotonic()
                database.execute("INSERT INTO events(wall_ms, kind, job_id, task_id, run_id, text) VALUES(1, 'task.done', 1, 1, 0, '')")
                database.execute("UPDATE figures SET value = value * 1.001 WHERE launch_id = 1")
                database.commit()

    until = time.monotonic() + 60
    while any(not page.first for page in pages) and time.monotonic() < until:
        serve_until(time.monotonic() + 0.2, 100)
    first = max(page.first or 99 for page in pages)
    print_figure("serve.requests of a job page", first, f"requests until {tasks} tasks are on the page", "<= 3", first <= 3)
    before, requests = cpu_seconds(server.process.pid), sum(page.requests for page in pages)
    start = time.monotonic()
    serve_until(start + WATCH_S, 0.5)
    used, seconds = cpu_seconds(server.process.pid) - before, time.monotonic() - start
    asked = sum(page.requests for page in pages) - requests
    if asked < BROWSERS * WATCH_S / 2:
        raise AssertionError(asked, "requests: the browsers saw too few changes")
    share = used / seconds / 0.05
    print_figure("serve.200 browsers", share, f"5 % of a core ({used / seconds * 100:.1f} %, {asked / seconds:.0f} requests/s)", "<= 1", share <= 1)
    server.process.kill()


def main(report_store, small):
    with tempfile.TemporaryDirectory(prefix="muster-bench-serve-") as folder:
        browsers(folder, report_store)
        views(folder, small)


if __name__ == "__main__":
    main(*sys.argv[1:])

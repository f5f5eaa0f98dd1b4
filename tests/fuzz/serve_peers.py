#!/usr/bin/env python3
"""serve_peers.py - sends broken requests and frames to `muster serve`, and checks that a good
client is answered all the time

usage: serve_peers.py SECONDS SEED OUT SHOWN GOLDEN

OUT is a folder of results with the file SHOWN below it. GOLDEN is a file with pairs of requests
and answers of the viewer, whose requests are the seeds. The same SEED sends the same bytes. A
build with sanitizers ends at the first report, which the last check finds.
"""

import json
import os
import random
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from server import Server # noqa: E402
from websocket import WebSocket # noqa: E402

MIB = 1 << 20


def check(condition, *what):
    if not condition:
        raise AssertionError(*what)


class Peers:
    def __init__(self, server, seed, shown, golden):
        self.server, self.rng, self.shown = server, random.Random(seed), shown
        with open(golden, encoding="utf-8") as file:
            requests = [pair["request"] for pair in json.load(file)["pairs"]]
        self.messages = [json.dumps({**request, "projectName": shown}) for request in requests]
        self.open = [] # half-open sockets
        self.sent = 0

    def mutate(self, data):
        rng, data = self.rng, bytearray(data)
        for _ in range(rng.choice((0, 1, 1, 2, 8))):
            at = rng.randrange(len(data) + 1)
            kind = rng.randrange(6)
            if kind == 0 and at < len(data):
                data[at] = rng.randrange(256)
            elif kind == 1:
                del data[at:at + rng.randrange(20)]
            elif kind == 2:
                data[at:at] = rng.randbytes(rng.randrange(20))
            elif kind == 3:
                data[at:at] = data[at:at + rng.randrange(60)] * rng.randrange(5)
            elif kind == 4:
                data[at:at] = rng.choice((b"\r\n", b"\0", b"%00", b"%2e%2e/", b"\xff\xfe", b"9" * 30, b"{" * 200, b"-1", b"1e999"))
            else:
                del data[at:]
        return bytes(data)

    def request(self):
        rng, host = self.rng, self.server.host
        path = rng.choice(("/", "/jobs/1", "/assets/main.js", "/api/v1/jobs", "/api/v1/jobs/1/tasks?sort=-point&limit=5", "/api/v1/jobs/1/heat?points=*",
                           "/api/v1/jobs/1/files/0123456789abcdef/window?start=0&end=9", "/api/v1/jobs/1/compare?base=x", "/api/v1/changes", "/api/v1/openapi.json"))
        lines = [f"{rng.choice(('GET', 'GET', 'HEAD', 'POST', 'OPTIONS'))} {path} HTTP/1.1", f"Host: {host}"]
        lines += rng.sample(["Connection: close", "Content-Length: 10", "Transfer-Encoding: chunked", "Expect: 100-continue", "If-None-Match: \"1\"", "Range: bytes=0-9",
                             f"Origin: http://{host}", "Upgrade: websocket", "Upgrade: h2c", "Connection: Upgrade", "Cookie: a=b", "Accept-Encoding: gzip", "X: " + "y" * 3000], rng.randrange(5))
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + rng.choice((b"", b"", b"0123456789", b"5\r\nhello\r\n0\r\n\r\n"))

    def talk(self, data, wait):
        peer = socket.create_connection(("127.0.0.1", self.server.port), timeout=5)
        self.sent += 1
        try:
            peer.sendall(data)
            if self.rng.random() < 0.3:
                peer.shutdown(socket.SHUT_WR)
            peer.settimeout(wait)
            while peer.recv(65536):
                pass
        except OSError:
            pass
        if self.rng.random() < 0.2:
            self.open.append(peer) # stays open and silent
        else:
            peer.close()

    def frame(self):
        """A frame with wrong bits, lengths, codes or texts."""
        rng = self.rng
        payload = self.mutate(rng.choice(self.messages).encode()) if rng.random() < 0.8 else rng.randbytes(rng.randrange(200))
        first = rng.choice((0x81, 0x81, 0x81, 0x01, 0x00, 0x80, 0x82, 0x88, 0x89, 0x8A, 0xC1, 0xF1, 0x8F))
        size = rng.choice((len(payload), len(payload), len(payload), len(payload) + 3, 16 * MIB, 1 << 62))
        head = bytes([first, 0xFE]) + struct.pack(">H", size) if size < 65536 else bytes([first, 0xFF]) + struct.pack(">Q", size)
        if rng.random() < 0.05:
            head = bytes([head[0], head[1] & 0x7F]) + head[2:] # without a mask
        return head + bytes(4) + payload

    def client(self):
        """A WebSocket that sends a few frames and leaves without a word."""
        client = WebSocket(self.server.port)
        self.sent += 1
        try:
            for _ in range(self.rng.randrange(1, 12)):
                client.socket.sendall(self.frame())
            client.socket.settimeout(0.02)
            while client.socket.recv(65536):
                pass
        except OSError:
            pass
        client.socket.close()

    def large_message(self):
        """16 MiB in one message: the connection ends, with or without a close frame."""
        client = WebSocket(self.server.port)
        try:
            client.socket.sendall(bytes([0x81, 0xFF]) + struct.pack(">Q", 16 * MIB) + bytes(4))
            for _ in range(16):
                client.socket.sendall(b"x" * MIB)
            while client.socket.recv(65536):
                pass
        except OSError:
            pass
        client.socket.close()

    def slow_reader(self):
        """Asks for large answers and reads none."""
        client = WebSocket(self.server.port)
        client.socket.settimeout(0.2)
        message = json.dumps({"id": 1, "type": "request", "moduleName": "source", "command": "source/api/instructions/dynamic",
                              "fileId": "", "projectName": self.shown, "params": {"coreName": "ALL"}})
        try:
            for _ in range(200):
                client.send(message)
        except OSError:
            pass
        self.open.append(client.socket)

    def good_client(self):
        status, _, body = self.server.request("/api/v1/jobs")
        check(status == 200 and json.loads(body)["rows"], status, body[:200])
        client = WebSocket(self.server.port)
        client.send(json.dumps({"id": 3, "type": "request", "moduleName": "global", "command": "heartCheck", "fileId": "", "projectName": "", "params": {}}))
        answer = client.message()
        check(answer["requestId"] == 3 and answer["result"], answer)
        client.close()


def kept(server):
    with open(f"/proc/{server.process.pid}/status") as file:
        memory = next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
    return memory, len(os.listdir(f"/proc/{server.process.pid}/fd"))


def main(seconds, seed, out, shown, golden):
    server = Server("--out", out)
    peers = Peers(server, seed, shown, golden)
    peers.good_client()
    peers.large_message()
    peers.slow_reader()
    peers.good_client()
    before = kept(server)
    until = time.monotonic() + float(seconds)
    while time.monotonic() < until:
        for _ in range(10):
            peers.talk(peers.mutate(peers.request()), 0.01)
            peers.client()
        peers.good_client()
        while len(peers.open) > 200:
            peers.open.pop(0).close()
    for peer in peers.open:
        peer.close()
    peers.good_client()
    limit = time.monotonic() + 30
    while kept(server)[1] > before[1]:
        check(time.monotonic() < limit, "descriptors", before, kept(server))
        time.sleep(0.05)
    memory = kept(server)[0]
    check("sanitize" in os.environ.get("MUSTER_BUILD", "") or memory < before[0] + 32 * 1024, "memory in KiB", before, memory)
    check(server.stop() == (0, ""), "the end")
    print(f"{peers.sent} connections with broken requests or frames, seed {seed}; memory {before[0]} to {memory} KiB")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""websocket.py - a WebSocket client for tests, with the standard library only"""

import base64
import json
import os
import socket
import struct

LIMIT_S = 30
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class Refused(Exception):
    """The server did not upgrade the connection; the text is its status line."""


class Closed(Exception):
    """The server closed the connection; the argument is the code, or None."""


class WebSocket:
    def __init__(self, port, path="/", **headers):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S)
        self.bytes = b""
        fields = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade",
                  "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
                  "Sec-WebSocket-Version": "13", **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.socket.sendall(f"GET {path} HTTP/1.1\r\n{head}\r\n".encode())
        while b"\r\n\r\n" not in self.bytes:
            more = self.socket.recv(65536)
            if not more:
                raise Refused(self.bytes.decode(errors="replace"))
            self.bytes += more
        status, _, self.bytes = self.bytes.partition(b"\r\n\r\n")
        if b" 101 " not in status.split(b"\r\n")[0]:
            raise Refused(status.decode(errors="replace"))

    def frame(self, kind, payload):
        size = len(payload)
        head = bytes([0x80 | kind])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", size)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", size)
        self.socket.sendall(head + bytes(4) + payload)  # a mask of zeros

    def send(self, text):
        self.frame(TEXT, text.encode())

    def take(self, count):
        if len(self.bytes) < count: # large messages arrive in many pieces
            pieces, have = [self.bytes], len(self.bytes)
            while have < count:
                more = self.socket.recv(1 << 20)
                if not more:
                    raise Closed(None)
                pieces.append(more)
                have += len(more)
            self.bytes = b"".join(pieces)
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def receive_head(self, kept=400):
        """Reads the next message and returns its first bytes; the others are not stored, so
        that the time is that of the server. The connection has no further message then."""
        buffer, head = bytearray(1 << 20), bytearray()
        view = memoryview(buffer)
        while True:
            first, size = self.take(2)
            size = struct.unpack(">H", self.take(2))[0] if size == 126 else \
                struct.unpack(">Q", self.take(8))[0] if size == 127 else size
            kind = first & 15
            if kind in (CLOSE, PING):
                payload = self.take(size)
                if kind == CLOSE:
                    raise Closed(struct.unpack(">H", payload[:2])[0] if payload else None)
                self.frame(PONG, payload)
                continue
            have = self.bytes[:size]
            self.bytes, size = self.bytes[size:], size - len(have)
            head += have[:kept - len(head)]
            while size:
                count = self.socket.recv_into(view, min(size, len(buffer)))
                if not count:
                    raise Closed(None)
                head += view[:max(0, min(count, kept - len(head)))]
                size -= count
            if first & 0x80:
                return head.decode(errors="replace")

    def receive(self):
        """Returns the next text; answers pings."""
        text = bytearray()
        while True:
            first, size = self.take(2)
            if size == 126:
                size = struct.unpack(">H", self.take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.take(8))[0]
            payload = self.take(size)
            kind = first & 15
            if kind == CLOSE:
                raise Closed(struct.unpack(">H", payload[:2])[0] if payload else None)
            if kind == PING:
                self.frame(PONG, payload)
                continue
            text += payload
            if first & 0x80:
                return text.decode()

    def message(self):
        return json.loads(self.receive())

    def close(self):
        self.socket.close()

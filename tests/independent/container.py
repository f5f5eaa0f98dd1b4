"""container.py - a strict reader of visualize_data.bin, independent of muster

A block has a head of 12 bytes (u64 size, u8 type, u8 filler, u8 version, u8 0x5A), for
source code a path of 4096 bytes, and a payload.
"""
import json
import struct


class Mismatch(Exception):
    pass


def need(truth, text, *parts):
    if not truth:
        raise Mismatch(text % parts if parts else text)


def unique_keys(pairs):
    keys = [key for key, _ in pairs]
    need(len(keys) == len(set(keys)), "duplicate key: %s", keys)
    return dict(pairs)


def reject_constant(name):
    raise Mismatch("%s is not JSON" % name)


class Number(str):
    """Literal text of a number, because the viewer distinguishes 1 and 1.0."""

    @property
    def is_float(self):
        return any(c in self for c in ".eE")


def parse(text, literal=False):
    kinds = {"parse_int": Number, "parse_float": Number} if literal else {}
    return json.loads(text, object_pairs_hook=unique_keys, parse_constant=reject_constant, **kinds)


def read(path):
    """Returns {type: payload}, {path of a source file: text}, [types in order]."""
    data = open(path, "rb").read()
    blocks, sources, order, at = {}, {}, [], 0
    need(len(data) > 0, "the file is empty")
    while at < len(data):
        need(len(data) - at >= 12, "%d extra bytes after the last block", len(data) - at)
        size, kind, filler, version, mark = struct.unpack_from("<QBBBB", data, at)
        need(mark == 0x5A, "block %d: byte 11 is %02x", len(order), mark)
        need(version == (0 if kind == 4 else 0x5A), "type %d: byte 10 is %02x", kind, version)
        need(size > 0 and size % 4 == 0, "type %d: %d bytes", kind, size)
        need(filler <= 3 and filler < size, "type %d: %d bytes of filler", kind, filler)
        area = 4096 if kind == 1 else 0
        start = at + 12 + area
        need(start + size <= len(data), "type %d: cut off", kind)
        payload = data[start:start + size - filler]
        need(data[start + size - filler:start + size] == bytes(filler), "filler is not zero")
        if kind == 1:
            raw = data[at + 12:start]
            name = raw.split(b"\0", 1)[0].decode()
            need(0 < len(name) <= 500 and raw[len(name):] == bytes(4096 - len(name)),
                 "bad path of a source file: %s", name[:80])
            need(not set(name) & set("|;&$><`\\!\"'\n\t\r\f:"), "the viewer rejects the path %s", name)
            need(name not in sources, "two blocks for %s", name)
            sources[name] = payload
        else:
            need(kind not in blocks, "two blocks of type %d", kind)
            need(kind in (10, 11) or payload[-1:] != b"\0", "type %d: zeros that the head does not count as filler", kind)
            blocks[kind] = payload
        order.append(kind)
        at = start + size
    need(order[0] in (2, 5), "the first block is type %d", order[0])
    need(2 not in blocks or order[0] == 2, "the timeline is not the first block")
    need(len(data) < 500 * 1000 * 1000, "more than 500 MB")
    return blocks, sources, order

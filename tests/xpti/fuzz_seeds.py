#!/usr/bin/env python3
"""fuzz_seeds.py - writes the records of a small traced program as an input of
trace_records_fuzz

usage: fuzz_seeds.py FILE
"""

import re
import struct
import sys

BLOCK = "<BBH"  # shard, kind, size


def kinds():
    """Returns the numbers of the record kinds: their places in the list of records.h."""
    with open("lib/capture/format/records.h", encoding="utf-8") as source:
        text = re.search(r"enum record_kind \{(.*?)\};", source.read(), re.S).group(1)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    names = [name.split("=")[0].strip() for name in text.split(",") if name.strip()]
    return {name: number for number, name in enumerate(names, 1)}


def with_text(head, text):
    room = -len(text) % 8
    return struct.pack("<I", 4 + len(head) + len(text) + room) + head + text + bytes(room)


def event(time, kind, value, instance=1, text=0, target=0):
    return struct.pack("<QQQQQQIIHHi", time, value, target, instance, 0, 64, text, 7, kind, 1, 0)


def main(path):
    texts = [b"command_group_node", b"memory_transfer_node", b"VecAdd", b"kernel_name", b"urLaunch"]
    objects = b"".join(struct.pack("<QQQQQIIIIII", number, 5, number, 1, 9, 3, 3, 33, 1, 2, 1)
                       for number in (1, 2))
    events = [event(1, 4, 1, text=1), event(2, 4, 2, text=2), event(3, 6, 2, target=1),
              event(4, 10, 2), event(5, 11, 2), event(6, 10, 1), event(7, 28, 0, 2, 5),
              event(8, 29, 0, 2, 5), event(9, 11, 1), event(10, 22, 0, 3), event(11, 32, 0, 4)]
    numbers = kinds()
    blocks = [
        ("RECORD_XPTI_PROCESS", struct.pack("<QQIIII128s", 1, 1000, 12, 1, 3, 1, b"note")),
        ("RECORD_XPTI_TEXT", b"".join(with_text(struct.pack("<III", number, len(text), len(text)), text)
                                      for number, text in enumerate(texts, 1))),
        ("RECORD_XPTI_OBJECT", objects),
        ("RECORD_XPTI_METADATA", with_text(struct.pack("<IQII", 6, 1, 4, 1), b"VecAdd")),
        ("RECORD_XPTI_EVENT", b"".join(events)),
        ("RECORD_DROP", struct.pack("<IIQ", numbers["RECORD_XPTI_EVENT"], 1, 3)),
    ]
    with open(path, "wb") as out:
        for name, payload in blocks:
            out.write(struct.pack(BLOCK, 1, numbers[name], len(payload)) + payload)


main(sys.argv[1])

#!/usr/bin/env python3
"""messages_page.py [--write] - docs/reference/messages.md from lib/wire/messages*

Reads the numbers and tables of fields in lib/wire/messages.{h,c} and the comments of the
structs. Fails when the committed page differs, or when a struct and its table name other
fields; --write writes the page."""
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/messages.md"
HEADERS = sorted(ROOT.glob("lib/wire/messages*.h"))

INTRO = """# Messages

<!-- Written by `make reference` from lib/wire/messages*.h and messages.c; do not edit. -->

Workers and commands connect to the coordinator over ZeroMQ: the coordinator binds a ROUTER
socket for control and one for data, the others connect a DEALER socket to each that they
use. Each message is one frame with one msgpack map. Its first key is `type` with the
number of the message; the keys below follow. [How to add a
message](../dev/howto-add-a-message.md) names the files to change.

- A reader skips keys that it does not have. An optional key may be missing; then it is 0,
  false or empty. Any other difference rejects the message.
- Limits of a frame: {bytes} bytes, {depth} levels of maps and arrays, {items} items in all of
  them together.
- Texts contain no NUL. `_ms` and `_ns` are durations or monotonic clocks,
  `_wall_ns` is nanoseconds since 1970 in UTC.
- `run_id` names an attempt.
"""

TYPES = {
    "U64": "unsigned integer",
    "I64": "integer",
    "BOOL": "boolean",
    "F64": "float",
    "TEXT": "text",
    "BYTES": "bytes",
    "TEXT_LIST": "list of texts",
    "U64_LIST": "list of unsigned integers",
}
C_TYPES = {
    "U64": "uint64_t",
    "I64": "int64_t",
    "BOOL": "bool",
    "F64": "double",
    "TEXT": "const char *",
    "BYTES": "struct bytes",
    "TEXT_LIST": "struct text_list",
    "U64_LIST": "struct u64_list",
}
DIRECTIONS = [
    "worker to coordinator",
    "coordinator to worker",
    "worker to coordinator, data",
    "coordinator to worker, data",
    "client to coordinator",
    "coordinator to client",
    "coordinator to client or worker",
    "client or worker to coordinator, control or data",
]

STRUCT = re.compile(r"/\*((?:(?!\*/).)*)\*/\nstruct msg_(\w+) \{\n(.*?)\n\};", re.S)
ROW = re.compile(r"\b(%s)\(msg_(\w+), (\w+)(, OPTIONAL)?\)" % "|".join(TYPES))
MEMBER = re.compile(r"(?:/\*((?:(?!\*/).)*)\*/\s*)?\b(const char \*|struct \w+ |\w+ )(\w+);"
                    r"(?:[ \t]*/\*((?:(?!\*/).)*)\*/)?", re.S)


def words(comment):
    return " ".join(re.sub(r"^\s*\*? ?", "", comment, flags=re.M).split())


def read_structs():
    """Returns name -> (direction, description, {field: (C type, comment)})."""
    structs = {}
    for header in HEADERS:
        text = header.read_text()
        for comment, name, body in STRUCT.findall(text):
            direction, _, description = words(comment).partition(": ")
            if direction not in DIRECTIONS:
                sys.exit(f"{header.name}: the comment of msg_{name} begins with '{direction}:'; "
                         f"use one of: {'; '.join(DIRECTIONS)}")
            members = {}
            for above, ctype, field, behind in MEMBER.findall(body):
                members[field] = (ctype.strip(), words(above or behind))
            structs[name] = (direction, description, members)
    return structs


def read_tables():
    """Returns name -> [(type, field, is optional)]."""
    tables = {}
    for kind, name, field, optional in ROW.findall((ROOT / "lib/wire/messages.c").read_text()):
        tables.setdefault(name, []).append((kind, field, bool(optional)))
    return tables


def read_numbers():
    """Returns [(number, name)] in the order of the numbers."""
    text = (ROOT / "lib/wire/messages.h").read_text()
    numbers = [(int(number), name.lower())
               for name, number in re.findall(r"^    MSG_(\w+) = (\d+),", text, re.M)]
    return sorted(pair for pair in numbers if pair[0] > 0)


def read_limits():
    """Returns the frame limits as texts: {"bytes": ..., "depth": ..., "items": ...}."""
    text = (ROOT / "lib/wire/frame.c").read_text()
    rows = re.findall(r"^    \.(bytes|depth|items) = (\d+)(?: << (\d+))?,", text, re.M)
    return {name: f"{int(number) << int(shift or 0):,}" for name, number, shift in rows}


def check_fields(name, members, table):
    for kind, field, _ in table:
        if members.get(field, ("",))[0] != C_TYPES[kind].strip():
            sys.exit(f"messages.c: field {field} of {name} is not in the struct, or has another type")
    for field in members:
        if field not in [row[1] for row in table]:
            sys.exit(f"messages.c: the table of {name} lacks the field {field}")


def sentence(text):
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else text + "."


def make_page():
    structs, tables = read_structs(), read_tables()
    numbers = read_numbers()
    names = {name for _, name in numbers if "_" in name}

    def mark(text):
        return re.sub(r"(?<!`)\b(\w+_\w+)\b(?!`)",
                      lambda found: f"`{found[1]}`" if found[1] in names else found[1], text)

    lines = [INTRO.format(**read_limits())]
    for direction in DIRECTIONS:
        lines.append(f"## {direction[:1].upper() + direction[1:]}\n")
        for number, name in numbers:
            if name not in structs or name not in tables:
                sys.exit(f"message {name} has no struct with a comment, or no table of fields")
            where, description, members = structs[name]
            if where != direction:
                continue
            check_fields(name, members, tables[name])
            lines.append(f"### {name} ({number})\n")
            lines.append(mark(sentence(description)) + "\n")
            lines.append("| key | type | | meaning |\n| --- | --- | --- | --- |")
            for kind, field, optional in tables[name]:
                note = mark(members[field][1]).replace("|", "\\|")
                lines.append(f"| `{field}` | {TYPES[kind]} | {'optional' if optional else ''} | {note} |")
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def main():
    page = make_page()
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page)
        return 0
    old = PAGE.read_text() if PAGE.exists() else ""
    if page == old:
        return 0
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), page.splitlines(True),
                                               "committed", "generated"))
    print(f"{PAGE.relative_to(ROOT)} is out of date; run make reference", file=sys.stderr)
    return 1


sys.exit(main())

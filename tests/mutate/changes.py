"""changes.py - finds the operators and constants of a source file that can be changed"""

import collections
import os
import re

SWAPS = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
    "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*", "%": "/",
    "+=": "-=", "-=": "+=", "++": "--", "--": "++", "&": "|", "|": "&",
    "<<": ">>", ">>": "<<", "true": "false", "false": "true",
}
# An operator of two operands has a space on both sides (.clang-format), so a pointer's
# star, a sign and an address do not match. Skipped are also constants that have no effect:
# the size of an array of char, because a text buffer that is one byte larger behaves the
# same, and the 1 of xcalloc(1, size), which allocates one element for 0 too.
TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'
        |^[ \t]*\#(?:[^\n\\]|\\.)*(?:\\\n(?:[^\n\\]|\\.)*)*
        |\bchar\ \w+\[\d+\]|\bxcalloc\(1,|->|[A-Za-z_]\w*(?<!true)(?<!false))
    |(?P<step>\+\+|--)
    |(?<=\ )(?P<operator>==|!=|<=|>=|&&|\|\||\+=|-=|<<|>>|[-<>+*/%&|])(?=[ \n])
    |(?P<not>!)(?=[A-Za-z_(])
    |\b(?P<word>true|false)\b
    |\b(?P<number>0[xX][0-9a-fA-F]+|\d+)(?![\w.])""",
    re.X | re.S | re.M,
)

Change = collections.namedtuple("Change", "file start end line column old new text")


def replacement(match):
    text = match.group(0)
    if text == "0" and match.string[:match.start()].endswith("return "):
        return "-1"  # a failure; callers treat 1 as 0
    if match.group("not"):
        return ""
    if match.group("number"):
        octal = re.fullmatch(r"0[0-7]+", text)
        value = int(text, 16 if text[:2].lower() == "0x" else 8 if octal else 10)
        return "0" if value == 1 else str(value + 1)
    return SWAPS[text]


def find_changes(root, file):
    """Yields a Change for each operator and constant of the file."""
    with open(os.path.join(root, file), encoding="utf-8") as stream:
        source = stream.read()
    lines = source.splitlines()
    for match in TOKEN.finditer(source):
        if match.group("skip") is not None:
            continue
        line = source.count("\n", 0, match.start()) + 1
        column = match.start() - source.rfind("\n", 0, match.start())
        yield Change(file, match.start(), match.end(), line, column, match.group(0),
                     replacement(match), lines[line - 1].strip())

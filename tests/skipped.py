#!/usr/bin/env python3
"""skipped.py FILE... - lists what the tests of a run have skipped, and how to run it

FILE is a JUnit file of ctest. A test, or a part of it, that cannot run on this machine
prints a line `SKIPPED: REASON; to run it: COMMAND`. Exit code 1: a test was skipped
without such a line, so the reader of the list would have no command."""
import re
import sys
import xml.etree.ElementTree

LINE = re.compile(r"^(?:\[ *\w+ *\] )?SKIPPED: (.*?); to run it: (.*)$", re.M)
SKIPPED_CASE = re.compile(r"^\[ *SKIPPED *\] (\w+)$", re.M)


def read_skips(path):
    """Yields (test, reason, command); the command of a test without a line is None."""
    for test in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        output = test.findtext("system-out") or ""
        lines = LINE.findall(output)
        cases = dict.fromkeys(SKIPPED_CASE.findall(output))  # cmocka prints each twice
        was_skipped = test.find("skipped") is not None and test.get("status") == "notrun"
        for reason, command in lines:
            yield test.get("name"), reason, command
        if len(lines) < max(len(cases), was_skipped):
            yield test.get("name"), ", ".join(cases) or "the whole test", None


def main():
    skips = [skip for path in sys.argv[1:] for skip in read_skips(path)]
    if skips:
        print(f"--- {len(skips)} skipped:")
    for test, reason, command in skips:
        print(f"{test}: {reason}")
        print(f"    {command or 'no command: print SKIPPED: REASON; to run it: COMMAND'}")
    return 1 if any(command is None for _, _, command in skips) else 0


sys.exit(main())

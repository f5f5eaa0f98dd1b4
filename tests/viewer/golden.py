#!/usr/bin/env python3
"""golden.py - compares the viewer's answers with answers of the vendor's server

usage: golden.py VIEWER_MESSAGES

The folder golden/ has sessions of the vendor's web pages: each request, the answer of the
vendor's server, and the events. This program sends the requests of each session to the
viewer and compares all members of the answers and events. DIFFERENCES lists where the
viewer answers differently on purpose; a difference that no row covers fails, and so does
a row that covers nothing.
"""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "golden")
SESSIONS = ("vector", "mix", "mc2_rank0", "mix_310p", "mix_reopened")

# (command or event, pattern of the member, reason)
DIFFERENCES = [
    ("files/getProjectExplorer", r"body\.projectDirectoryList",
     "the viewer lists the files of the store, the vendor's server what was imported"),
    ("files/get", r"error", "a file in the list is no error"),
    ("source/details/interCoreLoadAnalysis",
     r"body\.opDetails\[\d+\]\.subCoreDetails\[\d+\]\.cacheHitRate\.value\.compare",
     "the vendor's server rounds the rate to a float of 32 bits"),
    ("source/details/memoryGraph", r".*\.(baseline|diff)\.display",
     "the vendor's server does not set this member of an empty side"),
    ("source/details/interCoreLoadAnalysis", r"body|error",
     "without this block the vendor's server fails without a reason"),
    ("search/all/slices", r"body\.searchAllSlicesDetails\[\d+\]\.depth",
     "the vendor's server answers row 0 for all slices"),
    ("search/all/slices", r"body\.searchAllSlicesDetails\[\d+\]\..*",
     "the vendor's server ignores the order that the page asks for"),
    ("parse/success", r"body\.startTime",
     "without a trace the start is 0, not 2^64 - 1, which the pages cannot use"),
    ("parse/progress", r"body\.(parsedSize|totalSize|progress)",
     "the vendor's server counts bytes between the first and the last event"),
]
# Lists whose order the vendor's server does not define.
UNORDERED = ("blockIdList", "memoryUnit")


def close(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b))


def key_of(item):
    return json.dumps(item, sort_keys=True)


def compare(ours, theirs, place, report):
    """Calls report(place, ours, theirs) for each member that differs."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(set(ours) | set(theirs)):
            inner = f"{place}.{key}" if place else key
            if key not in ours or key not in theirs:
                report(inner, ours.get(key, "(missing)"), theirs.get(key, "(missing)"))
            elif key in UNORDERED:
                compare(sorted(ours[key], key=key_of), sorted(theirs[key], key=key_of),
                        inner, report)
            else:
                compare(ours[key], theirs[key], inner, report)
    elif isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            report(place, f"{len(ours)} elements", f"{len(theirs)} elements")
        for i, pair in enumerate(zip(ours, theirs)):
            compare(*pair, f"{place}[{i}]", report)
    elif ours != theirs or isinstance(ours, bool) != isinstance(theirs, bool):
        report(place, ours, theirs)


class Session:
    def __init__(self, name):
        with open(os.path.join(GOLDEN, name + ".json"), encoding="utf-8") as stream:
            golden = json.load(stream)
        self.name = name
        self.file = golden["path"] + "=" + os.path.join(GOLDEN, golden["bin"])
        self.pairs = golden["pairs"]
        self.events = golden["events"]

    def run(self, program):
        lines = []
        for pair in self.pairs:
            lines.append(json.dumps(pair["request"]))
            if pair["request"]["command"] == "import/action":
                lines.append("!wait")
        done = subprocess.run([program, self.file], input="\n".join(lines) + "\n",
                              stdout=subprocess.PIPE, text=True, check=True, timeout=60)
        messages = [json.loads(line) for line in done.stdout.splitlines()]
        answers = [m for m in messages if m["type"] == "response"]
        return answers, [m for m in messages if m["type"] == "event"]


class Check:
    def __init__(self):
        self.used = [0] * len(DIFFERENCES)
        self.failures = []
        self.members = 0

    def allows(self, command, place):
        for i, (its_command, pattern, _) in enumerate(DIFFERENCES):
            if its_command == command and re.fullmatch(pattern, place):
                self.used[i] += 1
                return True
        return False

    def message(self, what, command, ours, theirs):
        def report(place, a, b):
            numbers = all(isinstance(x, (int, float)) for x in (a, b))
            if place.endswith("cacheHitRate.value.compare") and not (numbers and close(a, b)):
                pass
            elif self.allows(command, place):
                return
            self.failures.append(f"{what} {command}: {place}: {a!r:.200}, expected {b!r:.200}")

        for message in (ours, theirs):
            message.pop("id", None)
        compare(ours, theirs, "", report)
        self.members += len(re.findall(r"[:,\[]", json.dumps(theirs)))


def check_session(session, program, check):
    answers, events = session.run(program)
    if len(answers) != len(session.pairs):
        check.failures.append(f"{session.name}: {len(answers)} answers to "
                              f"{len(session.pairs)} requests")
    for answer, pair in zip(answers, session.pairs):
        check.message(session.name, pair["request"]["command"], answer, pair["response"])
    expected = [e for e in session.events if e["event"] != "module.reset"]
    names = [e["event"] for e in events]
    if names != [e["event"] for e in expected]:
        check.failures.append(f"{session.name}: events {names}")
    for ours, theirs in zip(events, expected):
        check.message(session.name, theirs["event"], ours, theirs)


def main(program):
    check = Check()
    for name in SESSIONS:
        check_session(Session(name), program, check)
    for count, row in zip(check.used, DIFFERENCES):
        if not count:
            check.failures.append(f"no difference is covered by the row {row}")
    for failure in check.failures[:40]:
        print(failure)
    print(f"{check.members} members compared, {len(check.failures)} failures")
    return 1 if check.failures or check.members < 50000 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

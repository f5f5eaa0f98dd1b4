#!/usr/bin/env python3
"""mutate.py - changes one operator or constant at a time and lists what the tests miss

usage: mutate.py [--sample N] [--seed N] [--minutes N] [--keep] FOLDER

Copies the tracked files to a temporary folder, builds the unit tests of FOLDER there, and
then for each change: writes it, rebuilds what depends on the file, runs the unit tests
with a time limit, and restores the file. A change that no test notices is a survivor:
either a test case is missing, or the changed code has no effect. The program ends with 0,
survivors or not, and removes its folder at the end (--keep leaves it).
"""

import argparse
import collections
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SWAPS = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
    "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*", "%": "/",
    "+=": "-=", "-=": "+=", "++": "--", "--": "++", "&": "|", "|": "&",
    "<<": ">>", ">>": "<<", "true": "false", "false": "true",
}
# An operator of two operands has a space on both sides (.clang-format), so a pointer's
# star, a sign and an address do not match.
TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'
        |^[ \t]*\#(?:[^\n\\]|\\.)*(?:\\\n(?:[^\n\\]|\\.)*)*|->|[A-Za-z_]\w*(?<!true)(?<!false))
    |(?P<step>\+\+|--)
    |(?<=\ )(?P<operator>==|!=|<=|>=|&&|\|\||\+=|-=|<<|>>|[-<>+*/%&|])(?=[ \n])
    |(?P<not>!)(?=[A-Za-z_(])
    |\b(?P<word>true|false)\b
    |\b(?P<number>0[xX][0-9a-fA-F]+|\d+)(?![\w.])""",
    re.X | re.S | re.M,
)
MIN_SECONDS = 10  # a test may take this long, even when it is usually faster

Change = collections.namedtuple("Change", "file start end line old new")


def replacement(match):
    text = match.group(0)
    if match.group("not"):
        return ""
    if match.group("number"):
        value = int(text, 0 if text.lower().startswith("0x") else 8 if re.fullmatch(r"0[0-7]+", text) else 10)
        return "0" if value == 1 else str(value + 1)
    return SWAPS[text]


def find_changes(root, file):
    with open(os.path.join(root, file), encoding="utf-8") as stream:
        source = stream.read()
    for match in TOKEN.finditer(source):
        if match.group("skip") is not None:
            continue
        line = source.count("\n", 0, match.start()) + 1
        yield Change(file, match.start(), match.end(), line, match.group(0), replacement(match))


class Copy:
    """A copy of the project in which FOLDER is changed, built and tested."""

    def __init__(self, folder):
        self.folder = folder
        self.root = tempfile.mkdtemp(prefix="muster-mutate-")
        self.build = os.path.join(self.root, "build")
        self.targets = []
        self.seconds = MIN_SECONDS

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)

    def run(self, command, seconds, **keywords):
        """Returns the exit code, or None after the time limit; no child process remains."""
        process = subprocess.Popen(
            command, cwd=self.root, start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **keywords,
        )
        try:
            self.output = process.communicate(timeout=seconds)[0].decode(errors="replace")
            return process.returncode
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()

    def must_run(self, what, command):
        if self.run(command, 3600) != 0:
            sys.exit(f"mutate: {what} failed:\n{self.output[-3000:]}")

    def fill(self):
        files = subprocess.run(
            ["git", "ls-files", "-z"], check=True, stdout=subprocess.PIPE
        ).stdout.decode().split("\0")
        for file in files:
            if file and os.path.isfile(file):
                target = os.path.join(self.root, file)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy2(file, target)

    def prepare(self):
        self.fill()
        self.must_run("cmake", [
            "cmake", "-G", "Ninja", "-S", ".", "-B", self.build,
            "-DCMAKE_BUILD_TYPE=Debug", "-DMUSTER_TEST_SWITCHES=ON",
        ])
        self.must_run("ctest", [
            "ctest", "--test-dir", self.build, "-N", "-L", "unit", "-R", f"^{self.folder}/[^/]+$",
        ])
        tests = re.findall(r"Test +#\d+: (\S+)", self.output)
        self.targets = [test.replace("/", "_") + "_test" for test in tests]
        if not self.targets:
            sys.exit(f"mutate: {self.folder} has no unit test")
        self.must_run("the build", ["cmake", "--build", self.build, "--target", *self.targets])
        before = time.monotonic()
        if self.test(600) is not True:
            sys.exit(f"mutate: the tests fail without a change:\n{self.output[-3000:]}")
        self.seconds = max(MIN_SECONDS, 5 * (time.monotonic() - before))
        os.environ["CCACHE_DISABLE"] = "1"  # a changed file is never compiled again

    def test(self, seconds):
        """Returns whether all tests pass; a test without an end fails."""
        return self.run([
            "ctest", "--test-dir", self.build, "-L", "unit", "-R", f"^{self.folder}/[^/]+$",
            "--stop-on-failure", "--output-on-failure",
        ], seconds) == 0

    def try_change(self, change):
        """Returns 'survivor', 'noticed' or 'not compiled'."""
        path = os.path.join(self.root, change.file)
        with open(path, encoding="utf-8") as stream:
            source = stream.read()
        try:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(source[:change.start] + change.new + source[change.end:])
            command = ["cmake", "--build", self.build, "--target", *self.targets]
            if self.run(command, 600) != 0:
                return "not compiled"
            return "survivor" if self.test(self.seconds) else "noticed"
        finally:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(source)


def files_of(folder):
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", folder], check=True, stdout=subprocess.PIPE
    ).stdout.decode().split("\0")
    inner = {os.path.dirname(f) for f in listed if f.endswith("/CMakeLists.txt")} - {folder}
    for file in sorted(listed):
        if file.endswith((".c", ".h")) and not file.endswith(("_test.c", "_fuzz.c")):
            if not any(file.startswith(below + "/") for below in inner):
                yield file


def source_line(file, number):
    with open(file, encoding="utf-8") as stream:
        return stream.read().splitlines()[number - 1].strip()


def try_all(copy, changes, minutes):
    end, counts = time.monotonic() + 60 * minutes, collections.Counter()
    for change in changes:
        if time.monotonic() > end:
            print(f"mutate: stopped after {minutes} minutes")
            break
        result = copy.try_change(change)
        counts[result] += 1
        if result == "survivor":
            print(f"{change.file}:{change.line}: '{change.old}' -> '{change.new}':"
                  f" {source_line(change.file, change.line)}", flush=True)
    tried = counts["survivor"] + counts["noticed"]
    print(f"mutate: {copy.folder}: {tried} changes tried, {counts['noticed']} noticed, "
          f"{counts['survivor']} survivors, {counts['not compiled']} did not compile")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sample", type=int, default=0, help="Changes to try (default: all).")
    parser.add_argument("--seed", type=int, default=1, help="Seed of the sample (default: 1).")
    parser.add_argument("--minutes", type=float, default=10, help="Time limit (default: 10).")
    parser.add_argument("--keep", action="store_true", help="Keep the folder (default: remove).")
    parser.add_argument("folder", help="Folder of a component, such as lib/job.")
    options = parser.parse_args()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    folder = options.folder.rstrip("/")
    changes = [change for file in files_of(folder) for change in find_changes(".", file)]
    if not changes:
        sys.exit(f"mutate: {folder} has no operator or constant to change")
    if options.sample and options.sample < len(changes):
        changes = random.Random(options.seed).sample(changes, options.sample)
    copy = Copy(folder)
    try:
        copy.prepare()
        try_all(copy, changes, options.minutes)
    finally:
        if options.keep:
            print(f"mutate: kept {copy.root}")
        else:
            copy.remove()


if __name__ == "__main__":
    main()

"""build_copy.py - a copy of the project in which changes are built and tested"""

import collections
import filecmp
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BUILD_SECONDS = 600
TEST_SECONDS = 10  # a test may take this long, even when it is usually faster
TEST_OPTIONS = {  # a changed loop may allocate without end
    "ASAN_OPTIONS": "detect_leaks=1:hard_rss_limit_mb=4096:allocator_may_return_null=1",
}

Test = collections.namedtuple("Test", "name target folder seconds")


class BuildCopy:
    """The tests are built with the sanitizers: a change that makes code write past an
    array or lose memory is noticed as in `make sanitize`."""

    def __init__(self, root):
        self.is_temporary = root is None
        self.root = os.path.abspath(root or tempfile.mkdtemp(prefix="muster-mutate-"))
        self.build = os.path.join(self.root, "build")
        self.output = ""
        self.time_limits = 0  # tests that were ended by their time limit
        self.commands = {}  # source file -> the command that compiles it
        self.source_of = {}  # object file -> source file
        self.includers = collections.defaultdict(list)  # file -> sources that read it
        self.code = {}  # source file -> digest of its code without a change

    def remove(self):
        if self.is_temporary:
            shutil.rmtree(self.root, ignore_errors=True)

    def run(self, command, seconds, folder=None, **keywords):
        """Returns the exit code, or None after the time limit; no child process remains."""
        process = subprocess.Popen(
            command, cwd=folder or self.root, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            **keywords,
        )
        try:
            self.output = process.communicate(timeout=seconds)[0].decode(errors="replace")
            return process.returncode
        except subprocess.TimeoutExpired:
            self.output = f"no end after {seconds:.0f} seconds\n"
            return None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()

    def must_run(self, what, command):
        if self.run(command, 6 * BUILD_SECONDS) != 0:
            sys.exit(f"mutate: {what} failed:\n{self.output[-3000:]}")

    def fill(self, files):
        """Copies the files that differ."""
        for file in files:
            target = os.path.join(self.root, file)
            if not os.path.isfile(target) or not filecmp.cmp(file, target, shallow=False):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy(file, target)

    def configure(self):
        self.must_run("cmake", [
            "cmake", "-G", "Ninja", "-S", ".", "-B", self.build, "-DCMAKE_BUILD_TYPE=Debug",
            "-DMUSTER_WERROR=ON", "-DMUSTER_TEST_SWITCHES=ON",
            "-DMUSTER_SANITIZE=address,undefined",
            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        ])
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as stream:
            for entry in json.load(stream):
                command = shlex.split(entry["command"])
                source = os.path.relpath(entry["file"], self.root)
                self.commands[source] = command
                self.source_of[command[command.index("-o") + 1]] = source

    def read_includes(self):
        """Fills includers; only objects that are built already are counted."""
        self.must_run("ninja", ["ninja", "-C", self.build, "-t", "deps"])
        source = None
        for line in self.output.splitlines():
            if not line.startswith(" "):
                source = self.source_of.get(line.split(": #deps")[0])
            elif source:
                file = os.path.relpath(os.path.join(self.build, line.strip()), self.root)
                self.includers[file].append(source)

    def list_tests(self):
        """Returns all unit tests; the seconds are unknown (0)."""
        self.must_run("ctest", ["ctest", "--test-dir", self.build, "--show-only=json-v1"])
        tests = []
        for entry in json.loads(self.output)["tests"]:
            settings = {p["name"]: p["value"] for p in entry["properties"]}
            if "unit" in settings.get("LABELS", []):
                target = entry["name"].replace("/", "_") + "_test"
                tests.append(Test(entry["name"], target, settings["WORKING_DIRECTORY"], 0))
        return tests

    def make(self, targets, seconds=BUILD_SECONDS):
        return self.run(["ninja", "-C", self.build, "-j1", *targets], seconds) == 0

    def build_tests(self, tests):
        self.must_run("the build", ["ninja", "-C", self.build, *[t.target for t in tests]])

    def passes(self, test):
        """Returns whether the test passes; a test without an end fails."""
        code = self.run(
            [os.path.join(self.build, "tests", test.target)],
            max(TEST_SECONDS, 10 * test.seconds), folder=test.folder,
            env={**os.environ, **TEST_OPTIONS},
        )
        self.time_limits += code is None
        return code == 0

    def measure(self, tests):
        """Returns the tests that pass without a change, the fastest first, and the others."""
        passed, failed = [], []
        for test in tests:
            start = time.monotonic()
            good = self.passes(test._replace(seconds=60))
            seconds = time.monotonic() - start
            (passed if good else failed).append(test._replace(seconds=seconds))
        return sorted(passed, key=lambda t: t.seconds), failed

    def read_code(self, source):
        """Returns a digest of the object code, without debug information and sanitizers;
        None when the file does not compile."""
        target = os.path.join(self.build, "mutate.o")
        command = self.commands[source] + ["-g0", "-fno-sanitize=all", "-o", target]
        if self.run(command, BUILD_SECONDS, folder=self.build) != 0:
            return None
        with open(target, "rb") as stream:
            return hashlib.sha256(stream.read()).digest()

    def store_code(self, file):
        """Reads the code that depends on the file, while it is unchanged."""
        for source in self.includers[file]:
            if source not in self.code:
                self.code[source] = self.read_code(source)

    def compare_code(self, file):
        """Returns 'same code', 'not compiled', or None when the code differs."""
        for source in self.includers[file]:
            code = self.read_code(source)
            if code != self.code[source]:
                return None if code else "not compiled"
        return "same code"

    def try_change(self, change, tests):
        """Returns 'survived', 'killed', 'same code' or 'not compiled'.

        `tests` is a list of lists: what is built and run together."""
        path = os.path.join(self.root, change.file)
        with open(path, encoding="utf-8") as stream:
            source = stream.read()
        self.store_code(change.file)
        try:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(source[:change.start] + change.new + source[change.end:])
            skipped = self.compare_code(change.file)
            if skipped:
                return skipped
            for batch in tests:
                if not self.make([test.target for test in batch]):
                    return "not compiled"
                if not all(self.passes(test) for test in batch):
                    return "killed"
            return "survived"
        finally:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(source)

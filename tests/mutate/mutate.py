#!/usr/bin/env python3
"""mutate.py - changes one operator or constant at a time and lists what the tests miss

usage: mutate.py [--sample N] [--seed N] [--minutes N] [--user-seconds N] [--copy DIR] FOLDER

FOLDER is a component without its sub-folders, which are components of their own.

Copies the tracked files to a temporary folder, builds the unit tests of FOLDER and of the
folders whose USES list names FOLDER, and then for each change: writes it, rebuilds what
depends on the file, runs the tests until one fails, and restores the file. The tests of
other folders run when those of FOLDER pass; the slowest of them are left out when all
together take longer than --user-seconds.

A change that a test notices is killed; one that no test notices is a survivor: either a
test case is missing, or the changed code has no effect. A change is skipped, and does not
count, when the compiler rejects it, or when it gives the same object code as before. The
program ends with 0, survivors or not. It removes its folder at the end; --copy DIR uses
the folder DIR and leaves it, so that the next start builds only what differs.
"""

import argparse
import collections
import os
import random
import signal
import sys
import time

from build_copy import BuildCopy
from changes import find_changes

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lint"))
import components as cmake  # noqa: E402


def is_product_code(file):
    return file.endswith((".c", ".h")) and not file.endswith(("_test.c", "_fuzz.c"))


def split_tests(tests, components, folder):
    """Returns the tests of the folder, and a list of tests for each folder that uses it."""
    by_folder = collections.defaultdict(list)
    for test in tests:
        by_folder[os.path.dirname(test.name)].append(test)
    users = []
    for component in components:
        if component.path == folder:
            continue
        uses_it = folder in component.used_folders()
        users.append([
            test for test in by_folder[component.path]
            if uses_it or folder in [name for name, _ in component.test_uses.get(
                os.path.basename(test.name) + "_test", [])]
        ])
    return by_folder[folder], [batch for batch in users if batch]


def fit(batches, seconds):
    """Removes the slowest tests until the others fit into the time."""
    tests = sorted((t for batch in batches for t in batch), key=lambda t: t.seconds)
    kept, total = set(), 0
    for test in tests:
        total += test.seconds
        if total <= seconds:
            kept.add(test.name)
    batches = [[t for t in batch if t.name in kept] for batch in batches]
    return [batch for batch in batches if batch], [t for t in tests if t.name not in kept]


def prepare(copy, folder, files, components, user_seconds):
    """Returns the tests to run for each change, in lists that are built together."""
    copy.fill(files)
    copy.configure()
    own, users = split_tests(copy.list_tests(), components, folder)
    if user_seconds == 0:
        users = []
    if not own and not users:
        sys.exit(f"mutate: no unit test uses {folder}")
    copy.build_tests(own + [test for batch in users for test in batch])
    copy.read_includes()
    own, failed = copy.measure(own)
    if failed:
        sys.exit(f"mutate: {failed[0].name} fails without a change:\n{copy.output[-3000:]}")
    measured = []
    for batch in users:
        passed, failed = copy.measure(batch)
        measured.append(passed)
        for test in failed:
            print(f"mutate: left out {test.name}: it fails in the copy without a change")
    users, slow = fit(measured, user_seconds)
    for test in slow:
        print(f"mutate: left out {test.name}: it takes {test.seconds:.1f} s")
    print(f"mutate: {len(own)} tests of {folder}, {sum(map(len, users))} of its users",
          flush=True)
    return ([own] if own else []) + users


def try_changes(copy, changes, tests, sample, minutes):
    """Tries changes in their order until `sample` of them are killed or survive."""
    end, results = time.monotonic() + 60 * minutes, collections.defaultdict(collections.Counter)
    tried = 0
    while changes and tried < sample:
        # Changes of one file follow each other: each one rebuilds one file, not two.
        part = sorted(changes[:sample - tried])
        changes = changes[len(part):]
        for change in part:
            if time.monotonic() > end:
                print(f"mutate: stopped after {minutes:g} minutes")
                return results
            result = copy.try_change(change, tests)
            results[change.file][result] += 1
            tried += result in ("killed", "survived")
            if result == "survived":
                print(f"{change.file}:{change.line}:{change.column}: '{change.old}' -> "
                      f"'{change.new}': {change.text}", flush=True)
    return results


def print_results(folder, results, time_limits):
    total = collections.Counter()
    print(f"{'file':48} {'killed':>8} {'survived':>8} {'skipped':>8}")
    for file in sorted(results):
        total.update(results[file])
        print_row(file, results[file])
    print_row(folder, total)
    tried = total["killed"] + total["survived"]
    if tried:
        print(f"mutate: {folder}: {total['killed']} of {tried} changes killed "
              f"({100 * total['killed'] // tried} %), {time_limits} of them by a time limit")
    print(f"mutate: skipped: {total['same code']} give the same code, "
          f"{total['not compiled']} do not compile")


def print_row(name, counts):
    skipped = counts["same code"] + counts["not compiled"]
    print(f"{name:48} {counts['killed']:8} {counts['survived']:8} {skipped:8}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sample", type=int, default=0, help="Changes to try (default: all).")
    parser.add_argument("--seed", type=int, default=1, help="Seed of the sample (default: 1).")
    parser.add_argument("--minutes", type=float, default=10,
                        help="Time limit for all changes (default: 10).")
    parser.add_argument("--user-seconds", type=float, default=20,
                        help="Time for the tests of the users, each change; 0: none (default: 20).")
    parser.add_argument("--copy", metavar="DIR",
                        help="Build in DIR and keep it (default: a temporary folder).")
    parser.add_argument("folder", help="Folder of a component, such as lib/job.")
    options = parser.parse_args()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    folder = options.folder.rstrip("/")
    components, files, _ = cmake.read_components(".")
    found = [component for component in components if component.path == folder]
    if not found:
        sys.exit(f"mutate: {folder} is not a component: no CMakeLists.txt has its path")
    copy = BuildCopy(options.copy)
    try:
        tests = prepare(copy, folder, files, components, options.user_seconds)
        changes = [
            change for file in found[0].files
            if is_product_code(file) and copy.includers[file]
            for change in find_changes(copy.root, file)
        ]
        if not changes:
            sys.exit(f"mutate: {folder} has no operator or constant to change")
        random.Random(options.seed).shuffle(changes)
        sample = options.sample or len(changes)
        os.environ["CCACHE_READONLY"] = "1"  # a change is never compiled again
        results = try_changes(copy, changes, tests, sample, options.minutes)
        print_results(folder, results, copy.time_limits)
    finally:
        copy.remove()


if __name__ == "__main__":
    main()

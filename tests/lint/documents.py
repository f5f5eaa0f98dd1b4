#!/usr/bin/env python3
"""documents.py - every path and link in the documents exists, and every function too.

Checks README.md, CONTRIBUTING.md, SECURITY.md, CHANGELOG.md, docs/ and the README files of
folders: a relative link must lead to a file, a path in backticks that begins with a folder
of the project must exist, and a row `| ... | `file.c` | `function` |` of the architecture
must name a function of one of its files. docs/dev/testing.md must name exactly the variables
MUSTER_TEST_... that the sources have."""
import os
import re
import sys

from project_files import project_files

FILES = set(project_files("."))
FOLDERS = {os.path.dirname(path) for path in FILES if "/" in path}
for folder in list(FOLDERS):
    while "/" in folder:
        folder = os.path.dirname(folder)
        FOLDERS.add(folder)
TOP = {folder for folder in FOLDERS if "/" not in folder}
GENERATED = ("out/", "build/")
TEST_VARIABLES = "docs/dev/testing.md"
TEST_VARIABLE = re.compile(r"\bMUSTER_TEST_[A-Z_]*[A-Z]\b")
CODE = (".c", ".h", ".cpp", ".sh", ".py", ".cmake")


def exists(path):
    path = path.rstrip("/")
    return path in FILES or path in FOLDERS


def findings(document):
    text = open(document, encoding="utf-8").read()
    here = os.path.dirname(document)
    for number, line in enumerate(text.split("\n"), 1):
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", line):
            if re.match(r"[a-z]+:", target):
                continue
            if not exists(os.path.normpath(os.path.join(here, target))):
                yield number, f"link to {target}: no such file"
        for path in re.findall(r"`([A-Za-z0-9_.]+/[A-Za-z0-9_./-]*)`", line):
            if "..." in path or path.startswith(GENERATED) or path.split("/")[0] not in TOP:
                continue
            if not exists(path) and not exists(os.path.normpath(os.path.join(here, path))):
                yield number, f"{path}: no such file or folder"
        row = re.match(r"\|.*\| ((?:`[^`]+\.[ch]`(?:, )?)+) \| ((?:`\w+`(?:, )?)+) \|$", line)
        if row:
            files = [file for file in re.findall(r"`([^`]+)`", row.group(1)) if exists(file)]
            code = "".join(open(file, encoding="utf-8").read() for file in files)
            for function in re.findall(r"`(\w+)`", row.group(2)):
                if not re.search(r"\b" + function + r"\(", code):
                    yield number, f"function {function} is in none of {', '.join(files)}"


def test_variables():
    """Yields what is wrong with the list of variables of the tests."""
    used = set()
    for path in FILES:
        if path.endswith(CODE) and os.path.exists(path):
            used.update(TEST_VARIABLE.findall(open(path, encoding="utf-8").read()))
    with open(TEST_VARIABLES, encoding="utf-8") as file:
        listed = set(TEST_VARIABLE.findall(file.read()))
    for name in sorted(used - listed):
        yield f"{name} is missing: add a row to the tables of variables"
    for name in sorted(listed - used):
        yield f"{name} is in no source: remove it"


def main():
    documents = sorted(path for path in FILES if path.endswith(".md") and not path.startswith("parsers/samples/"))
    if len(documents) < 10:
        sys.exit("documents: fewer than 10 documents found; run this at the root of a checkout")
    bad = 0
    for document in documents:
        for number, what in findings(document):
            print(f"{document}:{number}: {what}", file=sys.stderr)
            bad += 1
    for what in test_variables():
        print(f"{TEST_VARIABLES}: {what}", file=sys.stderr)
        bad += 1
    sys.exit(1 if bad else 0)


main()

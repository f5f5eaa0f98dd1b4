"""components.py - reads the components of the project from its CMakeLists.txt files

A component is a folder that calls folder(), injected_folder() or program(... FOLDER ...)
of cmake/Components.cmake. Components are returned in the order in which CMake adds them,
which is from low to high.
"""

import os
import re

from project_files import project_files

COMMAND = re.compile(r"(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
KEYWORDS = {"SOURCES", "USES", "FOLDER", "HELPER"}


class Component:
    """A folder, the folders that it may include, and the tests with additions."""

    def __init__(self, path, cmake, line):
        self.path = path
        self.cmake = cmake  # its CMakeLists.txt
        self.line = line
        self.uses = []  # [(name, line)]
        self.test_uses = {}  # noun of the test -> [(name, line)]
        self.purpose = ""  # first comment line of its CMakeLists.txt
        self.files = []  # .c and .h files, without those of inner components

    def used_folders(self):
        return [name for name, _ in self.uses]


def read_commands(text):
    """Yields (name, [(word, line)]) for each command; comments are skipped."""
    blank = re.sub(r"(^|[\s(])#[^\n]*", lambda m: m.group(1), text)
    for match in COMMAND.finditer(blank):
        words = []
        for word in re.finditer(r"[^\s\"]+|\"[^\"]*\"", match.group(2)):
            line = blank.count("\n", 0, match.start(2) + word.start()) + 1
            words.append((word.group(0).strip('"'), line))
        yield match.group(1), words


def split_keywords(words):
    """Returns {keyword: [(word, line)]}; the words before any keyword are under ''."""
    lists, current = {"": []}, ""
    for word, line in words:
        if word in KEYWORDS:
            current = word
            lists.setdefault(current, [])
        else:
            lists[current].append((word, line))
    return lists


def first_comment(text):
    match = re.match(r"#\s*(.*)", text)
    return match.group(1).strip() if match else ""


class Reader:
    def __init__(self, root):
        self.root = root
        self.components = []
        self.by_path = {}

    def add(self, path, cmake, line, text):
        if path not in self.by_path:
            self.by_path[path] = Component(path, cmake, line)
            self.by_path[path].purpose = first_comment(text)
            self.components.append(self.by_path[path])
        return self.by_path[path]

    def read(self, folder):
        cmake = os.path.normpath(os.path.join(folder, "CMakeLists.txt"))
        full = os.path.join(self.root, cmake)
        if not os.path.isfile(full):
            return
        with open(full, encoding="utf-8") as stream:
            text = stream.read()
        here = None
        for name, words in read_commands(text):
            if not words:
                continue
            first, line = words[0]
            lists = split_keywords(words)
            if name == "add_subdirectory":
                self.read(os.path.normpath(os.path.join(folder, first)))
            elif name in ("folder", "injected_folder"):
                here = self.add(first, cmake, line, text)
                here.uses += lists.get("USES", [])
            elif name == "program":
                path = lists.get("FOLDER", [(folder, line)])[0][0]
                here = self.add(path, cmake, line, text)
                here.uses += lists.get("USES", [])
            elif name in ("unit_test", "fuzz_target") and here:
                suffix = "_test" if name == "unit_test" else "_fuzz"
                here.test_uses.setdefault(first + suffix, []).extend(lists.get("USES", []))


def read_components(root):
    """Returns (components from low to high, all files, files in no component)."""
    reader = Reader(root)
    reader.read(".")
    targets = {path.replace("/", "_"): path for path in reader.by_path}
    for component in reader.components:
        own = component.path
        component.uses = [(targets.get(n, n), l) for n, l in component.uses]
        component.uses = [(n, l) for n, l in component.uses if n != own]
    files = project_files(root)
    homeless = []
    for file in files:
        if not file.endswith((".c", ".h")):
            continue
        path = os.path.dirname(file)
        while path and path not in reader.by_path:
            path = os.path.dirname(path)
        if path:
            reader.by_path[path].files.append(file)
        else:
            homeless.append(file)
    return reader.components, files, homeless


def is_folder_name(name, folders):
    """Returns True for a name in USES that means a folder, not a library or a flag."""
    return name in folders or "/" in name and "$" not in name

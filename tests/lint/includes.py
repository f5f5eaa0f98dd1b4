#!/usr/bin/env python3
"""includes.py - fails when a folder includes what its USES list does not permit

usage: includes.py [--root FOLDER] [--build FOLDER] [--write] [--no-documents]

The USES list in the CMakeLists.txt of a folder is its permission to include. The program
reads these lists in the order in which CMake adds the folders, from low to high, and
prints every violation of these rules with its file and line:

  unlisted    a file includes a folder that USES does not name
  upward      USES names a folder that is added later, or that does not exist
  unneeded    USES names a folder that no file of the folder includes
  no-list     a folder has C files but no folder() or program() with its path
  no-purpose  the CMakeLists.txt does not begin with a comment that describes the folder
  internal    a file includes the NAME_internal.h of another folder
  circle      modules include each other around a circle; a module is NAME.c and NAME.h
  symbols     modules use each other's functions or data around a circle (with --build)
  size        a folder has more than 30 code files, without tests
  documents   docs/dev/components.md or docs/dev/includes.svg is out of date
  exception   this program names a folder or file of the project to treat it differently

Four rules of the layout are built in, and the program has no other exception:
  tests/ may include every folder; a file below any other folder may include tests/ only
    when it is a test itself (NAME_test.c, NAME_fuzz.c)
  sim/ simulates the vendor's libraries and includes nothing but sim/; it is no part of
    muster, so only the sizes of its folders and circles between its headers are checked
  lib/base and cli/commands are flat lists of small modules without a size limit
  a test may include more than its folder: what unit_test(NAME USES ...) adds

--write writes the two documents; --no-documents does not compare them.
"""

import argparse
import ast
import json
import os
import re
import subprocess
import sys

import components as cmake
import components_page

MAX_CODE_FILES = 30
FLAT_FOLDERS = ("lib/base", "cli/commands")
BUILT_IN = {"tests", "sim", *FLAT_FOLDERS}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def is_test(file):
    return file.endswith(("_test.c", "_fuzz.c"))


def is_below(file, folder):
    return file.startswith(folder + "/")


class Project:
    def __init__(self, root):
        self.root = root
        self.components, self.files, self.homeless = cmake.read_components(root)
        self.order = {c.path: i for i, c in enumerate(self.components)}
        self.folder_of = {f: c for c in self.components for f in c.files}
        self.known = set(self.files)
        self.includes = {}  # file -> [(included file, line)]
        for file in self.files:
            if file.endswith((".c", ".h")):
                self.includes[file] = self.read_includes(file)

    def read_includes(self, file):
        found = []
        with open(os.path.join(self.root, file), encoding="utf-8", errors="replace") as stream:
            for number, text in enumerate(stream, 1):
                match = INCLUDE.match(text)
                if match and match.group(1) in self.known:
                    found.append((match.group(1), number))
        return found


def check_includes(project):
    """unlisted, internal: each include of another folder needs a name in USES."""
    for file, includes in project.includes.items():
        if is_below(file, "tests"):
            continue
        if is_below(file, "sim"):
            for included, line in includes:
                if not is_below(included, "sim") and not (
                    is_test(file) and is_below(included, "tests")
                ):
                    yield file, line, f"unlisted: sim includes {included}, outside sim"
            continue
        component = project.folder_of.get(file)
        if not component:
            continue
        allowed = set(component.used_folders()) | {component.path}
        if is_test(file):
            noun = os.path.basename(file)[: -len(".c")]
            allowed |= {name for name, _ in component.test_uses.get(noun, [])}
        for included, line in includes:
            if is_test(file) and is_below(included, "tests"):
                continue
            target = project.folder_of.get(included)
            folder = target.path if target else os.path.dirname(included)
            if folder not in allowed:
                yield file, line, (
                    f"unlisted: includes {included}, but {component.path} does not name "
                    f"{folder} in USES ({component.cmake}:{component.line})"
                )
            elif included.endswith("_internal.h") and folder != component.path:
                yield file, line, f"internal: includes {included}, which is private to {folder}"


def check_uses(project):
    """upward, unneeded: each name in USES is a lower folder that a file includes."""
    for position, component in enumerate(project.components):
        if is_below(component.path, "tests"):
            continue
        needed = set()
        for file in component.files:
            if not is_test(file):
                for included, _ in project.includes[file]:
                    target = project.folder_of.get(included)
                    needed.add(target.path if target else os.path.dirname(included))
        for name, line in component.uses:
            if not cmake.is_folder_name(name, project.order):
                continue
            if name not in project.order:
                yield component.cmake, line, f"upward: USES names {name}, which no folder() adds"
            elif project.order[name] > position:
                yield component.cmake, line, (
                    f"upward: {component.path} uses {name}, which is added later"
                )
            elif name not in needed:
                yield component.cmake, line, (
                    f"unneeded: no file of {component.path} includes {name}"
                )
        for entries in component.test_uses.values():
            for name, line in entries:
                if "/" in name and "$" not in name and name not in project.order:
                    yield component.cmake, line, f"upward: a test uses {name}, which does not exist"


def check_simulator_folders(project):
    """size: a folder of headers alone is the interface of the vendor, whose names decide."""
    files = {}
    for file in project.homeless:
        if is_below(file, "sim") and not is_test(file):
            files.setdefault(os.path.dirname(file), []).append(file)
    for folder, code in sorted(files.items()):
        if len(code) > MAX_CODE_FILES and any(file.endswith(".c") for file in code):
            yield code[0], 1, (
                f"size: {folder} has {len(code)} code files, at most "
                f"{MAX_CODE_FILES} are allowed; divide it into folders"
            )


def check_folders(project):
    """no-list, no-purpose, size"""
    seen = set()
    for file in project.homeless:
        folder = os.path.dirname(file)
        if is_below(file, "tests") or is_below(file, "sim") or folder in seen:
            continue
        seen.add(folder)
        yield file, 1, f"no-list: {folder} has C files, but no folder() or program() adds it"
    yield from check_simulator_folders(project)
    for component in project.components:
        if is_below(component.path, "tests"):
            continue
        if not component.purpose:
            yield component.cmake, 1, (
                f"no-purpose: the first line must be a comment: what {component.path} holds"
            )
        code = [f for f in component.files if not is_test(f)]
        if len(code) > MAX_CODE_FILES and component.path not in FLAT_FOLDERS:
            yield component.cmake, component.line, (
                f"size: {component.path} has {len(code)} code files, at most "
                f"{MAX_CODE_FILES} are allowed; divide it into folders"
            )


def strong_components(graph):
    """Returns the strongly connected sets of more than one node (Tarjan, no recursion)."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(sorted(graph.get(successor, ())))))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        members.append(member)
                        if member == node:
                            break
                    if len(members) > 1:
                        found.append(sorted(members))
    return found


def shortest_circle(graph, members):
    """Returns a shortest circle within a strongly connected set, as a list of nodes."""
    inside, best = set(members), None
    for start in members:
        queue, came_from = [start], {start: None}
        while queue:
            node = queue.pop(0)
            for successor in sorted(graph[node]):
                if successor == start:
                    circle = [node]
                    while came_from[circle[-1]] is not None:
                        circle.append(came_from[circle[-1]])
                    circle.reverse()
                    if best is None or len(circle) < len(best):
                        best = circle
                    queue = []
                    break
                if successor in inside and successor not in came_from:
                    came_from[successor] = node
                    queue.append(successor)
        if best and len(best) == 2:
            break
    return best


def report_circles(kind, edges):
    """Yields every edge of a shortest circle of each strongly connected set.

    edges: (from, to) -> (file, line, text)
    """
    graph = {}
    for source, target in edges:
        graph.setdefault(source, set()).add(target)
        graph.setdefault(target, set())
    for members in strong_components(graph):
        circle = shortest_circle(graph, members)
        names = " -> ".join(circle + circle[:1])
        if len(members) > len(circle):
            names += f" ({len(members)} modules in all: {', '.join(members)})"
        for source, target in zip(circle, circle[1:] + circle[:1]):
            file, line, text = edges[(source, target)]
            yield file, line, f"{kind}: {text}; circle: {names}"


def module_of(file):
    return file[:-2]


def check_include_circles(project):
    """circle: an internal header belongs to the modules that include it, so it starts no edge
    between modules; between headers alone every include counts."""
    modules, headers = {}, {}
    for file, includes in sorted(project.includes.items()):
        if is_test(file):
            continue
        for included, line in includes:
            entry = (file, line, f"includes {included}")
            if file.endswith(".h") and included.endswith(".h"):
                headers[(file, included)] = entry
            source, target = module_of(file), module_of(included)
            if source != target and not file.endswith("_internal.h") and not is_below(file, "sim"):
                modules.setdefault((source, target), entry)
    yield from report_circles("circle", modules)
    yield from report_circles("circle", headers)


def read_objects(project, build):
    """Returns {source file: object file} of the build, without tests and sim."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as stream:
        commands = json.load(stream)
    objects = {}
    for command in commands:
        source = os.path.relpath(command["file"], project.root)
        match = re.search(r" -o (\S+)", command["command"])
        if source not in project.folder_of or is_test(source) or not match:
            continue
        path = os.path.join(command["directory"], match.group(1))
        if os.path.exists(path) and not is_below(source, "tests"):
            objects.setdefault(source, path)
    return objects


def read_symbols(objects):
    """Returns ({symbol: source that defines it}, {source: symbols that it uses})."""
    source_of = {path: source for source, path in objects.items()}
    output = subprocess.run(
        ["nm", "-A", "-g", "--format=posix", *sorted(source_of)],
        check=True, stdout=subprocess.PIPE,
    ).stdout.decode()
    defined, used = {}, {}
    for line in output.splitlines():
        path, _, rest = line.partition(": ")
        words = rest.split()
        if len(words) < 2:
            continue
        source = source_of[path]
        if words[1] in "Uw":
            used.setdefault(source, set()).add(words[0])
        else:
            defined.setdefault(words[0], source)
    return defined, used


def line_of_word(root, file, word):
    with open(os.path.join(root, file), encoding="utf-8", errors="replace") as stream:
        for number, text in enumerate(stream, 1):
            if re.search(rf"\b{re.escape(word)}\b", text):
                return number
    return 1


def check_symbol_circles(project, build):
    """symbols: each .c file counts by itself, also when it implements another's header."""
    objects = read_objects(project, build)
    if not objects:
        yield build, 1, "symbols: no object file of this build exists; build it first"
        return
    defined, used = read_symbols(objects)
    edges = {}
    for source in sorted(used):
        for symbol in sorted(used[source]):
            target = defined.get(symbol)
            if target and target != source:
                edges.setdefault((module_of(source), module_of(target)), (source, symbol))

    class Located(dict):
        def __getitem__(self, key):
            source, symbol = edges[key]
            text = f"uses {symbol}() or data {symbol} of {key[1]}.c"
            return source, line_of_word(project.root, source, symbol), text

    yield from report_circles("symbols", Located.fromkeys(edges))


def check_exceptions(project, program):
    """exception: no text in this program may name a folder or file outside BUILT_IN."""
    names = set()
    for file in project.files:
        while file:
            names.add(file)
            file = os.path.dirname(file)
    with open(program, encoding="utf-8") as stream:
        tree = ast.parse(stream.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for word in re.findall(r"[\w./-]+", node.value):
                if word.strip("/.") in names - BUILT_IN and node.col_offset:
                    yield program, node.lineno, (
                        f"exception: {word} is named here; cut the include instead"
                    )
    if BUILT_IN != {"tests", "sim", "lib/base", "cli/commands"}:
        yield program, 1, "exception: the list of built-in rules has changed"


def check_documents(project, write):
    for file, text in components_page.documents(project):
        path = os.path.join(project.root, file)
        if write:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
            continue
        old = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                old = stream.read()
        if old != text:
            yield file, 1, "documents: out of date; run 'make components'"


def main():
    parser = argparse.ArgumentParser(
        usage="includes.py [--root FOLDER] [--build FOLDER] [--write] [--no-documents]",
        description=__doc__.split("\n", 1)[0],
    )
    parser.add_argument("--root", default=".", help="Folder of the project (default: .).")
    parser.add_argument("--build", help="Build tree whose objects are read (default: none).")
    parser.add_argument("--write", action="store_true", help="Write the two documents.")
    parser.add_argument("--no-documents", action="store_true", help="Do not compare them.")
    options = parser.parse_args()

    project = Project(os.path.abspath(options.root))
    checks = [
        check_includes(project),
        check_uses(project),
        check_folders(project),
        check_include_circles(project),
        check_exceptions(project, os.path.abspath(__file__)),
    ]
    if options.build:
        checks.append(check_symbol_circles(project, os.path.abspath(options.build)))
    if not options.no_documents:
        checks.append(check_documents(project, options.write))
    violations = [violation for check in checks for violation in check]
    for file, line, text in violations:
        print(f"{file}:{line}: {text}", file=sys.stderr)
    if violations:
        print(f"includes: {len(violations)} violations", file=sys.stderr)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())

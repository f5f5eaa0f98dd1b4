"""visualize.py - runs muster-parser on raw captures and checks every field of its output

    visualize.py MUSTER_PARSER KERNEL WORK_FOLDER
"""
import glob
import os
import subprocess
import sys

import container
import details
import formulas
import load
import raw
import simulator
import source
import tables
import trace
import tracekit
import viewer
from scenarios import SCENARIOS, with_code


def parse(parser, scenario, work, *options):
    folder, out = os.path.join(work, scenario.name), os.path.join(work, scenario.name + ".out")
    raw.write(scenario, folder)
    done = subprocess.run([parser, "folder", folder, "--out", out, *options],
                          capture_output=True, text=True)
    container.need(done.returncode == 0, "%s: %s%s", scenario.name, done.stdout, done.stderr)
    found = glob.glob(os.path.join(out, "*/*/*/0"))
    container.need(len(found) == 1, "%s: %s", scenario.name, found)
    return found[0]


CHECKS = {4: source.instructions, 3: source.files, 5: details.basic_info, 6: details.workload_chart, 7: details.workload_table,
          8: details.memory_map, 9: tables.memory_table, 12: load.occupancy,
          13: load.roofline, 14: source.cachelines, 15: source.stalls}


def leaves(node, path=()):
    """Yields the paths of all single values."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        if isinstance(value, (dict, list)):
            yield from leaves(value, path + (key,))
        else:
            yield path + (key,)


def field_of(kind, path):
    """Returns the path without its list indices."""
    return (kind, *(key for key in path if isinstance(key, str)))


def every_field_is_checked(figures, kind, root, seen=set()):
    """Changes each field once; the check of its block must then fail."""
    for path in leaves(root):
        if field_of(kind, path) in seen:
            continue
        seen.add(field_of(kind, path))
        node = root
        for key in path[:-1]:
            node = node[key]
        old = node[path[-1]]
        number = isinstance(old, container.Number)
        node[path[-1]] = container.Number("7" + old) if number else str(old) + "?"
        try:
            CHECKS[kind](figures, root)
        except (container.Mismatch, ValueError):
            node[path[-1]] = old
            continue
        raise container.Mismatch("type %d: no check reads %s" % (kind, path))


def check(parser, scenario, work):
    folder = parse(parser, scenario, work, *scenario.options)
    figures = formulas.Figures(scenario)
    for chip, table in formulas.tables():
        if chip == scenario.chip and "Default" in scenario.metrics:
            with open(os.path.join(folder, table + ".csv")) as file:
                formulas.check_table(figures, table, file.read())
    with open(os.path.join(folder, "OpBasicInfo.csv")) as file:
        formulas.check_basic_info_table(figures, file.read())
    blocks, sources, order = container.read(os.path.join(folder, "visualize_data.bin"))
    # source.files() needs the addresses that source.instructions() has stored
    for kind, payload in sorted(blocks.items(), key=lambda item: (item[0] != 4, item[0])):
        if kind == 2:
            with open(os.path.join(folder, "trace.json"), "rb") as file:
                container.need(file.read() == payload, "trace.json and the block differ")
            trace.check(figures, payload.decode())
            continue
        if kind in (10, 11):
            (tracekit.records if kind == 10 else tracekit.sets)(figures, payload)
            continue
        container.need(kind in CHECKS, "%s: no check for type %d", scenario.name, kind)
        root = container.parse(payload.decode(), literal=True)
        CHECKS[kind](figures, root)
        every_field_is_checked(figures, kind, root)
    source.check_sources(figures, sources)
    inspect(parser, scenario, folder)
    return order


def inspect(parser, scenario, folder):
    """Requires a meaning for every field and no broken rule."""
    muster = os.path.join(os.path.dirname(parser), "muster")
    done = subprocess.run([muster, "inspect", "--explain", "--check",
                           os.path.join(folder, "visualize_data.bin")],
                          capture_output=True, text=True)
    lines = done.stdout.split("\n")
    container.need(done.returncode == 0 and "0 errors" in lines, "inspect: %s%s", done.stdout,
                   done.stderr)
    for line in lines:
        container.need(not line.endswith("  not read by the viewer") and
                       (not line.startswith("warning") or scenario.options),
                       "inspect: %s", line)


def check_answers(parser, work):
    """Compares the viewer's answers about every file that was written."""
    program = os.path.join(os.path.dirname(parser), "../tests/viewer_messages")
    requests = 0
    for path in sorted(glob.glob(os.path.join(work, "**/visualize_data.bin"), recursive=True)):
        try:
            blocks, sources, _ = container.read(path)
            requests += viewer.check(viewer.Client(program, path), blocks, sources)
        except container.Mismatch as bad:
            sys.exit("answers about %s: %s" % (os.path.relpath(path, work), bad))
    return requests


def main():
    parser, kernel, work = sys.argv[1:]
    seen = set()
    for scenario in SCENARIOS + with_code(source.Code(kernel)):
        try:
            seen |= set(check(parser, scenario, work))
        except container.Mismatch as bad:
            sys.exit("%s: %s" % (scenario.name, bad))
    try:
        samples = os.path.join(os.path.dirname(__file__), "../../parsers/samples/sim")
        simulator.check(os.path.join(os.path.dirname(parser), "muster"), samples, work)
    except container.Mismatch as bad:
        sys.exit("simulator: %s" % bad)
    print("checked blocks:", " ".join("0x%02X" % kind for kind in sorted(seen)))
    print("checked answers:", check_answers(parser, work))


main()

"""components_page.py - writes docs/dev/components.md and docs/dev/includes.svg

The table and the drawing come from the CMakeLists.txt files only, so the same tree always
gives the same bytes.
"""

import layered_drawing

TABLE_FILE = "docs/dev/components.md"
DRAWING_FILE = "docs/dev/includes.svg"
PROGRAMS = ("coordinator", "worker", "inject", "parsers", "cli")


def folders_used(component, order):
    """Returns the lower folders in USES; an upward name is reported elsewhere."""
    return [
        name for name in component.used_folders()
        if order.get(name, len(order)) < order[component.path]
    ]


def table(project):
    lines = [
        "# Components",
        "",
        "Each component is a folder with its own CMake library or program. A component includes",
        "only the components that its row names; they stand above it in the table, so no include",
        "runs upwards. The test `lint/includes` checks this. It also writes this page:",
        "change the `USES` list or the first line of the component's `CMakeLists.txt`, then run",
        "`make components`.",
        "",
        "![Drawing of the includes between components](includes.svg)",
        "",
        "| component | what it holds | may include |",
        "| --- | --- | --- |",
    ]
    for component in project.components:
        if component.path.startswith("tests"):
            continue
        used = ", ".join(f"`{name}`" for name in folders_used(component, project.order))
        lines.append(f"| `{component.path}` | {component.purpose} | {used or 'the C library'} |")
    lines.append("| `sim` | the simulated NPU, in place of the vendor's libraries | nothing of muster |")
    lines.append("| `tests` | end-to-end, fault, fuzz and lint tests, benchmarks | everything |")
    return "\n".join(lines) + "\n"


def top_level(path):
    """Returns the box of the overview that holds a folder: a library, or a whole program."""
    first = path.split("/")[0]
    return path if first == "lib" else first


def overview(project):
    edges, nodes = set(), []
    for component in project.components:
        box = top_level(component.path)
        if box == "tests":
            continue
        if box not in nodes:
            nodes.append(box)
        for name in folders_used(component, project.order):
            if nodes.index(top_level(name)) < nodes.index(box):
                edges.add((box, top_level(name)))
    return nodes + ["sim"], edges


def program(project, name):
    """Returns the boxes and arrows of one program, and below each box its other folders."""
    inside = [c for c in project.components if c.path == name or c.path.startswith(name + "/")]
    paths = [c.path for c in inside]
    edges, notes = set(), {}
    for component in inside:
        others = []
        for used in folders_used(component, project.order):
            if used in paths:
                edges.add((component.path, used))
            elif used != "lib/base":
                others.append(used[len("lib/"):] if used.startswith("lib/") else used)
        notes[component.path] = others
    return paths, edges, notes


def drawing(project):
    nodes, edges = overview(project)
    panels = [
        layered_drawing.Panel(
            "Programs and libraries",
            "An arrow points to the folder that is included. An arrow is left out when "
            "a longer path of arrows leads to the same folder.",
            nodes,
            edges,
            {},
        )
    ]
    for name in PROGRAMS:
        paths, edges, notes = program(project, name)
        panels.append(
            layered_drawing.Panel(
                name,
                "Below each name: the included folders outside the program "
                "(in lib/ unless written in full; lib/base is not listed).",
                paths,
                edges,
                notes,
            )
        )
    return layered_drawing.draw(panels)


def documents(project):
    return [(TABLE_FILE, table(project)), (DRAWING_FILE, drawing(project))]

"""layered_drawing.py - draws directed graphs without circles as layered SVG drawings

Each panel is one graph. A node is in a row above all nodes that its arrows point to.
An arrow that crosses several rows gets a free lane in each of them, so that it passes
between the boxes. The order within a row is chosen to reduce crossings. All steps are
deterministic.
"""

FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
TITLE_HEIGHT = 62
BOX_HEIGHT = 30
NOTE_HEIGHT = 14
ROW_GAP = 52
COLUMN_GAP = 22
LANE_WIDTH = 10
MARGIN = 24
NOTE_COLUMNS = 26  # characters in a line below a name


class Panel:
    def __init__(self, title, caption, nodes, edges, notes):
        self.title = title
        self.caption = caption
        self.nodes = nodes  # in order
        self.edges = edges  # {(from, to)}
        self.notes = notes  # node -> [text]


def without_implied(nodes, edges):
    """Returns the edges that no longer path implies."""
    below = {n: sorted(t for s, t in edges if s == n) for n in nodes}

    def reaches(start, goal, seen):
        for target in below[start]:
            if target == goal:
                return True
            if target not in seen:
                seen.add(target)
                if reaches(target, goal, seen):
                    return True
        return False

    kept = set()
    for source, target in sorted(edges):
        if not any(m != target and reaches(m, target, set()) for m in below[source]):
            kept.add((source, target))
    return kept


def rank_nodes(nodes, edges):
    """Returns node -> row, 0 at the bottom; a node is above all nodes that it points to."""
    row = {n: 0 for n in nodes}
    changed = True
    while changed:
        changed = False
        for source, target in sorted(edges):
            if row[source] <= row[target]:
                row[source] = row[target] + 1
                changed = True
    return row


def wrap(words, width):
    lines = []
    for word in words:
        if lines and len(lines[-1]) + 2 + len(word) <= width:
            lines[-1] += ", " + word
        else:
            if lines:
                lines[-1] += ","
            lines.append(word)
    return lines


class Layout:
    """Positions of the boxes and lanes of one panel."""

    def __init__(self, panel):
        self.panel = panel
        self.edges = sorted(without_implied(panel.nodes, panel.edges))
        self.row = rank_nodes(panel.nodes, self.edges)
        self.notes = {n: wrap(panel.notes.get(n, []), NOTE_COLUMNS) for n in panel.nodes}
        self.paths = []  # one list of nodes and lanes per arrow, from top to bottom
        self.rows = [[] for _ in range(max(self.row.values()) + 1)]
        for node in panel.nodes:
            self.rows[self.row[node]].append(node)
        self.add_lanes()
        self.reduce_crossings()
        self.place()

    def add_lanes(self):
        for source, target in self.edges:
            path = [source]
            for level in range(self.row[source] - 1, self.row[target], -1):
                lane = (source, target, level)
                self.row[lane] = level
                self.rows[level].append(lane)
                path.append(lane)
            self.paths.append(path + [target])
        self.up, self.down = {}, {}
        for path in self.paths:
            for high, low in zip(path, path[1:]):
                self.down.setdefault(high, []).append(low)
                self.up.setdefault(low, []).append(high)

    def crossings(self):
        total = 0
        for level in range(1, len(self.rows)):
            place = {n: i for i, n in enumerate(self.rows[level - 1])}
            ends = []
            for node in self.rows[level]:
                ends += sorted(place[low] for low in self.down.get(node, []) if low in place)
            total += sum(
                1 for i, a in enumerate(ends) for b in ends[i + 1:] if b < a
            )
        return total

    def reduce_crossings(self):
        best, best_rows = self.crossings(), [list(r) for r in self.rows]
        for sweep in range(24):
            levels = range(1, len(self.rows)) if sweep % 2 else range(len(self.rows) - 2, -1, -1)
            for level in levels:
                near = self.rows[level - 1] if sweep % 2 else self.rows[level + 1]
                links = self.down if sweep % 2 else self.up
                place = {n: i for i, n in enumerate(near)}
                centre = {}
                for i, node in enumerate(self.rows[level]):
                    found = [place[n] for n in links.get(node, []) if n in place]
                    centre[node] = sum(found) / len(found) if found else i
                self.rows[level].sort(key=lambda n, c=centre: c[n])
            self.swap_neighbours()
            count = self.crossings()
            if count < best:
                best, best_rows = count, [list(r) for r in self.rows]
        self.rows = best_rows

    def swap_neighbours(self):
        for row in self.rows:
            for i in range(len(row) - 1):
                before = self.crossings()
                row[i], row[i + 1] = row[i + 1], row[i]
                if self.crossings() >= before:
                    row[i], row[i + 1] = row[i + 1], row[i]

    def width_of(self, node):
        if isinstance(node, tuple):
            return LANE_WIDTH
        notes = max((len(line) for line in self.notes[node]), default=0)
        return max(len(node) * 8.2 + 22, notes * 6.1 + 16)

    def height_of(self, node):
        return BOX_HEIGHT + NOTE_HEIGHT * len(self.notes.get(node, []))

    def pack(self, row, wish):
        """Places a row from left to right as near to the wished positions as the gaps allow."""
        groups = []  # [nodes, offsets, left end, total of wishes]
        for node in row:
            width = self.width_of(node)
            groups.append([[node], [0.0], wish[node] - width / 2, width])
            while len(groups) > 1:
                left, right = groups[-2], groups[-1]
                start = left[2] + left[3] + COLUMN_GAP
                if right[2] >= start:
                    break
                shift = left[3] + COLUMN_GAP
                nodes = left[0] + right[0]
                offsets = left[1] + [o + shift for o in right[1]]
                mean = sum(
                    wish[n] - self.width_of(n) / 2 - o for n, o in zip(nodes, offsets)
                ) / len(nodes)
                groups[-2:] = [[nodes, offsets, mean, shift + right[3]]]
        for nodes, offsets, start, _ in groups:
            for node, offset in zip(nodes, offsets):
                self.x[node] = start + offset + self.width_of(node) / 2

    def place(self):
        self.x, self.y = {}, {}
        for row in self.rows:
            position = 0.0
            for node in row:
                self.x[node] = position + self.width_of(node) / 2
                position += self.width_of(node) + COLUMN_GAP
        for sweep in range(40):
            levels = range(len(self.rows)) if sweep % 2 else range(len(self.rows) - 1, -1, -1)
            for level in levels:
                wish = {}
                for node in self.rows[level]:
                    near = self.up.get(node, []) + self.down.get(node, [])
                    found = [self.x[n] for n in near]
                    wish[node] = sum(found) / len(found) if found else self.x[node]
                self.pack(self.rows[level], wish)
        left = min(self.x[n] - self.width_of(n) / 2 for n in self.x)
        for node in self.x:
            self.x[node] += MARGIN - left
        self.width = max(self.x[n] + self.width_of(n) / 2 for n in self.x) + MARGIN
        top = TITLE_HEIGHT
        for row in reversed(self.rows):
            height = max((self.height_of(n) for n in row if not isinstance(n, tuple)), default=0)
            for node in row:
                self.y[node] = (top, top + (height if isinstance(node, tuple) else self.height_of(node)))
            top += height + ROW_GAP
        self.height = top - ROW_GAP + MARGIN


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def spread(layout):
    """Returns where each arrow leaves and enters a box: the ends are spread over its edge."""
    ends = {}
    for key, pick, side in (("out", 0, 1), ("in", -1, -2)):
        by_node = {}
        for i, path in enumerate(layout.paths):
            by_node.setdefault(path[pick], []).append((layout.x[path[side]], i))
        for node, found in by_node.items():
            step = min(18, (layout.width_of(node) - 16) / max(len(found), 1))
            for place, (_, i) in enumerate(sorted(found)):
                ends[(key, i)] = layout.x[node] + (place - (len(found) - 1) / 2) * step
    return ends


def draw_arrows(layout, out):
    ends = spread(layout)
    for i, path in enumerate(layout.paths):
        x, y = ends[("out", i)], layout.y[path[0]][1]
        steps = [f"M{number(x)} {number(y)}"]
        for node in path[1:]:
            last = node == path[-1]
            to_x = ends[("in", i)] if last else layout.x[node]
            to_y = layout.y[node][0] - (6 if last else 0)
            middle = (y + to_y) / 2
            steps.append(
                f"C{number(x)} {number(middle)} {number(to_x)} {number(middle)} "
                f"{number(to_x)} {number(to_y)}"
            )
            x, y = to_x, to_y
            if not last:
                y = layout.y[node][1]
                steps.append(f"L{number(x)} {number(y)}")
        out.append(f'<path class="arrow" marker-end="url(#head)" d="{" ".join(steps)}"/>')


def draw_boxes(layout, out):
    for node in layout.panel.nodes:
        x, (top, bottom) = layout.x[node], layout.y[node]
        width = layout.width_of(node)
        out.append(
            f'<rect class="box" x="{number(x - width / 2)}" y="{number(top)}" '
            f'width="{number(width)}" height="{number(bottom - top)}" rx="4"/>'
        )
        out.append(f'<text class="name" x="{number(x)}" y="{number(top + 20)}">{escape(node)}</text>')
        for i, line in enumerate(layout.notes[node]):
            y = top + 20 + NOTE_HEIGHT * (i + 1)
            out.append(f'<text class="note" x="{number(x)}" y="{number(y)}">{escape(line)}</text>')


def draw(panels):
    layouts = [Layout(panel) for panel in panels if panel.nodes]
    width = max(max(layout.width for layout in layouts), 900)
    height = sum(layout.height for layout in layouts)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" '
        f'height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}">',
        "<style>",
        f"text {{ font-family: {FONT}; fill: #1b1f24; }}",
        ".title { font-size: 18px; font-weight: bold; }",
        ".caption { font-size: 12px; fill: #57606a; }",
        ".name { font-size: 13px; text-anchor: middle; }",
        ".note { font-size: 10px; text-anchor: middle; fill: #57606a; }",
        ".box { fill: #eef4fb; stroke: #4a78a8; }",
        ".arrow { fill: none; stroke: #6e7781; stroke-width: 1.1; }",
        ".head { fill: #6e7781; }",
        "</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="2" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>',
        f'<rect width="{number(width)}" height="{number(height)}" fill="#ffffff"/>',
    ]
    top = 0.0
    for layout in layouts:
        out.append(f'<g transform="translate({number((width - layout.width) / 2)} {number(top)})">')
        draw_arrows(layout, out)
        draw_boxes(layout, out)
        out.append("</g>")
        out.append(
            f'<text class="title" x="{MARGIN}" y="{number(top + 26)}">{escape(layout.panel.title)}</text>'
        )
        out.append(
            f'<text class="caption" x="{MARGIN}" y="{number(top + 44)}">'
            f"{escape(layout.panel.caption)}</text>"
        )
        top += layout.height
    out.append("</svg>")
    return "\n".join(out) + "\n"

#!/usr/bin/env python3
"""report_page.py - compares the figures of report.html with those of its store

usage: report_page.py PAGE DATABASE JOB_ID

Computes medians from the database by itself. Exit code 1: a figure differs, the page has
an element that no part of it writes, or it refers to the network.
"""

import math
import os
import re
import sqlite3
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from html_page import Page, rows_of # noqa: E402

TAGS = set("""html head meta title style body main noscript p h1 h2 nav ul li div b span details
summary script""".split())
MAX_BYTES = 10 << 20


def shape_of(point):
    return " ".join(word for word in point.split(" ") if not word.startswith("card="))


def read_store(path, job):
    """Returns {metric: {shape: {card: [values]}}} and the tasks without a result."""
    database = sqlite3.connect(path)
    database.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
    figures = {}
    for point, host, card, metric, value in database.execute(
            "select point_text, host, card, metric, value from v_results where job_id = ?", [job]):
        shapes = figures.setdefault(metric, {})
        shapes.setdefault(shape_of(point), {}).setdefault(f"{host}:{card}", []).append(value)
    bad = database.execute("select count(*) from tasks where job_id = ? and state <> 'done'",
                           [job]).fetchone()[0]
    return figures, bad


def check(condition, *what):
    if not condition:
        raise AssertionError(*what)


def near(shown, value, decimals):
    return shown is not None and abs(shown - value) <= 0.51 * 10 ** -decimals


def check_durations(page, durations):
    rows = list(rows_of(page.blocks["durations-table"]))
    seen = set()
    for shape, card, origin, count, values, median, ratio, spread, link in rows:
        cell = sorted(durations[shape][card])
        seen.add((shape, card))
        everything = statistics.median(v for cells in durations[shape].values() for v in cells)
        check(origin == "simulated", origin)
        check(count == len(cell) and values == cell, shape, card, values, cell)
        check(near(median, statistics.median(cell), 3), "median", shape, card, median)
        check(near(ratio, (statistics.median(cell) / everything - 1) * 100, 2), "ratio", shape, card)
        check(near(spread, (cell[-1] - cell[0]) / statistics.median(cell) * 100, 2), "spread")
        check(re.fullmatch(r"p\d+/r\d+/[^/]+/device0/matmul_kernel/0/visualize_data.bin", link[0]),
              link)
    check(seen == {(shape, card) for shape in durations for card in durations[shape]},
          "the table lacks cells or has others")
    return len(rows)


def check_heat(page, durations):
    heat = page.blocks["card-heat"]
    for shape, row in zip(heat["rows"], heat["values"]):
        everything = statistics.median(v for cells in durations[shape].values() for v in cells)
        for card, shown in zip(heat["columns"], row):
            cell = durations[shape].get(card)
            check((shown is None) == (cell is None), shape, card)
            if cell:
                value = (statistics.median(cell) / everything - 1) * 100
                check(near(shown, value, 2), shape, card, shown, value)


def check_measures(page, figures):
    pipes = page.blocks["pipe-heat"]
    names = {"cube: cube": "aic_cube_ratio", "vector: vector": "aiv_vec_ratio"}
    check(set(pipes["columns"]) == set(names), pipes["columns"])
    for shape, row in zip(pipes["rows"], pipes["values"]):
        for column, shown in zip(pipes["columns"], row):
            values = [v for cells in figures[names[column]][shape].values() for v in cells]
            check(near(shown, statistics.median(values) * 100, 1), shape, column, shown)
    points = next(s for s in page.blocks["roofline-plot"]["series"] if s["name"] == "simulated")
    check(points.get("hollow"), "simulated points are not marked")
    check(len(points["x"]) == len(figures["duration_us"]), "points of the roofline")
    for tip, x, y in zip(points["tips"], points["x"], points["y"]):
        shape = tip.split("\n")[0]
        median = lambda metric: statistics.median(
            v for cells in figures[metric][shape].values() for v in cells)
        operations = median("aic_cube_operations")
        check(math.isclose(x, operations / (median("main_memory_read_kib") * 1024), rel_tol=1e-9))
        check(math.isclose(y, operations / median("duration_us") * 1e6, rel_tol=1e-9))


def check_sentences(page, durations):
    logs = {}
    for cards in durations.values():
        everything = statistics.median(v for cells in cards.values() for v in cells)
        for card, cell in cards.items():
            logs.setdefault(card, []).append(math.log(statistics.median(cell) / everything))
    means = {card: (math.exp(sum(all) / len(all)) - 1) * 100 for card, all in logs.items()}
    slowest = max(means, key=means.get)
    text = f"The slowest card is {slowest}: {means[slowest]:+.2f} % against"
    check(len(means) < 2 or any(s.startswith(text) for s in page.sentences), text, page.sentences)


def main():
    path, database, job = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(path, "rb") as stream:
        raw = stream.read()
    text = raw.decode("utf-8") # the page is valid UTF-8 whatever the names are
    page = Page(text)
    figures, bad = read_store(database, job)
    durations = figures.get("duration_us", {})
    check(len(raw) < MAX_BYTES, f"{len(raw)} bytes")
    check(page.tags <= TAGS, "unexpected elements", page.tags - TAGS)
    check(page.programs == 1, f"{page.programs} programs")
    for address in re.findall(r"\w+://[^\s\"'<]*", text):
        check(address == "http://www.w3.org/2000/svg", address)
    cells = 0
    if durations:
        cells = check_durations(page, durations)
        check_measures(page, figures)
        check_sentences(page, durations)
        check(any("Simulated figures" in s for s in page.sentences), "no mark of simulated figures")
        if len({card for cards in durations.values() for card in cards}) > 1:
            check_heat(page, durations)
    failures = list(rows_of(page.blocks["failures-table"])) if bad else []
    check(len(failures) == bad, f"{len(failures)} failures are listed, {bad} are stored")
    print(f"{path}: {len(raw)} bytes, {cells} cells, {bad} tasks without a result")


main()

#!/usr/bin/env python3
"""serve_trace.py - the parts of a trace that `muster serve` returns, against the trace itself

usage: serve_trace.py OUT (a folder of results whose store has the one job of report_store)
"""

import collections
import json
import os
import random
import re
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from serve import matches # noqa: E402
from server import Server # noqa: E402

OUT = sys.argv[1]
NAMES = ("k/0.json", "other/0.json", "damaged/0.json", "link/0.json")
RANKS, LANES, SLICES = 4, 3, 3000 # slices of each lane: more than one request reads


def check(condition, *what):
    if not condition:
        raise AssertionError(*what)


def make_trace(seed):
    """Returns the document and its slices by (process, lane): (start, duration, name, args) in ns."""
    rng = random.Random(seed)
    events, lanes, flows = [], {}, []
    for rank in range(RANKS):
        process = f"rank {rank} host:{rank} BLOCK"
        events.append({"ph": "M", "name": "process_sort_index", "pid": process, "args": {"sort_index": RANKS - rank}})
        for lane in range(LANES):
            start, slices = rank * 100, []
            for number in range(SLICES):
                duration = rng.randint(1, 900)
                slices.append((start, duration, f"op{rng.randint(0, 40)}", {"number": str(number)}))
                if number % 100 == 7 and duration > 3: # a slice within, in the second row
                    slices.append((start + 1, duration - 2, "inner", {}))
                start += duration + rng.randint(0, 200)
            lanes[process, f"core{lane}"] = slices
            events += [{"ph": "X", "pid": process, "tid": f"core{lane}", "name": name, "args": args,
                        "ts": begin / 1000, "dur": duration / 1000} for begin, duration, name, args in slices]
    first = min(slices[0][0] for slices in lanes.values())
    check(first == 0, first)
    keys = list(lanes)
    for number in range(300):
        ends = [(key, rng.choice(lanes[key])[0]) for key in rng.sample(keys, 2)]
        flows.append(ends)
        for phase, (key, at) in zip("sf", ends):
            events.append({"ph": phase, "id": number, "name": "copy", "cat": "flow", "pid": key[0], "tid": key[1], "ts": at / 1000})
    return {"muster": {"kernel": "k", "alignedAtRelease": False, "releaseSkewUs": 2.5, "clockUncertaintyUs": 1.25,
                       "ranks": "4 of 4", "simulated": True},
            "profilingType": "op", "schemaVersion": 2, "traceEvents": events}, lanes, flows


def write(name, text):
    path = os.path.join(OUT, "report-1", "p5", "r0", "merged", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w") as file:
        file.write(text)
    os.replace(path + ".new", path)
    return path


def register():
    database = sqlite3.connect(os.path.join(OUT, "store", "muster.db"))
    run, = database.execute("SELECT run_id FROM v_results WHERE point = 5 AND repeat = 0").fetchone()
    database.executemany("INSERT INTO outputs(run_id, rank, path) VALUES(?, 0, ?)", [(run, "merged/" + name) for name in NAMES])
    database.commit()
    database.close()


class Trace:
    def __init__(self, server, name):
        files = {row["path"]: row["id"] for row in server.rows("/api/v1/jobs/1/files?point=5")}
        self.server, self.address = server, f"/api/v1/jobs/1/files/{files['p5/r0/merged/' + name]}/"
        self.waits = 0
        self.description = json.loads(server.request("/api/v1/openapi.json")[2])

    def check_schema(self, part, answer):
        """The answer is what the description promises."""
        path = "/api/v1/jobs/{job}/files/{file}/" + re.sub(r"/\d+$", "/{slice}", part.partition("?")[0])
        content = self.description["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]
        check(matches(answer, content["schema"], self.description["components"]["schemas"]), path)
        check(answer["schema"] == content["schema"]["$ref"].rpartition("/")[2], path, answer["schema"])

    def ask(self, part):
        while True:
            status, headers, body = self.server.request(self.address + part)
            answer = json.loads(body)
            if status != 200:
                return status, answer["error"]
            self.check_schema(part, answer)
            if answer["state"] == "ready":
                return answer, headers
            check(answer["rows"] == [] and 0 < answer["done"] <= answer["total"], answer)
            self.waits += 1


def lanes_are_those_of_the_trace(trace, lanes, flows):
    answer, _ = trace.ask("lanes")
    check((answer["kernel"], answer["ranks"], answer["clock_uncertainty_ns"], answer["release_skew_ns"], answer["aligned"],
           answer["simulated"]) == ("k", "4 of 4", 1250, 2500, False, True), answer)
    end = max(start + duration for slices in lanes.values() for start, duration, _, _ in slices)
    check((answer["length_ns"], answer["slices"], answer["arrow_ends"]) ==
          (end, sum(map(len, lanes.values())), 2 * len(flows)), answer["length_ns"], end)
    shown = [(row["process"], row["lane"]) for row in answer["rows"]]
    check(sorted(shown) == sorted(lanes), shown)
    check([process for process, _ in shown[::LANES]] == [f"rank {rank} host:{rank} BLOCK" for rank in reversed(range(RANKS))], shown)
    for row in answer["rows"]:
        check((row["slices"], row["depth"]) == (len(lanes[row["process"], row["lane"]]), 2), row)
    return shown, end


def a_small_window_has_all_slices(trace, lanes, shown):
    for start in (0, 100_000, 1_000_000):
        answer, _ = trace.ask(f"window?start={start}&end={start + 999}&lane=2&lanes=7")
        check([row["lane"] for row in answer["rows"]] == list(range(2, 9)), answer["rows"])
        for row in answer["rows"]:
            found = sorted((begin, duration, answer["names"][name]) for _, begin, duration, name, _ in row["slices"])
            wanted = sorted((begin, duration, name) for begin, duration, name, _ in lanes[shown[row["lane"]]]
                            if begin <= start + 999 and begin + duration >= start)
            check(found == wanted and found, start, row["lane"], found, wanted)


def a_large_window_has_the_longest_slice_of_each_part(trace, lanes, shown, end):
    window = end // 1000 * 1000 # parts of a whole number of nanoseconds
    answer, _ = trace.ask(f"window?end={window}")
    check(len(answer["rows"]) == RANKS * LANES, len(answer["rows"]))
    for row in answer["rows"]:
        longest = collections.defaultdict(int)
        for begin, duration, name, _ in lanes[shown[row["lane"]]]:
            if name != "inner" and begin <= window: # the first row
                longest[begin * 1000 // window] = max(longest[begin * 1000 // window], duration)
        found = {begin * 1000 // window: duration for depth, begin, duration, _, _ in row["slices"] if depth == 0}
        check(found == longest and 500 < len(found) <= 1001, row["lane"], len(found), len(longest))


def arrows_are_those_of_the_window(trace, flows, shown, end):
    for start, stop in ((end // 3, end // 3 + 5000), (0, 20_000)):
        answer, _ = trace.ask(f"arrows?start={start}&end={stop}")
        found = sorted((a["from_lane"], a["from_ns"], a["to_lane"], a["to_ns"]) for a in answer["rows"])
        wanted = sorted((shown.index(key), at, shown.index(other), to) for (key, at), (other, to) in flows
                        if at <= stop and to >= start)
        check(found == wanted and found, found[:3], wanted[:3], len(found), len(wanted))


def a_search_finds_all_slices(trace, lanes, shown):
    wanted = sum(name == "op7" for slices in lanes.values() for _, _, name, _ in slices)
    more = sum("op7" in name for slices in lanes.values() for _, _, name, _ in slices)
    answer, headers = trace.ask("search?name=OP7&limit=20")
    check(int(headers["Muster-Rows"]) == more >= wanted > 100 and len(answer["rows"]) == 20, headers["Muster-Rows"], more)
    rest, _ = trace.ask("search?name=op7&limit=1000&after=20")
    check(len(rest["rows"]) == min(more - 20, 1000) and not {r["id"] for r in rest["rows"]} & {r["id"] for r in answer["rows"]}, "pages")
    for row in answer["rows"][:5]:
        slice_, = trace.ask(f"slices/{row['id']}")[0]["rows"]
        mine, = [entry for entry in lanes[shown[row["lane"]]] if (entry[0], entry[1], entry[2]) ==
                 (row["start_ns"], row["duration_ns"], row["name"])]
        check(json.loads(slice_["args"]) == mine[3] and {key: slice_[key] for key in row} == row, slice_, mine)


def wrong_requests_get_an_error(trace, server):
    for part, status, text in (("window?lanes=201", 400, "above 200"), ("window?start=5&end=4", 400, "before start"),
                               ("window?start=x", 400, "is not a number"), ("window?end=18446744073709551615", 400, "too large"),
                               ("search", 400, "name is missing"), ("search?name=a&limit=0", 400, "between 1 and 1000"),
                               ("slices/0", 404, "no slice"), ("slices/4294967299", 404, "no slice"), ("slices/x", 400, "not a number"),
                               ("lanes?x=1", 400, "unknown argument")):
        code, error = trace.ask(part)
        check(code == status and text in error, part, code, error)
    check(trace.ask("window?lane=999999")[0]["rows"] == [], "no lane")
    status, _, body = server.request("/api/v1/jobs/1/files/0000000000000000/lanes")
    check(status == 404, status, body)


def main():
    document, lanes, flows = make_trace(1)
    path = write(NAMES[0], json.dumps(document))
    other, other_lanes, other_flows = make_trace(2)
    write(NAMES[2], json.dumps(document)[:4000])
    os.makedirs(os.path.dirname(path.replace("/k/", "/link/")))
    os.symlink(path, path.replace("/k/", "/link/"))
    register()
    server = Server("--out", OUT)
    trace = Trace(server, NAMES[0])
    shown, end = lanes_are_those_of_the_trace(trace, lanes, flows)
    a_small_window_has_all_slices(trace, lanes, shown)
    a_large_window_has_the_longest_slice_of_each_part(trace, lanes, shown, end)
    arrows_are_those_of_the_window(trace, flows, shown, end)
    a_search_finds_all_slices(trace, lanes, shown)
    wrong_requests_get_an_error(trace, server)
    # several traces at once, a file that is missing, damaged, a link, replaced, changed
    check(Trace(server, NAMES[1]).ask("lanes")[0] == 404, "a missing file")
    for name in NAMES[2:]:
        status, error = Trace(server, name).ask("lanes")
        check(status in (400, 403, 404, 500) and isinstance(error, str), name, status, error)
    write(NAMES[1], json.dumps(other))
    lanes_are_those_of_the_trace(Trace(server, NAMES[1]), other_lanes, other_flows)
    a_small_window_has_all_slices(trace, lanes, shown)
    write(NAMES[0], json.dumps(other))
    lanes_are_those_of_the_trace(trace, other_lanes, other_flows)
    with open(path, "w") as file: # in place
        json.dump(document, file)
    a_small_window_has_all_slices(trace, lanes, shown)
    check(server.stop() == (0, ""), "the end")


if __name__ == "__main__":
    main()

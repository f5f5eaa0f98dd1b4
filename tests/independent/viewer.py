"""viewer.py - sends every request of the vendor's pages for one file to the viewer, and
compares the answers with what Python reads from the blocks of the file

    viewer.check(viewer.Client(VIEWER_MESSAGES, PATH), BLOCKS, SOURCES)
"""
import json
import math
import subprocess

import viewer_details
from container import need, parse
from viewer_details import SHOWN, body, same, text

FLAGS = ("SET_FLAG", "WAIT_FLAG", "set_event", "wait_event")
TIMELINE = ("import/action", "unit/", "flow/", "search/", "query/")


def message(number, command, params):
    module = "timeline" if command.startswith(TIMELINE) else command.split("/")[0]
    return json.dumps({"id": number, "type": "request", "moduleName": module, "command": command,
                       "projectName": SHOWN, "params": params})


class Client:
    """Sends lists of requests to the viewer library, each list in a session of its own with
    the file open."""

    def __init__(self, program, path):
        self.program, self.path = program, path
        self.requests = 0

    def run(self, requests):
        """Returns the answers, the first of them to the import, and the events after it."""
        first = [("import/action", {"projectName": SHOWN, "path": [SHOWN], "projectAction": 1})]
        lines = []
        for number, request in enumerate(first + list(requests)):
            lines.append(message(number, *request))
            lines += ["!wait"] if number == 0 else []
        done = subprocess.run([self.program, SHOWN + "=" + self.path],
                              input="\n".join(lines) + "\n", capture_output=True, text=True)
        need(done.returncode == 0, "viewer_messages: %s", done.stderr)
        messages = [json.loads(line) for line in done.stdout.splitlines()]
        answers = [m for m in messages if m["type"] == "response"]
        self.requests += len(answers)
        need([a["requestId"] for a in answers] == list(range(len(requests) + 1)),
             "not each request has one answer")
        return answers, {m["event"]: m["body"] for m in messages if m["type"] == "event"}


# --- Source ----------------------------------------------------------------------------

def column(value, core):
    if not isinstance(value, list):
        return value
    return value[core] if core < len(value) else value[0]


def registers(rows):
    """Yields the texts that the page reads for the registers of each instruction."""
    runs = {}
    for number, row in enumerate(rows):
        shown = []
        for item in row["GPR Status"]:
            last, length = runs.get(item["regIndex"], (-2, 0))
            length = length + 1 if last == number - 1 else 1
            runs[item["regIndex"]] = (number, length)
            progress = 0 if length == 1 else 1 if length >= item["survivalTime"] else 2
            shown.append({"name": item["regIndex"], "state": item["regStatus"],
                          "progress": progress, "length": item["survivalTime"]})
        yield shown


def expected_row(row, types, core):
    return {name: column(row[name], core) for name, code in types.items()
            if name in row and code in (1, 2, 3, 4, 100)}


def instructions(answer, root, core):
    found = body(answer)
    types = root["Instructions Dtype"]["Instructions"]
    rows = sorted(root["Instructions"], key=lambda row: int(row["Address"], 16))
    expected = [expected_row(row, types, root["Cores"].index(core)) for row in rows]
    if "GPR Status" in types:
        for row, ours, shown in zip(expected, found["Instructions"], registers(rows)):
            row["GPR Status"] = ours["GPR Status"]
            same(json.loads(ours["GPR Status"]), shown, "registers")
    same(found, {"Instructions": expected, "Core": core,
                 "Instructions Dtype": {"Instructions": types}}, "instructions")


def lines(answer, root, source, core_number):
    found = body(answer)
    types = root["Files Dtype"]["Lines"]
    for file in root["Files"]:
        if file["Source"] == source:
            expected = [dict(expected_row(line, types, core_number),
                             **{"Address Range": line["Address Range"]}) for line in file["Lines"]]
            same(found, {"Lines": expected, "Files Dtype": {"Lines": types}}, "lines")
            return
    same(found["Lines"], [], "lines of a file without figures")


# --- Timeline --------------------------------------------------------------------------

def nanoseconds(us):
    return int(math.floor(float(us) * 1000 + 0.5))


class Trace:
    def __init__(self, payload):
        events = parse(payload.decode())["traceEvents"]
        self.slices, self.samples, halves, self.points = [], {}, {}, {}
        for e in events:
            if e["ph"] == "X":
                start, end = nanoseconds(e["ts"]), nanoseconds(round(e["ts"] + e["dur"], 6))
                self.add(e, start, end)
            elif e["ph"] in "BE" and e["name"] in FLAGS:
                key = (e["name"][0].lower(), e["id"])
                halves.setdefault(key, {})[e["ph"]] = e
                if len(halves[key]) == 2:
                    both = halves.pop(key)
                    self.add(both["B"], nanoseconds(both["B"]["ts"]),
                             nanoseconds(both["E"]["ts"]))
            elif e["ph"] == "C":
                self.samples.setdefault((e["pid"], e["name"]), []).append(
                    (nanoseconds(e["ts"]), e["args"]))
            elif e["ph"] in "st":
                self.points.setdefault(str(e["id"]), []).append(e)
        times = [s["start"] for s in self.slices] + [s["end"] for s in self.slices]
        times += [t for lane in self.samples.values() for t, _ in lane]
        times += [nanoseconds(p["ts"]) for pair in self.points.values() for p in pair]
        self.start, self.length = min(times), max(times) - min(times)
        self.lanes = {}
        for s in self.slices:
            s["start"] -= self.start
            s["end"] -= self.start
            self.lanes.setdefault((s["pid"], s["tid"]), []).append(s)

    def add(self, e, start, end):
        self.slices.append({"name": e["name"], "start": start, "end": end, "pid": str(e["pid"]),
                            "tid": str(e["tid"]), "args": e.get("args"), "event": e})


def lane_requests(trace, end):
    base = {"metaType": "TEXT", "startTime": 0}
    for pid, tid in trace.lanes:
        lane = {"processId": pid, "threadId": tid, "cardId": SHOWN, **base}
        yield "unit/threadTraces", {**lane, "endTime": end}
        for start in (0, end // 3, end // 2):
            yield "unit/threadTraces", {**lane, "startTime": start, "endTime": start + 900}
    for pid in sorted({pid for pid, _ in trace.lanes}):
        yield "unit/threadTracesSummary", {"cardId": SHOWN, "processId": pid, "metaType": "",
                                           "unitType": "process", "startTime": 0, "endTime": end}
    for pid, name in trace.samples:
        yield "unit/counter", {"rankId": SHOWN, "pid": pid, "threadName": name, "threadId": "",
                               "metaType": "TEXT", "startTime": 0, "endTime": end}
    yield "unit/threads", {"rankId": SHOWN, "startTime": 0, "endTime": end,
                           "metadataList": [{"pid": p, "tid": t} for p, t in trace.lanes]}
    yield "flow/categoryList", {"rankId": SHOWN}
    yield "search/all/slices", {"rankId": SHOWN, "searchContent": "", "current": 1,
                                "pageSize": 1000, "orderBy": "duration", "order": "descend"}


def check_lane(rows, slices, start, end):
    """In a window below 1000 ns all bars are shown. In a row they do not overlap."""
    known = {(s["name"], s["start"], s["end"]) for s in slices}
    shown = []
    for depth, row in enumerate(rows):
        for bar, following in zip(row, row[1:] + [None]):
            need((bar["name"], bar["startTime"], bar["endTime"]) in known, "no such bar: %s", bar)
            need(bar["depth"] == depth and bar["duration"] == bar["endTime"] - bar["startTime"],
                 "bar: %s", bar)
            need(following is None or bar["endTime"] <= following["startTime"] or
                 "group_id" in slices[0]["event"], "overlap: %s %s", bar, following)
            shown.append(bar)
    inside = [s for s in slices if s["start"] <= end and s["end"] >= start]
    if end - start < 1000:
        same(sorted((b["name"], b["startTime"], b["endTime"]) for b in shown),
             sorted((s["name"], s["start"], s["end"]) for s in inside), "bars of a window")
    longest = max((s["end"] - s["start"] for s in inside), default=0)
    same(max((b["duration"] for b in shown), default=0), longest, "longest bar")


def check_summary(pieces, slices, end):
    gap, joined = max(end // 30000, 1), []
    for s in sorted(slices, key=lambda s: s["start"]):
        if joined and s["start"] - joined[-1][1] < gap:
            joined[-1][1] = max(joined[-1][1], s["end"])
        else:
            joined.append([s["start"], s["end"]])
    same([[p["startTime"], p["startTime"] + p["duration"]] for p in pieces], joined, "summary")


def check_counter(data, samples, start):
    expected = []
    for at, value in sorted(samples, key=lambda s: s[0]):
        if not expected or expected[-1]["value"] != value:
            expected.append({"timestamp": at - start, "value": value})
    last = max(samples, key=lambda s: s[0])
    expected.append({"timestamp": last[0] - start, "value": last[1]})
    if len(samples) < 10000:
        same(data, expected, "counter")


def check_list(answer, trace):
    totals = {}
    for s in trace.slices:
        count, total = totals.get(s["name"], (0, 0))
        totals[s["name"]] = (count + 1, total + s["end"] - s["start"])
    same({row["title"]: (row["occurrences"], row["wallDuration"]) for row in answer["data"]},
         totals, "list of slices")


def check_hits(answer, trace):
    same(answer["count"], len(trace.slices), "hits")
    durations = sorted((s["end"] - s["start"] for s in trace.slices), reverse=True)
    same([hit["duration"] for hit in answer["searchAllSlicesDetails"]], durations[:1000],
         "order of the hits")


def check_hit_details(client, trace, hits):
    """Requests the details of some slices, their arrows, and the same slices again."""
    requests = []
    chosen = hits[:20] + hits[-20:]
    for hit in chosen:
        slice_ = {"rankId": SHOWN, "pid": hit["pid"], "tid": hit["tid"], "id": hit["id"],
                  "metaType": "TEXT", "startTime": hit["timestamp"], "depth": hit["depth"]}
        requests += [("unit/threadDetail", slice_), ("unit/flows", slice_),
                     ("unit/one/kernelDetail", {
                         "rankId": SHOWN, "name": hit["name"], "timestamp": hit["timestamp"],
                         "duration": hit["duration"], "threadId": hit["tid"],
                         "processId": hit["pid"]})]
    answers = client.run(requests)[0][1:]
    for i, hit in enumerate(chosen):
        detail, arrows, again = [body(a) for a in answers[3 * i:3 * i + 3]]
        alike = [s for s in trace.lanes[hit["pid"], hit["tid"]] if s["name"] == hit["name"] and
                 s["start"] == hit["timestamp"] and s["end"] - s["start"] == hit["duration"]]
        args = detail["data"]["args"]
        need((json.loads(args) if args else None) in [s["args"] for s in alike],
             "arguments: %s", detail)
        same([again["threadId"], again["pid"]], [hit["tid"], hit["pid"]], "slice again")
        same(int(detail["data"]["rawStartTime"]), trace.start + hit["timestamp"], "raw start")
        ids = {str(s["event"]["id"]) for s in alike if "id" in s["event"]}
        pairs = [i for i in ids if len(trace.points.get(i, [])) == 2]
        need(not arrows["unitAllFlows"] or arrows["unitAllFlows"][0]["flows"][0]["id"] in pairs,
             "arrows: %s", arrows)
        need(bool(arrows["unitAllFlows"]) == bool(pairs), "arrows: %s %s", arrows, pairs)


def search_requests(trace, end):
    """Searches for the most frequent names: a part in another case, then the exact name."""
    counts = {}
    for s in trace.slices:
        counts[s["name"]] = counts.get(s["name"], 0) + 1
    for name in sorted(counts, key=lambda name: (-counts[name], name))[:3]:
        wanted = {"rankId": SHOWN, "metadataList": []}
        exact = {**wanted, "searchContent": name, "isMatchCase": True, "isMatchExact": True}
        yield "search/count", {**wanted, "searchContent": name[1:].swapcase(), "isMatchCase": False,
                               "isMatchExact": False}
        yield "search/count", exact
        for index in (1, counts[name], counts[name] + 1):
            yield "search/slice", {**exact, "index": index}
        tids = {}
        for pid, tid in trace.lanes:
            tids.setdefault(pid, []).append(tid)
        yield "query/all/same/operators/duration", {
            "rankId": SHOWN, "name": name, "startTime": 0, "endTime": end, "metaTypeList": [""],
            "processes": [{"pid": pid, "tidList": of} for pid, of in tids.items()],
            "current": 1, "pageSize": 1000, "orderBy": "duration", "order": "descend"}
    for category in sorted({p["cat"] for pair in trace.points.values() for p in pair}):
        yield "flow/categoryEvents", {"rankId": SHOWN, "category": category, "startTime": 0,
                                      "endTime": end, "isSimulation": False, "host": "",
                                      "metadataList": [], "lockStartTime": 0, "lockEndTime": 0}


def check_arrows(found, trace, category):
    """Each arrow has the two ends of one id; arrows at nearly the same place may be one."""
    ends = {tuple((str(p["pid"]), str(p["tid"]), nanoseconds(p["ts"]) - trace.start)
                  for p in sorted(pair, key=lambda p: p["ph"]))
            for pair in trace.points.values()
            if [p["ph"] for p in sorted(pair, key=lambda p: p["ph"])] == ["s", "t"] and
            pair[0]["cat"] == category}
    shown = {tuple((arrow[key]["pid"], arrow[key]["tid"], arrow[key]["timestamp"])
                   for key in ("from", "to")) for arrow in found}
    need(shown <= ends and bool(shown) == bool(ends), "arrows of %s: %s", category, shown - ends)


def check_searches(client, trace, end):
    requests = list(search_requests(trace, end))
    for (command, params), answer in zip(requests, client.run(requests)[0][1:]):
        if command == "flow/categoryEvents":
            check_arrows(body(answer)["flowDetailList"], trace, params["category"])
            continue
        wanted = params.get("searchContent", params.get("name"))
        hits = [s for s in trace.slices if s["name"] == wanted]
        if command == "search/count":
            if not params["isMatchExact"]:
                hits = [s for s in trace.slices if wanted.lower() in s["name"].lower()]
            found = body(answer)
            same([found["totalCount"], [row["count"] for row in found["countList"]]],
                 [len(hits), [len(hits)]], "count of a search")
        elif command == "search/slice" and params["index"] > len(hits):
            same(answer["error"]["code"], 3120, "a hit behind the last one")
        elif command == "search/slice":
            hit = body(answer)
            need(any([s["pid"], s["tid"], s["start"], s["end"] - s["start"]] ==
                     [hit["pid"], hit["tid"], hit["startTime"], hit["duration"]] for s in hits),
                 "hit of a search: %s", hit)
        else:
            found = body(answer)
            durations = sorted((s["end"] - s["start"] for s in hits), reverse=True)
            same([found["count"], [row["duration"] for row in found["sameOperatorsDetails"]]],
                 [len(hits), durations[:1000]], "slices of one name")


def timeline(client, trace, event):
    same([event["startTime"], event["maxTimeStamp"]], [str(trace.start), trace.length], "times")
    end = trace.length * 11 // 10 + 1
    requests = list(lane_requests(trace, end))
    answers = client.run(requests)[0][1:]
    for (command, params), answer in zip(requests, answers):
        found = body(answer)
        if command == "unit/threadTraces":
            check_lane(found["data"], trace.lanes[params["processId"], params["threadId"]],
                       params["startTime"], params["endTime"])
        elif command == "unit/threadTracesSummary":
            check_summary(found["data"], [s for s in trace.slices
                                          if s["pid"] == params["processId"]], end)
        elif command == "unit/counter":
            check_counter(found["data"], trace.samples[params["pid"], params["threadName"]],
                          trace.start)
        elif command == "unit/threads":
            check_list(found, trace)
        elif command == "flow/categoryList":
            same(sorted(found["category"]),
                 sorted({p["cat"] for pair in trace.points.values() for p in pair}), "arrows")
        else:
            check_hits(found, trace)
            check_hit_details(client, trace, found["searchAllSlicesDetails"])
    check_searches(client, trace, end)
    lanes = [(p["metadata"]["processId"], t["metadata"]["threadId"])
             for p in event["unit"]["children"] for t in p["children"] if t["type"] == "thread"]
    need(set(trace.lanes) <= set(lanes), "lanes: %s", lanes)


# --- All -------------------------------------------------------------------------------

def parse_roots(blocks):
    """Parses the blocks of the details; numbers keep their literal texts."""
    roots = {kind: parse(payload.decode(), literal=True) for kind, payload in blocks.items()
             if kind in (5, 6, 7, 8, 9, 12, 13)}
    if 15 in blocks:
        roots[15] = json.loads(blocks[15])
    return roots


def detail_requests(roots, compared):
    """Yields (type of the block, command, parameters) for all requests about details."""
    compared = {"isCompared": compared}
    yield 5, "source/details/baseInfo", compared
    yield 6, "source/details/computeworkload", compared
    for core in roots.get(8, {}).get("core_memory_map", []):
        yield 8, "source/details/memoryGraph", {"blockId": text(core, "core_no"), **compared}
    for block in roots.get(9, {}).get("table_per_block", []):
        yield 9, "source/details/memoryTable", {"blockId": text(block, "block_id"), **compared}
    yield 12, "source/details/interCoreLoadAnalysis", compared
    yield 13, "source/details/roofline", {}
    yield 15, "source/queryTopWarpStallReason", compared


def source_requests(blocks, sources):
    yield 14, "source/cache/cachelineRecords", {}
    yield 4, "source/api/instructions", {}
    if 4 in blocks:
        for number, core in enumerate(json.loads(blocks[4])["Cores"]):
            yield 4, "source/api/instructions/dynamic", {"coreName": core}
            for path in sources:
                yield 3, "source/api/line/dynamic", {"coreName": core, "sourceName": path,
                                                     "number": number}
    for path in sources:
        yield 3, "source/api/line", {"coreName": "ALL", "sourceName": path}
        yield 1, "source/code/file", {"sourceName": path}


def check_details(kind, params, answer, roots, others):
    if kind in (6, 12) and not ({kind, kind + (kind == 6)} & set(roots)):
        need(not answer["result"] and answer["error"]["code"] == 3001, "%s", answer)
    elif kind not in roots and kind != 6 and not (kind == 15 and kind in others):
        need(answer["result"], "%s", answer)
    else:
        viewer_details.check(kind, params.get("blockId"), answer, roots, others)


def check_source(kind, command, params, answer, blocks, sources):
    if kind == 1:
        same(body(answer)["fileContent"], sources[params["sourceName"]].decode(), "source")
    elif command == "source/api/instructions":
        same(body(answer)["instructions"], blocks.get(4, b"").decode(), "instructions as text")
    elif command == "source/api/line": # only of files whose columns have no types
        same(body(answer), {"lines": []}, "lines of the old layout")
    elif kind not in blocks:
        need(answer["result"], "%s", answer)
    elif kind == 3:
        lines(answer, json.loads(blocks[3]), params["sourceName"], params["number"])
    elif kind == 4:
        instructions(answer, json.loads(blocks[4]), params["coreName"])
    else:
        same(body(answer), json.loads(blocks[14]), "cache lines")


def check_compared(client, blocks, baseline):
    """Checks the details of a comparison. The client has set the baseline, whose blocks are
    `baseline`."""
    roots, others = parse_roots(blocks), parse_roots(baseline)
    requests = list(detail_requests(roots, True))
    answers, _ = client.run([request[1:] for request in requests])
    for (kind, _, params), answer in zip(requests, answers[1:]):
        check_details(kind, params, answer, roots, others)


def check(client, blocks, sources):
    """Returns the number of requests. `blocks` and `sources` come from container.read()."""
    roots = parse_roots(blocks)
    about_details = list(detail_requests(roots, False))
    about_source = list(source_requests(blocks, sources))
    answers, events = client.run([request[1:] for request in about_details + about_source])
    opened = body(answers[0])
    same(opened["sourceList"], sorted(sources), "list of source files")
    same(opened["coreList"], json.loads(blocks[4])["Cores"] if 4 in blocks else [], "cores")
    same(opened["hasCachelineRecords"], 14 in blocks, "hasCachelineRecords")
    for (kind, _, params), answer in zip(about_details, answers[1:]):
        check_details(kind, params, answer, roots, {})
    for request, answer in zip(about_source, answers[1 + len(about_details):]):
        check_source(*request, answer, blocks, sources)
    if 2 in blocks:
        timeline(client, Trace(blocks[2]), events["parse/success"])
    else:
        same(events["parse/success"]["maxTimeStamp"], 0, "timeline")
    return client.requests

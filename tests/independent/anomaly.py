#!/usr/bin/env python3
"""anomaly.py - computes steps, gaps, labels and groups of captures a second time

usage: anomaly.py MUSTER SAMPLES

Compares the result with `muster analyze --format json`: for the genuine captures below
SAMPLES and for generated captures with many steps, two kinds of steps, several streams and
threads. All times are integers in nanoseconds.
"""

import csv
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

HOST_CATEGORIES = {"cpu_op", "python_function", "user_annotation", "enqueue", "dequeue"}
HOST_LANES = {"Python", "Python GC", "CANN"}
HOST_NAMES = ("AscendCL@", "Node@", "Hccl@", "Runtime@", "Model@")
SYNC_PARTS = ("hosttodevice", "torch_to_npu", "aclrtmemcpy", "aclrtsynchronize")
SYNC_EXACT = {"aten::to", "aten::_to_copy", "aten::copy_"}
COMM_PARTS = ("c10d", "hccl", "hcom", "streamwaitevent", "notify_wait", "notify wait")
MS, US = 10**6, 10**3


def to_ns(text):
    """Reads decimal microseconds; the fourth decimal rounds half up."""
    return (Fraction(str(text).strip()) * 1000 + Fraction(1, 2)).__floor__()


def read_kernels(folder):
    with open(os.path.join(folder, "kernel_details.csv"), encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    kernels = [{
        "name": row["Name"].strip(), "type": row["Type"].strip(), "step": row.get("Step Id", "").strip(),
        "start": to_ns(row["Start Time(us)"]),
        "end": to_ns(row["Start Time(us)"]) + to_ns(row["Duration(us)"]),
        "stream": row.get("Stream ID", "N/A").strip(),
    } for row in rows]
    return sorted(kernels, key=lambda kernel: (kernel["start"], kernel["end"]))


def read_trace(folder):
    """Returns the markers {step: (start, end)}, the events (start, end, kinds, thread) and the
    copies by the device (start, end)."""
    path = os.path.join(folder, "trace_view.json")
    if not os.path.exists(path):
        return {}, None, None
    with open(path, encoding="utf-8") as file:
        rows = json.load(file, parse_float=str)
    if isinstance(rows, dict):
        rows = rows["traceEvents"]
    lanes = {row["pid"]: row["args"]["name"] for row in rows
             if row["ph"] == "M" and row["name"] == "process_name"}
    markers, events, copies = {}, [], []
    for row in rows:
        if row["ph"] != "X":
            continue
        name, lane = row["name"], lanes.get(row["pid"])
        start = to_ns(row["ts"])
        end = start + to_ns(row["dur"])
        mark = re.match(r"ProfilerStep#(\d+)", name)
        if mark and lane != "Ascend Hardware":
            if mark[1] not in markers or start < markers[mark[1]][0]:
                markers[mark[1]] = (start, end)
            continue
        if lane == "Ascend Hardware" and name in ("MEMCPY_ASYNC", "MemcopyAsync"):
            copies.append((start, end))
        kinds = set()
        if row.get("cat") in HOST_CATEGORIES or lane in HOST_LANES or name.startswith(HOST_NAMES):
            kinds.add("host")
        if name.split("@")[-1] in SYNC_EXACT or any(part in name.lower() for part in SYNC_PARTS):
            kinds.add("sync")
        if any(part in name.lower() for part in COMM_PARTS):
            kinds.add("comm")
        if kinds:
            events.append((start, end, kinds, (row["pid"], row["tid"])))
    return markers, events, copies


def union(intervals):
    merged = []
    for start, end in sorted(interval for interval in intervals if interval[1] > interval[0]):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(end, merged[-1][1])
        else:
            merged.append([start, end])
    return merged


def covered(intervals, low, high):
    clipped = [(max(start, low), min(end, high)) for start, end in intervals]
    return sum(end - start for start, end in union(clipped))


def find_steps(folder, kernels, markers):
    starts = [(start, step) for step, (start, _) in markers.items()]
    if not starts:
        preparing = {}
        path = os.path.join(folder, "step_trace_time.csv")
        if os.path.exists(path):
            with open(path, newline="") as file:
                preparing = {row["Step"]: to_ns(row.get("Preparing") or 0) for row in csv.DictReader(file)}
        first = {}
        for kernel in kernels:
            first.setdefault(kernel["step"], kernel["start"])
        starts = [(start - preparing.get(step, 0), step) for step, start in first.items()]
    starts.sort()
    last = max(kernel["end"] for kernel in kernels if kernel["start"] >= starts[-1][0])
    ends = [start for start, _ in starts[1:]] + [last]
    return [(step, start, end) for (start, step), end in zip(starts, ends)]


def find_gaps(kernels, start, end):
    """Returns (kind, start, end) of each gap of the window, and the busy time."""
    busy = union([(max(k["start"], start), min(k["end"], end)) for k in kernels
                  if k["start"] < end and k["end"] > start])
    if not busy:
        return [("prelaunch", start, end)], 0
    gaps = [("prelaunch", start, busy[0][0])]
    gaps += [("step_internal", one[1], other[0]) for one, other in zip(busy, busy[1:])]
    gaps.append(("tail", busy[-1][1], end))
    return [gap for gap in gaps if gap[2] > gap[1]], sum(b - a for a, b in busy)


def labels_of(gap, events):
    low, high = gap[1], gap[2]
    near = [event for event in events or [] if event[0] < high and event[1] > low]
    share = {kind: Fraction(covered([e[:2] for e in near if kind in e[2]], low, high), high - low)
             for kind in ("host", "sync", "comm")}
    labels = []
    if share["sync"] >= Fraction(1, 5):
        labels.append("possible_sync_or_h2d")
    if share["comm"] >= Fraction(1, 5):
        labels.append("possible_comm_wait")
    if share["host"] < Fraction(1, 20):
        labels.append("possible_untraced_host_blocking")
    if labels:
        return labels, share
    if share["host"] >= Fraction(1, 10):
        return ["possible_host_launch_lag"], share
    threads = {event[3] for event in near if "host" in event[2]}
    together = covered([e[:2] for e in near if "host" in e[2]], low, high)
    work = sum(covered([e[:2] for e in near if "host" in e[2] and e[3] == thread], low, high)
               for thread in threads)
    if together and Fraction(work, together) < Fraction(6, 5):
        return ["possible_python_serialization_or_lock"], share
    return ["insufficient_evidence"], share


def quantile(values, share):
    values = sorted(values)
    place = share * (len(values) - 1)
    low = place.__floor__()
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def tags_of(service, busy, gaps):
    heavy = max(Fraction(MS), Fraction(service, 10))
    longest = {kind: max([gap[2] - gap[1] for gap in gaps if gap[0] == kind], default=0)
               for kind in ("prelaunch", "tail", "step_internal")}
    tags = [tag for tag, kind in (("PRELAUNCH_GAP_HEAVY", "prelaunch"), ("TAIL_GAP_HEAVY", "tail"),
                                  ("INTERNAL_BUBBLE_HEAVY", "step_internal")) if longest[kind] >= heavy]
    if tags or (service - busy) * 10 >= service * 3:
        tags.insert(0, "DEVICE_IDLE_GAP_HEAVY")
    return tags


class Comparison:
    def __init__(self, muster, folder, name):
        self.name, self.values = name, 0
        result = subprocess.run([muster, "analyze", folder, "--rank", "0", "--format", "json"],
                                capture_output=True, text=True, check=True)
        self.rank = json.loads(result.stdout, parse_float=Fraction)["ranks"][0]

    def same(self, what, theirs, ours):
        self.values += 1
        if theirs != ours:
            sys.exit(f"{self.name}: {what} is {theirs}, computed again {ours}")

    def near(self, what, theirs, ours):
        self.values += 1
        if abs(theirs - ours) > Fraction(1, 10**6):
            sys.exit(f"{self.name}: {what} is {float(theirs)}, computed again {float(ours)}")

    def check_step(self, kernels, events, copies, window):
        step, start, end = window
        theirs = next(row for row in self.rank["steps"] if row["step_id"] == step)
        gaps, busy = find_gaps(kernels, start, end)
        service = end - start
        inner = [gap[2] - gap[1] for gap in gaps if gap[0] == "step_internal"]
        least = min(max(Fraction(service, 100), 10 * US), 100 * US)
        examined = [gap for gap in gaps if gap[2] - gap[1] >= least]
        inside = [k for k in kernels if start <= k["start"] < end]
        streams = sorted({int(k["stream"]) for k in inside if k["stream"].isdigit()})
        self.same(f"streams of step {step}", theirs["distinct_streams"], streams)
        ours = {
            "start_us": Fraction(start, US), "end_us": Fraction(end, US),
            "service_ms": Fraction(service, MS), "device_busy_union_ms": Fraction(busy, MS),
            "prelaunch_gap_ms": Fraction(sum(g[2] - g[1] for g in gaps if g[0] == "prelaunch"), MS),
            "tail_gap_ms": Fraction(sum(g[2] - g[1] for g in gaps if g[0] == "tail"), MS),
            "internal_bubble_total_ms": Fraction(sum(inner), MS),
            "largest_internal_bubble_ms": Fraction(max(inner, default=0), MS),
            "bubble_count": len(inner), "significant_bubble_count": len(examined),
            "significant_bubble_total_ms": Fraction(sum(g[2] - g[1] for g in examined), MS),
        }
        if copies is not None:
            work = [(kernel["start"], kernel["end"]) for kernel in kernels]
            alone = covered(work + copies, start, end) - covered(work, start, end)
            ours["device_copy_ms"] = Fraction(covered(copies, start, end), MS)
            ours["device_copy_alone_ms"] = Fraction(alone, MS)
        for key, value in ours.items():
            self.same(f"{key} of step {step}", theirs[key], value)
        heavy = [tag for tag in theirs["anomaly_tags"] if tag.endswith("_HEAVY")]
        self.same(f"tags of step {step}", heavy, tags_of(service, busy, gaps))
        for number, gap in enumerate(examined, 1):
            self.check_gap(f"b{step}_{number}", gap, events)
        ours["underfeed_ratio"] = Fraction(service - busy, service)
        return ours

    def check_gap(self, name, gap, events):
        theirs = next((row for row in self.rank["bubble_windows"] if row["bubble_id"] == name), None)
        if theirs is None:  # only the 200 longest gaps are printed
            self.same("the number of gaps when one is left out", len(self.rank["bubble_windows"]), 200)
            return
        self.same(f"{name} scope", theirs["scope"], gap[0])
        self.same(f"{name} start", theirs["start_us"], Fraction(gap[1], US))
        self.same(f"{name} end", theirs["end_us"], Fraction(gap[2], US))
        if "PARTIAL_CAPTURE_BOUNDARY" in theirs["tags"]:
            self.same(f"{name} labels", theirs["candidate_labels"], ["insufficient_evidence"])
            return
        labels, share = labels_of(gap, events)
        self.same(f"{name} labels", theirs["candidate_labels"], labels)
        for kind, key in (("host", "host_visible_coverage_ratio"), ("sync", "sync_marker_overlap_ratio"),
                          ("comm", "comm_marker_overlap_ratio")):
            if events is None:
                self.same(f"{name} {key}", theirs[key], None)
            else:
                self.near(f"{name} {key}", theirs[key], share[kind])

    def check_groups(self, kernels, windows, steps):
        """Steps with the same sequence of types form a group."""
        groups = {}
        for (step, start, end), values in zip(windows, steps):
            last = step == windows[-1][0]
            types = tuple(k["type"] for k in kernels if start <= k["start"] and (last or k["start"] < end))
            groups.setdefault(types, []).append((step, values))
        order = sorted(groups.values(), key=lambda rows: -sum(row[1]["service_ms"] for row in rows))
        self.same("the number of groups", len(self.rank["step_group_anomalies"]), len(order))
        for theirs, rows in zip(self.rank["step_group_anomalies"], order):
            self.same("steps of a group", theirs["step_ids"], [step for step, _ in rows])
            for metric in ("service_ms", "device_busy_union_ms", "underfeed_ratio", "prelaunch_gap_ms",
                           "tail_gap_ms", "internal_bubble_total_ms", "largest_internal_bubble_ms"):
                values = [row[1][metric] for row in rows]
                self.near(f"{metric}_avg", theirs[f"{metric}_avg"], sum(values) / len(values))
                for name, share in (("median", Fraction(1, 2)), ("p90", Fraction(9, 10)), ("p95", Fraction(19, 20))):
                    self.near(f"{metric}_{name}", theirs[f"{metric}_{name}"], quantile(values, share))
            recurring = 5 * sum(row[1]["bubble_count"] > 0 for row in rows) >= 3 * len(rows)
            self.same("recurring_bubble_pattern", theirs["recurring_bubble_pattern"], recurring)


def compare(muster, folder, output, name):
    comparison = Comparison(muster, folder, name)
    kernels = read_kernels(output)
    markers, events, copies = read_trace(output)
    windows = find_steps(output, kernels, markers)
    comparison.same("the number of steps", len(comparison.rank["steps"]), len(windows))
    steps = [comparison.check_step(kernels, events, copies, window) for window in windows]
    comparison.check_groups(kernels, windows, steps)
    print(f"{name}: {len(windows)} steps, {comparison.values} values agree")


def us(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


def generate(folder, seed, shift=0):
    """Writes a capture of 14 steps of two kinds with gaps of all lengths, rows shuffled.
    `shift` is added to all times."""
    rng = random.Random(seed)
    kinds = [[rng.choice(["MatMul", "Add", "Cast", "SwiGlu"]) for _ in range(40)] for _ in range(2)]
    at, kernels, events = 1_700_000_000_000_000_000 + shift + rng.randrange(10**6), [], []
    for step in range(14):
        begin = at
        for place, kind in enumerate(kinds[step % 3 == 0]):
            gap = rng.choice([0, 0, rng.randrange(5000), rng.randrange(50_000), rng.randrange(3_000_000)])
            if gap > 9000:  # work of the host in a part of the gap, on one or two threads
                for thread in range(rng.randrange(3)):
                    length = rng.randrange(1, gap)
                    name = rng.choice(["aten::add", "aten::copy_", "aten::topk", "c10d::wait", "HcclAllreduce"])
                    start = at + rng.randrange(gap - length)
                    events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": thread,
                                   "ts": us(start), "dur": us(length)})
            if rng.random() < 0.3:  # a copy that may begin in the gap and end in the kernel
                events.append({"ph": "X", "name": "MEMCPY_ASYNC", "pid": 3, "tid": 9,
                               "ts": us(at + rng.randrange(gap + 1)), "dur": us(rng.randrange(1, 300_000))})
            at += gap
            duration = rng.randrange(500, 400_000)
            kernels.append([step + 5, f"k{place}", kind, "AI_CORE", us(at) + "\t", us(duration), 0, place % 3])
            if rng.random() < 0.2:  # overlapped by the next kernel
                at += duration // 2
            else:
                at += duration
        at = max(at, max(int(Fraction(k[4].strip()) * 1000) + int(Fraction(k[5]) * 1000) for k in kernels[-40:]))
        events.append({"ph": "X", "cat": "cpu_op", "name": f"ProfilerStep#{step + 5}", "pid": 1, "tid": 0,
                       "ts": us(begin), "dur": us(at - begin)})
        at += rng.randrange(1000, 2_000_000)
    events.append({"ph": "M", "name": "process_name", "pid": 3, "tid": 0, "args": {"name": "Ascend Hardware"}})
    rng.shuffle(kernels)
    rng.shuffle(events)
    with open(os.path.join(folder, "kernel_details.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Step Id", "Name", "Type", "Accelerator Core", "Start Time(us)", "Duration(us)",
                         "Wait Time(us)", "Stream ID"])
        writer.writerows(kernels)
    with open(os.path.join(folder, "trace_view.json"), "w") as file:
        json.dump(events, file)


def change_columns(folder):
    """Reverses the columns, renames those that have another name in op_summary_*.csv, drops
    optional ones and adds unknown ones. The file is divided into two slices."""
    names = {"Name": "Op Name", "Type": "OP Type", "Accelerator Core": "Task Type",
             "Start Time(us)": "Task Start Time(us)", "Duration(us)": "Task Duration(us)"}
    path = os.path.join(folder, "kernel_details.csv")
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    os.remove(path)
    header = ["Unknown", *reversed(names)]
    for part in range(2):
        with open(os.path.join(folder, f"op_summary_slice_{part}_20250101000000.csv"), "w", newline="",
                  encoding="utf-8-sig") as file:
            writer = csv.writer(file, lineterminator="\r\n")
            writer.writerow([names.get(name, name) for name in header])
            writer.writerows([["x", *(row[name] for name in header[1:])] for row in rows[part::2]])


def without_times(rank, shift):
    """Returns what must not change: steps and gaps, with times before the shift."""
    steps = [{key: value - Fraction(shift, US) if key in ("start_us", "end_us", "marker_end_us") else value
              for key, value in step.items() if key not in ("stream_count", "distinct_streams", "kernel_wait_sum_ms",
                                                            "total_cost_ms", "anomaly_tags")} for step in rank["steps"]]
    gaps = [(gap["bubble_id"], gap["start_us"] - Fraction(shift, US), gap["duration_ms"], gap["candidate_labels"],
             gap["host_visible_coverage_ratio"]) for gap in rank["bubble_windows"]]
    return steps, gaps


def check_changes(muster):
    """Other clocks, columns and files of the same capture give the same result."""
    shift = -123_456_789_012_345
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        generate(one, 99)
        generate(other, 99, shift)
        change_columns(other)
        first, second = Comparison(muster, one, "one"), Comparison(muster, other, "other")
        if without_times(first.rank, 0) != without_times(second.rank, shift):
            sys.exit("shifted clocks and changed columns give another result")
        print(f"changed clocks, columns and slices: {len(first.rank['bubble_windows'])} gaps are the same")


def main():
    muster, samples = sys.argv[1:]
    for name in ("alexnet_ddp_level1_text", "qwen3_pp2dp2_level2_text"):
        folder = os.path.join(samples, name)
        rank = next(entry for entry in sorted(os.listdir(folder)) if entry.startswith("rank"))
        compare(muster, folder, os.path.join(folder, rank, "ASCEND_PROFILER_OUTPUT"), name)
    for seed in range(4):
        with tempfile.TemporaryDirectory() as folder:
            generate(folder, seed)
            compare(muster, folder, folder, f"generated {seed}")
    check_changes(muster)


main()

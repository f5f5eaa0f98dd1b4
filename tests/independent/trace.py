"""trace.py - checks block 0x02 and trace.json: the viewer's rules, and each event

The viewer does not parse the text; it searches keys and counts braces. Therefore the
text is checked first, then every event.
"""
import re

from container import need, parse

MIB = 1 << 20
PIPES = ["SCALAR", "VECTOR", "CUBE", "MTE1", "MTE2", "MTE3", "FIXP"]
COLOURS = {"SCALAR": "startup", "VECTOR": "rail_idle", "CUBE": "rail_response",
           "MTE1": "thread_state_iowait", "MTE2": "yellow", "MTE3": "rail_animation",
           "FIXP": "thread_state_unknown"}
NAMED = ["thread_state_runnable", "good", "thread_state_iowait", "thread_state_unknown",
         "heap_dump_child_node_arrow", "thread_state_running", "startup",
         "background_memory_dump", "rail_response", "thread_state_uninterruptible",
         "head_dump_object_type", "cq_build_attempt_passed"]
META = ("process_name", "thread_name", "process_labels", "process_sort_index",
        "thread_sort_index")
FLAGS = ("SET_FLAG", "WAIT_FLAG", "set_event", "wait_event")


def rules(text):
    """Checks the rules for all timelines. Returns the root and the events."""
    at = text.find('"traceEvents"')
    need(0 <= at < MIB, "traceEvents is not in the first MiB")
    head = text[:at]
    need("[" not in head and '"profilingType":"op"' in head, "the head: %s", head[:200])
    root = parse(text)
    events = root["traceEvents"]
    need(len(events) > 0, "no event")
    for event in events:
        keys = list(event)
        need("ph" in keys, "no phase: %s", event)
        for key in keys[keys.index("ph") + 1:]:
            need(not re.search("[{}]", str(event[key])), "a brace after ph: %s", event)
        phase = event["ph"]
        need(phase in "XBEstCM" and len(phase) == 1, "phase %s", phase)
        need("ts" not in event or event["ts"] >= 0, "negative time: %s", event)
        need(phase == "M" or "ts" in event, "no time: %s", event)
        if phase == "X":
            need(event["dur"] >= 0 and event["name"] and event["pid"] != "" and
                 event["tid"] != "", "bad bar: %s", event)
        if phase in "BE":
            need(event["name"] in FLAGS and "id" in event, "bad flag: %s", event)
        if phase in "st":
            need(all(k in event for k in ("id", "pid", "tid", "cat", "name")), "%s", event)
        if phase == "C":
            need(event["ts"] > 0 and event["args"] and "pid" in event, "bad counter sample: %s", event)
        if phase == "M":
            need(event["name"] in META and event["args"], "%s", event)
    for first, then in zip(events, events[1:]):
        if first["ph"] == "B":
            need(then["ph"] == "E" and (then["id"], then["name"]) == (first["id"],
                 first["name"]), "no E follows this B: %s", first)
    arrows = [event["id"] for event in events if event["ph"] in "st"]
    flags = {event["id"] for event in events if event["ph"] == "B"}
    need(all(arrows.count(one) == 2 and one in flags for one in set(arrows)), "an arrow without two ends or without bars")
    return root, events


def micros(value):
    return round(value, 3)


def instruction_events(s):
    """Returns the instructions; the same mark starts and ends one. A mark outside the map has
    no opcode."""
    found = []
    for (core, kind), entries in s.pipes.items():
        pid = "core%d.%s" % (core, ("cubecore", "veccore0", "veccore1")[kind])
        clock, since = 0, {}
        for cycles, control, value in entries:
            clock += cycles
            tid = PIPES[6 if control == 10 else control] if control < 11 else "SCALAR"
            if tid == "SCALAR" or value >> 9 & 3 != 3:
                continue
            if (tid, value) not in since:
                since[tid, value] = clock
            elif since[tid, value] < clock:
                start = since.pop((tid, value))
                pc, name = s.regions.get((tid, value), (None, "Instr%d" % value))
                found.append((pid, tid, name, COLOURS[tid] if pc is None else None,
                              micros(start / s.current),
                              micros(micros(clock / s.current) - micros(start / s.current)),
                              None if pc is None else "0x%08x" % (s.pc_start + pc)))
    return found


def check_instructions(s, bars):
    expected = sorted(instruction_events(s), key=lambda e: e[:3] + e[4:6])
    found = sorted(((e["pid"], e["tid"], e["name"], e["cname"], e["ts"], e["dur"],
                     e.get("args", {}).get("pc_addr")) for e in bars),
                   key=lambda e: e[:3] + e[4:6])
    need(len(found) == len(expected), "%d instructions, not %d", len(found), len(expected))
    colours = {}
    for bar, want in zip(found, expected):
        need(bar[:3] == want[:3] and abs(bar[4] - want[4]) < 0.0015 and
             abs(bar[5] - want[5]) < 0.0025 and bar[6] == want[6], "got %s, expected %s", bar,
             want)
        need(bar[3] == want[3] if want[3] else bar[3] in NAMED, "colour of %s", bar)
        need(colours.setdefault(bar[2], bar[3]) == bar[3] or not want[6],
             "two colours of %s", bar)


def pipe_events(s):
    """Returns [(pid, tid, name, colour, start, length)] for all channels."""
    found = []
    for (core, kind), entries in s.pipes.items():
        pid = "core%d.%s" % (core, ("cubecore", "veccore0", "veccore1")[kind])
        clock, since, regions = 0, {}, {}
        for cycles, control, value in entries:
            clock += cycles
            if control == 15:
                for i, name in enumerate(PIPES):
                    on = value >> i & 1
                    if on and name not in since:
                        since[name] = clock
                    elif not on and name in since:
                        found.append((pid, name, name, since.pop(name), clock))
                continue
            tid = PIPES[6 if control == 10 else control]
            found.append((pid, tid, "MarkStamp%d" % value, clock, clock + 1))
            if value >> 10 & 1:
                region = (tid, value & 0x3FF)
                if not value >> 11 & 1:
                    regions[region] = clock
                elif region in regions:
                    found.append((pid, tid, "Region%d" % region[1], regions.pop(region), clock))
    return [(pid, tid, name, COLOURS[tid], micros(a / s.current),
             micros(micros(b / s.current) - micros(a / s.current))) for pid, tid, name, a, b in
            found]


def warp_events(s, smallest):
    found = []
    for (core, kind), warps in s.warps.items():
        first = min(start for start, _ in warps)
        pid = "warp.core%d.%s" % (core, ("veccore0", "veccore1", "cubecore0")[kind])
        for i, (start, end) in enumerate(warps):
            a, b = (micros((cycle - first) / s.current) for cycle in (start, end))
            found.append((pid, "Warp %d" % i, "Warp_%d" % i, NAMED[i % 12],
                          micros(a + smallest), micros(b - a)))
    return found


def ticks(s, value, origin):
    return micros((value - origin) * 1000 / s.khz)


def block_events(s):
    """Returns the blocks, the user stamps inside of them, and the operator."""
    rows = s.rows()
    origin = min([row.start for row in rows] + [4000])
    found = [("AI CORE", "AI_CORE", "AI_CORE", NAMED[0], ticks(s, 4000, origin),
              ticks(s, s.duration_ticks, 0))]
    for row in rows:
        tid = "core%d.%score%d" % (row.block, "cube" if row.kind == "cube" else "vec", row.sub)
        found.append(("BLOCK", tid, row.kind + " time", NAMED[row.kind == "vector"],
                      ticks(s, row.start, origin), ticks(s, row.end - row.start, 0)))
        ids = sorted({number for _, number, _ in s.stamps})
        for block, number, (start, end) in s.stamps:
            if block == row.block and row.start <= start <= end <= row.end:
                found.append(("BLOCK", tid, str(number), NAMED[ids.index(number) % 12],
                              ticks(s, start, origin), ticks(s, end - start, 0)))
    return found


def check(figures, text):
    s = figures.s
    root, events = rules(text)
    need(root["displayTimeUnit"] == "ns" and root["schemaVersion"] in (1, 2), "the head")
    if s.regions:
        check_instructions(s, [e for e in events if e["ph"] == "X"])
        return
    if s.pipes or s.warps:
        expected = pipe_events(s)
        expected += warp_events(s, min((e[4] for e in expected), default=0))
    else:
        expected = block_events(s)
    bars = [(e["pid"], e["tid"], e["name"], e["cname"], e["ts"], e["dur"]) for e in events
            if e["ph"] == "X"]
    near = [b for b in sorted(bars)]
    need(len(near) == len(expected), "got %d bars, expected %d", len(near), len(expected))
    for bar, want in zip(near, sorted(expected)):
        need(bar[:4] == want[:4] and abs(bar[4] - want[4]) < 0.0015 and
             abs(bar[5] - want[5]) < 0.0025, "got %s, expected %s", bar, want)

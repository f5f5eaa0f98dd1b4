#!/usr/bin/env bash
# fused_timeline.sh - the timeline of a fused operator has each communication step with
# partner and bytes; the merged timeline has all ranks on one clock
. "$(dirname "$0")/fleet.sh"
cd "$work"
ranks=4 m=128 n=256
cat >fused.yaml <<YAML
version: 1
name: fused
operator: {command: [sim/bin/matmul_all_reduce, --m, "\${m}", --n, "$n", --k, "64"], ranks: $ranks}
sweep: {matrix: {m: [$m]}}
profile: {metrics: [Default], kernel: "MatmulAllReduce*"}
YAML
muster run --quiet --out "$work/out" fused.yaml >/dev/null 2>run.err || fail "run: exit $?: $(cat run.err)"
folder=out/fused-1/p0/r0
[ "$(find $folder -name trace.json | wc -l)" -eq "$ranks" ] || fail "not every rank has a timeline"

for bin in "$folder"/*/device*/*/0/visualize_data.bin; do
    muster inspect --check "$bin" >check.txt || fail "$bin: $(cat check.txt)"
    muster export --trace "$bin" | cmp - "$(dirname "$bin")/trace.json" || fail "$bin: its timeline differs from trace.json"
done

python3 - "$folder" "$ranks" $((m * n * 2 / ranks)) <<'PYTHON' || fail 'the timeline is wrong'
import collections, glob, json, sys

folder, ranks, piece = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def slices(path):
    document = json.load(open(path))
    return document, [e for e in document["traceEvents"] if e["ph"] == "X"]


all_slices = 0
seen = set()
for path in glob.glob(folder + "/*/device*/*/0/trace.json"):
    _, events = slices(path)
    all_slices += len(events)
    waits = [e for e in events if e["pid"] == "BLOCK" and e["name"] == "WAIT"]
    assert waits, "no time stamps of the kernel"
    for wait in waits:  # the kernel's source lines, the innermost first
        assert "sim/fused/shared/area.c:" in wait["args"]["code"].split("\n")[-1], wait
    steps = [e for e in events if e["pid"] == "HCCL TASK"]
    rank = int(steps[0]["args"]["src rank"])
    seen.add(rank)
    partners = collections.Counter()
    for step in steps:
        assert int(step["args"]["src rank"]) == rank
        if step["name"] in ("Reduce_Inline", "Memcpy"):
            assert int(step["args"]["size(Byte)"]) == piece, step
            partners[step["name"], int(step["args"]["dst rank"])] += 1
    others = [r for r in range(ranks) if r != rank]
    # all-reduce: each rank reduces its piece from all others, then copies it to all others
    assert partners == {(name, r): 1 for name in ("Reduce_Inline", "Memcpy") for r in others}, partners
    # the tasks that the AI CPU queued and those that the scheduler ran have the same times
    queued = {(e["args"]["stream id"], e["args"]["task id"]): (e["ts"], e["dur"]) for e in steps}
    ran = {(e["args"]["stream id"], e["args"]["task id"]): (e["ts"], e["dur"]) for e in events if e["pid"] == "HCCL"}
    assert queued == {key: ran[key] for key in queued}
    server = [e for e in events if e["tid"] == "AI_CPU"]
    cores = [e for e in events if e["pid"] == "BLOCK" and e["name"] in ("cube time", "vector time")]
    assert len(server) == 1 and cores, (server, len(cores))
    # the cores wait for the communication
    last = max(e["ts"] + e["dur"] for e in steps)
    assert max(e["ts"] + e["dur"] for e in cores) >= last - 0.5, (last, cores[-1])
    # the wait of each cube block covers the communication
    waits = [e for e in events if e["pid"] == "BLOCK" and e["name"] == "WAIT"]
    cubes = {e["tid"] for e in cores if e["name"] == "cube time"}
    for tid in cubes:
        ends = [e["ts"] + e["dur"] for e in waits if e["tid"] == tid]
        assert ends and max(ends) >= last - 0.5, (tid, ends, last)
    spent = last - min(e["ts"] for e in steps)
    assert max(e["dur"] for e in waits) >= spent - 0.5, (spent, waits)
assert seen == set(range(ranks)), seen

merged = glob.glob(folder + "/merged/*/0.json")
assert len(merged) == 1
document, events = slices(merged[0])
assert document["muster"]["ranks"] == f"{ranks} of {ranks}" and document["muster"]["simulated"] is True
assert len(events) == all_slices
assert {e["pid"].split()[1] for e in events} == {str(r) for r in range(ranks)}
# host and card are in the name of each track
cards = {e["pid"].split()[1]: e["pid"].split()[2] for e in events}
assert len(set(cards.values())) == ranks and len({c.rsplit(":", 1)[0] for c in cards.values()}) == 1, cards
assert document["muster"]["releaseSkewUs"] >= 0 and not glob.glob(folder + "/aligned"), document["muster"]
assert min(e["ts"] for e in events) >= 0
steps = [e for e in events if e["pid"].endswith(" HCCL TASK")]
assert all(isinstance(e["args"][key], int) for e in steps for key in ("src rank", "dst rank", "size(Byte)", "task id"))
# an arrow from each record to the wait of the other rank, within both slices
starts = {e["id"]: e for e in document["traceEvents"] if e["ph"] == "s"}
ends = {e["id"]: e for e in document["traceEvents"] if e["ph"] == "f"}
records = [e for e in steps if e["name"] == "Notify_Record"]
assert starts.keys() == ends.keys() and len(starts) == len(records) >= ranks * (ranks - 1), (len(starts), len(records))


def slice_at(arrow, name):
    found = [e for e in steps if (e["pid"], e["tid"], e["name"]) == (arrow["pid"], arrow["tid"], name)
             and e["ts"] <= arrow["ts"] <= e["ts"] + e["dur"]]
    assert len(found) == 1, (arrow, found)
    return found[0]["args"]


for number, start in starts.items():
    record, wait = slice_at(start, "Notify_Record"), slice_at(ends[number], "Notify_Wait")
    assert (record["src rank"], record["dst rank"]) == (wait["dst rank"], wait["src rank"]), (record, wait)
PYTHON

env -u MUSTER_COORDINATOR muster results --out out --output csv fused >rows.csv
[ "$(grep -c 'replays_in_step' rows.csv)" -eq "$ranks" ] || fail 'the figure replays_in_step is missing for a rank'

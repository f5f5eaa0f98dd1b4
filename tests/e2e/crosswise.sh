#!/usr/bin/env bash
# crosswise.sh - ranks that use two communicators in different orders wait for each other:
# the launches of that group lose their figures, all others keep them
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
export NPU_SIM_CARDS=4
cat >ring.yaml <<YAML
version: 1
name: ring
operator: {command: [$B/lib/muster/sim/bin/two_groups, --launches, '3', --order, ring], ranks: 4}
profile: {metrics: [PipeUtilization], launch: {count: 6}, barrier: {deadline: 10s}}
limits: {time: 60s}
YAML
code=0
muster run --quiet --out out ring.yaml >/dev/null 2>stderr || code=$?
[ $code -eq 1 ] || fail "exit $code: $(cat stderr)"
grep -q 'incomplete: before the launch: group hccl_world_group_sub_[0-9]*: rank [0-9] waits in another group' stderr ||
    fail "no group is named: $(cat stderr)"
muster capture cat out/store/captures/1.db >records.jsonl
muster results --out out --output csv ring >figures.csv
python3 - <<'PYTHON' || fail 'the figures differ from the launches that were replayed'
import csv, json

groups, launches, ends, orders = {}, {}, {}, {}
for line in open("records.jsonl"):
    record = json.loads(line)
    rank, type = record["shard"] >> 16, record["type"]
    if type == "launch.group":
        groups[rank, record["launch"]] = record["key"], record["operation"]
    elif type == "launch":
        launches[rank, record["launch"]] = record["order"]
    elif type == "launch.end":
        ends[rank, record["launch"]] = record
assert len(ends) == 24 == len(groups), (len(ends), len(groups))
bad = {launch for launch, end in ends.items() if not end["complete"]}
good = set(ends) - bad
# both ranks of an operation lost it, or none
lost = {groups[launch] for launch in bad}
assert bad == {launch for launch in ends if groups[launch] in lost}, bad
assert bad and len(good) >= 12, (bad, good)
for launch in bad:
    assert ends[launch]["reason"].startswith("before the launch: group hccl_world_group_sub_"), ends[launch]
figures = {(int(row["rank"]), int(row["launch"])) for row in csv.DictReader(open("figures.csv")) if row["metric"] == "duration_us"}
assert figures == {(rank, launches[rank, launch]) for rank, launch in good}, (figures, good)
report = json.load(open("out/ring-1/report.json"))
assert report["complete"] is False and report["job"]["state"] == "failed", report["job"]
assert sum(series["count"] for series in report["durations"]) == len(good)
PYTHON
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"

#!/usr/bin/env bash
# fused_examples.sh - the example jobs of fused operators measure all of their points on all ranks
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR NPU_SIM_FLEET
# measure NAME POINTS LAUNCHES: LAUNCHES of all ranks and points have a duration, and all answers are right
measure() {
    muster run --quiet --out "$work/$1" "$root/configs/examples/$1.yaml" >/dev/null 2>run.err || fail "$1: exit $?: $(cat run.err)"
    muster list --out "$work/$1" --output json >list.json || fail "$1: list: exit $?"
    muster results --out "$work/$1" --metric duration_us --output json "$1" >results.json || fail "$1: results: exit $?"
    python3 - "$2" "$3" <<'PYTHON' || fail "$1: $(cat list.json)"
import json
import sys

points, launches = map(int, sys.argv[1:])
rows = json.load(open("results.json"))["rows"]
assert len({row["point"] for row in rows}) == points, len({row["point"] for row in rows})
assert len(rows) == launches and all(row["value"] > 0 for row in rows), len(rows)
PYTHON
}
measure tensor-parallel-sweep 12 36
measure quantisation 6 24
# 8-bit factors take less time than 16-bit factors at the larger size, and the answers of the programs are equal
python3 - <<'PYTHON' || fail 'quantisation: wrong order of durations'
import json

times = {}
for row in json.load(open("results.json"))["rows"]:
    times.setdefault(row["point"], []).append(row["value"])
none, weight, full = (sum(times[point]) / 4 for point in (3, 4, 5))
assert full < none and weight < none, (none, weight, full)
PYTHON
# both operators of each point on all ranks; those of attention and FFN ranks on two ranks each
measure sharded-experts 4 64
measure attention-ffn 4 16
measure quantised-reduction 6 28
# a sum over more ranks takes longer, and a part of its rows takes less time than all of them
python3 - <<'PYTHON' || fail 'quantised-reduction: wrong order of durations'
import json

times = {}
for row in json.load(open("results.json"))["rows"]:
    times.setdefault(row["point"], []).append(row["value"])
whole, part = ([sum(times[p]) / len(times[p]) for p in points] for points in ((0, 1, 2), (3, 4, 5)))
assert whole == sorted(whole) and all(a > b for a, b in zip(whole, part)), (whole, part)
PYTHON

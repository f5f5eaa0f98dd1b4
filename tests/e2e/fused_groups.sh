#!/usr/bin/env bash
# fused_groups.sh - results state how the ranks of an operator were found and what was restored: an operator with an
# AI CPU task, one with a name that muster never saw, a collective, and a kernel of one card
. "$(dirname "$0")/fleet.sh"
cd "$work"
cat >fleet.yaml <<'YAML'
version: 1
hosts: [{name: one, cards: 2, soc: Ascend910B2}]
YAML
unset MUSTER_COORDINATOR
export NPU_SIM_NOISE=0 NPU_SIM_FLEET=$work/fleet.yaml

# measure NAME COMMAND...: runs the command on two ranks, with all launches measured
measure() {
    local name=$1
    shift
    cat >"$name.yaml" <<YAML
version: 1
name: $name
operator: {command: [$1], ranks: 2}
profile: {metrics: [Default], kernel: "*", launch: {count: all}, barrier: {deadline: 20s}, warmup: 3}
YAML
    muster run --quiet --out "$work/$name" "$name.yaml" >/dev/null 2>run.err || fail "$name: exit $?: $(cat run.err)"
    muster show --out "$work/$name" --launches --output json "$name-1" >"$name.json" || fail "$name: show: exit $?"
}
measure served 'sim/bin/matmul_all_reduce'
measure own 'sim/bin/neighbour_sum, --launches, "3"'
measure collective 'sim/bin/collectives, --op, all_reduce'
# an operator that only some ranks run waits for none of them, and the reason names the mode that measures it
cat >fleet.yaml <<'YAML'
version: 1
hosts: [{name: one, cards: 2, soc: Ascend910_9391}]
YAML
cat >sided.yaml <<YAML
version: 1
name: sided
operator: {command: [python3, $root/tests/independent/fused.py, --chip, Ascend910_9391, --case, AttentionToFFN, --ranks, "2"], threads: 2}
profile: {metrics: [Default], kernel: "*", launch: {count: all}, barrier: {deadline: 600s}}
YAML
status=0
PYTHONDONTWRITEBYTECODE=1 muster run --quiet --out "$work/sided" sided.yaml >/dev/null 2>run.err || status=$?
[ $status = 1 ] || fail "sided: exit $status: $(cat run.err)"
grep -q "only some ranks of the communicator run this operator; measure it with 'replay: application'" run.err || fail "sided: $(cat run.err)"
python3 - <<'PYTHON' || fail "wrong rows"
import glob
import json

for name, kernel, found, launches in (("served", "MatmulAllReduce_0", "AI CPU task", 1),
                                      ("own", "neighbour_sum", "windows", 3), ("collective", "HcclAllReduce", "call", 1)):
    rows = [row for row in json.load(open(name + ".json"))["rows"] if row["kernel"] == kernel]
    assert sorted(row["rank"] for row in rows) == [0] * launches + [1] * launches, (name, rows)
    assert all(row["group_found"] == found and row["restored"] == "all" for row in rows), (name, rows)
    report = json.load(open(glob.glob(name + "/**/report.json", recursive=True)[0]))
    kernels = [row for row in report["kernels"] if row["kernel"] == kernel]
    assert kernels == [{"kernel": kernel, "group_found": found, "restored": "all", "launches": 2 * launches}], report["kernels"]
    page = open(glob.glob(name + "/**/report.html", recursive=True)[0]).read()
    assert "group found by" in page and found in page, name
PYTHON
# the program compared its answer after all replays: x = x + the x of the other rank, three times
sqlite3 -batch -noheader own/store/muster.db "select l.rank, l.launch, f.value from figures f
    join metric_names m using(metric_id) join launches l using(launch_id) where m.name = 'replays_in_step'" >steps.txt
awk -F'|' '$3 < 10 {bad = 1} END {exit bad || NR != 6}' steps.txt || fail "not in step: $(cat steps.txt)"

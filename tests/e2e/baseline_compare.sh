#!/usr/bin/env bash
# baseline_compare.sh - muster compare with a baseline: its nights give the values and the
# noise, splits and quarantines count, an old baseline is stale
. "$(dirname "$0")/fleet.sh"
ops=$B/lib/muster/sim/bin
cd "$work"

night() { # SEED GROWTH: a night of two points with three repeats; GROWTH elements more
    cat <<YAML
version: 1
name: night
operator: {command: [/bin/sh, -c, "exec $ops/add_custom --n \$((\${n} + $2))"], env: {NPU_SIM_SEED: "\${seed}"}}
sweep: {zip: [{point: [a, b], n: [524288, 1048576]}], repeat: 3}
profile: {metrics: [Default], warmup: 1}
compare: {against: nightly, tolerance: 3%}
YAML
}
compare() { # CODE ARGUMENTS...: the output is in `compared`
    local code=0
    muster compare "${@:2}" >compared 2>compared.err || code=$?
    [ "$code" -eq "$1" ] || fail "muster compare ${*:2} ended with $code, not $1: $(cat compared compared.err)"
}
run_night() { # SEED GROWTH
    night "$@" | sed "s/\"\${seed}\"/\"$1\"/" >night.yaml
    until_true muster submit night.yaml >key 2>/dev/null
    muster wait "$(cat key)" --timeout 60s >/dev/null 2>&1 || fail "night $1"
}

fleet_up
for seed in 11 12 13 14 15 16; do run_night $seed 0; done
run_night 17 0
run_night 18 200000
muster baseline set nightly 1 2 3 4 5 6 --keep 5 >/dev/null

say 'the newest nights that passed give the values of the base and the noise'
compare 0 7
grep -q '^night-7 against baseline nightly: 2 same (metric duration_us, tolerance 3 %)$' compared || fail "$(cat compared)"
compare 0 nightly 7 -o json
python3 - "$work/out/store/muster.db" <<'PY' || fail "wrong figures: $(cat compared)"
import itertools, json, math, sqlite3, statistics, sys
db = sqlite3.connect(sys.argv[1])
def durations(job, point):
    return [value for value, in db.execute(
        "select value from v_results where job_id = ? and metric = 'duration_us'"
        " and point_text like ?", (job, f"%point={point}%"))]
rows = json.load(open("compared"))["rows"]
assert len(rows) == 2
noises = []
for row in rows:
    point = row["point"].split("point=")[1]
    nights = [durations(job, point) for job in (2, 3, 4, 5, 6)]
    base = [value for night in nights for value in night]
    assert row["n_base"] == 15 and row["n_new"] == 3 and row["nights"] == 5, row
    assert row["base"] == statistics.median(base), (row, base)
    logs = [math.log(statistics.median(night)) for night in nights]
    s = 1.0484 * statistics.median(abs(a - b) for a, b in itertools.combinations(logs, 2))
    noises.append(s)
    # t(0.99, 4) = 3.74695; a new night against five
    expected = 100 * math.expm1(3.74695 * s * math.sqrt(1 + 1 / 5))
    assert abs(row["night_noise_percent"] - expected) < 0.002, (row, expected)
    assert row["quarantine"] is None
assert max(noises) > 0, "nights with different seeds are equal"
PY
compare 4 nightly 8
grep -q '^night-8 against baseline nightly: 2 regressed' compared || fail "$(cat compared)"
compare 2 nightly 8 --nights 7
grep -q -- '--nights is for a job as the base; baseline nightly uses' compared.err || fail "$(cat compared.err)"
compare 2 weekly 8
grep -q "no baseline and no job 'weekly'" compared.err || fail "$(cat compared.err)"

say 'a job is compared with older nights only'
compare 0 nightly 6 -o csv
cut -d, -f15 compared | tail -n +2 | grep -vqx 15 && fail "not the five nights before job 6: $(cat compared)"
compare 5 nightly 1
grep -q '^no night of baseline nightly that passed is older than night-1$' compared || fail "$(cat compared)"

say 'points in quarantine are shown and not counted'
muster baseline quarantine nightly '*point=a' --reason noisy >/dev/null
compare 4 nightly 8
grep -q ': 1 regressed, 1 in quarantine (' compared || fail "$(cat compared)"
muster baseline quarantine nightly 'n=1048576 point=b' --reason 'noisy too' >/dev/null
compare 5 nightly 8 -o csv
[ "$(grep -c '^regressed,.*,noisy' compared)" -eq 2 ] || fail "the cells in quarantine are not shown: $(cat compared)"
compare 5 nightly 8 --by fleet
muster baseline quarantine nightly 'n=1048576 point=b' --reason over --until 0 >/dev/null
muster baseline quarantine nightly '*point=a' --reason over --until 0 >/dev/null

say 'a split begins a new level for its points'
run_night 19 200000
compare 4 nightly 9
muster baseline split nightly --at 8 --points '*point=a' --reason 'larger tiles' >/dev/null
compare 4 nightly 9 -o json
python3 - <<'PY' || fail "wrong verdicts: $(cat compared)"
import json
rows = {row["point"][-1]: row for row in json.load(open("compared"))["rows"]}
assert rows["a"]["n_base"] == 3 and abs(rows["a"]["change_percent"]) < 1.5, rows["a"]
assert rows["a"]["verdict"] in ("same", "inconclusive"), rows["a"]
assert rows["b"]["n_base"] == 15 and rows["b"]["verdict"] == "regressed", rows["b"]
PY
compare 4 nightly 8 # the verdict on the job of the split stays
grep -q ': 2 regressed' compared || fail "$(cat compared)"

say 'a baseline without a new night for 30 days is stale'
db "update jobs set ended_wall_ms = ended_wall_ms - 31 * 86400000 where job_id <= 6"
compare 5 nightly 7
grep -q '^baseline nightly is stale: no night had passed for 30 days before night-7$' compared || fail "$(cat compared)"
muster baseline set nightly 1 2 3 4 5 6 --frozen >/dev/null
compare 0 nightly 7

say 'the store gives the same rows as the coordinator'
compare 4 nightly 9 -o csv
mv compared online
MUSTER_COORDINATOR='' compare 4 nightly 9 -o csv
cmp online compared || fail 'the rows differ'

say 'without a coordinator the gate adds its night to the rolling baseline of the store'
muster baseline drop nightly >/dev/null
db "update jobs set ended_wall_ms = ended_wall_ms + 31 * 86400000 where job_id <= 6"
down
unset MUSTER_COORDINATOR
muster baseline set nightly 1 2 3 4 5 6 --keep 5 --out out >/dev/null
gate() { # CODE JOB [OPTION...]
    local code=0
    muster gate --quiet --out out "${@:2}" >gated 2>gated.err || code=$?
    [ "$code" -eq "$1" ] || fail "the gate of $2 ended with $code, not $1: $(cat gated gated.err)"
}
passed() { muster baseline show nightly --part nights --out out -o csv | cut -d, -f1-3; }
gate 0 7 --dry-run
[ "$(db "select count(*) from baseline_jobs where job_id = 7")" -eq 0 ] || fail 'a dry run added a night'
gate 0 7
gate 4 8 --no-confirm
[ "$(db "select group_concat(job_id || ':' || passed) from (select * from baseline_jobs where job_id > 5 order by job_id)")" = 6:1,7:1,8:0 ] || fail "$(passed)"
[ "$(db "select group_concat(kind || ':' || job_id) from (select * from events where job_id in (7, 8) and kind in ('gate.verdict', 'baseline.night') order by seq)")" = gate.verdict:7,baseline.night:7,gate.verdict:8,baseline.night:8 ] ||
    fail "$(db "select kind, job_id from events where job_id in (7, 8)")"
[ -z "$(cat gated.err)" ] || fail "$(cat gated.err)"
muster baseline quarantine nightly '*point=a' --reason noisy --out out >/dev/null
gate 5 7
[ "$(sed -n 1p gated)" = 'undecided: 1 of 2 cells are in quarantine' ] || fail "$(cat gated)"
python3 - <<'PY' || fail "$(cat gate/junit.xml)"
import xml.etree.ElementTree as tree
cases = {case.get("name"): [(child.tag, child.get("message")) for child in case if child.tag != "properties"]
         for case in tree.parse("gate/junit.xml").iter("testcase") if not case.get("name").startswith("host ")}
problem = "undecided: 1 of 2 cells are in quarantine"
assert cases == {"fleet": [], "tasks": [], "baseline": [("error", problem)], "n=1048576 point=b": [],
                 "n=524288 point=a": [("skipped", "quarantined: noisy")]}, cases
PY
grep -q '"quarantined"' gate/gate.html || fail 'gate.html does not show the point in quarantine'
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"

#!/usr/bin/env bash
# compare.sh - muster compare: the verdicts for equal, slower, failed, added and gone
# points, their exit codes, and the same answer from a coordinator and from a store
. "$(dirname "$0")/fleet.sh"
ops=$B/lib/muster/sim/bin
cd "$work"

job() { # NAME COMMAND...: a job of three points with five repeats
    cat <<YAML
version: 1
name: $1
operator: {command: [${*:2}]}
sweep: {zip: [{point: [a, b, c], n: [65536, 131072, 262144]}], repeat: 5}
profile: {metrics: [Default], warmup: 1}
compare: {against: base, tolerance: 1.5%}
YAML
}
# The size is not a value of the sweep, so the points stay the same.
# shellcheck disable=SC2016
sized='/bin/sh, -c, "exec OPS/add_custom --n $((${n} + GROWTH))"'
sized=${sized//OPS/$ops}
job base "${sized//GROWTH/0}" >base.yaml
job equal "${sized//GROWTH/0}" >equal.yaml
job slow "${sized//GROWTH/60000}" >slow.yaml
job broken "/bin/sh, -c, \"[ \${point} != b ] || exit 3; exec $ops/add_custom --n \${n}\"" >broken.yaml
sed 's/^name: equal/name: other/; s/a, b, c/a, b, d/' equal.yaml >other.yaml

compare() { # CODE ARGUMENTS...: the output is in `compared`
    local code=0
    muster compare "${@:2}" >compared 2>compared.err || code=$?
    [ "$code" -eq "$1" ] || fail "muster compare ${*:2} ended with $code, not $1: $(cat compared compared.err)"
}

# The card is disturbed in the first two runs of each point of job `hot`: by a low clock
# at point a, by two memory errors in each run at b, by another process at c.
job hot "/bin/sh, -c, \"echo >>$work/runs.\${point}; [ \$(wc -l <$work/runs.\${point}) -gt 2 ] || export HOT=\${point}; exec $ops/add_custom --n \${n}\"" >hot.yaml
cat >fleet.yaml <<'YAML'
version: 1
hosts: [{name: here, cards: 1}]
faults:
- {fault: throttle, card: 0, mhz: 1400, when: {HOT: a}}
- {fault: ecc_error, card: 0, bits: unread, launch: 2, times: 2, when: {HOT: b}}
- {fault: other_process, card: 0, when: {HOT: c}}
YAML
export NPU_SIM_FLEET=$work/fleet.yaml
coordinator_up
worker_up 0
until_true muster submit base.yaml >/dev/null 2>&1
for name in equal slow broken other; do muster submit $name.yaml >/dev/null 2>&1; done
for number in 1 2 3 5; do muster wait $number --timeout 120s >/dev/null; done
muster wait 4 --timeout 120s >/dev/null 2>&1 && fail 'the job whose point b fails ended well'

say 'an equal job is the same, without a BASE that is the job of compare.against'
compare 0 equal
grep -q '^equal-2 against base-1: 3 same (metric duration_us, tolerance 1.5 %)$' compared || fail "$(cat compared)"
grep -qx 'the figures are simulated' compared || fail "no mark: $(cat compared)"

say 'the page has the cells and groups of the other formats'
compare 0 equal --to page
compare 0 equal -o json
mv compared cells.json
for level in point fleet; do
    compare 0 equal --by $level -o json
    mv compared $level.json
done
for level in cells point fleet; do
    python3 -c 'import json, sys; assert all(row["simulated"] for row in json.load(open(sys.argv[1]))["rows"])' $level.json ||
        fail "$level: a simulated figure has no mark: $(cat $level.json)"
done
"$root/tests/e2e/compare_page.py" page/compare.html cells.json point.json fleet.json ||
    fail 'compare.html differs from the JSON format'
compare 0 equal -o csv --to page
[ "$(head -c 8 compared)" = verdict, ] || fail "--to changes the output: $(head -n 2 compared)"

say 'a slower job regressed, by what its durations say'
compare 4 base slow -o json
python3 - "$work/out/store/muster.db" <<'PY' || fail "wrong figures: $(cat compared)"
import json, math, sqlite3, statistics, sys
db = sqlite3.connect(sys.argv[1])
def durations(job, point):
    rows = db.execute("select value from v_results where job_id = ? and metric = 'duration_us'"
                      " and point_text like ?", (job, f"%point={point}%")).fetchall()
    return [row[0] for row in rows]
rows = json.load(open("compared"))["rows"]
assert [row["verdict"] for row in rows] == ["regressed"] * 3, rows
changes = [row["change_percent"] for row in rows]
assert changes == sorted(changes, reverse=True), changes
for row in rows:
    point = row["point"].split("point=")[1]
    base, new = durations(1, point), durations(3, point)
    assert len(base) == row["n_base"] == 5 and len(new) == row["n_new"] == 5
    assert row["base"] == statistics.median(base) and row["new"] == statistics.median(new)
    shift = statistics.median(math.log(b / a) for a in base for b in new)
    assert abs(row["change_percent"] - 100 * math.expm1(shift)) < 0.0006, row
    assert abs(row["p"] - 1 / 252) < 1e-9, row
    assert row["low_percent"] <= row["change_percent"] <= row["high_percent"]
PY
compare 0 slow base --tolerance 1000%
compare 0 slow base --only improved
[ "$(grep -c '^improved ' compared)" -eq 3 ] || fail "the way back is no improvement: $(cat compared)"

say 'a point that failed is not measured'
compare 5 base broken -o csv
[ "$(grep -c '^not-measured,n=131072 point=b,' compared)" -eq 1 ] || fail "$(cat compared)"
grep -q '^not-measured,.*,5,0,5,' compared || fail "not 5 of 5 repeats are missing: $(cat compared)"
compare 5 base broken
grep -q '^5 repeats of broken-4 have no result' compared || fail "$(cat compared)"

say 'points that only one job has are gone or added'
compare 0 base other
grep -q ': 2 same, 1 gone, 1 added ' compared || fail "$(cat compared)"
compare 5 base other --points '*point=[cd]*'
compare 5 base equal --points nowhere
grep -q 'no figure matches' compared || fail "$(cat compared)"

say 'earlier jobs of the base show the noise between nights'
compare 4 base slow
grep -q '^fewer than 5 jobs up to base-1 show how much nights differ' compared || fail "$(cat compared)"
for night in 6 7 8 9; do
    muster submit base.yaml >/dev/null 2>&1
    muster wait $night --timeout 120s >/dev/null 2>&1
done
compare 4 9 slow -o json
python3 - "$work/out/store/muster.db" <<'PY' || fail "wrong noise: $(cat compared)"
import itertools, json, math, sqlite3, statistics, sys
db = sqlite3.connect(sys.argv[1])
for row in json.load(open("compared"))["rows"]:
    point = row["point"].split("point=")[1]
    logs = []
    for job in 1, 6, 7, 8, 9:
        values = [value for value, in db.execute(
            "select value from v_results where job_id = ? and metric = 'duration_us'"
            " and point_text like ?", (job, f"%point={point}%"))]
        logs.append(math.log(statistics.median(values)))
    pairs = [abs(a - b) for a, b in itertools.combinations(logs, 2)]
    s = 1.0484 * statistics.median(pairs)
    # t(0.99, 4) = 3.74695; a new night against one night
    expected = 100 * math.expm1(3.74695 * s * math.sqrt(2))
    assert row["nights"] == 5 and abs(row["night_noise_percent"] - expected) < 0.002, (row, expected)
PY
compare 4 9 slow --nights 4
grep -q '^fewer than 5 jobs' compared || fail "--nights has no effect: $(cat compared)"

say 'the store gives the same rows as the coordinator'
compare 4 1 slow -o csv
mv compared online
MUSTER_COORDINATOR='' compare 4 1 slow -o csv --out out
cmp online compared || fail 'the rows differ'

say 'the changes of all points are judged together'
compare 4 1 slow --by fleet -o json
python3 - <<'PY' || fail "wrong groups: $(cat compared)"
import json
document = json.load(open("compared"))
assert document["schema"] == "muster.compare-fleet.v1", document
row, = document["rows"]
assert (row["verdict"], row["reason"], row["low_percent"]) == ("regressed", None, None), row
assert row["cells"] == 3 and row["missing"] == 0 and abs(row["p"] - 1 / 252) < 1e-9, row
PY
compare 4 1 slow
grep -qE '^by fleet: 1 regressed: all cells \(\+[0-9.]+ %\)$' compared || fail "$(cat compared)"
compare 4 1 slow --by point
[ "$(grep -c '^regressed ' compared)" -eq 3 ] || fail "a point of one cell has not its verdict: $(cat compared)"
compare 5 1 slow --by card
grep -q '^verdict' compared && fail "a table without rows: $(cat compared)"
grep -q 'no cell has a card, because the jobs do not list cards.ids' compared || fail "$(cat compared)"

say 'the repeats of a disturbed card are left out, and the reason names card and disturbance'
hot=$(muster submit hot.yaml)
muster wait "$hot" --timeout 120s >/dev/null
compare 0 1 "$hot" -o json
python3 - "$work/out/store/muster.db" "${hot#hot-}" <<'PY' || fail "wrong rows: $(cat compared)"
import json, sqlite3, statistics, sys
hot = int(sys.argv[2])
rows = json.load(open("compared"))["rows"]
def values(metric, job, more=""):
    return [value for value, in sqlite3.connect(sys.argv[1]).execute(
        f"select value from v_results r where metric = ? and job_id = ? {more}", (metric, job))]
for metric, point, expected in (("throttled_mhz", "a", 400), ("new_memory_errors", "b", 2), ("other_processes", "c", 1)):
    assert values(metric, hot) == values(metric, hot, f"and point_text like '%point={point}%'") == [expected] * 2, values(metric, hot)
    assert values(metric, 1) == []
assert sorted(values("disturbed", hot)) == [1, 1, 2, 2, 8, 8], values("disturbed", hot)
assert len(rows) == 3, rows
card = rows[0]["reason"].split(" card ")[1].split()[0].rstrip(";")
for row in rows:
    letter = row["point"].split("point=")[1][0]
    point = f"and point_text like '%point={letter}%'"
    cool = values("duration_us", hot, point + " and run_id not in"
                  " (select run_id from v_results where metric = 'disturbed')")
    assert (row["n_base"], row["n_new"], len(cool)) == (5, 3, 3), (row, cool)
    assert row["new"] == statistics.median(cool), row
    assert letter != "a" or row["new"] < statistics.mean(values("duration_us", hot, point)), row
    assert row["verdict"] == "same", row
    assert row["reason"] == "not measured: " + {
        "a": f"card {card} was throttled in 2 of 5 repeats",
        "b": f"card {card} had 4 new memory errors in 2 of 5 repeats",
        "c": f"another process used card {card} in 2 of 5 repeats"}[letter], row
PY

say 'junit.xml names the disturbed card as compare does'
muster gate --quiet --against 1 --to hot "$hot" >gated 2>gated.err || fail "$(cat gated gated.err)"
python3 - <<'PY' || fail "$(cat hot/junit.xml)"
import json
import xml.etree.ElementTree as tree
suite, = [s for s in tree.parse("hot/junit.xml").getroot() if s.get("name") == "add_custom"]
reasons = {case.get("name"): [p.get("value") for p in case.find("properties") if p.get("name") == "reason"] for case in suite}
wanted = {row["point"]: [row["reason"]] for row in json.load(open("compared"))["rows"]}
assert len(wanted) == 3 and reasons == wanted and all(" card " in r[0] for r in wanted.values()), (reasons, wanted)
PY

say 'wrong arguments are named'
compare 2 1 equal --by rank
grep -q -- "--by: expected cell, point, card, host or fleet, found 'rank'" compared.err || fail "$(cat compared.err)"
compare 2 1
grep -q "no job 'base' before it is done" compared.err || fail "$(cat compared.err)"
compare 2 1 1
grep -q 'cannot be compared with itself' compared.err || fail "$(cat compared.err)"
compare 2 1 nothing
compare 2 1 equal --tolerance many
grep -q -- "--tolerance: expected a share from 0% to 1000%, such as 2%, found 'many'" compared.err || fail "$(cat compared.err)"
compare 2 1 equal --nights 401
grep -q -- '--nights: at most 400, found 401' compared.err || fail "$(cat compared.err)"
compare 2 1 equal --only regressed,worse
grep -q "'worse' is not a verdict" compared.err || fail "$(cat compared.err)"

say 'a metric that neither job has is refused, with those that they have'
compare 2 1 equal --metric 'duration_us|durations_us'
grep -q "metric 'durations_us': no figure of base-1 and equal-2 has this name (did you mean 'duration_us'?); found .* and [0-9]* more" compared.err || fail "$(cat compared.err)"
first=$(sqlite3 out/store/muster.db "select min(metric) from v_results where job_id in (1, 2) and metric <> 'disturbed'")
grep -q "; found $first, " compared.err || fail "not $first first: $(cat compared.err)"
compare 2 1 equal --metric 'no_such_*' --points nowhere
grep -q "metric 'no_such_\*': no figure of base-1 and equal-2 has this name; found $first, " compared.err || fail "$(cat compared.err)"
for mark in throttled_mhz new_memory_errors other_processes disturbed; do
    for jobs in '1 equal' "1 $hot"; do
        # shellcheck disable=SC2086
        compare 2 $jobs --metric "$mark"
        grep -q "metric '$mark': it marks repeats in which something disturbed the card, and is never compared" compared.err ||
            fail "$jobs: $(cat compared.err)"
    done
done
compare 2 1 "$hot" --metric 'new_memory*'
compare 0 1 "$hot" --metric 'duration*' # other names that match are compared
sed 's/^name: equal/name: typo/; s/repeat: 5/repeat: 1/; s/tolerance: 1.5%/metric: durations_us/' equal.yaml >typo.yaml
typo=$(muster submit typo.yaml 2>/dev/null)
code=0
muster gate --quiet --to none "$typo" >gated 2>gated.err || code=$?
[ "$code" -eq 2 ] && [ ! -e none ] || fail "the gate ended with $code: $(cat gated gated.err)"
grep -q "metric 'durations_us': no figure of base-[0-9]* and $typo has this name (did you mean 'duration_us'?)" gated.err || fail "$(cat gated.err)"

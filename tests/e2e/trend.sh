#!/usr/bin/env bash
# trend.sh - muster trend: finds a planted change, a spike and a slow drift in simulated
# nights, and nothing in a steady point
. "$(dirname "$0")/fleet.sh"
ops=$B/lib/muster/sim/bin
cd "$work"
nights=18

# The sizes are not values of the sweep, so the points stay the same. `step` is larger
# from night 10 on, and in night 4 only; `drift` grows each night.
night() { # NUMBER
    local step=0
    [ "$1" -lt 10 ] || step=100000
    [ "$1" -ne 4 ] || step=200000
    cat <<YAML
version: 1
name: night
operator:
  command: [/bin/sh, -c, "case \${point} in steady) n=0;; step) n=$step;; drift) n=$(($1 * 2000));; esac; exec $ops/add_custom --n \$((524288 + n))"]
  env: {NPU_SIM_SEED: "$1"}
sweep: {matrix: {point: [steady, step, drift]}}
profile: {metrics: [Default], warmup: 0}
cards: {ids: [0]}
compare: {against: nightly}
YAML
    [ "$1" -ne "$nights" ] || echo 'gate: {anchor: release, confirm: off}'
}
trend() { # CODE ARGUMENTS...: the output is in `shown`
    local code=0
    muster trend "${@:2}" >shown 2>shown.err || code=$?
    [ "$code" -eq "$1" ] || fail "muster trend ${*:2} ended with $code, not $1: $(cat shown shown.err)"
}

fleet_up 1
for number in $(seq "$nights"); do
    night "$number" >night.yaml
    until_true muster submit night.yaml >/dev/null 2>&1
done
for number in $(seq "$nights"); do
    muster wait "$number" --timeout 120s >/dev/null 2>&1 || [ "$number" -eq "$nights" ] || fail "night $number"
done

say 'the planted changes are found, and no others'
trend 0 -o json
grep -q "no anchor: gate.anchor of night-$nights: no baseline and no job 'release'" shown.err || fail "$(cat shown.err)"
python3 - "$work/out/store/muster.db" <<'PY' || fail "wrong trends: $(cat shown)"
import json, math, sqlite3, statistics, sys
db = sqlite3.connect(sys.argv[1])
document = json.load(open("shown"))
assert document["schema"] == "muster.trend.v3", document["schema"]
rows = {row["point"]: row for row in document["rows"]}
assert sorted(rows) == ["point=drift", "point=steady", "point=step"], rows
def values(point):
    return [value for value, in db.execute(
        "select value from v_results where metric = 'duration_us' and point_text like ?"
        " order by job_id", (f"%point={point}%",))]
for name, row in rows.items():
    series = values(name.split("=")[1])
    assert row["nights"] == len(series) == 18, row
    assert [float(value) for value in row["night_values"].split()] == [float(f"{value:.9g}") for value in series], row
    assert row["night_jobs"].split() == [f"night-{number}" for number in range(1, 19)], row
    logs = [math.log(value) for value in series]
    steps = [abs(b - a) for a, b in zip(logs, logs[1:])]
    least = max(0.02 / (4 * statistics.median(series)), 0.0005)
    sigma = max(1.4826 * statistics.median(steps) / math.sqrt(2), least)
    # a correlation of the nights may have widened it once, by at most 2
    assert 100 * math.expm1(sigma) - 0.002 <= row["noise_percent"] <= 201 * math.expm1(sigma), (row, sigma)
steady, step, drift = (rows["point=" + name] for name in ("steady", "step", "drift"))
assert steady["changes"] is steady["spikes"] is steady["drift_percent"] is None, steady
series = values("step")
assert step["change_job"] == "night-10" and step["change_state"] == "confirmed", step
assert step["direction"] == "worse" and step["spikes"] == "night-4", step
before = [value for night, value in enumerate(series[:9], 1) if night != 4]
planted = 100 * math.expm1(statistics.mean(map(math.log, series[9:])) - statistics.mean(map(math.log, before)))
# the night of the spike counts with the mean of its neighbours
assert abs(step["change_percent"] - planted) < 0.2, (step, planted)
assert step["level"] == statistics.median(series[9:]), step
assert drift["changes"] or drift["drift_percent"], drift
assert document["rows"][-1] == steady, "a series without a change is not the last one"
PY
trend 0
sed -n 1p shown | grep -qE '^point point=step of kernel add_custom is [0-9.]+ % slower since night-10 \(20[0-9-]+\), confirmed$' || fail "$(cat shown)"
for text in '^also: point point=drift of kernel add_custom ' '^night: 18 nights from night-1 to night-18, metric duration_us$' '^3 series: ' \
    'point=step .* night-10 +.* % confirmed .* worse .* night-4 .*█'; do
    grep -q "$text" shown || fail "'$text' is not in: $(cat shown)"
done
LC_ALL=C muster trend >ascii
grep -qE 'point=step .*[_.]{3}#[_.]+[-=*]+$' ascii || fail "no plot in ASCII: $(cat ascii)"

say 'a slow drift shows when its small steps are no changes'
trend 0 --points 'point=drift*' --min 10% -o json
python3 - "$work/out/store/muster.db" <<'PY' || fail "wrong drift: $(cat shown)"
import itertools, json, math, sqlite3, statistics, sys
values = [math.log(value) for value, in sqlite3.connect(sys.argv[1]).execute(
    "select value from v_results where metric = 'duration_us' and point_text like '%point=drift%' order by job_id")]
row, = json.load(open("shown"))["rows"]
slope = statistics.median((b - a) / (j - i) for (i, a), (j, b) in itertools.combinations(enumerate(values), 2))
assert row["changes"] is None, row
expected = [100 * math.expm1(slope * length) for length in (len(values) - 1, len(values))]
assert min(abs(row["drift_percent"] - value) for value in expected) < 0.002, (row, expected)
assert row["drift_percent"] > 2, row
PY

say 'the last five nights differ from a release that has six repeats'
muster baseline set release 1 2 3 5 6 7 --frozen >/dev/null
trend 0 --anchor release -o json
python3 - "$work/out/store/muster.db" <<'PY' || fail "wrong drift from the anchor: $(cat shown)"
import json, math, sqlite3, statistics, sys
rows = {row["point"][6:]: row for row in json.load(open("shown"))["rows"]}
for point, row in rows.items():
    values = [value for value, in sqlite3.connect(sys.argv[1]).execute(
        "select value from v_results where metric = 'duration_us' and point_text like ?"
        " order by job_id", (f"%point={point}%",))]
    base = values[:3] + values[4:7]
    theta = statistics.median(math.log(b / a) for a in base for b in values[-5:])
    assert abs(row["anchor_percent"] - 100 * math.expm1(theta)) < 0.001, (row, theta)
for point, row in rows.items():
    assert (row["anchor_verdict"] == "regressed") == (point != "steady") == row["drifts"], row
PY
cp shown named
trend 0 -o json # the newest night names the release as gate.anchor
cmp shown named && [ ! -s shown.err ] || fail "another anchor: $(cat shown shown.err)"
trend 0 --anchor '' -o json
! grep -q '"anchor_percent": *[-0-9]' shown || fail "an anchor is left: $(cat shown)"
trend 0
grep -q "^anchor: release, from gate.anchor of night-$nights$" shown || fail "$(cat shown)"
trend 0 --anchor night-1 -o json # a single repeat is too few
grep -q '"anchor_verdict": *"inconclusive"' shown || fail "$(cat shown)"
trend 2 --anchor weekly
grep -q -- "--anchor: no baseline and no job 'weekly'" shown.err || fail "$(cat shown.err)"

say 'a card over all its points, a part of the nights, a larger least change'
trend 0 --by card -o json
python3 - <<'PY' || fail "wrong card: $(cat shown)"
import json
row, = json.load(open("shown"))["rows"]
assert row["point"] is None and row["nights"] == 18 and row["unit"] is None, row
assert 0.97 < row["level"] < 1.1, row
PY
trend 0 --last 9 --points 'point=step*' -o csv
[ "$(tail -n +2 shown | cut -d, -f1,7,10)" = 'point=step,9,' ] || fail "nine nights have a change: $(cat shown)"
trend 0 --points 'point=step*' --min 50% -o csv
[ "$(tail -n +2 shown | cut -d, -f10)" = '' ] || fail "a change below --min is shown: $(cat shown)"
trend 5 --cards nowhere
grep -q '^no figure matches$' shown || fail "$(cat shown)"
trend 2 --metric durations_us
grep -q "metric 'durations_us': no figure of the nights of night has this name (did you mean 'duration_us'?)" shown.err || fail "$(cat shown.err)"
trend 2 --metric throttled_mhz
grep -q "metric 'throttled_mhz': it marks repeats in which something disturbed the card" shown.err || fail "$(cat shown.err)"
trend 2 --against weekly
grep -q "there is no baseline 'weekly', and no job of this name is done" shown.err || fail "$(cat shown.err)"
trend 2 --min lots
grep -q -- "--min: expected a share" shown.err || fail "$(cat shown.err)"

say 'the nights of a baseline, with a known change'
read -ra newest <<<"$(seq -s ' ' 2 "$nights")"
muster baseline set nightly "${newest[@]}" >/dev/null
muster baseline split nightly --at 7 --points 'point=steady' --reason 'new compiler' >/dev/null
trend 0 -o json
python3 - <<'PY' || fail "wrong trends of the baseline: $(cat shown)"
import json
rows = {row["point"]: row for row in json.load(open("shown"))["rows"]}
assert all(row["simulated"] for row in rows.values()), rows
assert {row["nights"] for row in rows.values()} == {17}, rows
steady = rows["point=steady"]
assert (steady["change_job"], steady["change_state"]) == ("night-7", "known"), steady
assert rows["point=step"]["change_job"] == "night-10", rows["point=step"]
PY
muster trend >named
grep -q '^baseline nightly: 17 nights from night-2 to night-18' named || fail "$(cat named)"

say 'the store gives the same rows, and the page has a plot of each series'
muster trend -o csv >online
MUSTER_COORDINATOR='' muster trend -o csv --to page | cmp - online || fail 'the rows differ'
python3 - <<'PY' || fail 'the page lacks a series'
import json, re
page = open("page/trend.html").read()
assert 'class="verdict bad">point point=step of kernel add_custom is ' in page
assert "Simulated figures: they come from a timing model" in page
blocks = re.findall(r'<div[^>]*data-kind="(\w+)"[^>]*><script type="application/json">(.*?)</script>', page, re.S)
plots = [json.loads(text) for kind, text in blocks if kind == "xy"]
assert len(plots) == 3, [kind for kind, text in blocks]
assert all(len(plot["series"][0]["y"]) == 17 for plot in plots), plots[0]
assert any(mark["name"] == "night-10" for plot in plots for mark in plot["marks"]), plots[0]["marks"]
PY

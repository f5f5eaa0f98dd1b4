#!/usr/bin/env bash
# gang_overlap.sh - muster gang: the overlap of a fused operator from its four parts, and
# late ranks and slow transfers as planted in the simulator
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
sim=$B/lib/muster/sim/bin
cat >fleet.yaml <<'YAML'
version: 1
hosts: [{name: one, cards: 2, mhz: 100}]
faults:
- {fault: late_rank, rank: 1, launch: 2, seconds: 0.4, when: {LATE: "yes"}}
- {fault: slow_link, card: 0, to_card: 1, factor: 4, when: {SLOW: "yes"}}
YAML
export NPU_SIM_FLEET=$work/fleet.yaml
measure() { # NAME
    muster run --quiet --out out "$1.yaml" >/dev/null 2>run.err || fail "$1: $(cat run.err)"
}

say 'overlap: efficiency and attained share from the stored times of the four parts'
cat >overlap.yaml <<YAML
version: 1
name: overlap
operator:
  command: [sim/bin/matmul_all_reduce, --m, "64", --n, "256", --k, "64"]
  ranks: 2
  overlap:
    compute: [sim/bin/matmul_custom, --m, "64", --n, "256", --k, "64"]
    communication: [sim/bin/allreduce, --n, "8192"]
    serial: [/bin/sh, -c, "$sim/matmul_custom --m 64 --n 256 --k 64 && $sim/allreduce --n 8192"]
sweep: {repeat: 5}
profile: {metrics: [BasicInfo], warmup: 0, kernel: "*", launch: {count: all}}
limits: {retries: 0}
YAML
measure overlap
muster gang overlap overlap --out out -o json >overlap.json
muster results overlap --out out -m 'overlap_*' -o json >results.json
[ "$(muster results overlap --out out -m 'overlap_*' --rank 0 -o csv | wc -l)" = 11 ] || fail 'rank 0 has not two figures of five repeats'
sqlite3 -json out/store/muster.db "select point, repeat, rank, kernel, replay, duration_ns from v_replays
    where job = 'overlap-1' and duration_ns is not null" >replays.json
python3 - <<'PY' || fail "$(muster gang overlap --out out)"
import json, statistics
from itertools import combinations_with_replacement
rows, replays = json.load(open("overlap.json"))["rows"], json.load(open("replays.json"))
assert [row["rank"] for row in rows] == [None, 0, 1], rows
results = json.load(open("results.json"))["rows"]
assert len(results) == 5 * 2 * 3 and {(r["point"], r["part"], r["unit"]) for r in results} == {(0, "fused", "ratio")}, results
def time(point, repeat, rank):
    kernels = {}
    for r in replays:
        if (r["point"], r["repeat"]) == (point, repeat) and rank in (None, r["rank"]):
            longest = kernels.setdefault(r["kernel"], {})
            longest[r["replay"]] = max(longest.get(r["replay"], 0), r["duration_ns"] / 1000)
    assert len(kernels) == (2 if point == 3 else 1), kernels
    return sum(statistics.median(longest.values()) for longest in kernels.values())
def walsh(values): # 5 values: the smallest and the largest average are the interval
    means = sorted((a + b) / 2 for a, b in combinations_with_replacement(values, 2))
    return means[len(means) // 2], means[0], means[-1]
for row in rows:
    parts = [[time(point, repeat, row["rank"]) for repeat in range(5)] for point in range(4)]
    for name, values in zip(("fused", "compute", "communication", "serial"), parts):
        assert abs(row[f"{name}_us"] - statistics.median(values)) < 1e-6, (row, values)
    e = walsh([1 - (f - c) / (s - c) for f, c, _, s in zip(*parts)])
    a = walsh([(s - f) / (s - max(c, m)) for f, c, m, s in zip(*parts)])
    for name, wanted in (("efficiency", e), ("attained", a)):
        got = row[name], row[f"{name}_low"], row[f"{name}_high"]
        assert all(abs(x - y) < 1e-9 for x, y in zip(got, wanted)), (row, wanted)
    for name, values in (("efficiency", [1 - (f - c) / (s - c) for f, c, _, s in zip(*parts)]),
                         ("attained", [(s - f) / (s - max(c, m)) for f, c, m, s in zip(*parts)])):
        figures = sorted((r["repeat"], r["value"]) for r in results
                         if (r["metric"], r.get("rank")) == (f"overlap_{name}", row["rank"]))
        assert [repeat for repeat, _ in figures] == list(range(5)), figures
        assert all(abs(got - value) < 1e-9 for (_, got), value in zip(figures, values)), (figures, values)
    assert row["repeats"] == 5 and row["left_out"] == 0 and 0 < row["efficiency"] < 1, row
    # two steps of notifies, latency, and half of the numbers; noise is at most 3 %
    step = 10 + 4096 * 4 / 28e3
    assert abs(row["communication_us"] / (2 * step) - 1) < 0.03, row
    assert abs(row["serial_us"] / (row["compute_us"] + row["communication_us"]) - 1) < 0.02, row
PY

say 'compare, gate and trend: less overlap over a slow link is a regression, and the way back is none'
sed 's/^name: overlap/name: hidden/; s/^  ranks: 2/&\n  env: {SLOW: "yes"}/' overlap.yaml >hidden.yaml
cat >>hidden.yaml <<'YAML'
compare: {against: overlap, metric: 'overlap_*'}
gate: {confirm: off, tolerances: [{metric: overlap_attained, tolerance: 30%}]}
YAML
muster run --quiet --out out hidden.yaml >/dev/null 2>run.err && fail 'the gate of less overlap passed' || code=$?
[ "$code" -eq 4 ] || fail "the gate ended with $code: $(cat run.err)"
muster gate --quiet --out out --to gate hidden >gated || true
muster compare --out out hidden -o json >worse.json && fail 'less overlap is no regression'
muster compare --out out hidden overlap -m overlap_efficiency -o json >better.json || fail "more overlap failed: $(cat better.json)"
muster results hidden --out out -m 'overlap_*' -o json >hidden.json
muster trend --out out --against hidden --by cell -m overlap_efficiency -o json >trend.json
python3 - <<'PY' || fail "$(cat worse.json better.json gated)"
import json, statistics
def rows(name):
    return json.load(open(name + ".json"))["rows"]
def median(name, row):
    values = [r["value"] for r in rows(name) if (r["metric"], r["rank"]) == (row["metric"], row["rank"])]
    assert len(values) == 5
    return statistics.median(values)
worse, better, gated = rows("worse"), rows("better"), json.load(open("gate/gate.json"))
keys = [(metric, rank) for metric in ("overlap_attained", "overlap_efficiency") for rank in ("0", "1", "None")]
assert sorted((r["metric"], str(r["rank"])) for r in worse) == keys, worse
for row in worse + better:
    old, new = ("results", "hidden") if row in worse else ("hidden", "results")
    assert (row["base"], row["new"]) == (median(old, row), median(new, row)), row
    assert (row["kernel"], row["point"], row["card"], row["n_base"], row["n_new"]) == ("operator", "part=fused", None, 5, 5), row
    if row["metric"] == "overlap_efficiency":
        assert row["verdict"] == ("regressed" if row in worse else "improved"), row
        assert (row["new"] < row["base"]) == (row["change_percent"] > 0) == (row in worse), row
    else:
        assert row["verdict"] in ("same", "inconclusive"), row
assert len(better) == 3
# the gate has a tolerance of its own for the attained share
counts = gated["counts"]
assert (counts["regressed"], counts["same"], counts["inconclusive"]) == (3, 3, 0), counts
trend = rows("trend")
assert len(trend) == 3 and all(row["level"] == median("hidden", {"metric": "overlap_efficiency", **row}) for row in trend), trend
PY

muster gang overlap arrival --out out -o json >arrival.json
python3 - <<'PY' || fail "$(cat arrival.json)"
import json
rows = json.load(open("arrival.json"))["rows"]
assert [(row["point"], row["kernel"].split("_")[0]) for row in rows] == [("part=fused", "MatmulAllReduce"),
    ("part=communication", "HcclAllReduce"), ("part=serial", "HcclAllReduce")], rows
PY

say 'arrival: a late rank is named, and a slow link against an earlier job'
job() { # NAME SLOW LATE
    cat >"$1.yaml" <<YAML
version: 1
name: $1
operator: {command: [sim/bin/allreduce, --n, "100000"], ranks: 2, env: {SLOW: "$2", LATE: "\${late}"}}
sweep: {matrix: {late: [$3]}, repeat: 5}
profile: {metrics: [BasicInfo], warmup: 0, kernel: "Hccl*"}
limits: {retries: 0}
YAML
    measure "$1"
}
job calm no '"no", "yes"'
job slow yes '"no"'
muster gang calm arrival --out out -o json >calm.json
muster gang slow arrival --out out --against calm -o json >slow.json
python3 - "$(uname -n)" <<'PY' || fail "$(cat calm.json slow.json)"
import json, sys
calm, late = json.load(open("calm.json"))["rows"]
slow, = json.load(open("slow.json"))["rows"]
transfer = 2 * (10 + 200000 / 28e3)
for row in (calm, late):
    assert abs(row["transfer_us"] / transfer - 1) < 0.03, row
assert calm["verdict"] == "as-calibrated" and calm["skew_us"] < 0.4, calm
assert late["verdict"] == "arrival-skew" and abs(late["skew_us"] - 4e5) < 1, late
assert abs(late["duration_us"] - late["skew_us"] - late["transfer_us"]) < 0.5, late
assert (late["last_rank"], late["last_card"], late["times_last"]) == (1, f"{sys.argv[1]}:1", 5), late
assert late["p_last"] == 2 * 0.5 ** 5, late
assert slow["verdict"] == "transfer" and slow["collectives"] == 5, slow
assert abs(slow["transfer_us"] - transfer - 2 * 3 * 200000 / 28e3) < 2, slow
assert abs(slow["calibrated_us"] - calm["transfer_us"]) < 1e-9, slow
assert slow["transfer_share"] > 0.9 and slow["skew_share"] < 0.1, slow
PY

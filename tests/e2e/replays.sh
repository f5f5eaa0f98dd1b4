#!/usr/bin/env bash
# replays.sh - the store has the times of each replay: the duration of a launch is that of the
# last replay, which has no counters, and all ranks have the same replays
. "$(dirname "$0")/fleet.sh"
cd "$work"
cat >job.yaml <<YAML
version: 1
name: night
operator: {command: [$B/lib/muster/sim/bin/matmul_all_reduce], ranks: 2}
profile: {metrics: [Default], warmup: 2}
YAML
unset MUSTER_COORDINATOR
muster run job.yaml >run.txt 2>&1 || fail "$(cat run.txt)"
sed "s/matmul_all_reduce\], ranks: 2/add_custom]/; s/night/alone/" job.yaml >alone.yaml
muster run alone.yaml >run.txt 2>&1 || fail "$(cat run.txt)"
for job in 1 2; do
    muster show $job --replays -o json >replays.$job
    muster results $job -o json >results.$job
done

say 'each rank has the times of all its replays'
python3 - <<'PY' || fail "wrong times: $(cat replays.1)"
import json
replays, results = (json.load(open(f"{name}.1"))["rows"] for name in ("replays", "results"))
figure = {(row["rank"], row["metric"]): row["value"] for row in results}
for rank in (0, 1):
    rows = [row for row in replays if row["rank"] == rank]
    assert [row["replay"] for row in rows] == list(range(len(rows))), rows
    assert len(rows) == figure[rank, "replays_in_step"], (len(rows), figure)
    passes = [row["pass"] for row in rows]
    assert passes == [0] * 3 + list(range(1, len(rows) - 3)) + [255], passes  # 2 warm-ups, the L2 pass
    for row in rows:
        assert (row["duration_us"] is None) == (row["pass"] == 0), row
        assert 0 < int(row["arrived_ns"]) <= int(row["released_ns"]), row
        assert row["uncertainty_us"] == 0, row  # one host
    assert rows[-1]["duration_us"] == figure[rank, "duration_us"], rows[-1]
    assert len({row["duration_us"] for row in rows}) > 2, rows
    waits = [(int(row["released_ns"]) - int(row["arrived_ns"])) / 1000 for row in rows]
    assert abs(max(waits) - figure[rank, "barrier_wait_max_us"]) < 0.001, waits
# the card starts after the release, and all ranks are at the same replay at that time
both = [[row for row in replays if row["rank"] == rank] for rank in (0, 1)]
for left, right in zip(*both):
    if left["pass"]:
        assert int(left["started_ns"]) > int(left["released_ns"]), left
        end = int(left["started_ns"]) + 1000 * left["duration_us"]
        assert int(right["started_ns"]) < end, (left, right)
PY

say 'a rank alone has durations and no barrier'
python3 - <<'PY' || fail "wrong times: $(cat replays.2)"
import json
rows = json.load(open("replays.2"))["rows"]
results = json.load(open("results.2"))["rows"]
assert [row["pass"] for row in rows] == list(range(1, len(rows))) + [255] and len(rows) > 5, rows
assert all(row["duration_us"] > 0 and row["arrived_ns"] == "0" for row in rows), rows
assert [row["duration_us"] for row in rows][-1] == next(
    row["value"] for row in results if row["metric"] == "duration_us"), rows
PY

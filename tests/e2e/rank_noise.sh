#!/usr/bin/env bash
# rank_noise.sh - simulated durations of several cards differ between seeds, and the
# medians of five of them hardly do
. "$(dirname "$0")/fleet.sh"
cd "$work"
job() { # NAME COMMAND KERNEL
    cat <<YAML
version: 1
name: $1
operator:
  command: $2
  ranks: 4
  env: {NPU_SIM_SEED: "\${seed}", NPU_SIM_HOST_STEP_US: "60000000"} # a loaded host does not count
sweep: {matrix: {seed: [11, 12, 13, 14, 15, 21, 22, 23, 24, 25, 31, 32, 33, 34, 35]}}
profile: {metrics: [Default], kernel: "$3", barrier: {deadline: 60s}}
limits: {retries: 0, time: 120s}
YAML
}
job fused '[sim/bin/matmul_all_reduce, --m, "128", --n, "1024", --k, "64"]' 'MatmulAllReduce*' >fused.yaml
job plain '[sim/bin/allreduce, --n, "1000"]' 'Hccl*' >plain.yaml
for name in fused plain; do
    say "$name: three times five seeds"
    muster run --quiet --out out "$name.yaml" >/dev/null 2>run.err || fail "$(cat run.err)"
    db "select point, rank, value from v_results where metric = 'duration_us'
        and job like '$name-%' order by point" >figures
    python3 - <<'PYTHON' || fail "figures of $name: $(cat figures)"
import statistics

by_rank = {}
for line in open("figures"):
    point, rank, value = line.split("|")
    by_rank.setdefault(int(rank), []).append(float(value))
assert sorted(by_rank) == [0, 1, 2, 3]
for values in by_rank.values():
    assert len(values) == 15, values
    spread = (max(values) - min(values)) / statistics.median(values)
    assert 0.005 < spread < 0.035, spread
    medians = [statistics.median(values[i : i + 5]) for i in (0, 5, 10)]
    assert max(medians) / min(medians) < 1.01, medians
PYTHON
done
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"

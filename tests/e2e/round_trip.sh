#!/usr/bin/env bash
# round_trip.sh - parsed results equal what the simulated cards recorded in their ledger:
# all counters, tasks and communication slices of each operator, chip, core and rank
. "$(dirname "$0")/fleet.sh"
cd "$work"

write_job() { # NAME RANKS OPERATORS [METRICS]
    cat <<YAML
version: 1
name: $1
operator: {command: ["sim/bin/\${op}"], ranks: $2}
sweep: {matrix: {op: [$3]}}
profile: {metrics: [${4:-Default}]}
YAML
}
compare() { # NAME RANKS RESULT: compares every rank of every run; writes the lines to RESULT
    local name=$1 ranks=$2 run rank
    : >"$3"
    for run in $(sqlite3 -batch "$work/$name/store/captures/1.db" 'select distinct run_id from groups order by 1'); do
        for rank in $(seq 0 $((ranks - 1))); do
            "$B/tests/round_trip" "$work/$name/store/captures/1.db" "$work/$name.ledger" "$run" "$rank" >>"$3" 2>compare.err ||
                fail "$name: run $run rank $rank: $(cat compare.err)"
        done
    done
}

for model in Ascend910B2 Ascend310P3 Ascend950PR_9599; do
    say "$model"
    write_job alone 1 'add_custom, matmul_custom, accumulate_inplace' >alone.yaml
    NPU_SIM_LEDGER=$work/$model.ledger muster run --quiet --model $model --out "$work/$model" alone.yaml >/dev/null 2>run.err ||
        fail "$model: exit $?: $(cat run.err)"
    compare $model 1 compared
    [ "$(wc -l <compared)" -eq 3 ] || fail "$model: not all operators were measured: $(cat compared)"
    if grep -vE 'passes=[1-9][0-9]* rows=[1-9][0-9]* values=[1-9][0-9]* ' compared; then fail "$model: a launch has no passes, rows or values"; fi
done

say 'only the part that the kernel marks is counted'
for model in Ascend910B2 Ascend950PR_9599; do
    name=$model-scale
    write_job scale 1 'add_custom, matmul_custom' 'Memory, KernelScale' >scale.yaml
    NPU_SIM_LEDGER=$work/$name.ledger muster run --quiet --model $model --out "$work/$name" scale.yaml >/dev/null 2>run.err ||
        fail "$name: exit $?: $(cat run.err)"
    compare "$name" 1 compared
    [ "$(wc -l <compared)" -eq 2 ] || fail "$name: not all operators were measured: $(cat compared)"
    # add_custom marks its additions and results: it reads no inputs there
    python3 - "$name" <<'PYTHON' || fail "$name: the table does not have the marked part"
import csv, glob, sys
rows = [row for path in glob.glob(sys.argv[1] + "/**/Memory.csv", recursive=True) if "/add_custom/" in path
        for row in csv.DictReader(open(path))]
assert rows
for row in rows:
    assert float(row["read_main_memory_datas(KB)"]) == 0 < float(row["write_main_memory_datas(KB)"]), row
whole = [row for path in glob.glob(sys.argv[1][:-len("-scale")] + "/**/Memory.csv", recursive=True) if "/add_custom/" in path
         for row in csv.DictReader(open(path))]
assert len(whole) == len(rows), (len(whole), len(rows))
assert all(int(a["aiv_total_cycles"]) < int(b["aiv_total_cycles"]) for a, b in zip(rows, whole))
PYTHON
done
sed 's/add_custom, matmul_custom/accumulate_inplace/' scale.yaml >unmarked.yaml
code=0
muster run --quiet --out "$work/unmarked" unmarked.yaml >/dev/null 2>run.err || code=$?
{ [ "$code" -eq 1 ] && grep -q "metric 'KernelScale' counted nothing: the kernel marks no part" run.err; } ||
    fail "a kernel without a marked part: exit $code: $(cat run.err)"

say 'fused operators on two ranks'
fused='matmul_all_reduce, matmul_all_reduce_inplace, all_gather_matmul, matmul_reduce_scatter'
write_job fused 2 "$fused, distribute_barrier, lccl_all_reduce, two_groups" >fused.yaml
NPU_SIM_LEDGER=$work/fused.ledger muster run --quiet --out "$work/fused" fused.yaml >/dev/null 2>run.err ||
    fail "fused: exit $?: $(cat run.err)"
compare fused 2 compared
expect() { [ "$(grep -cE "^$1_?[0-9]* .* $2\$" compared)" -ge 2 ] || fail "not both ranks of $1 have $2: $(cat compared)"; }
for kernel in MatmulAllReduce MatmulAllReduceAddRmsNorm AllGatherMatmul MatmulReduceScatter; do
    expect $kernel 'tasks=[1-9][0-9]* slices=[1-9][0-9]*'
done
expect DistributeBarrier 'tasks=1 slices=0' # the cores communicate themselves, without a task queue
expect lccl_all_reduce 'slices=0'

say 'a changed ledger is detected'
sed '/^core 0 /s/ 9=\([0-9]*\)/ 9=1\1/' "$work/fused.ledger" >changed.ledger
run=$(sqlite3 -batch "$work/fused/store/captures/1.db" 'select min(run_id) from groups')
differs=0
for rank in 0 1; do
    "$B/tests/round_trip" "$work/fused/store/captures/1.db" changed.ledger "$run" "$rank" >/dev/null 2>&1 || differs=$((differs + 1))
done
[ "$differs" -eq 1 ] || fail "a counter of one card was changed, but $differs ranks differ"

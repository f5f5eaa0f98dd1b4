#!/usr/bin/env bash
# models.sh - each generation of cards gives all its tables and columns; a slow_card fault
# of a fleet file shows in the durations of that card
. "$(dirname "$0")/fleet.sh"
cd "$work"
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
cat >job.yaml <<'JOB'
version: 1
name: models
operator:
  command: [sim/bin/matmul_custom, --m, "64", --n, "64", --k, "64"]
profile: {metrics: [Default], warmup: 1}
cards: {ids: [0]}
JOB

# model, first column of PipeUtilization.csv, a column that only this generation has
while read -r model first own; do
    say "$model"
    muster run --model "$model" --out "$work/$model" job.yaml >run.txt 2>run.err ||
        fail "$model: exit $?: $(cat run.err)"
    bin=$(find "$model" -name visualize_data.bin)
    [ "$(wc -w <<<"$bin")" -eq 1 ] || fail "$model: visualize_data.bin: $bin"
    muster inspect --check "$bin" >/dev/null || fail "$model: $bin is not valid"
    pipes=$(dirname "$bin")/PipeUtilization.csv
    head -n 1 "$pipes" | grep -q "^$first," || fail "$model: the header is $(head -n 1 "$pipes")"
    grep -qF "$own" "$(dirname "$bin")"/*.csv || fail "$model: no column $own"
    awk -F, 'NR == 2 {for (i = 1; i < NF; i++) if ($i ~ /^[0-9.]+$/ && $i > 0) n++} END {exit n < 4}' "$pipes" ||
        fail "$model: fewer than 4 pipe figures are above 0: $(cat "$pipes")"
    basic=$(tail -n 1 "$(dirname "$bin")/OpBasicInfo.csv")
    awk -F, '{exit !($3 > 0)}' <<<"$basic" || fail "$model: no duration: $basic"
done <<'MODELS'
Ascend910B4 block_id aiv_vec_resc_cflt_ratio
Ascend910_9392 block_id aic_r0_read_cache_hit
Ascend310P3 aic_time(us) aic_l2_cache_hit_rate(%)
Ascend950PR_9589 block_id aic_read_far_victim
MODELS

say 'a 310P reads main memory, and not every access hits its cache'
cell() { # FILE COLUMN: prints a cell of the only row
    awk -F, -v name="$2" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) at = i} NR == 2 {print $at}' "$1"
}
tables=$(dirname "$(find Ascend310P3 -name visualize_data.bin)")
awk -v rate="$(cell "$tables/L2Cache.csv" 'aic_l2_cache_hit_rate(%)')" 'BEGIN {exit !(rate > 0 && rate < 100)}' ||
    fail "the hit rate: $(cat "$tables/L2Cache.csv")"
awk -v speed="$(cell "$tables/Memory.csv" 'aic_main_mem_read_bw(GB/s)')" 'BEGIN {exit !(speed > 0)}' ||
    fail "the main memory: $(cat "$tables/Memory.csv")"

say 'a metric that a model does not have is refused before anything starts'
sed 's/Default/Default, Occupancy/' job.yaml >occupancy.yaml
code=0
muster run --model Ascend310P3 --out "$work/refused" occupancy.yaml >run.txt 2>run.err || code=$?
{ [ "$code" -eq 2 ] && grep -q "the 310P does not have metric 'Occupancy'" run.err; } ||
    fail "Occupancy on a 310P: exit $code: $(cat run.err)"
[ ! -e refused/store ] || fail "the refused job left a store"
sed 's/ids: .0./soc: "Ascend310P*"/' occupancy.yaml >pattern.yaml
code=0
muster validate pattern.yaml >run.txt 2>run.err || code=$?
{ [ "$code" -eq 2 ] && grep -q "the 310P does not have metric 'Occupancy'" run.err; } ||
    fail "validate: exit $code: $(cat run.txt run.err)"

say 'a fleet with a slow card'
cat >fleet.yaml <<'FLEET'
version: 1
hosts: [{name: a, cards: 2}]
faults: [{fault: slow_card, card: 1, factor: 3}]
FLEET
sed -i 's/cards: 2/cards: 2, except: [{card: 1, serial: S-17}]/' fleet.yaml
sed 's/ids: .0./ids: [0, 1]/' job.yaml >two.yaml
# A relative path: the operators run in folders of their own.
NPU_SIM_FLEET=fleet.yaml muster run --out "$work/out" two.yaml >run.txt 2>run.err ||
    fail "the slow card: exit $?: $(cat run.err)"
durations() { db "select round(avg(value), 3) from v_results where metric = 'duration_us' and card = $1"; }
awk -v sound="$(durations 0)" -v slow="$(durations 1)" 'BEGIN {exit !(sound > 0 && slow > 1.3 * sound)}' ||
    fail "card 0 took $(durations 0) us, the slow card $(durations 1)"

say 'a card has the serial number that the driver reports'
[ "$(db "select group_concat(card || serial) from (select distinct card, serial from v_ranks order by card)")" = '0,1S-17' ] || fail "serial numbers: $(db 'select card, serial from v_ranks')"

say 'the commands at the top of the example of a fleet'
commands=$(sed -n 's/^#   \(NPU_SIM_FLEET=.*\)/\1/p' "$root/configs/fleets/example.yaml")
[ "$(wc -l <<<"$commands")" -eq 2 ] || fail "the example has the commands: $commands"
(
    cd "$root"
    PATH=$B/bin:$PATH bash -c "$(sed -n 1p <<<"$commands") --quiet --out '$work/example'" >"$work/run.txt" 2>"$work/run.err"
) || fail "the example: exit $?: $(cat run.err)"
[ "$(find example -name visualize_data.bin | wc -l)" -eq 36 ] || fail "the example did not measure its 36 tasks"

say 'a worker that was started by hand asks the driver for the model of its card'
coordinator_up
NPU_SIM_CARDS=1 NPU_SIM_SOC=Ascend310P3 muster-worker --control "ipc://$work/control" --data "ipc://$work/data" \
    --card 0 --simulated --spool "$work/by-hand" 2>>worker.log &
worker_pid[0]=$!
sed 's/name: models/name: byhand/; s/ids: .0./soc: "Ascend310P*"/' job.yaml >byhand.yaml
muster submit byhand.yaml >/dev/null 2>&1
timeout 60 muster wait -q byhand >/dev/null 2>wait.err || fail "a worker without --model: exit $?: $(cat wait.err)"
[ "$(db "select model from v_ranks where job like 'byhand-%'")" = Ascend310P3 ] || fail "$(db 'select job, model from v_ranks')"
[ "$(muster list --workers --output csv | tail -n +2 | grep -c Ascend310P3)" -eq 1 ] || fail "$(muster list --workers)"

#!/usr/bin/env bash
# fused_operators.sh - fused operators give equal results in threads, forks and separate processes
set -euo pipefail
home="$MUSTER_BUILD/lib/muster/sim"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
complain() {
    echo "$1" >&2
    bad=1
}
unset LD_LIBRARY_PATH ASCEND_HOME_PATH NPU_SIM_FAULTS ASCEND_RT_VISIBLE_DEVICES ASCEND_MC2_DEBUG_MODE
export NPU_SIM_CARDS=8

while read -r program line; do
    read -ra options <<<"$line"
    for ranks in 2 8; do
        # the forked run uses the hidden runtime, found by path
        threads=$("$home/bin/$program" --threads $ranks "${options[@]}") || complain "$program $line: $ranks threads"
        forks=$(LD_LIBRARY_PATH="$home/lib64-hidden" ASCEND_HOME_PATH="$home/hidden" \
            "$home/bin/$program" --ranks $ranks "${options[@]}") || complain "$program $line: $ranks forks"
        grep -q ' wrong=0 result=ok$' <<<"$threads" || complain "threads: $threads"
        [ "$threads" = "$forks" ] || complain "threads: $threads, forks: $forks"
    done
done <<'RUNS'
matmul_all_reduce
matmul_all_reduce --dtype bf16 --launches 5
matmul_all_reduce --m 600 --n 300 --k 5 --launches 2
matmul_all_reduce --m 1 --n 1 --k 1
all_gather_matmul --dtype bf16 --launches 5
all_gather_matmul --m 100 --n 5 --k 1000 --launches 2
matmul_reduce_scatter --launches 5
matmul_reduce_scatter --m 100 --n 1030 --k 2 --dtype bf16
matmul_all_reduce_inplace --launches 5
allto_all_matmul --launches 3
allto_all_matmul --m 5 --k 7 --n 3 --dtype bf16
quant_matmul_all_reduce --launches 3
quant_matmul_all_reduce --quant weight --k 100
quant_matmul_all_reduce --quant full --m 5 --n 7 --k 33
matmul_all_reduce_inplace --m 260 --n 520 --k 3 --dtype bf16
moe_tokens --launches 3
moe_tokens --choice one --experts 3 --top-k 3 --hidden 40 --tokens 5
distribute_barrier --launches 20
lccl_all_reduce --launches 20
neighbour_sum --launches 5
lccl_all_reduce --n 3
collectives --launches 3
collectives --op all_to_all --n 7
two_groups --launches 5
two_groups --launches 5 --order odd
two_groups --launches 5 --order ring
RUNS

# operators that an A2 does not have
while read -r soc program line; do
    read -ra words <<<"$line"
    threads=$(NPU_SIM_SOC=$soc "$home/bin/$program" --threads 8 "${words[@]}") || complain "$program $line: exit $?"
    forks=$(NPU_SIM_SOC=$soc "$home/bin/$program" --ranks 8 "${words[@]}") || complain "$program $line: exit $?"
    grep -q ' wrong=0 result=ok$' <<<"$threads" && [ "$threads" = "$forks" ] || complain "threads: $threads, forks: $forks"
done <<'RUNS'
Ascend910_9391 expert_products --launches 3
Ascend910_9391 expert_products --rows 1 --hidden 3 --inner 5 --experts 4
Ascend910_9391 sharded_experts --launches 3
Ascend910_9391 sharded_experts --tensor 4 --experts 3 --capacity 5 --hidden 12 --inner 7
Ascend910_9391 attention_ffn --launches 3
Ascend910_9391 attention_ffn --tokens 5 --top-k 3 --hidden 20 --experts 1
Ascend950PR_9589 quant_reduce --launches 3
Ascend950PR_9589 quant_reduce --form scatter --rows 24 --hidden 1152
RUNS

# each rank is a process with one card, by a rank table
cat >"$folder/table.json" <<'TABLE'
{"status": "completed", "version": "1.0", "server_count": "1", "server_list": [
  {"server_id": "host", "device": [
    {"device_id": "0", "device_ip": "192.168.1.1", "rank_id": "0"},
    {"device_id": "1", "device_ip": "192.168.1.2", "rank_id": "1"}]}]}
TABLE
for rank in 0 1; do
    ASCEND_RT_VISIBLE_DEVICES=$rank RANK_TABLE_FILE="$folder/table.json" RANK_ID=$rank \
        "$home/bin/matmul_all_reduce" >"$folder/$rank.out" &
    pids[rank]=$!
done
for rank in 0 1; do
    wait "${pids[rank]}" || complain "rank $rank of a table: exit $?"
    grep -q " ranks=2 rank=$rank .*wrong=0 result=ok$" "$folder/$rank.out" ||
        complain "rank $rank of a table: $(cat "$folder/$rank.out")"
done

# one process per rank that is linked to no library and opens them by name
plain=$(LD_LIBRARY_PATH="$home/lib64" "$home/bin/torch_like" --ranks 3) || complain "torch_like: exit $?"
hidden=$(LD_LIBRARY_PATH="$home/lib64-hidden" ASCEND_HOME_PATH="$home/hidden" "$home/bin/torch_like" --ranks 3) ||
    complain "torch_like on the hidden runtime: exit $?"
grep -q ' wrong=0 result=ok$' <<<"$plain" && [ "$plain" = "$hidden" ] || complain "torch_like: $plain, $hidden"

# mode 1 computes without the other ranks: each rank gets only its own sum, and none waits
status=0
ASCEND_MC2_DEBUG_MODE=1 "$home/bin/matmul_all_reduce" --threads 2 --skip 1 >"$folder/alone" || status=$?
[ $status = 1 ] && grep -q 'result=wrong' "$folder/alone" || complain "mode 1: $status, $(cat "$folder/alone")"
exit $bad

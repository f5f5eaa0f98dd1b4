#!/usr/bin/env bash
# allreduce.sh - ranks as threads, forks and separate processes give the same result
set -euo pipefail
program="$MUSTER_BUILD/lib/muster/sim/bin/allreduce"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
complain() {
    echo "$1" >&2
    bad=1
}
unset LD_LIBRARY_PATH NPU_SIM_FAULTS ASCEND_RT_VISIBLE_DEVICES
export NPU_SIM_CARDS=8
ours() { find /dev/shm -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -iE 'npu|sim|hccl' || true; } # others put things there too
before=$(ours)

for ranks in 2 3 8; do
    threads=$("$program" --threads $ranks --launches 3) || complain "$ranks threads: exit $?"
    forks=$("$program" --ranks $ranks --launches 3) || complain "$ranks forks: exit $?"
    grep -q ' wrong=0 result=ok$' <<<"$threads" || complain "threads: $threads"
    [ "$threads" = "$forks" ] || complain "threads: $threads, forks: $forks"
done

# each rank is a process that sees one card; the last rank starts first
for rank in 2 1 0; do
    ASCEND_RT_VISIBLE_DEVICES=$rank "$program" --ranks 3 --rank $rank --n 5000 \
        --rank-file "$folder/root" >"$folder/$rank.out" &
    pids[rank]=$!
done
for rank in 0 1 2; do
    wait "${pids[rank]}" || complain "rank $rank: exit $?"
    grep -q "^allreduce n=5000 ranks=3 rank=$rank .*wrong=0 result=ok$" "$folder/$rank.out" ||
        complain "rank $rank: $(cat "$folder/$rank.out")"
done
[ ! -e "$folder/root" ] || complain "the file with the root info was not removed"

expect() { # CODE ARGS...
    local want=$1 status=0
    shift
    "$program" "$@" >/dev/null 2>&1 || status=$?
    [ $status = "$want" ] || complain "allreduce $*: exit status $status, expected $want"
}
expect 0 --help
expect 2 --n nothing
expect 2 --threads 2 --ranks 2
expect 2 --rank 1 --ranks 2
expect 2 --rank 2 --ranks 2 --rank-file "$folder/x"
expect 1 --threads 9 # cards: 8
HCCL_CONNECT_TIMEOUT=1 expect 1 --rank 0 --ranks 2 --rank-file "$folder/x"
[ "$before" = "$(ours)" ] || complain "files were left in /dev/shm"
exit $bad

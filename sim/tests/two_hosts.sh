#!/usr/bin/env bash
# two_hosts.sh - two network namespaces act as hosts with four cards each: right results by rank
# table and root info, and an error in time when a host or the link is lost
set -euo pipefail
skip() {
    echo "SKIPPED: $1"
    exit 77
}
bin="$MUSTER_BUILD/lib/muster/sim/bin"
[ "$(id -u)" = 0 ] || skip "only root can create network namespaces; to run it: sudo make check"
command -v ip >/dev/null || skip "ip is not installed; to run it: deploy/setup.sh"
a=muster-a-$$ b=muster-b-$$
ip netns add "$a" 2>/dev/null || skip "network namespaces are not permitted; to run it: use a machine or container with CAP_SYS_ADMIN"
work=$(mktemp -d)
pids=()
end() {
    for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
    ip netns del "$a" || true
    ip netns del "$b" 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT
ip netns add "$b"
ip -n "$a" link add eth0 type veth peer name eth0 netns "$b" || skip "the kernel has no virtual Ethernet; to run it: modprobe veth"
for place in 0 1; do
    name=$([ $place = 0 ] && echo "$a" || echo "$b")
    ip -n "$name" link set lo up
    ip -n "$name" link set eth0 up
    ip -n "$name" addr add 10.99.0.$((place + 1))/16 dev eth0
    for card in 0 1 2 3; do # the network card of each
        ip -n "$name" addr add 10.99.$((place + 1)).$((card + 10))/16 dev eth0
    done
done

bad=0
complain() {
    echo "SKIPPED: $1"
    bad=1
}
unset LD_LIBRARY_PATH NPU_SIM_FAULTS NPU_SIM_FLEET HCCL_IF_IP HCCL_SOCKET_IFNAME
export NPU_SIM_CARDS=4 HCCL_CONNECT_TIMEOUT=20 HCCL_EXEC_TIMEOUT=20 RANK_SIZE=8

table() { # KIND: where the addresses stand
    local separator="" rank=0
    printf '{"status":"completed","version":"1.0","server_count":"2","server_list":['
    for place in 0 1; do
        local id=node_$place
        [ "$1" = server ] && id=10.99.0.$((place + 1))
        printf '%s{"server_id":"%s","device":[' "$separator" "$id"
        separator=""
        for card in 0 1 2 3; do
            printf '%s{"device_id":"%d",' "$separator" $card
            [ "$1" = server ] || printf '"device_ip":"10.99.%d.%d",' $((place + 1)) $((card + 10))
            printf '"rank_id":"%d"}' $rank
            separator=,
            rank=$((rank + 1))
        done
        printf ']}'
    done
    printf ']}'
}
table device >"$work/device.json"
table server >"$work/server.json"

start() { # RANK COMMAND...: in the background, on its host, with its card
    local rank=$1 name=$a
    shift
    [ "$rank" -lt 4 ] || name=$b
    RANK_ID=$rank ASCEND_RT_VISIBLE_DEVICES=$((rank % 4)) \
        ip netns exec "$name" "$@" >"$work/$rank.out" 2>"$work/$rank.err" &
    pids[rank]=$!
}
expect_right() { # WHAT: all ranks are right
    local rank
    for rank in 0 1 2 3 4 5 6 7; do
        wait "${pids[rank]}" || complain "$1: rank $rank: exit $?: $(cat "$work/$rank.err")"
        grep -q "rank=$rank.* wrong=0 result=ok$" "$work/$rank.out" ||
            complain "$1: rank $rank: $(cat "$work/$rank.out")"
    done
    pids=()
}

for kind in device server; do
    export RANK_TABLE_FILE="$work/$kind.json"
    for rank in 7 6 5 4 3 2 1 0; do
        start $rank "$bin/allreduce" --n 300001 --launches 5
    done
    expect_right "allreduce by $kind table"
done
for rank in 0 1 2 3 4 5 6 7; do
    start $rank "$bin/matmul_all_reduce"
done
expect_right "matmul_all_reduce"
# the same number of cards on one host gives the same results
sum() { grep -o 'checksum=[^ ]*' "$work/$1.out" || true; }
there=("$(sum 0)" "$(sum 7)")
for rank in 0 1 2 3 4 5 6 7; do
    NPU_SIM_CARDS=8 ASCEND_RT_VISIBLE_DEVICES=$rank RANK_TABLE_FILE='' "$bin/matmul_all_reduce" \
        --ranks 8 --rank $rank --rank-file "$work/alone" >"$work/$rank.out" 2>"$work/$rank.err" &
    pids[rank]=$!
done
expect_right "matmul_all_reduce on one host"
[ "${there[0]}" = "$(sum 0)" ] && [ "${there[1]}" = "$(sum 7)" ] && [ -n "${there[0]}" ] ||
    complain "on two hosts: ${there[*]}, on one: $(sum 0) $(sum 7)"
for rank in 0 1 2 3 4 5 6 7; do
    start $rank "$bin/all_gather_matmul"
done
expect_right "all_gather_matmul"
# cores cannot access windows of the other host: an error before the launch
for rank in 0 1 2 3 4 5 6 7; do
    start $rank "$bin/distribute_barrier"
done
for rank in 0 1 2 3 4 5 6 7; do
    ! wait "${pids[rank]}" || complain "a barrier of cores between hosts: rank $rank"
    grep -q '^error 161002: aclnnDistributeBarrier' "$work/$rank.err" ||
        complain "a barrier of cores between hosts: rank $rank: $(cat "$work/$rank.err")"
done
pids=()

# two jobs in parallel, and a start by root info: each host sets its own address
unset RANK_TABLE_FILE
for rank in 0 1 2 3 4 5 6 7; do
    HCCL_SOCKET_IFNAME=eth0 start $rank "$bin/allreduce" --n 5000 --launches 3 --ranks 8 \
        --rank $rank --rank-file "$work/root"
done
first=("${pids[@]}")
for rank in 0 1 2 3; do # another job has cards of one host
    start $rank env RANK_SIZE=4 "$bin/allreduce" --n 5000 --ranks 4 --rank $rank --rank-file "$work/other"
done
for pid in "${pids[@]:0:4}"; do wait "$pid" || complain "the other job: exit $?"; done
for pid in "${first[@]}"; do wait "$pid" || complain "by root info: exit $?"; done
pids=()

# a host or the link is lost in the middle of the work: all other ranks end with an error.
# 21, 9, 13: from a call after the failure; 507xxx: from the synchronise
export RANK_TABLE_FILE="$work/server.json" HCCL_EXEC_TIMEOUT=4
all_lines_are_up() { # one from each rank of one host to each of the other
    [ "$(ip netns exec "$a" awk '$4 == "01"' /proc/net/tcp | wc -l)" -ge 16 ]
}
lose() { # WHAT CODES COMMAND...
    local what=$1 codes=$2 rank tries=0
    shift 2
    for rank in 0 1 2 3 4 5 6 7; do
        start $rank "$bin/allreduce" --n 4096 --launches 1000000
    done
    until all_lines_are_up || [ $((tries += 1)) -gt 400 ]; do sleep 0.05; done
    all_lines_are_up || complain "$what: not all ranks connected"
    "$@"
    for rank in 0 1 2 3; do
        if { wait "${pids[rank]}"; } 2>/dev/null; then
            complain "$what: rank $rank succeeded, expected an error"
        fi
        grep -qE "error ($codes):" "$work/$rank.err" ||
            complain "$what: rank $rank: $(cat "$work/$rank.err" "$work/$rank.out")"
    done
    for rank in 4 5 6 7; do
        kill -9 "${pids[rank]}" 2>/dev/null || true
        { wait "${pids[rank]}"; } 2>/dev/null || true
    done
    pids=()
}
kill_host() { kill -9 "${pids[@]:4}"; }
lose "a host died" "21|507057" kill_host
cut() { ip -n "$a" link set eth0 down; }
lose "the link was cut" "9|13|21|507048|507056|507057" cut
exit $bad

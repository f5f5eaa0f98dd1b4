#!/usr/bin/env bash
# instruction_log.sh - the logs in simulator format: syntax, sums, and equal bytes in every process
set -euo pipefail
bin="$MUSTER_BUILD/lib/muster/sim/bin"
unset LD_LIBRARY_PATH NPU_SIM_FAULTS NPU_SIM_FLEET NPU_SIM_CARDS NPU_SIM_SOC
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
complain() {
    echo "$1" >&2
    bad=1
}
run() { # FOLDER PROGRAM ARGS...
    mkdir "$work/$1"
    CAMODEL_LOG_PATH=$work/$1 "$bin/$2" "${@:3}" >/dev/null || complain "$2: exit $?"
}

line='^\[info\] \[[0-9]{8,}\] \(PC: 0x[0-9a-f]{1,16}\) [A-Z0-9_]+ *: \(Binary: 0x[0-9a-f]{8}\) [A-Z0-9_a-z-]+  .*$'
miss='^\[info\] [0-9]+: icache read address is 0x[0-9a-f]+, size is 0x[0-9a-f]{8}, type:[0-9]+, last:[0-9]+, status is MISS$'
request='^\[info\] [0-9]+: <mte\.[A-Z0-9]+[RW]IF> instr_id: [0-9]+, req_id: [0-9]+, size: [0-9]+\.$'
grammar() { # FOLDER
    ! grep -hvE "$line" "$work/$1"/*.instr_log.dump "$work/$1"/*.instr_popped_log.dump |
        head -3 | grep . || complain "$1: instruction lines"
    ! grep -hvE "$miss" "$work/$1"/*icache_log.dump | head -3 | grep . || complain "$1: cache lines"
    ! grep -hvE "$request" "$work/$1"/*.mte_log.dump | head -3 | grep . || complain "$1: requests"
    # each started instruction has ended
    for log in "$work/$1"/*.instr_log.dump; do
        diff <(sed -E 's/.*\(PC/(PC/' "$log" | sort) \
            <(sed -E 's/.*\(PC/(PC/' "${log%_log.dump}_popped_log.dump" | sort) >/dev/null ||
            complain "$log: differs from the popped instructions"
    done
}
moved() { # FOLDER UNIT: bytes of all its requests
    cat "$work/$1"/*.mte_log.dump |
        sed -nE "s/.*<mte\.$2> .* size: ([0-9]+)\.$/\1/p" | awk '{n += $1} END {print n + 0}'
}
expect() { [ "$2" = "$3" ] || complain "$1: got $2, expected $3"; }

run add add_custom --n 100003 --blocks 60 # more blocks than vector cores
grammar add
expect "vector cores of 60 blocks" "$(find "$work/add" -name '*.instr_log*' | wc -l)" 48
expect "bytes into UB" "$(moved add BRIF)" $((2 * 4 * 100003))
expect "bytes out of UB" "$(moved add BWIF)" $((4 * 100003))
expect "whole transfers" "$(moved add UBWIF)" $((2 * 4 * 100003))
grep -qE 'SPR:LPCNT, XN:X6=0x80000001,' "$work"/add/core0.veccore0.instr_log.dump || complain "no mark"
grep -qE 'XD:X4=0x31,SPR:BLOCKID,' "$work"/add/core0.veccore1.instr_log.dump ||
    complain "block 49 is not the second of its core"

run mix matmul_custom --m 300 --n 200 --k 130 --blocks 2
grammar mix
expect "cores of two mix blocks" "$(find "$work/mix" -name '*.instr_log*' | wc -l)" 6
# 150 rows and 200 columns are two tiles each, so each block reads a twice and b twice
expect "bytes out of GM" "$(moved mix BRIF)" \
    $((4 * (300 * 130 * 2 + 130 * 200 * 2 * 2) + 4 * (300 * 200 + 4 * 200)))
expect "bytes into GM" "$(moved mix BWIF)" $((4 * 300 * 200 * 2))
expect "multiplications" "$(cat "$work"/mix/*cubecore0.instr_log.dump | grep -c MMAD)" $((2 * 2 * 2 * 3))
run again matmul_custom --m 300 --n 200 --k 130 --blocks 2
diff -r "$work/mix" "$work/again" >/dev/null || complain "two processes write different logs"

mkdir "$work/310P"
NPU_SIM_SOC=Ascend310P3 CAMODEL_LOG_PATH=$work/310P "$bin/add_custom" >/dev/null || complain "310P"
[ -s "$work/310P/core0.instr_log.dump" ] || complain "310P: the combined core has no log"
exit $bad

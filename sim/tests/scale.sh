#!/usr/bin/env bash
# scale.sh - memory use of 1,024 cards in one process, and of a host with 4,096
set -euo pipefail
census="$MUSTER_BUILD/tests/sim_census"
unset NPU_SIM_FLEET NPU_SIM_FAULTS ASCEND_RT_VISIBLE_DEVICES NPU_SIM_DEV_DIR
export LD_LIBRARY_PATH="$MUSTER_BUILD/lib/muster/sim/lib64"

at_most() { # WHAT LIMIT-KIB VALUE
    echo "$1: $3 KiB"
    [ "$3" -le "$2" ] || {
        echo "$1: $3 KiB is more than $2" >&2
        exit 1
    }
}
output=$(NPU_SIM_CARDS=1024 "$census" hold 1024)
[[ "$output" =~ ^idle_kib=([0-9]+)\ used_kib=([0-9]+)$ ]] || {
    echo "hold: $output" >&2
    exit 1
}
at_most 'an idle card of 1,024' 1024 "${BASH_REMATCH[1]}"
# a used card has 8 MiB allocated but not touched
at_most 'a used card of 1,024' 1024 "${BASH_REMATCH[2]}"
output=$(NPU_SIM_CARDS=4096 "$census" pass 4096)
[[ "$output" =~ ^kept_kib=([0-9]+)$ ]] || {
    echo "pass: $output" >&2
    exit 1
}
at_most 'what a card of 4,096 leaves' 1024 "${BASH_REMATCH[1]}"

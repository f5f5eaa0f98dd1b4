#!/usr/bin/env bash
# planted.sh - a planted fault shows in the counters of its card by its factor, and nowhere else
#
# The noise depends on seed, card and launch alone: with and without the fault the other
# cards count the very same, and the faulty one differs by what was planted.
set -euo pipefail
census="$MUSTER_BUILD/tests/sim_census"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset NPU_SIM_FAULTS ASCEND_RT_VISIBLE_DEVICES NPU_SIM_HOST NPU_SIM_EPOCH NPU_SIM_DEV_DIR
export LD_LIBRARY_PATH="$MUSTER_BUILD/lib/muster/sim/lib64" NPU_SIM_FLEET="$work/fleet.yaml"
bad=0
complain() {
    echo "$1" >&2
    bad=1
}

count() { # FAULTS: what all cards of a host of four count in five launches
    cat >"$NPU_SIM_FLEET" <<FLEET
version: 1
seed: 11
hosts: [{name: a, cards: 4}]
$1
FLEET
    "$census" count 5
}
others_are_well() { # WHAT: lines of the cards 0, 1 and 3 are those without a fault
    cmp -s <(grep -v '^card=2 ' "$work/well") <(grep -v '^card=2 ' "$work/ill") || complain "$1: another card counts otherwise"
}
# FIELD LOW HIGH [FROM]: of each launch of card 2, or those from FROM on, with the fault over without
grown() {
    paste <(grep '^card=2 ' "$work/well") <(grep '^card=2 ' "$work/ill") | tr '=' ' ' |
        awk -v field="$1" -v low="$2" -v high="$3" -v from="${4:-0}" 'NR > from {
            n = 0
            for (i = 1; i < NF; i++) if ($i == field) value[n++] = $(i + 1)
            ratio = value[1] / value[0]
            if (n != 2 || ratio < low || ratio > high) { print field ": " ratio; bad = 1 }
        } END { exit bad || NR != 5 }'
}
same_work() { # WHAT: the same work on card 2, whatever it took
    cmp -s <(sed -n 's/^card=2 .*records/records/; s/cycles=.*work/work/p' "$work/well") \
        <(sed -n 's/^card=2 .*records/records/; s/cycles=.*work/work/p' "$work/ill") || complain "$1: other work on card 2"
}

count '' >"$work/well"
[ "$(wc -l <"$work/well")" = 20 ] || complain "$(cat "$work/well")"
cmp -s "$work/well" <(count '') || complain "the same seed counts otherwise"

count 'faults: [{fault: slow_card, card: 2, factor: 1.5}]' >"$work/ill"
others_are_well slow_card
same_work slow_card
grown cycles 1.499 1.501 || complain "slow_card: cycles are not half as many again"
grown ticks 1.47 1.53 || complain "slow_card: time is not half as much again"

count 'faults: [{fault: throttle, card: 2, mhz: 900}]' >"$work/ill"
others_are_well throttle
same_work throttle
# the memory keeps its clock: what waits for it, in the first launch, is not slowed as much
grown ticks 1.9 2.05 1 || complain "throttle: half the clock does not take twice the time"
grown ticks 1.05 2.05 || complain "throttle: the first launch"

count 'faults: [{fault: slow_card, card: 2, factor: 9, after_s: 3600}]' >"$work/ill"
others_are_well after_s
grown cycles 1 1 || complain "after_s: slow too early"
NPU_SIM_EPOCH=1000 "$census" count 5 >"$work/ill"
grown cycles 8.99 9.01 || complain "NPU_SIM_EPOCH: the moment has passed"

count 'faults: [{fault: noisy_neighbour, card: 2, share: 0.9}]' >"$work/ill"
others_are_well noisy_neighbour
# the first launch goes to memory, the others find all in the cache
grown cycles 1 12 || complain "noisy_neighbour: more than its share"
grep -q "^card=2 launch=0 .*$(sed -n 's/^card=2 launch=0 .*\(cycles=[0-9]*\).*/\1/p' "$work/well") " "$work/ill" &&
    complain "noisy_neighbour: nobody is disturbed"

# a hot room: the clock falls to a half
sed 's/cards: 4/cards: 4, except: [{card: 2, ambient: 110}]/' "$NPU_SIM_FLEET" | grep -v '^faults' >"$work/hot.yaml"
NPU_SIM_FLEET="$work/hot.yaml" "$census" count 5 >"$work/ill"
others_are_well ambient
same_work ambient
grown ticks 1.9 2.05 1 || complain "ambient: half the clock does not take twice the time"

sed 's/ambient: 110/hbm_maker: 88/' "$work/hot.yaml" >"$work/cj.yaml"
NPU_SIM_FLEET="$work/cj.yaml" "$census" count 5 >"$work/ill"
others_are_well hbm_maker
same_work hbm_maker
! cmp -s "$work/well" "$work/ill" || complain "hbm_maker: another memory is as fast"

count 'faults: [{fault: lost_pmu, card: 2, every: 4}]' >"$work/ill"
others_are_well lost_pmu
grown records 0.7 0.8 || complain "lost_pmu: not a quarter is lost"

count 'faults: [{fault: slow_card, card: 2, factor: 9, when: {ATTEMPT: 1}}]' >"$work/ill"
grown cycles 1 1 || complain "when: planted without the variable"
ATTEMPT=1 "$census" count 5 >"$work/ill"
grown cycles 8.99 9.01 || complain "when: not planted with the variable"
exit $bad

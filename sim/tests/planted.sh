#!/usr/bin/env bash
# planted.sh - a fault changes the counters of its card by its factor, and of no other card
#
# The noise depends only on seed, card and launch. With and without the fault the counters of
# the other cards are equal, and those of the faulty card differ by the factor.
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
    cmp -s <(grep -v '^card=2 ' "$work/well") <(grep -v '^card=2 ' "$work/ill") || complain "$1: counters of another card changed"
}
# FIELD LOW HIGH [FROM]: the ratio with/without fault lies in LOW..HIGH for each launch of card 2 (from FROM on)
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
        <(sed -n 's/^card=2 .*records/records/; s/cycles=.*work/work/p' "$work/ill") || complain "$1: the work counters of card 2 changed"
}

count '' >"$work/well"
[ "$(wc -l <"$work/well")" = 20 ] || complain "$(cat "$work/well")"
cmp -s "$work/well" <(count '') || complain "the same seed gives different counters"

count 'faults: [{fault: slow_card, card: 2, factor: 1.5}]' >"$work/ill"
others_are_well slow_card
same_work slow_card
grown cycles 1.499 1.501 || complain "slow_card: cycles did not grow by 1.5"
grown ticks 1.47 1.53 || complain "slow_card: time did not grow by 1.5"

count 'faults: [{fault: throttle, card: 2, mhz: 900}]' >"$work/ill"
others_are_well throttle
same_work throttle
# the memory keeps its clock, so the first launch, which waits for memory, slows down less
grown ticks 1.9 2.05 1 || complain "throttle: time did not double at half the clock"
grown ticks 1.05 2.05 || complain "throttle: wrong time of the first launch"

count 'faults: [{fault: slow_card, card: 2, factor: 9, after_s: 3600}]' >"$work/ill"
others_are_well after_s
grown cycles 1 1 || complain "after_s: slow before its time"
NPU_SIM_EPOCH=1000 "$census" count 5 >"$work/ill"
grown cycles 8.99 9.01 || complain "NPU_SIM_EPOCH: not slow after its time"

count 'faults: [{fault: noisy_neighbour, card: 2, share: 0.9}]' >"$work/ill"
others_are_well noisy_neighbour
# the first launch reads memory, the others hit the cache
grown cycles 1 12 || complain "noisy_neighbour: slower than its share allows"
grep -q "^card=2 launch=0 .*$(sed -n 's/^card=2 launch=0 .*\(cycles=[0-9]*\).*/\1/p' "$work/well") " "$work/ill" &&
    complain "noisy_neighbour: no launch became slower"

# hot air: the clock falls to a half
sed 's/cards: 4/cards: 4, except: [{card: 2, ambient: 110}]/' "$NPU_SIM_FLEET" | grep -v '^faults' >"$work/hot.yaml"
NPU_SIM_FLEET="$work/hot.yaml" "$census" count 5 >"$work/ill"
others_are_well ambient
same_work ambient
grown ticks 1.9 2.05 1 || complain "ambient: time did not double at half the clock"

sed 's/ambient: 110/hbm_maker: 88/' "$work/hot.yaml" >"$work/cj.yaml"
NPU_SIM_FLEET="$work/cj.yaml" "$census" count 5 >"$work/ill"
others_are_well hbm_maker
same_work hbm_maker
! cmp -s "$work/well" "$work/ill" || complain "hbm_maker: the counters are equal for both memories"

count 'faults: [{fault: lost_pmu, card: 2, every: 4}]' >"$work/ill"
others_are_well lost_pmu
grown records 0.7 0.8 || complain "lost_pmu: the share of lost records is not a quarter"

count 'faults: [{fault: slow_card, card: 2, factor: 9, when: {ATTEMPT: 1}}]' >"$work/ill"
grown cycles 1 1 || complain "when: the fault applied without the variable"
ATTEMPT=1 "$census" count 5 >"$work/ill"
grown cycles 8.99 9.01 || complain "when: the fault did not apply with the variable"
exit $bad

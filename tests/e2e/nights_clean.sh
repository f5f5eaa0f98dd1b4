#!/usr/bin/env bash
# nights_clean.sh - twenty equal nights against a rolling baseline: at most 1 % of the
# cells are called regressed; and a spike of one night does not fail the next ones
. "$(dirname "$0")/nights.sh"
cd "$work"
sed -i 's/^faults:$/&\n- {fault: slow_card, card: 0, factor: 1.5, when: {NIGHT: spike}}/' fleet.yaml
nights_up '0 1'
small='s/ids: .*]/ids: [0, 1]/; s/against: clean/against: nightly/'
night first '' "$small"
muster wait --quiet "$key" >/dev/null || true
muster baseline set nightly "$key" --keep 10 >/dev/null

say 'twenty nights'
regressed=0 cells=0
for _ in $(seq 20); do
    night equal '' "$small"
    gate 0 "$key"
    regressed=$((regressed + $(sed -n 's/.*"regressed": \([0-9]*\),.*/\1/p' gate/gate.json)))
    cells=$((cells + $(sed -n 's/.*"same": \([0-9]*\),.*/\1/p' gate/gate.json)))
done
[ "$cells" -ge 76 ] && [ $((100 * regressed)) -le "$cells" ] || fail "$regressed regressed, $cells same"
[ "$(db 'select count(*) from baseline_jobs where passed')" -eq 21 ] || fail 'a night did not enter the baseline'

say 'a spike fails its night, does not enter the baseline, and the next night passes'
night spike '' "$small"
gate 4 "$key"
grep -qE 'because of card S0 of host node0' gated || fail "$(cat gated)"
night equal '' "$small"
gate 0 "$key"
[ "$(db 'select count(*) from baseline_jobs where passed')" -eq 22 ] || fail 'the spike entered the baseline'

#!/usr/bin/env bash
# nights_clean.sh - twenty equal nights against a rolling baseline: at most 1 % of the
# cells are called regressed, and none after fresh runs; fresh runs do not reproduce a
# spike of one night, so its night passes, and without them it does not fail the next
# ones; a point that stays faster begins a new level; and a slow drift, whose steps are
# all within the tolerance, shows against the anchor
#
# MUSTER_TEST_NIGHTS=many: only the twenty nights, with 50 cells instead of 4.
. "$(dirname "$0")/nights.sh"
cd "$work"
sed -i 's/^faults:$/&\n- {fault: slow_card, card: 0, factor: 1.5, when: {NIGHT: spike}}/' fleet.yaml
nights_up '0 1'
small='s/ids: .*]/ids: [0, 1]/; s/against: clean/against: nightly/'
night first '' "$small"
muster wait --quiet "$key" >/dev/null || true
muster baseline set nightly "$key" --keep 10 >/dev/null

many=${MUSTER_TEST_NIGHTS:-}
confirmed="$small; s/confirm: off/confirm: {pairs: 7, sessions: 1, cards: 2, suspects: 3}/"
if [ -n "$many" ]; then # another baseline, for sizes as further points
    for card in 2 3 4; do worker_up "$card" --host "node$((card / 2))" --serial "S$card"; done
    confirmed="$confirmed; s/ids: .*]/ids: [0, 1, 2, 3, 4]/; s/op: \[/n: [65536, 98304, 131072, 196608, 262144], op: [/; s/--n 262144/--n \${n}/; s/against: nightly/against: many/"
    night first '' "$confirmed"
    muster wait --quiet "$key" >/dev/null || true
    muster baseline set many "$key" --keep 10 >/dev/null
fi
say 'twenty nights'
regressed=0 cells=0
for _ in $(seq 20); do
    night equal '' "$confirmed"
    gate 0 "$key"
    regressed=$((regressed + $(sed -n 's/.*"regressed": \([0-9]*\),.*/\1/p' gate/gate.json)))
    cells=$((cells + $(sed -n 's/.*"same": \([0-9]*\),.*/\1/p' gate/gate.json)))
done
[ "$cells" -ge $((${many:+12} + 76)) ] && [ $((100 * regressed)) -le "$cells" ] || fail "$regressed regressed, $cells same"
[ -z "$many" ] || {
    echo "$regressed of $((regressed + cells)) cells were called regressed before fresh runs"
    exit 0
}
[ "$(db 'select count(*) from baseline_jobs where passed')" -eq 21 ] || fail 'a night did not enter the baseline'

grep -q '"false_alarm_percent": 0.000' gate/gate.json || fail "$(cat gate/gate.json)"

say 'a spike fails its night, does not enter the baseline, and the next night passes'
night spike '' "$small"
gate 4 "$key"
grep -qE 'because of card S0 of host node0' gated || fail "$(cat gated)"
night equal '' "$small"
gate 0 "$key"
[ "$(db 'select count(*) from baseline_jobs where passed')" -eq 22 ] || fail 'the spike entered the baseline'

say 'a point that improved in two nights has a new level, so that the way back is seen'
less="$small; s/--n 262144/--n \$([ \${op} = add_custom ] \&\& echo 131072 || echo 262144)/"
for _ in 1 2; do
    night equal '' "$less"
    gate 0 "$key"
    sed -n 2p gated | grep -q '^improved: point op=add_custom of kernel add_custom' || fail "$(cat gated)"
    [ -n "${first_less:-}" ] || first_less=$key
done
[ "$(db "select j.key || ' ' || s.points || ' ' || s.user from baseline_splits s join jobs j using(job_id)")" = \
    "$first_less op=add_custom gate" ] || fail "$(db 'select * from baseline_splits')"
night equal '' "$less"
gate 0 "$key"
! grep '^improved' gated || fail 'the new level did not begin'
night equal '' "$small"
gate 4 "$key"
[ "$(sed -n 1p gated | grep -c '^point op=add_custom of kernel add_custom is .* slower')" -eq 1 ] || fail "$(cat gated)"

say 'a slow drift: each night is like the one before, and worse than the anchor'
drift() { # STEP
    night drift '' "$small; s/against: nightly/against: drift/; s/confirm: off/confirm: off, anchor: first/; s/262144/$((262144 + 4096 * $1))/"
}
drift 0
muster wait --quiet "$key" >/dev/null || true
for step in 1 2 3; do
    drift $step
    gate 0 "$key"
    [ "$(sed -n 1p gated)" = 'nothing regressed' ] || fail "$(cat gated)"
done
[ "$(grep -cE '^drift: point op=(add_custom|accumulate_inplace) of kernel [a-z_]+ is [234]\.[0-9] % worse than in first-1 \(metric duration_us\)( on (. of . cells: )?card [^ ]+ of host .*)?$' gated)" -eq 2 ] || fail "$(cat gated)"
python3 - <<'PY' || fail "$(cat gate/gate.json)"
import json
assert len(json.load(open("gate/gate.json"))["drifts"]) == 2
PY

say 'fresh runs do not reproduce a spike, so its night passes'
cp fleet.yaml quiet.yaml
sed 's/, when: {NIGHT: spike}//' quiet.yaml >fleet.yaml
night blip '' "$confirmed; s/against: nightly/against: first/"
until_true eval '[ "$(db "select state from jobs order by job_id desc limit 1")" = done ]' # without a gate
mv quiet.yaml fleet.yaml
gate 0 "$key"
[ "$(sed -n 1p gated)" = 'nothing regressed' ] || fail "$(cat gated)"
[ "$(grep -cE '^also: .* slower.*; fresh runs did not reproduce this$' gated)" -ge 1 ] || fail "$(cat gated)"

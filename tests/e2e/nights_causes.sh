#!/usr/bin/env bash
# nights_causes.sh - muster gate names what made a night slower: the code of a kernel, a
# card, a host, the environment; and what is not slower: an improved kernel, a spike of
# another night, a replaced card, points that are gone or new
. "$(dirname "$0")/nights.sh"
cd "$work"
nights_up
night clean
gate 5 "$key"
prints "undecided: no baseline 'clean', and no job of this name was done before clean-1"

say 'equal nights pass'
night equal
gate 0 "$key"
[ "$(sed -n 1p gated)" = 'nothing regressed' ] || fail "$(cat gated)"
prints 'equal-2 against clean-1: 12 same (metric duration_us, tolerance 2 %)'

say 'a kernel with more work is code, on all cards'
night kernel '' 's/\${op} --n 262144/${op} --n $(expr 262144 + 32768 \\* $([ ${op} = add_custom ] \&\& echo 1 || echo 0))/'
gate 4 "$key"
grep -qE '^point op=add_custom of kernel add_custom is [0-9.]+ % slower on 6 cards, because of its code; not confirmed$' gated || fail "$(cat gated)"

say 'a slow card is named by its serial'
night card
gate 4 "$key"
grep -qE '^2 points are [0-9.]+ % slower, because of card S3 of host node1; not confirmed$' gated || fail "$(cat gated)"

[ "$(muster compare clean "$key" --cards 'node1:3' -o csv | grep -c '^regressed,.*,S3,')" -eq 2 ] || fail "$(muster compare clean "$key" --cards node1:3 -o csv)"
for cards in node1 S3 'node0:?'; do
    muster compare clean "$key" --cards "$cards" -o csv | sed 1d | wc -l
done | xargs >counted || true
[ "$(cat counted)" = '4 2 4' ] || fail "cells of node1, of S3 and of node0: $(cat counted)"

say 'the next slow night names the night since which the card is slow'
first=$key
night card
gate 4 "$key"
grep -qE "^2 points are [0-9.]+ % slower since $first \($(date -u +%Y)-[0-9]{2}-[0-9]{2}\), because of card S3 of host node1; not confirmed$" gated || fail "$(cat gated)"
grep -q '"nights_before": 1' gate/gate.json || fail "$(cat gate/gate.json)"

say 'a night with another warm-up is not compared'
night warm '' 's/warmup: 0/warmup: 3/'
gate 5 "$key"
prints 'undecided: 12 of 12 cells are inconclusive; 12 were measured otherwise than the base (warmup 0 became 3)'
[ "$(muster compare clean "$key" -o csv | grep -c '^inconclusive,.*measured-otherwise; warmup 0 became 3')" -eq 12 ] || fail "$(muster compare clean "$key" -o csv)"

say 'all cards of a throttled host: the host, at the same number of cycles'
night host
gate 4 "$key"
grep -qE '^2 points are [0-9.]+ % slower, because of host node2; not confirmed$' gated || fail "$(cat gated)"
[ "$(grep -c '"no_more_cycles": true' gate/gate.json)" -eq 4 ] || fail "$(cat gate/gate.json)"

say 'everything slower with equal code, after a change of the driver: the environment'
sed -i 's/cards: 6}/cards: 6, driver: 26.0.1}/' fleet.yaml
night all
gate 4 "$key"
grep -qE '^2 points are [0-9.]+ % slower, because of the environment ' gated || fail "$(cat gated)"
[ "$(grep -c '"environment": "differs"' gate/gate.json)" -eq 12 ] || fail "$(cat gate/gate.json)"
driver=$(db "select distinct driver from v_ranks where job = 'clean-1'")
change="driver $driver became 26.0.1 on 6 cards"
prints "environment changed: $change"
grep -q "Environment changed: $change" gate/gate.html || fail "$(cat gate/gate.html)"
grep -qF '"environment_change": "'"$change"'"' gate/gate.json || fail "$(cat gate/gate.json)"
muster compare clean "$key" >compared || true
grep -qxF "environment changed: $change" compared || fail "$(cat compared)"
muster compare clean "$key" -o csv >compared || true
[ "$(grep -c ',true$' compared)" -eq 12 ] || fail "$(cat compared)"
muster compare clean equal -o csv >compared || true
[ "$(grep -c ',false$' compared)" -eq 12 ] || fail "$(cat compared)"
muster baseline set changed clean-1 equal-2 "$key" >/dev/null
muster trend --against changed --to trend >trended
grep -qxF "environment changed at $key: $change" trended || fail "$(cat trended)"
grep -q "Environment changed at $key: $change" trend/trend.html || fail "$(cat trend/trend.html)"
[ "$(muster trend --against changed -o csv | grep -c ",$key,,,false,")" -eq 2 ] || fail "$(muster trend --against changed -o csv)"
[ "$(grep -c 'environment changed' <(muster trend --against clean))" -eq 0 ] || fail 'one night has a change'
sed -i 's/, driver: 26.0.1}/}/' fleet.yaml

say 'a kernel that does less passes, and is the first in the list'
night less '' 's/--n 262144/--n $([ ${op} = add_custom ] \&\& echo 65536 || echo 262144)/'
gate 0 "$key"
sed -n 2p gated | grep -qE '^improved: point op=add_custom of kernel add_custom is [0-9.]+ % faster on 6 cards; check that it still does the same work$' || fail "$(cat gated)"

say 'a point that is gone and a new one do not fail'
night points '' 's/\[add_custom, accumulate_inplace\]/[add_custom, matmul_custom]/; s/exec \(.*\) --n 262144/op=\1; case $op in *matmul*) exec $op ;; *) exec $op --n 262144 ;; esac/'
gate 0 "$key"
prints "$key against clean-1: 6 same, 6 gone, 6 added (metric duration_us, tolerance 2 %)"

say 'a replaced card is judged as a new card, and the old one is gone'
end "${worker_pid[5]}"
worker_up 5 --host node2 --serial S9
night replaced
gate 0 "$key"
prints "$key against clean-1: 10 same, 2 gone, 2 added (metric duration_us, tolerance 2 %)"
grep -qE '^new card S9 of host node2 differs by [+-]0\.[0-9] %, which may be chance, from 5 other cards at 2 points$' gated || fail "$(cat gated)"
grep -q '<li[^>]*>new card S9 of host node2' gate/gate.html || fail 'gate.html lacks the new card'

say 'a night that lost two of six cards is not measured'
night lost '' 's/exec /[ $CARD -lt 4 ] || exit 3; exec /; s/env: {/env: {CARD: "${card}", /'
gate 5 "$key"
[ "$(sed -n 1p gated)" = 'not measured: 28 repeats have no result, on card S4 of host node2 and card S5 of host node2' ] || fail "$(cat gated)"
[ "$(grep -c '<error type="not-measured"' gate/junit.xml)" -eq 3 ] || fail "$(cat gate/junit.xml)"

say 'the events of a job have the verdict and its causes'
muster events card-4 >listed
grep -q 'gate.verdict.*code=4 against=clean-1: 2 points are' listed || fail "$(cat listed)"
grep -q 'gate.suspect.*because of card S3 of host node1' listed || fail "$(cat listed)"
gate 4 card-4 --dry-run --to dry
[ ! -e dry ] || fail '--dry-run wrote files'
muster events card-4 >listed.now
cmp listed listed.now || fail '--dry-run stored events'

say 'muster explain has the figures and signs behind the verdict'
muster explain host-7 >explained
grep -qE '^  add_custom op=add_custom on card S4 of host node2: [0-9.]+ us after [0-9.]+ us, \+[0-9.]+ % ' explained || fail "$(cat explained)"
grep -qxF '    cause host (open): its binary and its command are those of the base; the environment is that of the base; it takes no more clock cycles' explained || fail "$(cat explained)"

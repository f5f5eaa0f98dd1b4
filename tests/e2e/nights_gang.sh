#!/usr/bin/env bash
# nights_gang.sh - a fused operator on four cards: muster gate names the slow link and
# the slow card, though all ranks become slower together, and with two placements the
# slow rank; a confirmation without a spare card rotates the ranks; and a night that lost
# two of eight ranks is not measured
. "$(dirname "$0")/nights.sh"
cd "$work"
cat >fleet.yaml <<'YAML'
version: 1
hosts: [{name: one, cards: 8, mhz: 100}] # a slow clock makes the computation visible
faults:
- {fault: slow_card, card: 2, factor: 1.5, when: {NIGHT: card}}
- {fault: slow_link, card: 1, to_card: 2, factor: 4, when: {NIGHT: link}}
YAML
for card in 0 1 2 3; do
    echo "- {fault: slow_card, card: $card, factor: 1.5, when: {NIGHT: rank, RANK_ID: '1'}}"
done >>fleet.yaml
night_file() { # NAME SEED
    cat <<YAML
version: 1
name: $1
operator:
  command:
  - /bin/sh
  - -c
  - 'export NPU_SIM_SEED=\$((SEED * 100 + NPU_SIM_SEED)); exec $B/lib/muster/sim/bin/matmul_all_reduce --m 64 --n 256 --k 64'
  ranks: 4
  env: {NIGHT: $1, SEED: "$2"}
sweep: {repeat: 5} # all cells of a launch change together, so five repeats decide
profile: {metrics: [PipeUtilization], warmup: 0, kernel: "MatmulAllReduce*", barrier: {deadline: 60s}}
limits: {retries: 0}
compare: {against: clean}
gate: {confirm: off}
YAML
}
placed='s/against: clean/against: steady/; s/confirm: off/confirm: off, rotate: 2/'
nights_up '0 1' 4
cp fleet.yaml healthy.yaml

say 'without a spare card fresh runs rotate the ranks, and confirm the slow card'
pair='s/ranks: 4/ranks: 2/; s/against: clean/against: pair/'
night pair '' "$pair"
muster wait --quiet "$key" >/dev/null || true
echo '- {fault: slow_card, card: 1, factor: 1.5}' >>fleet.yaml
night worn '' "$pair; s/confirm: off/confirm: {pairs: 7, sessions: 1, cards: 2}/"
gate 4 "$key"
grep -qE '^kernel MatmulAllReduce[^ ]* is [0-9.]+ % slower, because of card S1 of host node0; confirmed$' gated || fail "$(cat gated gated.err)"
db "select rank, card, place, neighbour_place, cause, slow_card, slow_peer, code, neighbour_code, drift from suspects" >suspects
[ "$(cat suspects)" = '1|S1|node0:0 node0:1||card|S1||same|same|worse' ] || fail "$(cat suspects)"
db "select replace(p.text, 'suspect=1 ', '') from points p join confirmations using(job_id) order by point" >points
[ "$(xargs <points)" = 'role=suspect at0=node0:0 at1=node0:1 side=A role=suspect at0=node0:0 at1=node0:1 side=B role=rotated1 at0=node0:1 at1=node0:0 side=A role=rotated1 at0=node0:1 at1=node0:0 side=B' ] || fail "$(cat points)"
mv healthy.yaml fleet.yaml
for card in 2 3; do
    worker_up "$card" --host node0 --serial "S$card"
done
night clean
muster wait --quiet "$key" >/dev/null || true

say 'a slow link is named by its two cards'
night link
gate 4 "$key"
grep -qE '^kernel MatmulAllReduce[^ ]* is [0-9.]+ % slower, because of the link between card S1 of host node0 and card S2 of host node0 \(ranks 1 and 2\); not confirmed$' gated || fail "$(cat gated)"

say 'a rank that is slow on each card is not the fault of its card'
night steady '' "$placed"
muster wait --quiet "$key" >/dev/null || true
night rank '' "$placed"
gate 4 "$key"
grep -qE '^2 points of kernel MatmulAllReduce[^ ]* are [0-9.]+ % slower on 4 cards; the cause is unknown, slower in rank 1 on each card; not confirmed$' gated || fail "$(cat gated)"

say 'a slow card is named, though each rank waits for it'
night card '' "$placed"
gate 4 "$key"
grep -qE '^2 points of kernel MatmulAllReduce[^ ]* are [0-9.]+ % slower, because of card S2 of host node0; not confirmed$' gated || fail "$(cat gated)"

say 'a night that lost two of eight ranks is not measured'
for card in 4 5 6 7; do
    worker_up "$card" --host node0 --serial "S$card"
done
wide='s/ranks: 4/ranks: 8/; s/repeat: 5/repeat: 3/; s/against: clean/against: wide/'
night wide '' "$wide"
muster wait --quiet "$key" >/dev/null || true
night wide '' "$wide; s/exec /[ \$NPU_SIM_SEED -ne $((seed + 1))02 ] || [ \$RANK_ID -lt 6 ] || exit 3; exec /"
gate 5 "$key"
[ "$(sed -n 1p gated)" = 'not measured: 1 repeat has no result' ] || fail "$(cat gated)"
db "select state || ': ' || reason from tasks where job_id = (select max(job_id) from jobs) and repeat = 1" >lost
grep -qxE 'failed: [0-6] of 8 ranks ended well; rank [67]: exit code 3' lost || fail "$(cat lost)"
grep -q '<error type="not-measured"' gate/junit.xml || fail "$(cat gate/junit.xml)"

#!/usr/bin/env bash
# health.sh - a card that says of itself that it is not well gets nothing: what was meant
# for it runs elsewhere, it is put aside with the reason, and stays so until undrained
. "$(dirname "$0")/fleet.sh"
cd "$work"
cat >fleet.yaml <<'YAML'
version: 1
hosts: [{name: here, cards: 2}]
faults:
- {fault: ecc_error, card: 1, bits: multi}
YAML
export NPU_SIM_FLEET=$work/fleet.yaml
fleet_up 2
cat >job.yaml <<'YAML'
version: 1
name: sick
operator: {command: [sim/bin/add_custom, --n, "${n}"]}
sweep: {matrix: {n: [1024, 2048, 4096, 8192]}, repeat: 2}
profile: {metrics: []}
YAML
name=$(muster submit job.yaml)
muster wait --timeout 60s "$name" || fail "the job did not end well"
say 'all tasks ran, none of them on the card that is ill'
[ "$(db "select group_concat(distinct card) from ranks where status = 'done'")" = 0 ] || fail 'it ran on the ill card'
say 'the ill card is put aside, and the reason is told'
sed 's/name: sick/name: there/; $a cards: {ids: [1]}' job.yaml >there.yaml
there=$(muster submit there.yaml)
drained() { db "select text from events where kind = 'card.drained'"; }
is_drained() { [ -n "$(drained)" ]; }
until_true is_drained
drained | grep -q 'card=1: quarantine: at fault 3 times in a row: the card is not well: it says: an alarm; double bit errors: 1' ||
    fail "another reason: $(drained)"
muster explain "$there" | grep -q 'drained: .*:1 (quarantine' || fail "explain: $(muster explain "$there")"
muster cancel "$there" >/dev/null
host=$(db 'select host from ranks limit 1')
muster undrain "$host:1" | grep -q 'gets tasks again' || fail 'not drained'
down
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"

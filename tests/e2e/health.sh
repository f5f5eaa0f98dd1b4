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
sim=$B/lib/muster/sim/bin
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
drained | grep -q 'card=1: quarantine: 3 faults in a row: card fault: management library reports an alarm; double bit errors: 1' ||
    fail "another reason: $(drained)"
muster explain "$there" | grep -q 'drained: .*:1 (quarantine' || fail "explain: $(muster explain "$there")"
muster cancel "$there" >/dev/null
host=$(db 'select host from ranks limit 1')
muster undrain "$host:1" | grep -q 'back in service' || fail 'not drained'

say 'a card that falls ill during a task that ends well is told of at once'
down
rm -rf out spool-*
cat >fleet.yaml <<'YAML'
version: 1
hosts: [{name: here, cards: 2}]
faults: # of a stranger, who stays on the card
- {fault: ecc_error, card: 1, bits: multi, launch: 1, when: {ILL: "yes"}}
- {fault: stuck_kernel, card: 1, launch: 2, when: {ILL: "yes"}}
YAML
waiting waits.sh "touch '$work/began'"
cat >during.yaml <<YAML
version: 1
name: during
operator: {command: ["$work/waits.sh"]}
cards: {ids: [1]}
profile: {metrics: []}
YAML
fleet_up 2
until_true muster submit during.yaml >during.txt 2>/dev/null
until_true [ -e began ]
ILL=yes ASCEND_RT_VISIBLE_DEVICES=1 "$sim/accumulate_inplace" --n 1024 --launches 3 >stranger.txt 2>&1 &
worker_pid[stranger]=$!
is_ill() { "$sim/npu-smi" info -t health -i 1 | grep -q Alarm; }
until_true is_ill
is_past() { [ "$(find "$work/began" -newermt '0.5 seconds ago')" = '' ]; }
until_true is_past # what a simulated card says of itself is up to so old
touch go
muster wait --timeout 60s "$(cat during.txt)" >/dev/null || fail 'the task did not end well'
muster events -o csv | grep -q 'card.fault.*card=1: card fault: management library reports an alarm' || fail "no fault is told: $(muster events)"
muster list --workers -o jsonl | grep '"card":1,' | grep -q '"faults":1,"note":"card fault: management library reports an alarm; double bit errors: 1"' ||
    fail "no fault is shown: $(muster list --workers -o jsonl)"
down
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"

#!/usr/bin/env bash
# health.sh - a card with a card fault gets no tasks: they run on other cards, and the card
# is drained with the reason until undrain; a fault during a task is reported at its end
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
name: faulty
operator: {command: [sim/bin/add_custom, --n, "${n}"]}
sweep: {matrix: {n: [1024, 2048, 4096, 8192]}, repeat: 2}
profile: {metrics: []}
YAML
name=$(muster submit job.yaml)
muster wait --timeout 60s "$name" || fail "the job did not succeed"
say 'all tasks ran, none of them on the faulty card'
[ "$(db "select group_concat(distinct card) from ranks where status = 'done'")" = 0 ] || fail 'a task ran on the faulty card'
say 'the faulty card is drained, with the reason'
sed 's/name: faulty/name: pinned/; $a cards: {ids: [1]}' job.yaml >pinned.yaml
pinned=$(muster submit pinned.yaml)
drained() { db "select text from events where kind = 'card.drained'"; }
is_drained() { [ -n "$(drained)" ]; }
until_true is_drained
drained | grep -q 'card=1: quarantine: 3 faults in a row: card fault: management library reports an alarm; double bit errors: 1' ||
    fail "wrong reason: $(drained)"
muster explain "$pinned" | grep -q 'drained: .*:1 (quarantine' || fail "explain: $(muster explain "$pinned")"
muster cancel "$pinned" >/dev/null
sed 's/name: faulty/name: elsewhere/; $a cards: {ids: [7]}' job.yaml >elsewhere.yaml
elsewhere=$(muster submit elsewhere.yaml 2>/dev/null)
muster explain "$elsewhere" | grep -q 'runs only on cards with number 7, and no connected worker has such a card; ' || fail "explain: $(muster explain "$elsewhere")"
muster cancel "$elsewhere" >/dev/null
host=$(db 'select host from ranks limit 1')
muster list --workers | grep -qE ' 1 +.*drained .*quarantine: 3 faults in a row' || fail "no reason in the list: $(muster list --workers)"
muster drain "$host:1" nowhere --reason typed >drain.txt || fail 'drain'
[ "$(cat drain.txt)" = "$host:1: drained: no new task starts there
nowhere: drained, but no connected worker has this name; check it with 'muster list --workers', or undo it with 'muster undrain'" ] || fail "drain: $(cat drain.txt)"
muster undrain nowhere | grep -q 'back in service' || fail 'undrain of an unknown host'
muster undrain "$host:1" | grep -q 'back in service' || fail 'undrain did not return the card'

say 'a card fault during a task is reported at the end of the task'
down
rm -rf out spool-*
cat >fleet.yaml <<'YAML'
version: 1
hosts: [{name: here, cards: 2}]
faults: # caused by a process outside muster, which stays on the card
- {fault: ecc_error, card: 1, bits: multi, launch: 1, when: {FAULTY: "yes"}}
- {fault: stuck_kernel, card: 1, launch: 2, when: {FAULTY: "yes"}}
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
FAULTY=yes ASCEND_RT_VISIBLE_DEVICES=1 "$sim/accumulate_inplace" --n 1024 --launches 3 >other_process.txt 2>&1 &
worker_pid[other_process]=$!
has_fault() { "$sim/npu-smi" info -t health -i 1 | grep -q Alarm; }
until_true has_fault
is_visible() { [ "$(find "$work/began" -newermt '0.5 seconds ago')" = '' ]; }
until_true is_visible # a simulated card's health report is up to 0.5 s old
touch go
muster wait --timeout 60s "$(cat during.txt)" >/dev/null || fail 'the task did not succeed'
muster events -o csv | grep -q 'card.fault.*card=1: card fault: management library reports an alarm' || fail "no event about the fault: $(muster events)"
muster list --workers -o jsonl | grep '"card":1,' | grep -q '"faults":1,"note":"card fault: management library reports an alarm; double bit errors: 1"' ||
    fail "the list of workers lacks the fault: $(muster list --workers -o jsonl)"
down
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"

#!/usr/bin/env bash
# serve_remote.sh - muster serve with a key of role read: everything that it returns from a
# coordinator is what it returns from the store of this coordinator, also files and traces
. "$(dirname "$0")/fleet.sh"
cd "$work"
for role in worker submit read; do
    muster keygen --role $role "$role.key" "$role" >/dev/null
done
muster keygen coordinator.key coordinator >/dev/null
cat worker.key.pub submit.key.pub read.key.pub >allowed
serving() { sed -n "s/.* $1=\(tcp:[^ ]*\).*/\1/p" coordinator.log | tail -n 1; }
coordinator_up --control tcp://127.0.0.1:0 --data tcp://127.0.0.1:0 --key coordinator.key --allow allowed
until_true eval '[ -n "$(serving data)" ]'
MUSTER_COORDINATOR=$(serving control)
as() { # ROLE COMMAND...
    local role=$1
    shift
    muster "$@" --key "$role.key" --server-key coordinator.key.pub
}
for card in 0 1; do
    muster-worker --control "$MUSTER_COORDINATOR" --data "$(serving data)" --key worker.key --server-key coordinator.key.pub \
        --card $card --model Ascend910B2 --simulated --spool "$work/spool-$card" 2>"worker-$card.log" &
    worker_pid[$card]=$!
done

say 'a job on two cards, a job on each card, a job that waits for a card that does not exist'
cat >pair.yaml <<'YAML'
version: 1
name: pair
operator: {command: [sim/bin/matmul_all_reduce, --m, "64", --n, "128", --k, "64"], ranks: 2}
sweep: {repeat: 5}
profile: {metrics: [Default, Roofline], warmup: 0}
YAML
cat >both.yaml <<'YAML'
version: 1
name: both
operator: {command: [sim/bin/add_custom, --n, "${n}"]}
sweep: {matrix: {n: [4096, 65536]}, repeat: 2}
profile: {metrics: [BasicInfo], warmup: 0}
cards: {ids: [0, 1]}
YAML
sed 's/name: both/name: never/; s/ids: .*/soc: "Ascend77*"}/' both.yaml >never.yaml
until_true as submit submit pair.yaml >/dev/null 2>&1
for job in both never; do as submit submit $job.yaml >/dev/null 2>err.txt || fail "$(cat err.txt)"; done
for job in pair both; do as submit wait $job --quiet >/dev/null || fail "$job failed"; done

say 'the same answers from the coordinator and from the store'
"$root/tests/e2e/serve_remote.py" "$MUSTER_COORDINATOR" read.key coordinator.key.pub out || fail 'answers'

say 'the key of the server cannot change anything'
listed() { env -u MUSTER_COORDINATOR muster list --out out -o json; }
before=$(listed)
for command in 'cancel never' 'retry pair' 'drain vm --reason test' 'submit both.yaml' 'baseline set pair pair'; do
    code=0
    # shellcheck disable=SC2086 # several words
    as read $command >denied.txt 2>&1 || code=$?
    [ "$code" -eq 3 ] && grep -q 'read' denied.txt || fail "$command: exit $code, $(cat denied.txt)"
done
[ "$(listed)" = "$before" ] || fail 'a job changed'

#!/usr/bin/env bash
# curve.sh - over TCP the coordinator serves only peers with an allowed key; other peers
# get no data. Without keys it refuses TCP sockets off loopback unless --insecure is given
. "$(dirname "$0")/fleet.sh"
cd "$work"

for name in coordinator worker me reader unknown; do
    role=submit
    [ $name = worker ] && role=worker
    [ $name = reader ] && role='read'
    muster keygen --role $role "$name.key" "$name" >/dev/null || fail "muster keygen $name"
    [ "$(stat -c %a "$name.key")" = 600 ] || fail "$name.key can be read by others"
done
cat worker.key.pub me.key.pub reader.key.pub >allowed
job secret_name '[1024]' 2 >job.yaml

serving() { # control|data: prints the endpoint from the coordinator's log, or nothing
    sed -n "s/.* $1=\(tcp:[^ ]*\).*/\1/p" coordinator.log | tail -n 1
}
serve() { # ENDPOINT OPTION...: prints the exit code of a coordinator that cannot start
    local endpoint=$1 code=0
    shift
    timeout 20 muster-coordinator --store "$work/other/store" --out "$work/other" \
        --control "$endpoint" --data "$endpoint" "$@" 2>serve.txt || code=$?
    echo "$code"
}
call() { # KEY COMMAND...: prints the exit code of a client; KEY is a file or empty
    local code=0
    MUSTER_KEY=$1 MUSTER_SERVER_KEY=${1:+coordinator.key.pub} \
        muster "${@:2}" >stdout.txt 2>stderr.txt || code=$?
    echo "$code"
}

say 'a client with an allowed key can submit, wait and list'
coordinator_up --control tcp://127.0.0.1:0 --data tcp://127.0.0.1:0 \
    --key coordinator.key --allow allowed
until_true eval '[ -n "$(serving data)" ]'
control=$(serving control) data=$(serving data)
for card in 0 1; do
    worker_up "$card" --control "$control" --data "$data" --key worker.key \
        --server-key coordinator.key.pub
done
export MUSTER_COORDINATOR=$control
[ "$(call me.key submit job.yaml)" -eq 0 ] || fail "submit: $(cat stderr.txt)"
[ "$(call me.key wait 1 --timeout 60s)" -eq 0 ] || fail "wait: $(cat stderr.txt)"
[ "$(call me.key list)" -eq 0 ] || fail "list: $(cat stderr.txt)"
grep -q secret_name stdout.txt || fail "list does not show the job: $(cat stdout.txt)"
[ "$(find out -name visualize_data.bin | wc -l)" -eq 4 ] || fail 'not every task was measured'

say 'a client without an allowed key is refused and gets no data'
denied() { # KEY COMMAND...: runs in its own folder
    local code
    mkdir "$work/as-${1:-nokey}-$2"
    cd "$work/as-${1:-nokey}-$2"
    cp ../*.key ../*.pub ../job.yaml .
    code=$(call "$@")
    [ "$code" -eq 3 ] || fail "$2 with '$1': exit $code, not 3"
    grep -q "no coordinator accepts a connection $([ -n "$1" ] && echo with these keys || echo without a key)" stderr.txt || fail "$2 with '$1': $(cat stderr.txt)"
    [ ! -s stdout.txt ] || fail "$2 with '$1' printed: $(cat stdout.txt)"
    if grep secret_name stderr.txt; then fail "$2 with '$1' printed the job's name"; fi
}
clients=()
for key in '' unknown.key; do # in parallel, because each client tries for some seconds
    for command in list 'show 1' 'submit job.yaml'; do
        # shellcheck disable=SC2086
        (trap - EXIT && denied "$key" $command) &
        clients+=($!)
    done
done
for pid in "${clients[@]}"; do wait "$pid" || fail 'a client without an allowed key was served'; done
rm -r as-*
[ "$(db 'select count(*) from jobs')" -eq 1 ] || fail 'a client without an allowed key has submitted a job'

say 'a worker with an unknown key gets no lease'
worker_up 7 --control "$control" --data "$data" --key unknown.key \
    --server-key coordinator.key.pub --log-level info
until_true grep -q 'worker started' worker-7.log
[ "$(call me.key submit job.yaml)" -eq 0 ] || fail "submit: $(cat stderr.txt)"
[ "$(call me.key wait 2 --timeout 60s)" -eq 0 ] || fail "wait: $(cat stderr.txt)"
[ "$(db "select count(*) from events where kind = 'worker.came'")" -eq 2 ] ||
    fail 'a worker with an unknown key is connected'
if grep "session accepted" worker-7.log; then fail 'a worker with an unknown key was accepted'; fi

say 'a key that only reads gets the verdict of a gate, and stores no events'
[ "$(call reader.key gate -q 2 --against 1)" -eq 5 ] || fail "gate: $(cat stdout.txt stderr.txt)"
grep -q '^secret_name-2 against secret_name-1: ' stdout.txt || fail "$(cat stdout.txt)"
grep -q 'the verdict is not among the events: ' stderr.txt || fail "$(cat stderr.txt)"
[ "$(db "select count(*) from events where kind = 'gate.verdict'")" -eq 0 ] || fail 'the verdict was stored'

say 'no file contains a secret key'
while read -r word secret; do
    [ "$word" = secret ] || continue
    if grep -rlF -- "$secret" out ./*.log ./*.txt; then fail 'a file contains a secret key'; fi
done < <(cat ./*.key)
down

say 'plain TCP off loopback needs --insecure, and a readable secret key is refused'
[ "$(serve tcp://0.0.0.0:0)" -eq 3 ] || fail "0.0.0.0 without a key: $(cat serve.txt)"
grep -q -- --insecure serve.txt || fail "the error does not name --insecure: $(cat serve.txt)"
chmod 644 coordinator.key worker.key me.key
[ "$(serve tcp://127.0.0.1:0 --key coordinator.key --allow allowed)" -eq 3 ] ||
    fail "a coordinator accepted a key that others can read: $(cat serve.txt)"
grep -q 'other users can read' serve.txt || fail "the error lacks the reason: $(cat serve.txt)"
[ "$(call me.key list)" -eq 3 ] || fail "a client accepted a key that others can read"
grep -q 'other users can read' stderr.txt || fail "the error lacks the reason: $(cat stderr.txt)"
code=0
timeout 20 muster-worker --control "$control" --data "$data" --card 0 --spool "$work/spool" \
    --key worker.key --server-key coordinator.key.pub 2>stderr.txt || code=$?
[ "$code" -eq 3 ] || fail "a worker accepted a key that others can read: $code $(cat stderr.txt)"

say 'with --insecure the coordinator warns about each socket off loopback'
chmod 600 coordinator.key
timeout -s TERM 2 muster-coordinator --store "$work/open/store" --out "$work/open" \
    --control tcp://0.0.0.0:0 --data tcp://127.0.0.1:0 --insecure 2>insecure.txt || true
[ "$(grep -c 'warning: INSECURE: .*tcp://0.0.0.0:' insecure.txt)" -eq 1 ] || fail "no warning: $(cat insecure.txt)"
if grep -q 'INSECURE: .*127.0.0.1' insecure.txt; then fail 'a warning about a loopback socket'; fi

say 'with --as-submitter a worker with root rights runs a program as its submitter'
chmod 600 worker.key me.key
code=0
timeout 20 muster-worker --control "$control" --data "$data" --card 0 --spool "$work/spool" \
    --as-submitter 2>stderr.txt || code=$?
[ "$code" -eq 2 ] || fail "--as-submitter without a key: $code $(cat stderr.txt)"
account=nobody
chmod 711 "$work" # so the program can reach its own folder but cannot list this one
if [ "$(id -u)" -ne 0 ] || ! setpriv --reuid "$(id -u $account)" --regid "$(id -g $account)" \
    --clear-groups test -x "$B/lib/muster/sim/bin/add_custom" 2>/dev/null; then
    say 'skipped: this needs root and an account that can run the programs'
    exit 0
fi
muster keygen --role submit nobody.key nobody >/dev/null
code=0
cp reader.key before.key
muster keygen reader.key reader 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'reader.key exists and is not replaced' err.txt && cmp reader.key before.key || fail "keygen twice: exit $code: $(cat err.txt)"
cat worker.key.pub me.key.pub nobody.key.pub >allowed
: >coordinator.log
coordinator_up --control tcp://127.0.0.1:0 --data tcp://127.0.0.1:0 \
    --key coordinator.key --allow allowed
until_true eval '[ -n "$(serving data)" ]'
export MUSTER_COORDINATOR
MUSTER_COORDINATOR=$(serving control)
for card in 0 1; do
    worker_up $card --as-submitter --control "$MUSTER_COORDINATOR" --data "$(serving data)" \
        --key worker.key --server-key coordinator.key.pub
done
cat >look.sh <<'LOOK'
#!/bin/sh
# checks user, groups, environment, access to its folder and rank table, and capabilities
account=nobody
[ "$(id -un)" = $account ] && [ "$(id -G)" = "$(id -G $account)" ] || exit 11
[ "$USER $LOGNAME $HOME" = "$account $account $(getent passwd $account | cut -d: -f6)" ] || exit 12
touch mine && [ "$(stat -c %U mine)" = $account ] || exit 13
cat "$0.secret" 2>/dev/null && exit 14
ls .. 2>/dev/null && exit 15
cat "$RANK_TABLE_FILE" >/dev/null || exit 16
[ "$(awk '/^Cap(Inh|Prm|Eff)/ { sum += $2 } END { print sum + 0 }' /proc/self/status)" = 0 ] || exit 17
exec "$@"
LOOK
chmod 755 look.sh
touch look.sh.secret && chmod 700 look.sh.secret
write_job() { # NAME OPERATOR
    printf 'version: 1\nname: %s\noperator: %s\nprofile: {metrics: [PipeUtilization]}\nlimits: {retries: 0}\n' "$1" "$2" >"$1.yaml"
}
write_job look "{command: [$work/look.sh, $B/lib/muster/sim/bin/matmul_all_reduce_inplace, --m, '16', --n, '16', --k, '16'], ranks: 2}"
write_job kernel '{kernel: sim/kernels/add_custom.o, blocks: 8, args: ["in fp32 1024", "in fp32 1024", "out fp32 1024", "data u32 1024"]}'
write_job forbidden "{command: [$work/look.sh.secret]}"
outcome() { # KEY NAME: prints done, or the reason of the failure
    local id
    [ "$(call "$1" submit "$2.yaml")" -eq 0 ] || fail "submit: $(cat stderr.txt)"
    id=$(db 'select max(job_id) from jobs')
    if [ "$(call "$1" wait "$id" --timeout 60s)" -eq 0 ]; then echo 'done'; else
        db "select group_concat(reason) from v_ranks where job_id = $id"
    fi
}
expect() { # KEY NAME TEXT
    local outcome
    outcome=$(outcome "$1" "$2")
    case $outcome in *"$3"*) ;; *) fail "$2 of $1: $outcome" ;; esac
}
expect nobody.key look 'done'
expect nobody.key kernel 'done'
expect nobody.key forbidden 'Permission denied'
expect me.key kernel "no account 'me'"

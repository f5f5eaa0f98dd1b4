#!/usr/bin/env bash
# curve.sh - over tcp only who has a key on the list is served: others see nothing, not
# even an error of their own job; and there is no open door that nobody asked for
. "$(dirname "$0")/fleet.sh"
cd "$work"

for name in coordinator worker me stranger; do
    role=submit
    [ $name = worker ] && role=worker
    muster keygen --role $role "$name.key" "$name" >/dev/null || fail "muster keygen $name"
    [ "$(stat -c %a "$name.key")" = 600 ] || fail "$name.key can be read by others"
done
cat worker.key.pub me.key.pub >allowed
job secret_name '[1024]' 2 >job.yaml

serving() { # WORD -> the endpoint that was given to it, once it is there
    sed -n "s/.* $1=\(tcp:[^ ]*\).*/\1/p" coordinator.log | tail -n 1
}
serve() { # ENDPOINT OPTION... -> the exit code of a coordinator that cannot start
    local endpoint=$1 code=0
    shift
    timeout 20 muster-coordinator --store "$work/other/store" --out "$work/other" \
        --control "$endpoint" --data "$endpoint" "$@" 2>serve.txt || code=$?
    echo "$code"
}
call() { # KEY VERB... -> the exit code of a client; KEY is a file or nothing
    local code=0
    MUSTER_KEY=$1 MUSTER_SERVER_KEY=${1:+coordinator.key.pub} \
        muster "${@:2}" >stdout.txt 2>stderr.txt || code=$?
    echo "$code"
}

say 'who has a key does what he does on one machine'
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
[ "$(find out -name visualize_data.bin | wc -l)" -eq 4 ] || fail 'not all was measured'

say 'who has none, or one that nobody knows, is not allowed and sees nothing'
denied() { # KEY VERB...; in a folder of its own
    local code
    mkdir "$work/as-${1:-nobody}-$2"
    cd "$work/as-${1:-nobody}-$2"
    cp ../*.key ../*.pub ../job.yaml .
    code=$(call "$@")
    [ "$code" -eq 3 ] || fail "$2 with '$1': exit $code, not 3"
    [ ! -s stdout.txt ] || fail "$2 with '$1' sees: $(cat stdout.txt)"
    if grep secret_name stderr.txt; then fail "$2 with '$1' hears of the job"; fi
}
asking=()
for key in '' stranger.key; do # at once, since each of them tries for some seconds
    for verb in list 'show 1' 'submit job.yaml'; do
        # shellcheck disable=SC2086
        (trap - EXIT && denied "$key" $verb) &
        asking+=($!)
    done
done
for pid in "${asking[@]}"; do wait "$pid" || fail 'somebody was let in'; done
rm -r as-*
[ "$(db 'select count(*) from jobs')" -eq 1 ] || fail 'a stranger has submitted a job'

say 'a worker that nobody knows gets no work'
worker_up 7 --control "$control" --data "$data" --key stranger.key \
    --server-key coordinator.key.pub --log-level info
until_true grep -q 'worker started' worker-7.log
[ "$(call me.key submit job.yaml)" -eq 0 ] || fail "submit: $(cat stderr.txt)"
[ "$(call me.key wait 2 --timeout 60s)" -eq 0 ] || fail "wait: $(cat stderr.txt)"
[ "$(db "select count(*) from events where kind = 'worker.came'")" -eq 2 ] ||
    fail 'a stranger is among the workers'
if grep welcome worker-7.log; then fail 'a stranger is welcome'; fi

say 'no secret is told'
while read -r word secret; do
    [ "$word" = secret ] || continue
    if grep -rlF -- "$secret" out ./*.log ./*.txt; then fail 'a secret key is told'; fi
done < <(cat ./*.key)
down

say 'plain tcp off loopback needs a word, and a secret must be one'
[ "$(serve tcp://0.0.0.0:0)" -eq 3 ] || fail "0.0.0.0 without a key: $(cat serve.txt)"
grep -q -- --insecure serve.txt || fail "it does not say what to do: $(cat serve.txt)"
chmod 644 coordinator.key worker.key me.key
[ "$(serve tcp://127.0.0.1:0 --key coordinator.key --allow allowed)" -eq 3 ] ||
    fail "a coordinator took a key that others can read: $(cat serve.txt)"
grep -q 'other users can read' serve.txt || fail "the reason is not told: $(cat serve.txt)"
[ "$(call me.key list)" -eq 3 ] || fail "a client took a key that others can read"
grep -q 'other users can read' stderr.txt || fail "the reason is not told: $(cat stderr.txt)"
code=0
timeout 20 muster-worker --control "$control" --data "$data" --card 0 --spool "$work/spool" \
    --key worker.key --server-key coordinator.key.pub 2>stderr.txt || code=$?
[ "$code" -eq 3 ] || fail "a worker took a key that others can read: $code $(cat stderr.txt)"

say 'who says the word is warned of each socket that everybody reaches'
chmod 600 coordinator.key
timeout -s TERM 2 muster-coordinator --store "$work/open/store" --out "$work/open" \
    --control tcp://0.0.0.0:0 --data tcp://127.0.0.1:0 --insecure 2>insecure.txt || true
[ "$(grep -c 'warning: INSECURE: .*tcp://0.0.0.0:' insecure.txt)" -eq 1 ] || fail "no warning: $(cat insecure.txt)"
if grep -q 'INSECURE: .*127.0.0.1' insecure.txt; then fail 'a warning of loopback'; fi

say 'where the worker is root, a program runs as who submitted it'
chmod 600 worker.key me.key
code=0
timeout 20 muster-worker --control "$control" --data "$data" --card 0 --spool "$work/spool" \
    --as-submitter 2>stderr.txt || code=$?
[ "$code" -eq 2 ] || fail "--as-submitter without a key: $code $(cat stderr.txt)"
chmod 711 "$work" # not more: the program gets to its folder, and sees none of ours
if [ "$(id -u)" -ne 0 ] || ! setpriv --reuid "$(id -u nobody)" --regid "$(id -g nobody)" \
    --clear-groups test -x "$B/lib/muster/sim/bin/add_custom" 2>/dev/null; then
    say 'not looked at: this needs root, and an account nobody that reaches the programs'
    exit 0
fi
muster keygen --role submit nobody.key nobody >/dev/null
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
# a program's own view: who it is, what it may, and that it gets to its folder and ranks
[ "$(id -un)" = nobody ] && [ "$(id -G)" = "$(id -G nobody)" ] || exit 11
[ "$USER $LOGNAME $HOME" = "nobody nobody $(getent passwd nobody | cut -d: -f6)" ] || exit 12
touch mine && [ "$(stat -c %U mine)" = nobody ] || exit 13
cat "$0.secret" 2>/dev/null && exit 14
ls .. 2>/dev/null && exit 15
cat "$RANK_TABLE_FILE" >/dev/null || exit 16
[ "$(awk '/^Cap(Inh|Prm|Eff)/ { sum += $2 } END { print sum + 0 }' /proc/self/status)" = 0 ] || exit 17
exec "$@"
LOOK
chmod 755 look.sh
touch look.sh.secret && chmod 700 look.sh.secret
who() { # NAME OPERATOR
    printf 'version: 1\nname: %s\noperator: %s\nprofile: {metrics: [PipeUtilization]}\nlimits: {retries: 0}\n' "$1" "$2" >"$1.yaml"
}
who look "{command: [$work/look.sh, $B/lib/muster/sim/bin/matmul_all_reduce_inplace, --m, '16', --n, '16', --k, '16'], ranks: 2}"
who kernel '{kernel: sim/kernels/add_custom.o, blocks: 8, args: ["in fp32 1024", "in fp32 1024", "out fp32 1024", "data u32 1024"]}'
who forbidden "{command: [$work/look.sh.secret]}"
verdict() { # KEY NAME -> done, or why not
    local id
    [ "$(call "$1" submit "$2.yaml")" -eq 0 ] || fail "submit: $(cat stderr.txt)"
    id=$(db 'select max(job_id) from jobs')
    if [ "$(call "$1" wait "$id" --timeout 60s)" -eq 0 ]; then echo 'done'; else
        db "select group_concat(reason) from v_ranks where job_id = $id"
    fi
}
expect() { # KEY NAME WORDS
    local said
    said=$(verdict "$1" "$2")
    case $said in *"$3"*) ;; *) fail "$2 of $1: $said" ;; esac
}
expect nobody.key look 'done'
expect nobody.key kernel 'done'
expect nobody.key forbidden 'Permission denied'
expect me.key kernel "no account 'me'"

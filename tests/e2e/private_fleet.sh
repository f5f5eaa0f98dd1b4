#!/usr/bin/env bash
# private_fleet.sh - a private run submits its job when all its workers are connected, so
# that a job gets the same cards each time; a job for other hosts is refused at once
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
export MUSTER_PARTS=$B/lib/muster

say 'a job waits for a worker that starts late'
mkdir bin
cp "$B/bin/muster" bin/
ln -s "$B/bin/muster-coordinator" bin/
cat >bin/muster-worker <<SH
#!/bin/bash
# the worker of card 0 starts when the other is connected and a submitted job, if the
# run did not wait, is in the log too
log=$work/out/store/log/coordinator.log
case " \$* " in *' --card 0 '*)
    until grep -q 'worker connected: .*card=1' \$log; do :; done
    for _ in \$(seq 20); do
        if grep -q 'job submitted' \$log; then break; fi
        read -rt 0.05 <> <(:)
    done
    ;;
esac
exec "$B/bin/muster-worker" "\$@"
SH
chmod +x bin/muster-worker
printf 'version: 1\nname: first\noperator: {command: [sim/bin/add_custom]}\n' >first.yaml
bin/muster run --quiet --cards 2 --out out first.yaml >/dev/null 2>err || fail "run: $(cat err)"
[ "$(db "select group_concat(card) from v_ranks where job = 'first-1'")" = 0 ] ||
    fail "the task ran on card $(db "select card from v_ranks where job = 'first-1'")"
grep -hoE 'worker connected|job submitted' out/store/log/coordinator.log | uniq -c >order
[ "$(awk '{ print $1 $2 }' order | tr '\n' ' ')" = '2worker 1job ' ] || fail "$(cat order)"

say 'a job for other hosts is refused before anything starts'
refused() { # CARDS MESSAGE
    local code=0
    printf 'version: 1\nname: far\noperator: {command: [sim/bin/add_custom]}\ncards: %s\n' \
        "$1" >far.yaml
    timeout 60 muster run --quiet --out far far.yaml 2>err || code=$?
    [ "$code" -eq 2 ] && grep -qF "$2" err || fail "$1: exit $code: $(cat err)"
    [ ! -e far/store ] || fail 'a fleet was started'
}
refused '{hosts: [elsewhere]}' "cards.hosts: no name or pattern matches this host, $(uname -n)"
refused '{at: ["elsewhere:0"]}' 'the job names card elsewhere:0'
refused '{pairs: ["elsewhere:0", "elsewhere:1"]}' 'cards.pairs'

say 'the forecast is that of the model of the cards'
muster run --model Ascend950PR_9589 --out out first.yaml >/dev/null 2>err || fail "$(cat err)"
grep -q ', 7 passes per launch (Ascend950PR_9589)' err || fail "$(cat err)"

#!/usr/bin/env bash
# permissions.sh - muster refuses an output folder that other users can write to, and a
# second coordinator on the same store
. "$(dirname "$0")/fleet.sh"
cd "$work"
job small '[1024]' 1 >job.yaml

mkdir -m 777 open
chmod 777 open
code=0
muster run --out "$work/open" job.yaml 2>stderr.txt || code=$?
[ "$code" -ne 0 ] || fail 'a folder that other users can write to was accepted'
grep -q 'others can write' stderr.txt || fail "the error does not give the reason: $(cat stderr.txt)"
[ -z "$(ls -A open)" ] || fail 'files were written into the refused folder'

say 'a second coordinator on the same store'
coordinator_up
until_true test -S control
code=0
muster-coordinator --store "$work/out/store" --out "$work/out" --control "ipc://$work/c2" \
    --data "ipc://$work/d2" 2>second.txt || code=$?
[ "$code" -ne 0 ] || fail 'a second coordinator opened the same store'
grep -q "$coordinator_pid" second.txt || fail "the error lacks the pid of the coordinator that has the store open: $(cat second.txt)"

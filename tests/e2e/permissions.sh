#!/usr/bin/env bash
# permissions.sh - an output folder that others can write to is refused, and so is a
# second coordinator on the same store
. "$(dirname "$0")/fleet.sh"
cd "$work"
job small '[1024]' 1 >job.yaml

mkdir -m 777 open
chmod 777 open
code=0
muster run --out "$work/open" job.yaml 2>stderr.txt || code=$?
[ "$code" -ne 0 ] || fail 'a folder that others can write to was taken'
grep -q 'others can write' stderr.txt || fail "the reason is not told: $(cat stderr.txt)"
[ -z "$(ls -A open)" ] || fail 'something was written all the same'

say 'a second coordinator on the same store'
coordinator_up
until_true test -S control
code=0
muster-coordinator --store "$work/out/store" --out "$work/out" --control "ipc://$work/c2" \
    --data "ipc://$work/d2" 2>second.txt || code=$?
[ "$code" -ne 0 ] || fail 'a second coordinator took the same store'
grep -q "$coordinator_pid" second.txt || fail "it does not say who holds the store: $(cat second.txt)"

#!/usr/bin/env bash
# iree.sh - reads dumps and profiles of IREE with the commands
. "$(dirname "$0")/fleet.sh"
cd "$work"
samples=$root/parsers/iree/samples

refused() { # CODE TEXT COMMAND...
    local code=0 expected=$1 text=$2
    shift 2
    "$@" >out.txt 2>err.txt || code=$?
    [ "$code" -eq "$expected" ] || fail "$*: exit $code: $(cat err.txt)"
    grep -qF -- "$text" err.txt || fail "$*: $(cat err.txt)"
}

say "the lines of each record are those of IREE's tool"
muster inspect --explain "$samples/plain.idb" >lines.txt
diff - lines.txt <<'TXT' || fail "other lines"
0000000000000000 | WORKGROUP dispatch(0 mul 2x1x1) 0,0,0 pid:3
0000000000000000 | LOAD  00007F0000001000 4
0000000000000000 | VALUE 0001 = 1.500000e+00 1.500000
0000000000000000 | PRINT hi
0000000000000000 | STORE 00007F0000002010 16
0000000000000060 | WORKGROUP dispatch(1 add 2x1x1) 1,0,0 pid:4
TXT

say "tables, JSON and a timeline"
muster inspect "$samples/wrap.idb" >tables.txt
grep -q 'ring 0: 32 bytes lost, 0 holes of 0 bytes; all counts are lower bounds' tables.txt || fail "$(cat tables.txt)"
muster import "$samples/task.ireeprof" --out profile >import.txt || fail "import: exit $?"
grep -q '7 files in profile' import.txt || fail "$(cat import.txt)"
grep -q '^0,host-execution-events,copy,0,0,2,2,0,2640651074445,2640651075928,' profile/events.csv || fail "$(cat profile/events.csv)"
muster export "$samples/task.ireeprof" --trace | cmp - profile/trace.json || fail "the timelines differ"
muster export "$samples/plain.idb" --csv --out tables >/dev/null
muster import "$samples/plain.idb" --out dump >/dev/null
for table in tables/*.csv; do cmp "$table" "dump/${table##*/}" || fail "$table"; done
refused 2 'has no times' muster export "$samples/plain.idb" --trace
refused 2 '--soc does not apply' muster import "$samples/plain.idb" --soc Ascend910B1

say "a dump that was appended to a capture"
{ printf 'IIDB\377\377\0\0\20\0\0\0\0\0\0\0%016d' 0 && cat "$samples/plain.idb"; } >joined.iidb
muster inspect --explain joined.iidb | diff lines.txt - || fail "the dump in a capture"

say "files that are damaged, empty, or something else"
head -c 3000 "$samples/plain.idb" >cut.idb
refused 1 'cut.idb: offset 192: chunk of type 1: content length: 4352 bytes are announced, 2792 are present' muster inspect cut.idb
: >empty.idb
refused 2 'empty.idb is empty: IREE writes an empty file' muster import empty.idb
printf IRPA0000 >weights.irpa
refused 2 'parameter archive' muster inspect weights.irpa
head -c 32 joined.iidb >capture.iidb
refused 2 "without an IREE dump; 'muster capture ls'" muster inspect capture.iidb

#!/usr/bin/env bash
# selftest.sh - muster selftest measures one task; with --hardware and --simulated it checks
# the assumptions on the simulated cards, writes an archive, and reads the archive again
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
export HOSTNAME=private-host
sim=$B/lib/muster/sim/bin
selftest() { # NAME OPTION...: writes NAME.csv; sets $code
    code=0
    muster selftest -o csv "${@:2}" >"$1.csv" 2>"$1.err" || code=$?
}
row() { # NAME CHECK: prints the verdict and what was seen
    python3 - "$1.csv" "$2" <<'PY'
import csv, sys

for row in csv.DictReader(open(sys.argv[1])):
    if row["check"] == sys.argv[2]:
        print(row["verdict"] + ": " + row["seen"])
PY
}
is() { # NAME CHECK PATTERN
    # shellcheck disable=SC2053 # a pattern
    [[ $(row "$1" "$2") == $3 ]] || fail "$1, $2: $(row "$1" "$2")"
}

say 'without an option, one task is measured'
selftest plain
[ "$code $(row plain simulated-run)" = '0 good: one task was measured and parsed' ] || fail "exit $code: $(cat plain.csv plain.err)"

say 'without a card, --hardware has no answer, and its exit code is not 0'
selftest none --hardware
[ "$code $(row none cards)" = '1 not-here: no card' ] || fail "exit $code: $(cat none.csv none.err)"

say 'the named programs are measured, and their operations are compared'
selftest named --hardware --simulated --program "$sim/add_custom" --operations 16384 \
    --group-program "$sim/add_custom --no-such-option" --archive named.iidb
[ "$code" -eq 1 ] || fail "exit $code: $(cat named.err)"
is named known-kernel 'confirmed: muster run ended with exit code 0'
is named operations 'confirmed: counted 16384 operations, expected 16384'
is named passes 'confirmed: passes: 10 of 10, complete launches: 1 of 1'
is named known-group 'differs: muster run ended with exit code 1; measure the program*'
is named barrier 'not-here: 0 releases,*'

say 'without names, known programs are measured on one and on two cards'
selftest known --hardware --simulated --archive known.iidb
is known operations 'confirmed: counted 16384 operations, expected 16384'
is known known-group 'confirmed: muster run ended with exit code 0'
is known barrier 'confirmed: [1-9]* releases, half of them at most * us late; 0 aborted'
is known restore 'confirmed: 0 of [1-9]* executions with another input than the first'

say 'the archive gives the same verdicts without a card, and names no host, user or program'
for name in named known; do
    selftest "again-$name" --replay "$name.iidb"
    [ "$code" -eq 1 ] || fail "again-$name: exit $code: $(cat "again-$name.err")"
    diff <(grep -v '^serial,' "$name.csv") <(grep -v '^serial,' "again-$name.csv") || fail "$name: the archive has other answers"
    is "again-$name" serial 'by-hand: (left out)'
    strings -n 6 "$name.iidb" >words.txt
    grep -e "$(hostname)" -e private-host -e "$work" -e "$sim" words.txt && fail "$name: the archive names the lines above"
done

say 'wrong options and files are refused'
refused() { # EXIT TEXT OPTION...
    selftest refused "${@:3}"
    [ "$code" -eq "$1" ] && grep -q -- "$2" refused.err || fail "${*:3}: exit $code: $(cat refused.err)"
}
refused 2 '--operations describes the launches of --program; pass both' --hardware --operations 5
refused 2 '--replay and --hardware exclude each other' --hardware --replay known.iidb
head -c 5000 known.iidb >cut.iidb
refused 2 'cut.iidb' --replay cut.iidb
refused 2 'none.iidb' --replay none.iidb

#!/usr/bin/env bash
# selftest.sh - muster selftest measures one task, and with --hardware the named programs;
# its archive is read again. probe/unconfirmed has the checks without named programs
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
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

say 'the named programs are measured, and their operations are compared'
selftest named --hardware --simulated --program "$sim/add_custom" --operations 16384 \
    --group-program "$sim/add_custom --no-such-option" --archive named.iidb
[ "$code" -eq 1 ] || fail "exit $code: $(cat named.err)"
is named known-kernel 'confirmed: muster run ended with exit code 0'
is named operations 'confirmed: counted 16384 operations, expected 16384'
is named passes 'confirmed: passes: 10 of 10, complete launches: 1 of 1'
is named known-group 'differs: muster run ended with exit code 1; measure the program*'
is named barrier 'not-here: 0 releases,*'

say 'the archive gives the same verdicts without a card, and names no host, user or program'
selftest again --replay named.iidb
[ "$code" -eq 1 ] || fail "again: exit $code: $(cat again.err)"
diff <(grep -v '^serial,' named.csv) <(grep -v '^serial,' again.csv) || fail 'the archive has other answers'
is again serial 'by-hand: (left out)'
strings -n 6 named.iidb >words.txt
grep -wF -e "$(hostname)" -e "$work" -e "$sim" words.txt && fail 'the archive names the lines above'

say 'wrong options and files are refused'
refused() { # EXIT TEXT OPTION...
    selftest refused "${@:3}"
    [ "$code" -eq "$1" ] && grep -q -- "$2" refused.err || fail "${*:3}: exit $code: $(cat refused.err)"
}
refused 2 '--operations describes the launches of --program; pass both' --hardware --operations 5
refused 2 '--replay and --hardware exclude each other' --hardware --replay named.iidb
head -c 5000 named.iidb >cut.iidb
refused 2 'cut.iidb' --replay cut.iidb
refused 2 'none.iidb' --replay none.iidb

#!/usr/bin/env bash
# report_page.sh - the figures in report.html are those of the store, also of 64 cards and
# 200 points, of names with markup, of failed tasks and of a job without tasks
. "$(dirname "$0")/fleet.sh"
cd "$work"

page() { # NAME POINTS CARDS REPEATS [KIND]: writes a store and its report, and checks it
    "$B/tests/report_store" "$1/store" "${@:2}"
    muster report --out "$1" 1 >"$1.txt" || fail "$1: muster report: exit $?"
    "$root/tests/e2e/report_page.py" "$1/report-1/report.html" "$1/store/muster.db" 1 ||
        fail "$1: the page differs from the store"
}
page small 3 2 3
grep -q '>not compared: the job file has no key compare.against<' small/report-1/report.html ||
    fail 'the page does not say that the job was not compared'
# the events that a gate stores are the verdict of the next report
python3 - small/store/muster.db <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for kind, text in ("gate.verdict", "code=4 against=nightly: m=64 is slower"), ("gate.suspect", "card 3"):
    db.execute("insert into events(wall_ms, kind, job_id, text) values(0, ?, 1, ?)", (kind, text))
db.commit()
PY
muster report --out small 1 >small.txt || fail "muster report: exit $?"
grep -q '<p class="verdict bad">gate: m=64 is slower</p>' small/report-1/report.html &&
    grep -q '<li>card 3</li>' small/report-1/report.html || fail 'the page lacks the verdict of the gate'
page alone 2 1 1
page failed 4 2 3 failed
page hostile 3 2 2 hostile
page empty 0 1 1
grep -q 'no tasks, 0 of 0 tasks' empty/report-1/report.html || fail 'the report of an empty job'
# the figures of the store of 64 cards, 200 points and 5 repeats
page huge 200 64 5

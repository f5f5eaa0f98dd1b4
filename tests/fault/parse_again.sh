#!/usr/bin/env bash
# parse_again.sh - captures that are stored get parsed: of a task that ran into its time
# limit, after a full disk under --out alone, after a restart, and by `muster reparse`
if [ -z "${MUSTER_TEST_DISK:-}" ]; then # run in a private mount namespace
    unshare --mount true 2>/dev/null || {
        echo 'SKIPPED: cannot create a mount namespace; to run it: sudo make check'
        exit 77
    }
    MUSTER_TEST_DISK=1 exec unshare --mount "$0" "$@"
fi
. "$(dirname "$0")/../e2e/fleet.sh"
cd "$work"
mkdir -m 750 files
mount -t tmpfs -o size=4m,mode=750 tmpfs files || {
    echo 'SKIPPED: cannot mount a tmpfs; to run it: sudo make check'
    exit 77
}
leave() {
    local code=$?
    down
    umount --lazy "$work/files" 2>/dev/null || true
    [ -n "${MUSTER_TEST_KEEP_DIR:-}" ] || rm -rf "$work"
    exit "$code"
}
trap leave EXIT
up() { coordinator_up --out "$work/files"; } # the store is on another disk
fill() { cat /dev/zero >files/ballast 2>/dev/null || true; }
figures() { # JOB: the durations of its accepted attempts
    db "select m.launch, m.device, m.value from tasks t join metrics m on m.run_id = t.accepted_run_id
        where t.job_id = $1 and metric = 'duration_us' order by t.place, m.launch"
}
states() { db "select group_concat(state || '|' || reason, ';') from tasks where job_id = $1 order by place"; }
bins() { find files -path "files/$1-*" -name visualize_data.bin | wc -l; }
strays() { # JOB: files of launches that have no row
    comm -13 <(db "select j.key || '/p' || t.point || '/r' || t.repeat || '/' || o.path from outputs o
        join tasks t on t.accepted_run_id = o.run_id join jobs j using(job_id) where j.job_id = $1" | sort) \
        <(cd files && find ./*-"$1"/p* -type f 2>/dev/null | sed 's|^\./||' | sort)
}
delayed() { grep -c 'parse delayed' coordinator.log; }
is_delayed() { [ "$(delayed)" -gt "${1:-0}" ]; }
ended() { muster wait "$1" --timeout 60s >/dev/null 2>wait.txt; }

up
worker_up 0
one() { # NAME [COMMAND...]: a job of one launch
    local name=$1
    shift
    cat <<YAML
version: 1
name: $name
operator: {command: [${*:-sim/bin/add_custom, --n, "1024"}]}
profile: {metrics: [PipeUtilization]}
cards: {ids: [0]}
YAML
}

say 'a task at its time limit: its complete launch is parsed, and the task stays failed'
one whole >whole.yaml
until_true muster submit whole.yaml >/dev/null 2>&1
ended 1 || fail "whole: $(cat wait.txt)"
duration=$(figures 1)
[ "$(wc -l <<<"$duration")" -eq 1 ] || fail "whole: $duration"
{
    one late /bin/sh, -c, "\"$B/lib/muster/sim/bin/add_custom --n 1024; while :; do :; done\""
    echo 'limits: {time: 3s, retries: 0}'
} >late.yaml
muster submit late.yaml >/dev/null 2>&1
code=0
ended 2 || code=$?
[ "$code" -eq 1 ] || fail "late: exit $code, not 1"
[[ "$(states 2)" == 'failed|'*'; the partial result is parsed' ]] || fail "late: $(states 2)"
[ "$(figures 2)" = "$duration" ] || fail "late: $(figures 2), not $duration"
[ "$(bins late)" -eq 1 ] || fail "late: $(bins late) files"

say 'full disk under --out: the parse is delayed with the reason, also after a restart'
fill
one full >full.yaml
muster submit full.yaml >/dev/null 2>&1
until_true is_delayed
grep -q "parse delayed: .*no space left on $work/files" coordinator.log || fail 'the log lacks the reason'
[ "$(states 3)" = 'parsing|' ] || fail "full: $(states 3)"
kill -KILL "$coordinator_pid"
wait "$coordinator_pid" 2>/dev/null || true
before=$(delayed)
up
until_true is_delayed "$before"
rm files/ballast
ended 3 || fail "full: $(cat wait.txt) $(states 3)"
[ "$(figures 3)" = "$duration" ] || fail "full: $(figures 3), not $duration"
[ "$(bins full)" -eq 1 ] || fail "full: $(bins full) files"

say 'full disk, then cancelled: the task fails with the reason, and no file stays'
fill
before=$(delayed)
one gives-up >gives_up.yaml
muster submit gives_up.yaml >/dev/null 2>&1
until_true is_delayed "$before"
until_true eval '[[ "$(states 4)" == parsing* ]]'
muster cancel 4 >/dev/null
code=0
ended 4 || code=$?
[ "$code" -ne 0 ] || fail 'gives-up: exit 0'
[[ "$(states 4)" == "failed|parsing: no space left on $work/files"* ]] || fail "gives-up: $(states 4)"
[ -z "$(strays 4)" ] || fail "gives-up: files without a result: $(strays 4)"

say 'reparse with space again: the task is done, and nothing was measured again'
rm files/ballast
attempts=$(db 'select count(*) from attempts')
muster reparse 4 >out.txt || fail "reparse: exit $?"
grep -q 'the captures of 1 task are parsed again' out.txt || fail "reparse: $(cat out.txt)"
ended 4 || fail "reparse: $(cat wait.txt) $(states 4)"
[ "$(states 4)" = 'done|' ] || fail "reparse: $(states 4)"
[ "$(figures 4)" = "$duration" ] || fail "reparse: $(figures 4), not $duration"
[ "$(bins gives-up)" -eq 1 ] || fail "reparse: $(bins gives-up) files"
[ "$(db 'select count(*) from attempts')" = "$attempts" ] || fail 'reparse measured again'
code=0
muster reparse 4 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'all stored captures are parsed; --all' err.txt || fail "exit $code: $(cat err.txt)"

say 'reparse --all replaces files and figures; a task that failed stays failed'
db 'delete from figures' && find files -name visualize_data.bin -delete
for number in 1 2; do muster reparse --all $number >/dev/null || fail "reparse --all $number: exit $?"; done
ended 1 || fail "whole: $(cat wait.txt)"
ended 2 && fail 'late: exit 0'
for number in 1 2; do [ "$(figures $number)" = "$duration" ] || fail "job $number: $(figures $number)"; done
[[ "$(states 2)" == 'failed|'*'; the partial result is parsed' ]] || fail "late: $(states 2)"
[ "$(bins whole) $(bins late)" = '1 1' ] || fail "$(bins whole) $(bins late) files"
down

say 'reparse without a fleet'
unset MUSTER_COORDINATOR
muster run --quiet --out "$work/private" whole.yaml >/dev/null 2>&1 || fail "private run: exit $?"
find private -name visualize_data.bin -delete
muster reparse --quiet --all --out "$work/private" 1 >out.txt 2>err.txt || fail "private reparse: exit $?: $(cat err.txt)"
[ -f "$(cat out.txt)" ] || fail "no report: $(cat out.txt)"
[ "$(find private -name visualize_data.bin | wc -l)" -eq 1 ] || fail 'the file was not written again'

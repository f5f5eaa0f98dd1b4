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

if command -v iree-dump-instruments >/dev/null; then
    iree-dump-instruments "$samples/plain.idb" | grep ' | ' | diff - lines.txt || fail "IREE's tool prints other lines"
else
    echo 'SKIPPED: iree-dump-instruments is not in PATH; to run it: PATH=FOLDER_OF_IREE:$PATH ctest --preset dev -R e2e/iree'
fi

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
refused 2 '--soc has no effect with an IREE file' muster import "$samples/plain.idb" --soc Ascend910B1

say "a dump that was appended to a capture"
{ printf 'IIDB\377\377\0\0\20\0\0\0\0\0\0\0%016d' 0 && cat "$samples/plain.idb"; } >joined.iidb
muster inspect --explain joined.iidb | diff lines.txt - || fail "the dump in a capture"

muster capture extract joined.iidb --iree extracted >/dev/null || fail "extract: exit $?"
cmp extracted/appended.idb "$samples/plain.idb" || fail "the extracted dump differs"

say "files that are damaged, empty, or something else"
head -c 3000 "$samples/plain.idb" >cut.idb
refused 1 'cut.idb: offset 192: chunk of type 1: content length: 4352 bytes are announced, 2792 are present' muster inspect cut.idb
: >empty.idb
refused 2 'empty.idb is empty: IREE writes an empty file' muster import empty.idb
printf IRPA0000 >weights.irpa
refused 2 'parameter archive' muster inspect weights.irpa
head -c 32 joined.iidb >capture.iidb
refused 2 'no IREE dump was appended to the capture capture.iidb' muster inspect capture.iidb

sample=$B/tests/iree_sample
figure() { # WHERE: prints a value of the store
    db "select value from metrics where $1"
}
say "a job collects the files of its ranks, and stores their figures"
cat >job.yaml <<YAML
version: 1
name: compiled
operator: {command: [/bin/sh, -c, "$sample dump rank-\$RANK_ID.idb 256 \${n} && $sample profile m-\$RANK_ID.ireeprof 4"], ranks: 2, cwd: $work}
sweep: {matrix: {n: [7, 500]}}
profile: {tool: iree, dump: "*-%r.*i*"}
limits: {retries: 0}
YAML
mkdir -p out && : >old-0.idb
muster run --quiet --out out job.yaml >/dev/null 2>run.err || fail "run: exit $?: $(cat run.err)"
[ "$(db "select count(distinct run_id || '/' || rank) from metrics")" -eq 4 ] || fail "ranks with figures"
for n in 7 500; do
    [ "$(db "select group_concat(value) from v_results where axes like '%$n%' and metric='iree_workgroups' and kernel='mul'")" = "$((4 * n)).0,$((4 * n)).0" ] ||
        fail "workgroups of n=$n: $(db "select axes, metric, value from v_results where kernel='mul'")"
done
[ "$(db "select distinct value from metrics where metric='duration_us'")" = 2.5 ] || fail "duration"
"$sample" dump expected.idb 256 500
folder=$(echo out/compiled-1/p1/r0/*/device0/dumps)
cmp expected.idb "$folder"/1/rank-0.idb || fail "the file differs from what the program wrote"
cut -d, -f2-4,9-10 "$folder/1/sites.csv" | diff - <(printf '%s\n' site,function,workgroups,iterations_min,iterations_max 0,mul,2000,500,500 1,add,500,500,500) || fail "sites"
env -u MUSTER_COORDINATOR muster results --out out compiled >results.txt
grep -q iree_imbalance results.txt || fail "results"
[ "$(find out/compiled-1 -path '*dumps*' -name 'old*' | wc -l)" -eq 0 ] || fail "an old file was collected"

say "a program without a file, or with a damaged one, fails with the reason"
cat >bad.yaml <<YAML
version: 1
name: bad
operator: {command: [/bin/sh, -c, "\${do}"]}
sweep: {matrix: {do: ["true", "$sample dump m.idb 16 3 && truncate -s 9999 m.idb"]}}
profile: {tool: iree, dump: "m.idb"}
limits: {retries: 0}
YAML
code=0
muster run --quiet --out out bad.yaml >/dev/null 2>run.err || code=$?
[ "$code" -eq 1 ] || fail "exit $code"
db 'select reason from tasks' >reasons.txt
grep -qF "the program wrote no file that matches profile.dump 'm.idb'; check the pattern" reasons.txt || fail "$(cat reasons.txt)"
db "select parse_error from ranks" >errors.txt
grep -qF 'm.idb: offset 192: chunk of type 1: content length: 20480 bytes are announced, 9791 are present' errors.txt || fail "$(cat errors.txt)"

say "a killed worker: the task runs again, and no piece of a file is lost"
rm -rf out && fleet_up 1
waiting slow "$sample dump big.idb 8192 20000" "$sample profile later.ireeprof 4"
cat >kill.yaml <<YAML
version: 1
name: kill
operator: {command: [$work/slow]}
profile: {tool: iree, dump: "*.i*"}
YAML
muster submit kill.yaml >/dev/null 2>&1
until_true test -s spool-0/work/big.idb
kill -KILL "${worker_pid[0]}"
touch go
worker_up 0
muster wait --quiet kill-1 >/dev/null || fail "wait: exit $?"
[ "$(db 'select attempts from tasks')" -eq 2 ] || fail "attempts: $(db 'select attempts from tasks')"
[ "$(figure "metric='iree_workgroups' and kernel='mul'")" = 80000.0 ] || fail "workgroups"
"$sample" dump expected.idb 8192 20000
cmp expected.idb out/kill-1/p0/r0/*/device0/dumps/0/big.idb || fail "the large file differs"
[ "$(figure "metric='iree_events'")" = 4.0 ] || fail "events"
muster capture cat out/store/captures/1.db >records.jsonl
grep -q '"type":"dump.file",.*"file":1,"kind":0,"bytes":[0-9]*,"modified_wall_ns":"[0-9]*","name":"later.ireeprof"}' records.jsonl ||
    fail "records: $(grep dump.file records.jsonl)"
muster capture extract out/store/captures/1.db --iree extracted >paths.txt || fail "extract: exit $?"
cmp expected.idb "$(grep big.idb paths.txt | tail -n 1)" || fail "the extracted file differs"

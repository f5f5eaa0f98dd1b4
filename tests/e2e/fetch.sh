#!/usr/bin/env bash
# fetch.sh - a remote user with a key that only reads gets the result files of a job; a
# killed client is continued by the next one; a stopped client delays no other client
. "$(dirname "$0")/fleet.sh"
cd "$work"

for name in coordinator worker me reader; do
    role=submit
    [ $name = worker ] && role=worker
    [ $name = reader ] && role='read'
    muster keygen --role $role "$name.key" "$name" >/dev/null
done
cat worker.key.pub me.key.pub reader.key.pub >allowed
serving() { sed -n "s/.* $1=\(tcp:[^ ]*\).*/\1/p" coordinator.log | tail -n 1; }
call() { # KEY COMMAND...: prints the exit code of a client
    local code=0
    MUSTER_KEY=$1.key MUSTER_SERVER_KEY=coordinator.key.pub \
        muster "${@:2}" >stdout.txt 2>stderr.txt || code=$?
    echo "$code"
}
expect() { # CODE TEXT KEY COMMAND...: the code, and a text of either output
    local code
    code=$(call "${@:3}")
    [ "$code" -eq "$1" ] || fail "${*:4}: exit $code, not $1: $(cat stdout.txt stderr.txt)"
    grep -qF -- "$2" stdout.txt stderr.txt || fail "${*:4}: no '$2': $(cat stdout.txt stderr.txt)"
}

coordinator_up --control tcp://127.0.0.1:0 --data tcp://127.0.0.1:0 --key coordinator.key --allow allowed
until_true eval '[ -n "$(serving data)" ]'
MUSTER_COORDINATOR=$(serving control)
waiting operator '' "exec $B/lib/muster/sim/bin/add_custom --n 1024"
cat >job.yaml <<YAML
version: 1
name: results
operator: {command: ["$work/operator"]}
sweep: {repeat: 3}
profile: {metrics: [PipeUtilization]}
YAML
expect 0 'results-1' me submit job.yaml

say 'a job that has no files yet, an unknown job, an unknown kind'
expect 2 'job results-1 has no result files; it is waiting' reader fetch 1
expect 2 "no job '77'" reader fetch 77
expect 2 "unknown kind 'cvs' (did you mean 'csv'?)" reader fetch 1 --only cvs
[ ! -e results-1 ] || fail 'a run without files left a folder'

say 'all files arrive as they are'
touch go
worker_up 0 --control "$MUSTER_COORDINATOR" --data "$(serving data)" --key worker.key --server-key coordinator.key.pub
expect 0 '' me wait 1 --timeout 60s
files=$(find out/results-1 -type f | wc -l)
[ "$files" -ge 12 ] || fail "only $files files"
expect 0 "to/results-1: $files files, " reader fetch results --to to
grep -q "; $files fetched, 0 were there" stdout.txt || fail "$(cat stdout.txt)"
diff -r out/results-1 to/results-1 || fail 'the copies differ'
expect 0 "; 0 fetched, $files were there" reader fetch results --to to
expect 0 'tables/results-1: ' reader fetch results --to tables --only csv,report
[ "$(cd tables && find . -name '*.csv' | wc -l)" = "$(cd out && find results-1 -name '*.csv' | wc -l)" ] || fail 'tables are missing'
[ -z "$(find tables -name '*.bin' -o -name trace.json)" ] || fail 'files of other kinds were fetched'
[ -s tables/results-1/report.html ] || fail 'the report is missing'

say 'a changed copy and a file that the coordinator lost'
bin=$(cd out && find results-1 -name visualize_data.bin | head -n 1)
printf x | dd of="to/$bin" bs=1 seek=100 conv=notrunc status=none
mv "out/$bin" lost
expect 1 '1 file of the job' reader fetch results --to to
mv lost "out/$bin"
expect 0 "; 1 fetched, $((files - 1)) were there" reader fetch results --to to
cmp "out/$bin" "to/$bin" || fail 'the changed copy was not repaired'

say 'a client is killed, and the next one continues'
dd if=/dev/urandom of=out/results-1/large.dat bs=1M count=8 status=none
start_stopped() { # a client that stops itself after 60 pieces of 64 KiB
    MUSTER_TEST_STOP_FETCH=60 MUSTER_KEY=reader.key MUSTER_SERVER_KEY=coordinator.key.pub \
        muster fetch results --to to --only report >stdout.txt 2>stderr.txt &
    client=$!
    until_true grep -q '^State:.*stopped' "/proc/$client/status"
}
start_stopped
[ -s to/results-1/large.dat.part ] || fail 'no part of the file was written'
[ ! -e to/results-1/large.dat ] || fail 'the part has the name of the file'
expect 3 "another 'muster fetch' writes to to/results-1" reader fetch results --to to
kill -KILL "$client"
wait "$client" 2>/dev/null || true
part=$(stat -c %s to/results-1/large.dat.part)
[ "$part" -ge $((40 * 65536)) ] && [ "$part" -lt $((8 << 20)) ] || fail "the part has $part bytes"

say 'a full disk ends the command with the reason'
code=$( # the limit of a file is 5 MiB
    ulimit -f 5120
    call reader fetch results --to to --only report
)
[ "$code" -eq 7 ] || fail "exit $code: $(cat stderr.txt)"
grep -q 'writing large.dat: .*; free some space and repeat the command' stderr.txt || fail "$(cat stderr.txt)"

say 'a client that does not read delays no other one, and continues'
start_stopped
expect 0 'results-1' me list
expect 0 "other/results-1: $((files + 1)) files" me fetch results --to other
kill -CONT "$client"
wait "$client" || fail "the stopped client failed: $(cat stderr.txt)"
cmp out/results-1/large.dat to/results-1/large.dat || fail 'the file differs'
[ -z "$(find to -name '*.part')" ] || fail 'a part was left'

say 'without a coordinator the store is read'
down
unset MUSTER_COORDINATOR
muster fetch results --out out --to here | grep -q "here/results-1: $((files + 1)) files" || fail 'the store was not read'
diff -r out/results-1 here/results-1 || fail 'the copies differ'
code=0
muster fetch results --out out --to out 2>stderr.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'are in out/results-1 already' stderr.txt || fail "exit $code: $(cat stderr.txt)"

#!/usr/bin/env bash
# damage.sh - a damaged capture (truncated, flipped byte, false block size) or a crashing
# parser: the error names the block, and all other results stay readable
. "$(dirname "$0")/fleet.sh"
cd "$work"

job damage '[1024, 2048]' 2 >job.yaml
muster run --quiet --out "$work/out" job.yaml >run.txt 2>run.err || fail "exit $?: $(cat run.err)"
db=out/store/captures/1.db
muster capture verify "$db" >/dev/null || fail 'the capture is damaged before the test changes it'
unset MUSTER_COORDINATOR
fsck() { # EXIT [ROW...]: fsck must exit with EXIT and print each ROW in its CSV
    local code=0
    muster fsck -o csv >fsck.txt 2>err.txt || code=$?
    [ "$code" -eq "$1" ] || fail "fsck: exit $code, not $1: $(cat fsck.txt err.txt)"
    for row in "${@:2}"; do grep -qE -- "$row" fsck.txt || fail "fsck lacks the row '$row': $(cat fsck.txt)"; done
}
fsck 0 '^muster.db,good,$' '^captures/1.db,good,$'
[ "$(wc -l <fsck.txt)" -eq 3 ] || fail "fsck prints more than two rows: $(cat fsck.txt)"
missing=$(find out/damage-1 -name visualize_data.bin | head -n 1)
mv "$missing" kept.bin
cp "$db" out/store/captures/7.db
fsck 1 "^files of damage-1,missing,.*1 of [0-9]+ files are missing, the first is $missing" '^captures/7.db,stray,'
mv kept.bin "$missing"
rm out/store/captures/7.db*
touch "$(dirname "$missing")/forgotten.csv"
fsck 1 "^files of damage-1,stray,.*1 files belong to no result, the first is $(dirname "$missing")/forgotten.csv"
rm "$(dirname "$missing")/forgotten.csv"
cp -r out/damage-1 out/damage-5
fsck 1 '^damage-5,stray,'
rm -r out/damage-5
value=$(db 'select value from figures where launch_id = 1 and metric_id = 1')
db 'update figures set value = value + 1 where launch_id = 1 and metric_id = 1'
first=$(db "select 'point ' || t.point || ' repeat ' || t.repeat from launches l join tasks t on t.accepted_run_id = l.run_id where l.launch_id = 1")
fsck 1 "^figures of damage-1,damaged,.*figures of 1 of 8 ranks have changed, the first are of $first attempt 1 rank 0; .muster reparse --all damage-1."
db "update figures set value = $value where launch_id = 1 and metric_id = 1"
db 'update jobs set tasks_total = 9'
fsck 1 '^tasks of damage-1,damaged,.*the job has 9 tasks, and the store 8 rows'
db 'update jobs set tasks_total = 8'
crc=$(db 'select figures_crc from ranks limit 1')
db "update ranks set figures_crc = null where figures_crc = $crc"
fsck 0 '^figures of damage-1,unchecked,.*1 of 8 ranks have no checksum'
db "update ranks set figures_crc = $crc where figures_crc is null"
fsck 0
capture_db 1 'delete from blocks where block = (select max(block) from blocks)'
fsck 1 '^captures/1.db,damaged,.*fsck --repair'
muster fsck --repair >fsck.txt || fail "fsck --repair: exit $?: $(cat fsck.txt)"
grep -q '^captures/1.db  mended' fsck.txt || fail "not repaired: $(cat fsck.txt)"
fsck 0
muster capture export "$db" whole.iidb
muster capture ls whole.iidb >whole.txt || fail 'the exported file is damaged'
blocks=$(($(wc -l <whole.txt) - 1))
[ "$blocks" -ge 8 ] || fail "only $blocks blocks"

patch_bytes() { # FILE OFFSET HEX
    printf %b "$(fold -w 2 <<<"$3" | sed 's/^/\\x/' | tr -d '\n')" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
flip_byte() { # FILE OFFSET: inverts all bits of the byte
    patch_bytes "$1" "$2" "$(printf %02x $(($(od -An -tu1 -j "$2" -N 1 "$1") ^ 0xff)))"
}
offset_of_block() { # N: prints the offset of the N-th chunk of user data, which has type ffff after the magic
    LC_ALL=C grep -obUaP 'IIDB\xff\xff\x00\x00' whole.iidb | LC_ALL=C sed -n "$1s/:.*//p"
}
verify_fails() { # FILE: verify must name a block; sets $kept to the number of whole blocks
    code=0
    muster capture verify "$1" >out.txt 2>err.txt || code=$?
    [ "$code" -ne 0 ] || fail "$1: verify reports no damage"
    grep -qE 'block [0-9]+' err.txt || fail "$1: the block is not named: $(cat err.txt)"
    muster capture ls "$1" >ls.txt 2>/dev/null || true
    kept=$(grep -vc torn ls.txt || true)
    kept=$((kept - 1))
}

say 'a flipped byte'
cp whole.iidb flip.iidb
at=$(offset_of_block 3)
flip_byte flip.iidb $((at + 120))
verify_fails flip.iidb
[ "$kept" -eq $((blocks - 1)) ] || fail "a flipped byte: $kept of $blocks blocks left"

say 'a block that claims 2^63 bytes'
cp whole.iidb huge.iidb
patch_bytes huge.iidb $((at + 8)) 0000000000000080
verify_fails huge.iidb
[ "$kept" -eq $((blocks - 1)) ] || fail "2^63 bytes: $kept of $blocks blocks left"

say 'a truncated file'
head -c $(($(stat -c %s whole.iidb) - 100)) whole.iidb >short.iidb
verify_fails short.iidb
[ "$kept" -eq $((blocks - 1)) ] || fail "truncated: $kept of $blocks blocks left"

say 'after salvage, verify reports only the gap'
muster capture salvage flip.iidb saved.iidb >/dev/null || fail "salvage: exit $?"
muster capture verify saved.iidb >/dev/null 2>err.txt && fail 'verify does not report the missing block'
if grep -v '^gap' err.txt; then fail "verify reports more than a gap: $(cat err.txt)"; fi

say 'a damaged group in the store affects its own rank only'
runs=$(capture_db 1 'select distinct run_id from groups order by run_id')
victim=$(head -n 1 <<<"$runs")
size=$(capture_db 1 "select length(bytes) from groups where run_id = $victim limit 1")
sqlite3 "$db" "update groups set bytes = cast(substr(bytes, 1, $size / 2) ||
    iif(substr(bytes, $size / 2 + 1, 1) = x'00', x'ff', x'00') ||
    substr(bytes, $size / 2 + 2) as blob) where run_id = $victim and number = 0" ||
    fail 'the test could not damage the store'
for run in $runs; do
    code=0
    muster-parser rank --capture "$db" --run "$run" --rank 0 --out "again/$run" >parser.txt 2>parser.err || code=$?
    if [ "$run" = "$victim" ]; then
        [ "$code" -eq 1 ] || fail "the damaged run: exit $code, not 1"
        grep -qE '"error"' parser.txt || fail "the damaged run gives no error: $(cat parser.txt parser.err)"
        grep -qE '"block"|block [0-9]+|group [0-9]+' parser.txt || fail "the block is not named: $(cat parser.txt)"
    else
        [ "$code" -eq 0 ] || fail "run $run is affected: exit $code: $(cat parser.txt parser.err)"
        grep -q duration_us parser.txt || fail "run $run has no figures"
    fi
done
[ "$(wc -l <<<"$runs")" -eq 8 ] || fail 'not all runs were tried'
code=0
muster capture verify "$db" 2>err.txt || code=$?
[ "$code" -ne 0 ] || fail 'verify does not report the damaged group'

say 'a crashing parser loses only its own file; the report names the parser and its blocks'
job crash '[1024]' 1 | sed 's/metrics: .*/metrics: [Default]}/' >crash.yaml
code=0
MUSTER_TEST_PARSER_BREAK=memory:abort muster run --quiet --out "$work/crashed" crash.yaml >/dev/null 2>run.err || code=$?
[ "$code" -eq 1 ] || fail "a parser crashed, but muster run ended with $code: $(cat run.err)"
for message in run.err crashed/crash-1/report.json; do
    grep -qE "parser 'memory' failed \(signal 6\) while reading blocks [0-9]+ to [0-9]+; see quarantine.json" "$message" ||
        fail "$message does not name the parser: $(cat "$message")"
done
launch=$(dirname "$(find crashed -name quarantine.json | sort | head -n 1)") # of one card
grep -q '"parser":"memory"' "$launch/quarantine.json" || fail "$(cat "$launch/quarantine.json")"
[ ! -e "$launch/Memory.csv" ] || fail 'the crashed parser wrote Memory.csv'
[ -s "$launch/visualize_data.bin" ] && [ -s "$launch/MemoryUB.csv" ] || fail "the files of the other parsers are missing: $(ls "$launch")"

# Programs in which a write is refused end with the reason, not with the signal SIGXFSZ.
code=0
(ulimit -f 64 && exec muster run --quiet --out limited crash.yaml) >/dev/null 2>err.txt || code=$?
[ "$code" -eq 7 ] && grep -q 'coordinator not started: .*committing .*limited/store/muster.db' err.txt ||
    fail "a limit of file sizes: exit $code: $(cat err.txt)"
(
    ulimit -f 40
    worker_up 0
    wait "${worker_pid[0]}"
) && fail 'a worker that cannot write its spool ended well'
grep -q "error: worker failed: reason=creating result slots $work/spool-0/results.slots: File too large" worker-0.log ||
    fail "a limit of file sizes: $(cat worker-0.log)"

#!/usr/bin/env bash
# rows.sh - list, show, results and events print the same rows in every output form, from
# a running coordinator and from the store; the columns of each schema do not change
. "$(dirname "$0")/fleet.sh"
cd "$work"

job rows '[1024, 2048]' 2 >job.yaml
fleet_up
until_true muster submit job.yaml >key.txt 2>/dev/null
[ "$(cat key.txt)" = rows-1 ] || fail "submit prints the key, not $(cat key.txt)"
muster wait rows --timeout 60s >/dev/null 2>&1 || fail "wait: exit $?"

muster_line() { # LINE ARG...: runs muster with the words of LINE and the arguments
    local line
    read -ra line <<<"$1"
    muster "${line[@]}" "${@:2}"
}
queries=("list" "show rows-1" "results 1 --metric duration_us" "events rows-1"
    "show rows-1 --ranks" "show rows-1 --launches"
    "results rows-1 --metric duration_us --where n=2048 --card 1 --rank 0 --kernel add* --wide")
text_queries=("wait rows-1" "explain rows-1" "explain rows 1 0") # these print text only
for form in text json jsonl csv; do
    for n in "${!queries[@]}"; do
        muster_line "${queries[$n]}" --output "$form" >"online.$n.$form" || fail "${queries[$n]} -o $form: exit $?"
    done
done
muster list --workers -o csv >workers.csv
schema_of() { # COMMAND...: prints the schema and the columns of the command's output
    local schema
    schema=$(muster "$@" -o json | sed -n 's/^{"schema":"\([^"]*\)".*/\1/p')
    echo "$schema $(muster "$@" -o csv | sed -n 1p)"
}
for n in "${!text_queries[@]}"; do muster_line "${text_queries[$n]}" >"text.$n" || fail "${text_queries[$n]}: exit $?"; done
[ "$(cat text.1)" = 'rows-1: all tasks have ended: 8 done' ] || fail "explain: $(cat text.1)"
grep -qE '^rows: point 1 repeat 0 has ended: done, attempt 1 on .*:[01]$' text.2 || fail "explain: $(cat text.2)"
{
    schema_of alloc list
    schema_of alloc list -a
    muster baseline set nightly rows-1 >/dev/null
    schema_of baseline list
    for part in nights splits quarantines environments; do schema_of baseline show nightly --part $part; done
    schema_of trend
} >columns.txt
[ "$(grep -c 'Ascend910B2,.*,true,' workers.csv)" -eq 2 ] || fail "not two workers: $(cat workers.csv)"
down

say 'without a coordinator the store gives the same rows'
unset MUSTER_COORDINATOR
for form in text json jsonl csv; do
    for n in "${!queries[@]}"; do
        muster_line "${queries[$n]}" --output "$form" >"offline.$n.$form" || fail "offline ${queries[$n]} -o $form: exit $?"
        cmp "online.$n.$form" "offline.$n.$form" || fail "${queries[$n]} -o $form: the answer from the store differs"
    done
done
for n in "${!text_queries[@]}"; do
    muster_line "${text_queries[$n]}" | cmp - "text.$n" || fail "${text_queries[$n]}: the answer from the store differs: $(muster_line "${text_queries[$n]}")"
done

say 'text, json, jsonl and csv contain the same rows'
python3 - <<'PY' || fail 'the forms differ'
import csv, json
events = len(open("offline.3.jsonl").readlines())
assert events >= 19, events  # submitted, started, ended, two of each task; some tasks are leased twice
rows = {0: 1, 3: events, 1: 8, 4: 8, 5: 8, 2: 8}
schemas = {0: "muster.jobs.v3", 1: "muster.tasks.v3", 2: "muster.results.v3", 3: "muster.events.v2",
           4: "muster.ranks.v3", 5: "muster.launches.v6"}
for n, count in rows.items():
    whole = json.load(open(f"offline.{n}.json"))
    assert whole["schema"] == schemas[n], whole["schema"]
    lines = [json.loads(line) for line in open(f"offline.{n}.jsonl")]
    table = list(csv.DictReader(open(f"offline.{n}.csv", newline="")))
    assert whole["rows"] == lines and len(lines) == len(table) == count, (n, len(lines))
    assert list(lines[0]) == list(table[0])
    assert len(open(f"offline.{n}.text").readlines()) == count + 1
assert all(row["simulated"] is True and row["value"] > 0 for row in lines)
# JavaScript and jq read numbers as doubles: wider ones are texts, and all forms agree
for n in rows:
    lines = [json.loads(line, parse_int=float) for line in open(f"offline.{n}.jsonl")]
    for row, cells in zip(lines, csv.DictReader(open(f"offline.{n}.csv", newline=""))):
        for key, value in row.items():
            if key == "tick_ns":
                assert value == 20.0, row
            elif key == "run_id" or key.endswith("_ns"):
                assert isinstance(value, str) and value == cells[key], (n, key, value, cells[key])
            elif isinstance(value, float) and key != "value":
                assert value == int(cells[key]), (n, key, value, cells[key])
assert any(int(row["run_id"]) > 2**53 for row in csv.DictReader(open("offline.1.csv", newline="")))
PY

say 'a filter selects the same rows from both, and SQL has the same values'
printed() { muster results rows "$@" --metric duration_us -o csv | cut -d, -f 2,3,7,16,19,20; }
[ "$(printed | sed -n 1p)" = 'point,repeat,rank,card,n,state' ] || fail "columns: $(printed | sed -n 1p)"
[ "$(printed --where n=2048 --card 1 --kernel 'add*' --rank 0 | tail -n +2 | tr '\n' ' ')" = '3,0,0,1,2048,done 3,1,0,1,2048,done ' ] ||
    fail "filters: $(printed --where n=2048 --card 1)"
[ "$(printed --where n=1024 --where n=2048.0 --where card=0 | cut -d, -f 1,4 | sort -u | tr '\n' ' ')" = '0,0 2,0 point,card ' ] ||
    fail "alternatives: $(printed --where n=1024 --where n=2048.0)"
db "select point, repeat, rank, card, axes->>'n', 'done' from v_results where metric = 'duration_us'" | tr '|' , | sort |
    diff - <(printed | tail -n +2 | sort) || fail 'v_results has other values'
[ "$(db "select job, point, axis, value from v_axes where axis = 'n'" | tr '\n' ' ')" = \
    'rows-1|0|n|1024 rows-1|1|n|1024 rows-1|2|n|2048 rows-1|3|n|2048 ' ] || fail "v_axes: $(db 'select * from v_axes')"
muster results rows --metric duration_us >narrow.txt
[ "$(sed -n '1s/  */ /gp' narrow.txt)" = 'point n repeat rank host card kernel launch metric value unit simulated' ] || fail "$(cat narrow.txt)"
muster results rows --metric duration_us --wide | sed -n '1s/  */,/gp' | cmp - <(sed -n 1p offline.2.csv) || fail 'not all columns with --wide'

say 'no line is wider than 80 characters, and a note names what is left out'
for n in "list" "show rows-1" "results rows-1" "show rows-1 --ranks" "show rows-1 --launches" "results rows-1 --advice"; do
    COLUMNS=80 muster_line "$n" >piped.txt 2>piped_note.txt || fail "$n at 80 columns: exit $?"
    script -qec "stty cols 80; muster $n" /dev/null </dev/null | tr -d '\r' | cmp - <(cat piped.txt piped_note.txt) || fail "$n: a terminal of 80 columns differs from COLUMNS=80"
    awk 'length > 80 { exit 1 }' piped.txt piped_note.txt || fail "$n is wider than 80 characters: $(cat piped.txt piped_note.txt)"
    [ "$(wc -l <piped.txt)" -ge 2 ] || fail "$n: $(cat piped.txt)"
    COLUMNS=80 muster_line "$n" --wide >wide.txt 2>wide_note.txt
    muster_line "$n" --wide | cmp - wide.txt || fail "$n --wide depends on the width"
    [ ! -s wide_note.txt ] || fail "$n --wide: $(cat wide_note.txt)"
done
COLUMNS=80 muster results rows-1 --metric duration_us >piped.txt 2>note.txt
[ "$(sed -n '1s/  */ /gp' piped.txt)" = 'point n repeat rank host card kernel metric value unit' ] || fail "$(cat piped.txt)"
[ "$(tr -s ' \n' ' ' <note.txt)" = 'not shown: launch (0), simulated (true); --wide prints all columns ' ] || fail "$(cat note.txt)"
COLUMNS=40 muster results rows-1 --metric duration_us 2>&1 | awk 'length > 40 { exit 1 }' || fail 'wider than 40 characters'

say 'the launch of a figure is the number of its folder'
while IFS='|' read -r point repeat device kernel launch; do
    [ -f "$(echo out/rows-1/p"$point"/r"$repeat"/*/device"$device/$kernel/$launch"/visualize_data.bin)" ] ||
        fail "no folder of launch $launch of $kernel: $(find out/rows-1 -name visualize_data.bin)"
done < <(db "select distinct point, repeat, device, kernel, launch from v_results")

say 'the report of an ended job has its state and its end'
python3 - <<'PY' || fail "the report: $(head -30 out/rows-1/report.json)"
import json
job = json.load(open("out/rows-1/report.json"))["job"]
assert job["state"] == "done", job
assert job["ended"] and job["submitted"] <= job["ended"], job
PY

say 'schemas and columns of all other commands are unchanged'
{
    schema_of expand job.yaml
    schema_of expand --forecast job.yaml
    schema_of fsck
    schema_of config
    schema_of config --origin
    schema_of selftest
} >>columns.txt
# a document has no columns, so this compares the paths of its keys; the content of a
# block is left out because it has a format of its own
bin=$(find out/rows-1 -name visualize_data.bin | head -n 1)
head -c -1 "$bin" >cut.bin
muster inspect --json --check cut.bin >inspect.json || [ $? -eq 1 ] || fail 'inspect of a damaged file'
db "update tasks set state = 'failed', reason = 'for this test' where task_id = 1"
muster report rows --to bad >/dev/null || fail 'report with a failed task'
muster results rows --metric duration_us -o csv 2>err.txt | sed -n 2p | grep -q ',1024,failed$' || fail "a failed task with figures: $(cat err.txt)"
[ "$(muster show rows --failed -o csv | cut -d, -f 2,5 | tr '\n' ' ')" = 'point,state 0,failed ' ] || fail 'show --failed'
[ "$(muster show rows --failed --ranks -o csv | cut -d, -f 2,3,8 | tr '\n' ' ')" = 'point,repeat,rank 0,0,0 ' ] || fail 'show --failed --ranks'
[ "$(muster show rows --failed --launches -o csv | grep -E '^(job_id|[0-9]+),' | cut -d, -f 2,3,7 | tr '\n' ' ')" = 'point,repeat,launch 0,0,0 ' ] || fail 'show --failed --launches'
db "update tasks set accepted_run_id = null where task_id = 1"
muster results rows --metric duration_us -o csv 2>/dev/null | tail -n 1 >last.csv
grep -qE '^1,0,0,n=1024 card=0,1,[0-9]+,,[^,]+,,,,,,,,0,,,1024,failed$' last.csv || fail "a failed task without figures: $(cat last.csv)"
muster results rows --metric duration_us 2>/dev/null | tail -n 1 | grep -qE '^ *0  1024 +0 +- .* - +failed +-$' || fail 'a failed task as text'
db "update tasks set accepted_run_id = (select run_id from attempts where task_id = 1), state = 'done', reason = '' where task_id = 1"
muster capture cat out/store/captures/1.db >records.jsonl || fail 'capture cat'
python3 - >>columns.txt <<'PY' || fail 'the keys of a document cannot be read'
import json
def paths(value, at, out):
    if isinstance(value, dict):
        for key, inner in value.items():
            paths(inner, f"{at}.{key}" if at else key, out)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for inner in value:
            paths(inner, at + "[]", out)
    else:
        out[at] = True
for path in "inspect.json", "bad/report.json":
    document, out = json.load(open(path)), {}
    schema = document.pop("schema")
    for block in document.get("blocks", []):
        block["content"] = None
    paths(document, "", out)
    print(schema, ",".join(out))
kinds = {}
for line in open("records.jsonl"):
    record = json.loads(line)
    kinds.setdefault(record["type"], ",".join(record))
for kind in sorted(kinds):
    print("capture:" + kind, kinds[kind])
PY
diff columns.txt "$root/tests/e2e/columns.txt" || fail 'columns changed; a change needs a new version of the schema and of columns.txt'

say 'events --since continues after the given event'
first=$(sed -n 5p offline.3.jsonl | sed 's/.*"seq":\([0-9]*\).*/\1/')
muster events rows-1 --since "$first" -o jsonl | cmp - <(tail -n +6 offline.3.jsonl) || fail 'events --since gives other events'

say 'wrong arguments exit with 2 and a message'
wrong() { # TEXT COMMAND...: the command must exit with 2 and print TEXT
    local text=$1 code=0
    shift
    muster "$@" >/dev/null 2>err.txt || code=$?
    [ "$code" -eq 2 ] && grep -qF -- "$text" err.txt || fail "$*: exit $code, not '$text': $(cat err.txt)"
}
for command in 'report x' 'retry x' 'resume x' fsck; do
    read -ra line <<<"$command"
    wrong 'no store in nowhere; pass the folder of results with --out DIR' "${line[@]}" --out nowhere
done
wrong "job rows-1 has no figure that matches 'no_such'" results rows-1 --metric no_such
wrong "the job has no axis 'm'; its axes are n, card" results rows-1 --where m=1
wrong 'job rows-1 has no figure that all filters select' results rows-1 --where n=3
wrong "--card 'one' is neither a number nor HOST:NUMBER" results rows-1 --card one
wrong 'point 9 repeat 0 rank 0 has not run' logs rows-1 9
wrong 'rank 3 of this job has not run' logs rows-1 --rank 3
wrong 'the job has no point 9 repeat 0' explain rows-1 9
wrong 'block 0: ' inspect job.yaml
wrong 'Is a directory' validate .
# The second model is of a family that is simulated. The simulator names the same models.
NPU_SIM_SOC=Ascend1 "$B/lib/muster/sim/bin/add_custom" 2>sim.txt || true
known=$(sed -n "s/.*'Ascend1' is not simulated; use one of //p" sim.txt)
[ -n "$known" ] || fail "the simulator: $(cat sim.txt)"
for model in Ascend1 Ascend910B7; do
    wrong "--model $model is not a model that the simulator supports; use one of $known" run --model "$model" --out nowhere job.yaml
    ! grep 'forecast' err.txt || fail 'a refused run has a forecast'
done
db "insert into jobs select 2, replace(key, '-1', '-2')$(db "select group_concat(', ' || iif(name = 'once', '''''', name), '') from pragma_table_info('jobs') where cid > 1") from jobs"
for command in show 'results --metric duration_us' events; do
    read -ra line <<<"$command"
    code=0
    muster "${line[@]}" rows >out.txt 2>err.txt || code=$?
    muster "${line[@]}" rows-2 >newest.txt 2>/dev/null || true
    grep -qx "2 jobs have the name 'rows'; this is the newest, rows-2" err.txt || fail "$command rows: exit $code: $(cat err.txt)"
    cmp out.txt newest.txt || fail "$command rows is not $command rows-2"
done
wrong "2 jobs have the name 'rows'; use a key, such as rows-2" retry rows
db "update jobs set user = 'ada', state = 'cancelled' where job_id = 2"
listed() { # KEYS OPTION...: the list with these options has these jobs
    local keys=$1
    shift
    [ "$(muster list "$@" -o csv | cut -d, -f 2 | tail -n +2 | tr '\n' ' ')" = "$keys" ] || fail "list $*: $(muster list "$@")"
}
listed 'rows-1 rows-2 '
listed 'rows-2 ' --last 1
listed 'rows-1 rows-2 ' --last 3
listed 'rows-2 ' --user ada
listed 'rows-1 ' --state 'done' --last 1
listed '' --user ada --state 'done'
wrong '--last, --user and --state select jobs' list --workers --last 1
wrong "--state: 'lost' is not one of: waiting, running, parsing, done, failed, cancelled" list --state lost
db 'delete from jobs where job_id = 2'
code=0
muster show no-such-job 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q "no-such-job" err.txt || fail "exit $code: $(cat err.txt)"
code=0
muster list --out "$work/nothing" 2>err.txt || code=$?
[ "$code" -eq 3 ] || fail "no store: exit $code"
muster report rows --to elsewhere >/dev/null || fail 'report'
cmp out/rows-1/junit.xml elsewhere/junit.xml || fail 'a second report differs from the first'
[ "$(grep -c '<testcase' elsewhere/junit.xml)" -eq "$(db 'select count(*) from tasks where job_id = 1')" ] || fail 'junit.xml does not have a case for each task'

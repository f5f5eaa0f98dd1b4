#!/usr/bin/env bash
# rows.sh - what list, show and results say: in every form, from a coordinator that
# runs and from the store alone, and the same from both
. "$(dirname "$0")/fleet.sh"
cd "$work"

job rows '[1024, 2048]' 2 >job.yaml
fleet_up
until_true muster submit job.yaml >key.txt 2>/dev/null
[ "$(cat key.txt)" = rows-1 ] || fail "submit prints the key, not $(cat key.txt)"
muster wait rows --timeout 60s >/dev/null 2>&1 || fail "wait: exit $?"

muster_words() { # LINE ARG...: runs muster with the words of LINE and the arguments
    local line
    read -ra line <<<"$1"
    muster "${line[@]}" "${@:2}"
}
questions=("list" "show rows-1" "results 1 --metric duration_us" "events rows-1")
words=("wait rows-1" "explain rows-1" "explain rows 1 0") # what has no rows
for form in text json jsonl csv; do
    for n in "${!questions[@]}"; do
        muster_words "${questions[$n]}" --output "$form" >"asked.$n.$form" || fail "${questions[$n]} -o $form: exit $?"
    done
done
muster list --workers -o csv >workers.csv
told() { # VERB...: the name of what it says, and its columns
    local schema
    schema=$(muster "$@" -o json | sed -n 's/^{"schema":"\([^"]*\)".*/\1/p')
    echo "$schema $(muster "$@" -o csv | sed -n 1p)"
}
for n in "${!words[@]}"; do muster_words "${words[$n]}" >"said.$n" || fail "${words[$n]}: exit $?"; done
[ "$(cat said.1)" = 'rows-1: all tasks have ended: 8 done' ] || fail "explain: $(cat said.1)"
grep -qE '^rows: point 1 repeat 0 has ended: done, attempt 1 on .*:[01]$' said.2 || fail "explain: $(cat said.2)"
{
    told alloc list
    told alloc list -a
} >columns.txt
[ "$(grep -c 'Ascend910B2,.*,true,' workers.csv)" -eq 2 ] || fail "not two workers: $(cat workers.csv)"
down

say 'from the store alone, the same'
unset MUSTER_COORDINATOR
for form in text json jsonl csv; do
    for n in "${!questions[@]}"; do
        muster_words "${questions[$n]}" --output "$form" >"read.$n.$form" || fail "offline ${questions[$n]} -o $form: exit $?"
        cmp "asked.$n.$form" "read.$n.$form" || fail "${questions[$n]} -o $form: another answer from the store"
    done
done
for n in "${!words[@]}"; do
    muster_words "${words[$n]}" | cmp - "said.$n" || fail "${words[$n]}: another answer from the store: $(muster_words "${words[$n]}")"
done

say 'the forms are what they say'
python3 - <<'PY' || fail 'the forms differ'
import csv, json
events = len(open("read.3.jsonl").readlines())
assert events >= 19, events  # submitted, started, ended, and two of each task; some are given twice
rows = {0: 1, 3: events, 1: 8, 2: 8}
schemas = {0: "muster.jobs.v1", 1: "muster.tasks.v1", 2: "muster.results.v1", 3: "muster.events.v1"}
for n, count in rows.items():
    whole = json.load(open(f"read.{n}.json"))
    assert whole["schema"] == schemas[n], whole["schema"]
    lines = [json.loads(line) for line in open(f"read.{n}.jsonl")]
    table = list(csv.DictReader(open(f"read.{n}.csv", newline="")))
    assert whole["rows"] == lines and len(lines) == len(table) == count, (n, len(lines))
    assert list(lines[0]) == list(table[0])
    assert len(open(f"read.{n}.text").readlines()) == count + 1
assert all(row["simulated"] is True and row["value"] > 0 for row in lines)
PY

say 'what is no row of a coordinator has a name, a version and columns that stay, too'
{
    told expand job.yaml
    told expand --forecast job.yaml
    told fsck
    told config
    told config --origin
    told selftest
} >>columns.txt
# what is no table: the path of each key; of what stands in a block its own format tells
bin=$(find out/rows-1 -name visualize_data.bin | head -n 1)
head -c -1 "$bin" >cut.bin
muster inspect --json --check cut.bin >inspect.json || [ $? -eq 1 ] || fail 'inspect of a damaged file'
db "update tasks set state = 'failed', reason = 'for this test' where task_id = 1"
muster report rows --to bad >/dev/null || fail 'a report of what failed'
db "update tasks set state = 'done', reason = '' where task_id = 1"
muster capture cat out/store/captures/1.db >records.jsonl || fail 'capture cat'
python3 - >>columns.txt <<'PY' || fail 'the shape of a document'
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
diff columns.txt "$root/tests/e2e/columns.txt" || fail 'columns are not what they were: a new version of the schema?'

say 'a cursor goes on where it was'
first=$(sed -n 5p read.3.jsonl | sed 's/.*"seq":\([0-9]*\).*/\1/')
muster events rows-1 --since "$first" -o jsonl | cmp - <(tail -n +6 read.3.jsonl) || fail 'the cursor is not where it was'

say 'words that name nothing'
wrong() { # WORDS VERB...: exit 2, and that is what it says
    local text=$1 code=0
    shift
    muster "$@" >/dev/null 2>err.txt || code=$?
    [ "$code" -eq 2 ] && grep -qF -- "$text" err.txt || fail "$*: exit $code, not '$text': $(cat err.txt)"
}
for verb in 'report x' 'retry x' 'resume x' fsck; do
    read -ra line <<<"$verb"
    wrong 'no store in nowhere; pass the folder of results with --out DIR' "${line[@]}" --out nowhere
done
wrong "job rows-1 has no figure that matches 'no_such'" results rows-1 --metric no_such
wrong 'point 9 repeat 0 rank 0 has not run' logs rows-1 9
wrong 'rank 3 of this job has not run' logs rows-1 --rank 3
wrong 'the job has no point 9 repeat 0' explain rows-1 9
wrong 'block 0: ' inspect job.yaml
wrong 'Is a directory' validate .
wrong '--model Ascend1 is not a model that the simulator supports' run --model Ascend1 --out nowhere job.yaml
db "insert into jobs select 2, replace(key, '-1', '-2')$(db "select group_concat(', ' || iif(name = 'once', '''''', name), '') from pragma_table_info('jobs') where cid > 1") from jobs"
wrong "2 jobs have the name 'rows'; use NAME-NUMBER" show rows
db 'delete from jobs where job_id = 2'
code=0
muster show no-such-job 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q "no-such-job" err.txt || fail "exit $code: $(cat err.txt)"
code=0
muster list --out "$work/nothing" 2>err.txt || code=$?
[ "$code" -eq 3 ] || fail "no store: exit $code"
muster report rows --to elsewhere >/dev/null || fail 'report'
cmp out/rows-1/junit.xml elsewhere/junit.xml || fail 'the report is not the same again'

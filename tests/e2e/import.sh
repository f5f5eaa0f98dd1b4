#!/usr/bin/env bash
# import.sh - two imports of a vendor folder give equal files and do not change the folder;
# muster export writes the imported data as CSV and JSON
. "$(dirname "$0")/fleet.sh"
cd "$work"

job source '[1024, 4096]' 1 >source.yaml
sed -i 's/metrics: .*/metrics: [Default, Roofline, Occupancy]}/' source.yaml
muster run --quiet --out "$work/out" source.yaml >/dev/null 2>run.err || fail "run: exit $?: $(cat run.err)"
run=$(db 'select run_id from v_ranks limit 1')
muster capture extract --run "$run" --vendor vendor out/store/captures/1.db >/dev/null

state() {
    find vendor -printf '%p %s %m %T@\n' | sort
    find vendor -type f -exec cat {} + | cksum
}

find vendor -type d -exec chmod 0550 {} +
find vendor -type f -exec chmod 0440 {} +
state >readonly.txt
muster import vendor --out first >first.txt || fail "import: exit $?"
muster import vendor --out second --output jsonl >second.txt || fail "import again: exit $?"
state >after.txt
diff readonly.txt after.txt || fail "the import changed the imported folder"
chmod -R u+w vendor
diff -r first second || fail "two imports differ"
grep -q '1 launches, files in first' first.txt || fail "import printed: $(cat first.txt)"
grep -q '"metric":"duration_us"' second.txt || fail "no figures: $(cat second.txt)"

say "the folder above gives the same files"
mkdir above
cp -r vendor above/OPPROF_1
muster import above --out from_above >/dev/null || fail "import of the folder above: exit $?"
diff -r first from_above || fail "the import of the folder above differs"

say "an output folder inside the imported folder is refused"
code=0
muster import vendor --out vendor/out >/dev/null 2>err.txt || code=$?
[ "$code" -eq 2 ] || fail "out below the source: exit $code"
grep -q 'which is only read' err.txt || fail "$(cat err.txt)"
code=0
mkdir empty
muster import empty --out third >/dev/null 2>err.txt || code=$?
[ "$code" -eq 2 ] || fail "an empty folder: exit $code"

say "names of marks: an invalid file is refused with its line"
printf '{"mc2_trace_config":\n {"descid_display": {"65541": "a/b"}}}' >marks.json
code=0
muster import vendor --custom-input marks.json --out named >/dev/null 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'marks.json:2:.*65541' err.txt || fail "bad names: exit $code, $(cat err.txt)"
sed -i 's,a/b,a b,' marks.json
muster import vendor --custom-input marks.json --out named >/dev/null || fail "good names: exit $?"
diff -r first named || fail "names changed the files of a program without marks"

say "export writes CSV and JSON"
bin=$(find first -name visualize_data.bin)
muster export "$bin" --csv --out sheets >sheets.txt || fail "export --csv: exit $?"
for name in basic_info blocks compute_workload_chart memory_map l2_cache units memory_table roofline inter_core_load advice; do
    [ "$(wc -l <"sheets/$name.csv")" -ge 2 ] || fail "sheets/$name.csv has no row"
    awk -F, 'NR == 1 { n = NF } /"/ { next } NF != n { exit 1 }' "sheets/$name.csv" || fail "$name.csv has rows of different lengths"
done
grep -q '^soc,Ascend910B' sheets/basic_info.csv || fail "$(cat sheets/basic_info.csv)"
muster export "$bin" --json --out all.json
muster export "$bin" --json | cmp - all.json || fail "--json on standard output differs from the file"
muster inspect --explain "$bin" >explained.txt
unset MUSTER_COORDINATOR
job=$(muster list -o csv | sed -n 2p | cut -d, -f 2)
launch=$(find "out/$job/p1" -name visualize_data.bin | head -n 1)
card=${launch#*/device}
card=${card%%/*}
muster inspect --explain "$launch" | sed -n 's/^  advice: //p' | sort -u >of_file.txt
muster results "$job" --advice --where n=4096 --where card="$card" -o json >advice.json
cp "out/$job/report.json" report.json
python3 - <<'PY' || fail "an advice is not complete: $(grep advice explained.txt)"
import json

explained = open("explained.txt").read()
found = set()


def collect(node, name=""):
    if isinstance(node, dict):
        for key, value in node.items():
            collect(value, key)
    elif isinstance(node, list):
        for value in node:
            collect(value, name)
    elif name == "advice" and node:
        found.add(node)


collect(json.load(open("all.json")))
want = sorted(open("of_file.txt").read().splitlines())
rows = json.load(open("advice.json"))["rows"]
assert len(rows) == 1 and sorted(rows[0]["advice"].splitlines()) == want, (rows, want)
report = json.load(open("report.json"))["advice"]
texts = [it["text"] for it in report if it["point"] == rows[0]["point"]]
assert sorted(texts) == want, (texts, want)
assert len(found) > 1 and max(map(len, found)) > 40, found
for advice in found:
    assert explained.count(f"  advice: {advice}\n") >= 1, advice
PY
python3 -c 'import json,sys; d=json.load(open("all.json")); sys.exit(len(d["blocks"]) < 5)' || fail "all.json has fewer than 5 blocks"
code=0
muster export "$bin" --trace >/dev/null 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'has no timeline block' err.txt || fail "a trace of a file without a timeline: exit $code $(cat err.txt)"
code=0
muster export "$bin" 2>err.txt >/dev/null || code=$?
[ "$code" -eq 2 ] || fail "export without a format: exit $code"

say "--as-vendor uses the limits of the 910B1 for other chips; without the option they are NA"
chmod -R u+w vendor
sed -i 's/^Run Soc Version=.*/Run Soc Version=Ascend910_9391/' vendor/device*/*/*/dump/op_basic_info.txt
muster import vendor --out plain >/dev/null
muster import vendor --as-vendor --out as_vendor >/dev/null
column() { # FOLDER NAME: the first cell of a column of Memory.csv
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' \
        "$1"/*/*/*/*/Memory.csv
}
[ "$(column plain 'GM_to_UB_bw_usage_rate(%)')" = NA ] || fail "plain: $(column plain 'GM_to_UB_bw_usage_rate(%)')"
column as_vendor 'GM_to_UB_bw_usage_rate(%)' | grep -qE '^[0-9]+\.[0-9]{6}$' || fail "as_vendor: $(column as_vendor 'GM_to_UB_bw_usage_rate(%)')"

say "a folder of the vendor's tool, which has no number of cores, gets those of its card model"
muster run --quiet --model Ascend910B4 --out "$work/b4" source.yaml >/dev/null 2>run.err || fail "run: exit $?: $(cat run.err)"
run=$(sqlite3 b4/store/muster.db 'select run_id from v_ranks limit 1')
muster capture extract --run "$run" --vendor b4_vendor b4/store/captures/1.db >/dev/null
sed -i '/^Core Count=/d; /^Metrics=/d; /^Pass /d' b4_vendor/device*/*/*/dump/op_basic_info.txt
muster import b4_vendor --out b4_files >/dev/null || fail "import: exit $?"
muster export "$(find b4_files -name visualize_data.bin)" --csv --out b4_sheets >/dev/null
# without a line that names the metrics, each block is written for which there are counters
[ -e b4_sheets/inter_core_load.csv ] || fail "the import did not write the load of the cores: $(ls b4_sheets)"
# 20 cores with two vectors each, 1650 MHz, 128 bytes or 64 operations per cycle
grep -q '^Memory Unit(Vector),Read from UB,7.683411,[^,]*,4.224000,' b4_sheets/roofline.csv ||
    fail "roofline of 20 cores: $(cat b4_sheets/roofline.csv)"

say "main memory serves cubes and vectors of a mix operator: one line with the operations of both"
cat >mix.yaml <<'YAML'
version: 1
name: mix
operator: {command: [sim/bin/matmul_custom, --m, "128", --n, "128", --k, "128"]}
profile: {metrics: [Default, Roofline]}
cards: {ids: [0]}
YAML
muster run --quiet --model Ascend910B2 --out "$work/mix" mix.yaml >/dev/null 2>run.err || fail "run: exit $?: $(cat run.err)"
muster export "$(find mix -name visualize_data.bin | head -n 1)" --csv --out mix_sheets >/dev/null
# 8192 operations of 24 cubes and 64 of 48 vectors per cycle at 1800 MHz: 353.8944 + 5.5296
grep -qE '^GM/L2,GM Read \+ Write,1.750000,Cube_FP\(100%\) \+ Vec_FP32\(100.000000%\),359.424000,' mix_sheets/roofline.csv ||
    fail "the roofline of a mix operator: $(cat mix_sheets/roofline.csv)"

say 'a launch of which nothing, or not all, was captured is incomplete, and the reasons are printed'
damaged() { # FOLDER REASON: sets $code
    code=0
    muster import "$1" --out "$1.files" >"$1.txt" 2>"$1.err" || code=$?
    [ "$code" -eq 1 ] || fail "$1: exit $code"
    grep -qE '^add_custom .* incomplete$' "$1.txt" || fail "$1: $(cat "$1.txt")"
    grep -qxF "launch 0 of add_custom: $2" "$1.err" || fail "$1: $(cat "$1.err")"
}
for name in nothing no_times one_pass; do
    cp -r b4_vendor $name
    chmod -R u+w $name
done
find nothing -name '*.bin' -exec truncate -s 0 {} +
find no_times -name duration.bin -exec truncate -s 0 {} +
find one_pass -name DeviceProf3.bin -exec truncate -s 0 {} +
damaged nothing 'pass 1: no counters'
damaged no_times 'task log: start or end of the operator is missing'
damaged one_pass 'pass 3: no counters'
muster import nothing --out nothing.files --output jsonl >nothing.jsonl && fail 'nothing: exit 0'
! grep -q '"metric"' nothing.jsonl || fail "figures of nothing: $(cat nothing.jsonl)"

say 'with --store the launches are a job, a point for each card, that all commands read'
mkdir two
for card in 0 1; do
    run=$(db "select run_id from v_ranks where job = 'source-1' and card = $card limit 1")
    muster capture extract --run "$run" --vendor two/$card out/store/captures/1.db >/dev/null
done
muster import two --out parsed --output jsonl >parsed.jsonl || fail "import of two cards: exit $?"
muster import two --store --out store_out >stored.txt || fail "--store: exit $?"
grep -qx '2 launches, job two-1, files in store_out/two-1' stored.txt || fail "$(cat stored.txt)"
[ "$(muster show two --out store_out -o csv | cut -d, -f 2,3,4,5,9,17 | tr '\n' ' ')" = \
    'point,repeat,point_text,state,card,ranks_done 0,0,card=0,done,0,1 1,0,card=1,done,1,1 ' ] ||
    fail "show: $(muster show two --out store_out -o csv)"
for card in 0 1; do
    diff -r parsed/local/device$card store_out/two-1/p$card/r0/local/device$card ||
        fail "the files of card $card differ"
done
muster results two --out store_out --output jsonl >figures.jsonl || fail "results: exit $?"
python3 - <<'PY' || fail "the figures of the job differ from those of the import"
import json
def figures(path):
    rows = [json.loads(line) for line in open(path)]
    return sorted((r.get("card", r.get("device")), r["kernel"], r["launch"], r["metric"], r["value"], r["unit"])
                  for r in rows if "metric" in r)
printed, stored = figures("parsed.jsonl"), figures("figures.jsonl")
assert printed == stored and len(stored) >= 20, (len(printed), len(stored))
PY
[ "$(muster results two --out store_out -o jsonl | grep -c '"simulated":false')" -ge 20 ] || fail 'imported figures are marked as simulated'
muster import two --store --out store_out --name again --output jsonl >again.jsonl || fail "--name: exit $?"
[ "$(tail -n 1 again.jsonl)" = '{"job":"again-2"}' ] || fail "$(tail -n 1 again.jsonl)"
code=0
muster compare two again --out store_out --output jsonl >compared.jsonl || code=$?
[ "$code" -eq 5 ] || fail "one repeat decides nothing: compare: exit $code"
[ "$(grep -c '"change_percent":0,.*"reason":"few"' compared.jsonl)" -eq 2 ] || fail "compare: $(cat compared.jsonl)"
muster fsck --out store_out >/dev/null || fail "fsck: $(muster fsck --out store_out)"
muster report two --out store_out >/dev/null || fail "report: exit $?"
sqlite() { python3 -c 'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone(), sep="|")' store_out/store/muster.db "$1"; }
sqlite 'select yaml from jobs where job_id = 1' >yaml.txt
[ "$(muster validate yaml.txt 2>/dev/null)" = 'yaml.txt: valid, 2 points, 2 tasks' ] || fail "the stored job file: $(muster validate yaml.txt 2>&1)"

say 'problems of the raw data are in the job; a failed import leaves no job and no files'
code=0
muster import nothing --store --out store_out >/dev/null 2>err.txt || code=$?
[ "$code" -eq 1 ] || fail "nothing --store: exit $code: $(cat err.txt)"
grep -qxF 'launch 0 of add_custom: pass 1: no counters' err.txt || fail "$(cat err.txt)"
problems='pass 1: no counters; launch 0 of add_custom: pass 2: no counters; launch 0 of add_custom: pass 3: no counters; and [0-9]+ more'
sqlite "select state, reason from tasks where job_id = 3" | grep -qxE "failed.launch 0 of add_custom: $problems" || fail "$(sqlite 'select state, reason from tasks where job_id = 3')"
refused() { # TEXT ARG...: the import exits with 2, prints TEXT and leaves no job
    local text=$1 code=0
    shift
    muster import "$@" >/dev/null 2>err.txt || code=$?
    [ "$code" -eq 2 ] && grep -qF -- "$text" err.txt || fail "$*: exit $code: $(cat err.txt)"
    [ "$(sqlite 'select max(job_id) from jobs')" = 3 ] || fail "$*: $(sqlite 'select max(job_id), key from jobs')"
}
refused 'no op_basic_info.txt' empty --store --out store_out
refused 'no launch matches' two --store --out store_out --launch 'mat*'
refused '--name is the name of a job' two --name x --out store_out
mkdir -p store_out/two-4
echo left >store_out/two-4/left # by an import that was killed
muster import two --store --out store_out >/dev/null || fail "import after one that was killed: exit $?"
[ ! -e store_out/two-4/left ] && [ -d store_out/two-4/p1 ] || fail "$(find store_out/two-4 -maxdepth 2)"

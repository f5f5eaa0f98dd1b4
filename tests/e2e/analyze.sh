#!/usr/bin/env bash
# analyze.sh - muster analyze: figures of genuine captures in each format, what is missing,
# damaged rows, wrong folders, and their exit codes
. "$(dirname "$0")/fleet.sh"
samples=$PWD/parsers/samples/framework
cd "$work"

analyze() { # CODE ARGUMENTS...: the output is in `shown`
    local code=0
    muster analyze "${@:2}" >shown 2>shown.err || code=$?
    [ "$code" -eq "$1" ] || fail "muster analyze ${*:2} ended with $code, not $1: $(cat shown shown.err)"
}
shows() { # FILE TEXT
    grep -qF -- "$2" "$1" || fail "$1 does not show '$2': $(head -c 2000 "$1")"
}

analyze 0 "$samples/alexnet_ddp_level1_text" --to report
shows shown 'rank 0: 191 kernels, 1 step (marker)'
shows shown 'b50_1  17.903 ms, prelaunch, possible_sync_or_h2d'
shows shown.err "$work/report/analysis.html"
shows report/rank_1/anomaly_report.md '# Idle time of rank 1'
python3 - report/rank_0/anomaly_discovery.json <<'PYTHON'
import json, sys
step = json.load(open(sys.argv[1]))["steps"][0]
assert step["service_ms"] == 154.483511, step
assert step["distinct_streams"] == [2, 3], step
parts = ("prelaunch_gap_ms", "internal_bubble_total_ms", "tail_gap_ms", "device_busy_union_ms")
assert abs(sum(step[part] for part in parts) - step["service_ms"]) < 1e-6, step
PYTHON
grep -q '^50,rank,1,' report/cluster_analysis_output/cluster_step_trace_time.csv || fail 'no step times of rank 1'
# The parts of the step add up, and the copies are the 24 rows MEMCPY_ASYNC of the trace.
python3 - report <<'PYTHON'
import csv, json, sqlite3, sys
folder = sys.argv[1] + "/cluster_analysis_output/"
rows = list(csv.DictReader(open(folder + "cluster_time_summary.csv")))
assert [(row["Rank"], row["Step"]) for row in rows] == [("0", "50"), ("1", "50")], rows
for row in rows:
    parts = ("computation", "communicationNotOverlapComputation", "memoryNotOverlapComputationCommunication", "free")
    assert abs(sum(float(row[part]) for part in parts) - float(row["stepTime"])) < 0.01, row
assert [row["memory"] for row in rows] == ["878.857", "1310.125"], rows
assert rows[1]["communicationWaitStageTime"] == "5.72", rows
assert rows[0]["communicationTransmitStageTime"] == rows[1]["communicationTransmitStageTime"] == "100369.565", rows
table = sqlite3.connect(folder + "cluster_analysis.db").execute("SELECT rank, step, memory, free FROM ClusterTimeSummary").fetchall()
assert table == [(int(row["Rank"]), row["Step"], float(row["memory"]), float(row["free"])) for row in rows], table
summary = json.load(open(sys.argv[1] + "/cluster.json"))["time_summary"]
assert [row["copy_not_overlapped_us"] for row in summary] == [853.137, 1285.385], summary
PYTHON
[ -s report/cluster_analysis_output/cluster_analysis.db ] || fail 'no database for other tools'
muster analyze "$samples/alexnet_ddp_level1_text" --format html | cmp - report/analysis.html ||
    fail 'the printed page differs from the written one'

# A second run replaces the files and gives the same.
cp report/rank_0/anomaly_discovery.json before.json
analyze 0 "$samples/alexnet_ddp_level1_text" --to report
cmp before.json report/rank_0/anomaly_discovery.json || fail 'a second run gives other figures'

# A rank without a list of kernels is named; the other one is analysed.
analyze 1 "$samples/qwen3_pp2dp2_level2_text" --format json
shows shown.err 'rank 1: '
shows shown.err 'has no kernel_details.csv'
python3 -c 'import json; ranks = json.load(open("shown"))["ranks"]
assert [rank["enabled"] for rank in ranks] == [True, False], ranks'
shows shown '"pg_name":"dp_cp","ranks":[0,1]'
analyze 1 "$samples/qwen3_pp2dp2_level2_text"
shows shown 'stage (0, 1): at most 231.290 ms computing'
shows shown 'these have no folder: 2 3.'
analyze 0 "$samples/qwen3_pp2dp2_level2_text" --rank 0 --format markdown
shows shown '# Idle time of rank 0'
analyze 2 "$samples/qwen3_pp2dp2_level2_text" --rank 7
shows shown.err 'there is no rank 7'
analyze 0 "$samples/qwen3_pp2dp2_level2_text" --list
shows shown '  missing  trace_view.json: without it'

# Markers of the user begin steps where the framework has none.
mkdir marked
cp "$samples"/alexnet_ddp_level1_text/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/*.* marked
sed -i 's/ProfilerStep#50/my step/' marked/trace_view.json
analyze 0 marked
shows shown 'rank 0: 191 kernels, 1 step (step_id_column)'
analyze 0 marked --marker 'my step' --format json
grep -q '"step_source":"marker".*"service_ms":154.483511' shown || fail 'another step'
analyze 2 marked --marker ''

# A damaged row costs this row. A damaged trace costs the evidence of the host.
mkdir copy
cp "$samples"/alexnet_ddp_level1_text/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/*.* copy
sed -i '20s/^[^,]*,[^,]*,//' copy/kernel_details.csv
truncate -s 100000 copy/trace_view.json
analyze 0 copy
shows shown 'rank 0: 190 kernels, 1 step (step_id_column)'
shows shown '1 of 191 rows of the list of kernels are damaged and left out; the first: copy/kernel_details.csv:20:'
shows shown 'copy/trace_view.json:'

# Files of two runs in one folder, and ranks of two runs.
mkdir other runs
cp "$samples"/alexnet_ddp_level1_text/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json other
cp "$samples"/qwen3_pp2dp2_level2_text/rank_0_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv other
analyze 0 other
shows shown 'rank 0: 2463 kernels, 1 step (step_id_column)'
shows shown 'the trace is left out, because its events end before the kernels by 27837993.'
cp -r "$samples/alexnet_ddp_level1_text/rank0_ascend_pt" "$samples/qwen3_pp2dp2_level2_text/rank_1_ascend_pt" runs
analyze 1 runs
shows shown 'the captures are of several runs and their times are not compared: 1.'
! grep -q 'Computing differs' shown || fail 'two runs are compared'

# Two folders of one rank, a database without tables, clocks that run backwards, steps
# without length, and too little memory.
mkdir two none back
cp -r "$samples/alexnet_ddp_level1_text/rank0_ascend_pt" two/a_20250101000000000_ascend_pt
cp -r "$samples/alexnet_ddp_level1_text/rank0_ascend_pt" two/b_20250102000000000_ascend_pt
analyze 0 two
shows shown.err 'a_20250101000000000_ascend_pt: left out, because two/b_20250102000000000_ascend_pt is rank 0 too'
python3 -c 'import sqlite3; sqlite3.connect("none/msprof_1.db").execute("create table other (n)")'
analyze 1 none
shows shown.err 'it is no database of the profiler, or its export was interrupted'
cat >back/kernel_details.csv <<'CSV'
Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us)
1,late,A,AI_CORE,5000.0,0,0
1,wrong,A,AI_CORE,4000.0,-20,0
2,early,A,AI_CORE,3000,5,5
CSV
analyze 0 back --format json
python3 -c 'import json; rank = json.load(open("shown"))["ranks"][0]
assert [step["service_ms"] for step in rank["steps"]] == [2.0, 0.0], rank["steps"]
assert [step["underfeed_ratio"] for step in rank["steps"]] == [0.9975, 0.0], rank["steps"]
assert rank["inventory"]["rows_skipped"] == 1, rank["inventory"]'
case $B in
*sanitize* | *tsan*) ;; # the memory of a sanitizer exceeds each limit
*)
    analyze 1 "$samples/alexnet_ddp_level1_text" --rank 0 --memory 1MiB
    shows shown.err 'rank 0: its process ended early'
    shows shown.err '1 MiB of memory, which the options --timeout and --memory change'
    ;;
esac

# A folder without captures, a file, and no path.
mkdir empty
analyze 2 empty
shows shown.err 'empty has no captures of a profiler'
analyze 2 copy/kernel_details.csv
shows shown.err 'is a file; name the folder that holds it'
analyze 2
shows shown.err 'an argument is missing'

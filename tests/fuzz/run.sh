#!/usr/bin/env bash
# run.sh SECONDS - runs each fuzzer (NOUN_fuzz.c) with libFuzzer for SECONDS
#
# Seeds are the samples beside the reader (FOLDER/samples) and the files of a job that is
# measured here. An input that breaks a reader is stored in build/fuzz/found and fails the run.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}
seeds=build/fuzz/seeds

cmake --preset fuzz >/dev/null
mapfile -t sources < <(git ls-files '*_fuzz.c')
programs=()
for source in "${sources[@]}"; do
    program=fuzz/${source//\//_}
    programs+=("${program%.c}")
done
ninja -C build/fuzz "${programs[@]}" >/dev/null
mkdir -p build/fuzz/found

# Seeds of a whole capture and its files, because the fuzzer cannot guess a checksum.
measure() {
    local out
    out=$(mktemp -d)
    rm -rf "$seeds"
    mkdir -p "$seeds/lib_capture_capture_reader_fuzz" "$seeds/parsers_visualize_check_check_fuzz"
    printf '%s\n' 'version: 1' 'name: seeds' \
        'operator: {command: [sim/bin/add_custom, --n, 1024, --blocks, 2]}' \
        'profile: {metrics: [Default, Roofline]}' >"$out/job.yaml"
    build/dev/bin/muster run --quiet --out "$out/out" "$out/job.yaml" >/dev/null 2>&1
    build/dev/bin/muster capture export "$out/out/store/captures/1.db" "$seeds/lib_capture_capture_reader_fuzz/job.iidb" >/dev/null
    find "$out/out" -name visualize_data.bin | head -n 1 | xargs -I{} cp {} "$seeds/parsers_visualize_check_check_fuzz/"
    rm -rf "$out"
}
[ ! -x build/dev/bin/muster ] || measure

# Each reader gets its file of a sample launch; the reader of code gets kernel code.
seeds_of_readers() {
    local out=$seeds/parsers_run_readers_fuzz
    mkdir -p "$out"
    MUSTER_TEST_FUZZ_SEEDS=$PWD/$out build/fuzz/fuzz/parsers_run_readers_fuzz
    if [ -f build/dev/tests/sample_inlined.o ]; then
        {
            printf '\0\0'
            cat build/dev/tests/sample_inlined.o
        } >"$out/code"
    fi
}
[ ! -x build/fuzz/fuzz/parsers_run_readers_fuzz ] || seeds_of_readers

# Sessions of the viewer's pages, each with the file that they show.
mkdir -p "$seeds/parsers_viewer_viewer_fuzz"
python3 tests/viewer/fuzz_seeds.py "$seeds/parsers_viewer_viewer_fuzz"

mkdir -p "$seeds/parsers_xpti_trace_records_fuzz"
python3 tests/xpti/fuzz_seeds.py "$seeds/parsers_xpti_trace_records_fuzz/program"

# Texts that a fuzzer hardly guesses.
seed() { # PROGRAM TEXT, with the escapes of printf
    mkdir -p "$seeds/$1"
    printf '%b' "$2" >"$seeds/$1/$(cksum <<<"$2" | cut -d ' ' -f 1)"
}
seed lib_cluster_slurm_fuzz 'JobId=5 JobState=RUNNING\n   Nodes=n0 CPU_IDs=0-1 Mem=0 GRES=npu:2(IDX:0-1)\n'
seed lib_cluster_slurm_fuzz '12345|RUNNING|muster-q-1\n'
seed runner_argument_fuzz 'in float16 64*64 from x'
seed runner_argument_fuzz 'out float 4 expect y within 1e-3'
seed runner_argument_fuzz 'value int32 5'
seed runner_protocol_mark_fuzz '\x1e\x02muster point\x03000000000000000a\x1f tail'
seed lib_parser_output_parser_output_fuzz '{"launch":3,"kernel":"add","device":1,"metric":"duration_us","value":9.25,"unit":"us"}'
seed parsers_anomaly_capture_fuzz '\x001,a,A,AI_CORE,3000.5,5,1\n'
seed parsers_anomaly_capture_fuzz '\x01[{"ph":"X","cat":"cpu_op","name":"aten::to","pid":1,"tid":1,"ts":"1005.0","dur":90},{"ph":"B","name":"x","pid":1,"ts":2},{"ph":"E","pid":1,"ts":3},{"ph":"M","name":"process_name","pid":1,"args":{"name":"CANN"}}]'
seed parsers_anomaly_capture_fuzz '\x02Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Preparing\n1,1,2,3,4,5,6\n'
seed parsers_anomaly_capture_fuzz '\x03{"step1":{"p2p":{},"collective":{"hcom_x__1_1@2":{"Communication Time Info":{"Start Timestamp(us)":1100.0,"Elapse Time(ms)":0.5}}}}}'
seed parsers_anomaly_capture_fuzz '\x03{"step1":{"collective":{"hcom_x__1_1@2":{"Communication Bandwidth Info":{"HCCS":{"Transit Size(MB)":8,"Transit Time(ms)":1,"Size Distribution":{"4.5":[2,1.0]}}}}}}}'
seed parsers_anomaly_capture_fuzz '\x04{"step1":{"collective":{"allreduce-total@2":{"0-1":{"Transport Type":"HCCS","Transit Size(MB)":8,"Transit Time(ms)":1}}}}}'
seed parsers_anomaly_capture_fuzz '\x05Name,Host Self Duration(us),Device Self Duration(us)\naten::mm,3.5,1\n'
seed parsers_anomaly_capture_fuzz '\x06{"config":{"common_config":{"with_stack":true}},"rank_id":"3"}'
seed parsers_anomaly_capture_fuzz '\x07{"distributed_args":{"rank":0,"world_size":2},"parallel_group_info":{"g":{"group_name":"dp","global_ranks":[0,1]}}}'
seed parsers_anomaly_capture_fuzz '\x01[{"ph":"X","cat":"user_annotation","name":"layer#0","pid":1,"ts":1000,"dur":50},{"ph":"X","cat":"user_annotation","name":"layer#1","pid":1,"ts":1050,"dur":50},{"ph":"s","name":"torch_to_npu","id":7,"ts":1010},{"ph":"f","name":"torch_to_npu","id":7,"ts":1100},{"ph":"s","name":"torch_to_npu","id":8,"ts":1060},{"ph":"f","name":"torch_to_npu","id":8,"ts":2000}]'
seed parsers_framework_db_databases_fuzz '\x01\x10\x00\x7f'

bad=0
for i in "${!programs[@]}"; do
    program=${programs[i]}
    name=$(basename "$program")
    corpus=build/fuzz/corpus/$name
    mkdir -p "$corpus"
    folders=()
    for folder in "$(dirname "${sources[i]}")" "${sources[i]%%/*}"; do
        [ ! -d "$folder/samples" ] || mapfile -t -O "${#folders[@]}" folders < <(find "$folder/samples" -type d)
    done
    [ -d "$seeds/$name" ] && folders+=("$seeds/$name")
    log=build/fuzz/$name.log
    if timeout $((seconds + 60)) "build/fuzz/$program" -max_total_time="$seconds" -max_len=65536 \
        -timeout=10 -rss_limit_mb=1024 -artifact_prefix="build/fuzz/found/$name-" \
        "$corpus" "${folders[@]}" >"$log" 2>&1; then
        echo "$name: $(grep -oE 'DONE.*|Done [0-9]+ runs.*' "$log" | tail -n 1)"
    else
        echo "$name: FAILED" >&2
        grep -E 'ERROR|SUMMARY|Test unit' "$log" | head -n 5 >&2
        bad=1
    fi
done
exit $bad

#!/usr/bin/env bash
# simulated_job.sh - jobs with `tool: simulator`: the vendor's instruction simulator is
# preloaded, its logs are collected, and their figures are those of hand-computed logs
. "$(dirname "$0")/fleet.sh"
cd "$work"
sim=$B/lib/muster/sim
lib=vendor/Ascend910B2/lib
mkdir -p $lib && cp "$B/tests/camodel_sample.so" $lib/libruntime_camodel.so
is() { [ "$1" = "$2" ] || fail "$3: '$1', not '$2'"; }
write() { # NAME LOGS PROFILE: a job whose simulator writes these logs
    cat >"$1.yaml" <<YAML
version: 1
name: $1
operator: {command: [/bin/true], env: {CAMODEL_SAMPLE: $2}}
profile: {tool: simulator$3}
limits: {retries: 0}
YAML
}
run() { # NAME: runs the job in the folder NAME; sets $code
    code=0
    env -u MUSTER_COORDINATOR muster run --quiet --out "$1" --model "${2:-Ascend910B2}" "$1.yaml" >/dev/null 2>"$1.err" || code=$?
}
query() { sqlite3 -batch -noheader "$1/store/muster.db" "$2"; }
figures() { # NAME: prints all figures of the job, sorted
    query "$1" "select metric || ' ' || value || ' ' || unit from v_results where kernel='add_custom_2' order by metric"
}

say "without the simulator: refused before the start, and a warning of validate"
write none all ''
run none
is "$code" 2 'exit code without a simulator'
grep -qF "profile.tool: the vendor's simulator is not installed: neither MUSTER_SIMULATOR nor ASCEND_HOME_PATH is set" none.err || fail "$(cat none.err)"
MUSTER_SIMULATOR=vendor run none Ascend910B1
is "$code" 2 'exit code without the chip'
grep -qF "simulator for Ascend910B1 is not installed; set MUSTER_SIMULATOR to its folder: vendor/Ascend910B1/lib/libruntime_camodel.so: No such file" none.err || fail "$(cat none.err)"
muster validate none.yaml >/dev/null 2>validate.err || fail "validate: exit $?"
grep -qF "none.yaml: warning: profile.tool: the vendor's simulator is not installed" validate.err || fail "$(cat validate.err)"

export MUSTER_SIMULATOR=vendor # the worker makes it absolute
say "the figures of all logs"
write whole all ', metrics: [TimelineDetail, PMSampling, OverHead, ResourceConflictRatio]'
run whole
is "$code" 0 "exit code: $(cat whole.err)"
# the last instruction ends in cycle 2100, the first begins in 1080: 1020 / 1800 MHz
diff - <(figures whole) <<'TXT' || fail 'figures'
simulator.cache_cycles 25.0 cycles
simulator.cache_misses 1.0 count
simulator.ccu_cycles 15.0 cycles
simulator.cores 2.0 count
simulator.cycles 1020.0 cycles
simulator.duration_us 0.567 us
simulator.instructions 10.0 count
simulator.read_bytes 768.0 bytes
simulator.written_bytes 128.0 bytes
TXT
folder=$(echo whole/whole-1/p0/r0/*/device*/simulator)
diff - "$folder/core1.veccore0/core1.veccore0_instr_exe.csv" <<'CSV' || fail 'instructions of core 1'
instr,addr,pipe,call_count,cycles,running_time(us),detail
VADD,4112,VECTOR,1,480,0.270000,"dtype:F16,"
WAIT_FLAG,4108,VECTOR,1,420,0.230000,"PIPE:MTE2,TRIGGER PIPE:VEC,FLAG ID:0,"
MOV_ALIGN,4100,MTE2,1,400,0.220000,"Src:OUT,Dst:UB,"
MOV_XD_IMM,4096,SCALAR,1,20,0.010000,"XD:X1=0x40,IMM:0x40,"
SET_FLAG,4104,MTE2,1,10,0.010000,"PIPE:MTE2,TRIGGER PIPE:VEC,FLAG ID:0,"
CSV
[ "$(find "$folder/logs" -type f | wc -l)" -eq 8 ] || fail "logs: $(ls "$folder/logs")"
muster inspect --check "$folder/visualize_data.bin" >check.txt || fail "$(cat check.txt)"
for name in '"cache_time"' '"ccu_time"' 'MTE Throughput' '"SET_FLAG"'; do
    grep -qF "$name" "$folder/trace.json" || fail "the timeline has no $name"
done
muster capture export whole/store/captures/1.db whole.iidb >/dev/null
muster capture cat whole.iidb | grep -qF '"chip":"Ascend910B2","metrics":"ResourceConflictRatio,TimelineDetail,PMSampling,OverHead","cores":"","elf":""' ||
    fail "$(muster capture cat whole.iidb | grep simulation)"

say "each metric adds its own data only; without metrics, the timeline alone"
write plain all ''
run plain
is "$code" 0 "exit code: $(cat plain.err)"
is "$(figures plain | tr '\n' ';')" 'simulator.cache_misses 1.0 count;simulator.cores 2.0 count;simulator.cycles 1020.0 cycles;simulator.duration_us 0.567 us;simulator.instructions 6.0 count;' 'figures of the default'
folder=$(echo plain/plain-1/p0/r0/*/device*/simulator)
for name in '"cache_time"' '"ccu_time"' 'MTE Throughput' '"SET_FLAG"'; do
    grep -qF "$name" "$folder/trace.json" && fail "the timeline has $name"
done
# core 0 ends in cycle 1900: 820 cycles of the 1850 MHz of another chip
mkdir -p vendor/Ascend910B1 && cp -r $lib vendor/Ascend910B1
write core all ', cores: 0'
run core Ascend910B1
is "$code" 0 "exit code: $(cat core.err)"
is "$(figures core | grep -c .)/$(figures core | grep duration)" '5/simulator.duration_us 0.443 us' 'time of core 0'
[ -z "$(find core/core-1 -path '*simulator/core1*')" ] || fail 'core 1 was read'

say "a metric, a core or a launch that is not in the logs is an error"
write few few ', metrics: [PMSampling, OverHead]'
run few
is "$code" 1 'exit code with few logs'
query few 'select parse_error from ranks' >errors.txt
grep -qF 'PMSampling: the simulator wrote no log of memory requests (core<N>.mte_log.dump)' errors.txt || fail "$(cat errors.txt)"
is "$(figures few | grep cycles)" 'simulator.cycles 1020.0 cycles' 'cycles beside the error'
write core7 all ', cores: 7'
run core7
is "$code" 1 'exit code without the core'
query core7 'select parse_error from ranks' | grep -qF 'core 7 has no instruction logs' || fail "$(query core7 'select parse_error from ranks')"
write silent none ''
run silent
is "$code" 1 'exit code without logs'
is "$(query silent "select status || ': ' || reason from ranks")" 'nothing-profiled: the simulator wrote no log: the program launched no kernel, or it does not use the preloaded runtime' 'reason'

say "the files of a job are those of an import of the same logs"
cat >same.yaml <<YAML
version: 1
name: same
operator: {command: [sim/bin/matmul_custom, --m, "300", --n, "200", --k, "130", --blocks, "2"]}
profile: {tool: simulator, metrics: [PMSampling, ResourceConflictRatio], elf: $sim/kernels/matmul_custom.o}
YAML
run same
is "$code" 0 "exit code: $(cat same.err)"
folder=$(echo same/same-1/p0/r0/*/device*/simulator)
mv "$folder/logs" logs
muster import logs --soc Ascend910B2 --kernel "$sim/kernels/matmul_custom.o" --out imported >/dev/null || fail "import: exit $?"
diff -r "$folder" imported >/dev/null || fail "the job's files differ from those of the import"
grep -q 'sim/ops/kernels/matmul_custom_kernel.c:' imported/core0.cubecore0/core0.cubecore0_code_exe.csv || fail 'no source lines'
is "$(query same "select value from v_results where kernel='matmul_custom' and metric='simulator.read_bytes'")" $((4 * (300 * 130 * 2 + 130 * 200 * 2 * 2) + 4 * (300 * 200 + 4 * 200))).0 'bytes from GM'

say "a kernel file in muster-runner, with the simulator in the folder of the runtime"
MUSTER_SIMULATOR='' fleet_up 1
cat >runner.yaml <<YAML
version: 1
name: runner
operator: {kernel: $sim/kernels/add_custom.o, args: ["in fp32 1024", "in fp32 1024", "out fp32 1024", "data u32 1024"], env: {CAMODEL_SAMPLE: none}}
profile: {tool: simulator}
limits: {retries: 0}
YAML
muster submit runner.yaml >/dev/null 2>submit.err || fail "$(cat submit.err)"
muster wait --quiet runner-1 >/dev/null 2>&1 && fail 'a task without a simulator succeeded'
db "select state || ': ' || reason from tasks" >reason.txt
grep -q "^failed: the vendor's simulator is not installed: neither MUSTER_SIMULATOR nor ASCEND_HOME_PATH is set" reason.txt || fail "$(cat reason.txt)"
mkdir -p cann/tools && ln -s "$sim/lib64" cann/lib64 && ln -s "$work/vendor" cann/tools/simulator
sed -i "s|env: {|&ASCEND_HOME_PATH: $work/cann, |" runner.yaml
muster submit runner.yaml >/dev/null 2>submit.err || fail "$(cat submit.err)"
muster wait --quiet runner-2 >/dev/null || fail "the kernel file: $(db 'select reason from tasks')"
is "$(db "select count(*) from v_results where kernel='simulation' and metric='simulator.cycles' and value > 0")" 1 'figures of the kernel file'

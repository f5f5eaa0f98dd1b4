#!/usr/bin/env bash
# job_keys.sh - every key of a job file has an effect: the list of keys comes from
# configs/job.schema.json, and each key has a function below that checks a value which
# only this key changes. A key without a function fails, and a function without a key too
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
sim=$B/lib/muster/sim
measured=', profile: {metrics: [PipeUtilization], warmup: 0}'
unmeasured=', profile: {metrics: []}'

is() { [ "$1" = "$2" ] || fail "$key: $3: '$1', not '$2'"; }
write() { # NAME KEYS: writes the job file NAME.yaml from keys in flow style
    echo "{version: 1, name: $1, $2}" >"$1.yaml"
}
run() { # NAME KEYS [OPTION...]: runs the job in the folder NAME; sets $code and $name
    name=$1 code=0
    write "$1" "$2"
    muster run --quiet --out "$name" "${@:3}" "$name.yaml" >/dev/null 2>"$name.err" || code=$?
}
good() { # NAME KEYS [OPTION...]: as run; the job must succeed
    run "$@"
    [ "$code" -eq 0 ] || fail "$key: exit $code: $(cat "$name.err")"
}
query() { sqlite3 -batch -noheader "$name/store/muster.db" "$1"; }
records() { # TYPE: prints the records of this type
    muster capture export "$name/store/captures/1.db" "$name.iidb" >/dev/null
    muster capture cat "$name.iidb" | grep "\"type\":\"$1\"" || true
}
command() { # WORD...: prints an operator
    local IFS=,
    echo "operator: {command: [$*]}"
}
shell() { # TEXT: prints an operator that runs a shell
    echo "operator: {command: [/bin/sh, -c, '$1']}"
}
add=$(command sim/bin/add_custom)
three=$(command sim/bin/accumulate_inplace --launches '"3"')
kernel_args='"in fp32 1024", "in fp32 1024", "out fp32 1024", "data u32 1024"'
runner() { echo "operator: {kernel: sim/kernels/add_custom.o, args: [$kernel_args]$1}"; }
expanded() { # KEYS: prints the points as CSV
    write expanded "$1"
    muster expand --output csv expanded.yaml
}

key_version() {
    echo "{version: 2, name: a, $add}" >version.yaml
    muster validate version.yaml >/dev/null 2>version.err && fail 'version 2 is accepted'
    grep -q "unsupported version '2'" version.err || fail "$(cat version.err)"
}
key_name() {
    good named "$add$unmeasured"
    is "$(query 'select key from jobs')" named-1 'key of the job'
}
key_include() {
    echo '{sweep: {repeat: 3}}' >more.yaml
    good included "include: [more.yaml], $add$unmeasured"
    is "$(query 'select count(*) from tasks')" 3 'tasks'
}
key_operator_command() {
    good program "$(shell "echo word >$work/program.txt")$unmeasured"
    is "$(cat program.txt)" word 'output of the program'
}
key_operator_kernel() {
    good kernel "$(runner '')$measured"
    is "$(records launch | grep -o '"kernel":"[a-z_]*"')" '"kernel":"add_custom"' 'kernel'
}
key_operator_config() {
    python3 -c '
import json, struct
for name in "xy":
    open(name + ".bin", "wb").write(struct.pack("1024f", *([1 if name == "x" else 2] * 1024)))
open("tiling.bin", "wb").write(struct.pack("I", 1024))
buffer = lambda kind, name: {"param_type": kind, "type": "float", "shape": [8, 128], "name": name}
params = [buffer("input", name) | {"data_path": f"./{name}.bin"} for name in "xy"] + [buffer("output", "z"),
    {"param_type": "tiling", "tiling_data_size": 4, "tiling_data_path": "./tiling.bin"}]
json.dump({"kernel_name": "add_custom", "kernel_path": "'"$sim"'/kernels/add_custom.o", "blockdim": 4, "mode": "onboard",
    "magic": "RT_DEV_BINARY_MAGIC_ELF_AIVEC", "test_cases": [{"case_name": "a", "param_desc": params}]}, open("op.json", "w"))'
    good described "operator: {config: op.json}$measured"
    is "$(records launch | grep -o '"kernel":"[a-z_]*"\|"block_dim":[0-9]*' | sort | xargs)" 'block_dim:4 kernel:add_custom' 'kernel and blocks'
    rm -f y.bin
    run undescribed "operator: {config: op.json}$measured, limits: {retries: 0}"
    is "$code" 1 'exit code without an input file'
    query 'select reason from ranks' | grep -q y.bin || fail "$(query 'select reason from ranks')"
}
key_operator_entry() {
    run entry "$(runner ', entry: absent_kernel')$measured, limits: {retries: 0}"
    is "$code" 1 'exit code'
    query 'select reason from ranks' | grep -q aclrtBinaryGetFunction || fail "$(query 'select reason from ranks')"
}
key_operator_blocks() {
    good blocks "$(runner ', blocks: 5')$measured"
    is "$(records launch | grep -o '"block_dim":[0-9]*')" '"block_dim":5' 'blocks'
}
key_operator_args() {
    run args "$(runner '' | sed 's/"out fp32 1024"/"out fp32 1024 expect zeros.bin"/')$measured, limits: {retries: 0}"
    is "$code" 1 'exit code without the expected file'
    query 'select reason from ranks' | grep -q zeros.bin || fail "$(query 'select reason from ranks')"
}
key_operator_renew() {
    local points='sweep: {matrix: {n: [1, 2]}}, cards: {ids: [0]}'
    good renewed "$(runner ', renew: 0')$measured, $points"
    is "$(records run.rank | grep -o '"pid":[0-9]*' | sort -u | wc -l)" 2 'processes'
    good kept "$(runner '')$measured, $points"
    is "$(records run.rank | grep -o '"pid":[0-9]*' | sort -u | wc -l)" 1 'processes without the key'
}
key_operator_library() { # the library does not have the entry
    run library "operator: {library: $sim/lib64/libascendcl.so, entry: absent_entry}$unmeasured, limits: {retries: 0}"
    is "$code" 1 'exit code'
    query 'select reason from ranks' | grep -q absent_entry || fail "$(query 'select reason from ranks')"
}
key_operator_ranks() {
    good ranks "operator: {command: [/bin/true], ranks: 2}$unmeasured"
    is "$(query 'select count(*), count(distinct card) from ranks')" '2|2' 'ranks and cards'
    good swept_ranks "operator: {command: [/bin/true], ranks: '\${n}'}$unmeasured, sweep: {matrix: {n: [3, 1, 2]}}"
    is "$(query 'select group_concat(ranks) from (select count(*) ranks from v_ranks group by point order by point)')" 3,1,2 'ranks of the points'
}
overlap_parts() { # prints the programs that the parts of a point ran
    [ -f programs ] || good parts "operator: {command: [/bin/sh, -c, 'echo fused >>$work/programs'], ranks: 2,
        overlap: {compute: [/bin/sh, -c, 'echo c >>$work/programs'], communication: [/bin/sh, -c, 'echo a >>$work/programs'],
        serial: [/bin/sh, -c, 'echo s >>$work/programs']}}, profile: {metrics: [], launch: {count: all}}"
    sort programs | uniq -c | xargs
}
key_operator_overlap_compute() { is "$(overlap_parts | grep -o '2 c ')" '2 c ' 'programs'; }
key_operator_overlap_communication() { is "$(overlap_parts | grep -o '2 a ')" '2 a ' 'programs'; }
key_operator_overlap_serial() { is "$(overlap_parts)" '2 a 2 c 2 fused 2 s' 'programs'; }
key_operator_threads() {
    good threads "$(shell "echo \$ASCEND_RT_VISIBLE_DEVICES >$work/threads.txt" | sed 's/}$/, threads: 2}/')$unmeasured"
    is "$(cat threads.txt)" 0,1 'cards of the process'
}
key_operator_env() {
    good env "$(shell "echo \$GIVEN >$work/env.txt" | sed 's/}$/, env: {GIVEN: there}}/')$unmeasured"
    is "$(cat env.txt)" there 'variable'
}
key_operator_cwd() {
    good cwd "$(shell "pwd >$work/cwd.txt" | sed 's/}$/, cwd: \/usr}/')$unmeasured"
    is "$(cat cwd.txt)" /usr 'folder'
}
key_operator_version_path() { # the program of the folder runs, not the one beside the job file
    mkdir -p builds/old builds/new
    for build in . builds/old builds/new; do
        printf '#!/bin/sh\necho %s >>%s/ran\n' "$build" "$work" >"$build/built"
        chmod +x "$build/built"
    done
    good version "operator: {command: [./built], version: {path: 'builds/\${build}'}}$unmeasured, sweep: {matrix: {build: [old, new]}}"
    is "$(sort ran | xargs)" 'builds/new builds/old' 'programs'
    run absent "operator: {command: [./built], version: {path: builds/none}}$unmeasured, limits: {retries: 0}"
    is "$code" 1 'exit code without a program in the folder'
}
key_operator_version_container() {
    good container "operator: {command: [/bin/sh, -c, 'echo \$IMAGE >$work/container.txt'], version: {container: [env, IMAGE=cann-8]}}$unmeasured"
    is "$(cat container.txt)" cann-8 'variable that the container sets'
}
key_operator_version_environment() {
    good environment "operator: {command: [/bin/sh, -c, 'echo \$ONE \$TWO >$work/environment.txt'],
        env: {ONE: env, TWO: env}, version: {environment: {TWO: version}}}$unmeasured"
    is "$(cat environment.txt)" 'env version' 'variables'
}
key_sweep_matrix() { is "$(expanded "$add, sweep: {matrix: {n: [5, 6]}}" | cut -d, -f2 | xargs)" 'n 5 6' 'points'; }
key_sweep_zip() { is "$(expanded "$add, sweep: {zip: [{n: [5, 6], m: [7, 8]}]}" | cut -d, -f2,3 | xargs)" 'n,m 5,7 6,8' 'points'; }
key_sweep_exclude() { is "$(expanded "$add, sweep: {matrix: {n: [5, 6]}, exclude: [n == 5]}" | cut -d, -f2 | xargs)" 'n 6' 'points'; }
key_sweep_include() { is "$(expanded "$add, sweep: {matrix: {n: [5]}, include: [{n: 9}]}" | cut -d, -f2 | xargs)" 'n 5 9' 'points'; }
key_sweep_repeat() {
    good repeat "$add$unmeasured, sweep: {repeat: 4}"
    is "$(query 'select max(repeat) from tasks')" 3 'last repeat'
}
order_of() { # NAME KEYS [REPEATS]: prints points and repeats in the order of execution
    good "$1" "$add$unmeasured, cards: {ids: [0]}, sweep: {matrix: {n: [1, 2, 3, 4]}, repeat: ${3:-2}, $2}"
    query "select group_concat(x, ' ') from (select point || '.' || repeat as x from tasks order by place)"
}
key_sweep_order() {
    is "$(order_of interleaved 'order: interleaved')" '0.0 1.0 2.0 3.0 0.1 1.1 2.1 3.1' 'order'
    is "$(order_of sequential 'order: sequential')" '0.0 0.1 1.0 1.1 2.0 2.1 3.0 3.1' 'order'
}
key_sweep_sessions() {
    is "$(order_of unset 'order: balanced' 5)" \
        '0.0 1.0 2.0 3.0 3.1 2.1 1.1 0.1 3.2 2.2 1.2 0.2 0.3 1.3 2.3 3.3 3.4 2.4 1.4 0.4' 'order of one session'
    is "$(order_of sessions 'order: balanced, sessions: 2' 5)" \
        '0.0 1.0 2.0 3.0 3.1 2.1 1.1 0.1 3.2 2.2 1.2 0.2 3.3 2.3 1.3 0.3 0.4 1.4 2.4 3.4' 'order of two sessions'
}
key_sweep_seed() {
    [ "$(order_of seed1 'order: random, seed: 1')" != "$(order_of seed2 'order: random, seed: 2')" ] ||
        fail 'two seeds give the same order'
}
key_overrides_when() {
    good overrides "$(shell "echo \${n} \$GIVEN >>$work/when.txt")$unmeasured, sweep: {matrix: {n: [1, 2]}},
        overrides: [{when: n == 2, operator: {env: {GIVEN: second}}}]"
    is "$(sort when.txt | xargs)" '1 2 second' 'output'
}
key_profile_metrics() {
    good metrics "$add, profile: {metrics: [L2Cache], warmup: 0}"
    is "$(find metrics -name '*.csv' -exec basename {} \; | sort | xargs)" 'L2Cache.csv OpBasicInfo.csv' 'tables'
}
key_profile_replay() {
    good replay "$(shell "echo start >>$work/starts; exec $sim/bin/add_custom"), profile: {metrics: [PipeUtilization], warmup: 0, replay: application}"
    [ "$(wc -l <starts)" -gt 1 ] || fail 'application replay starts the program once'
}
warmups() { records pass | grep -c '"kind":2,'; }
key_profile_warmup() {
    good warmup "$add, profile: {metrics: [PipeUtilization], warmup: 3}"
    is "$(warmups)" 3 'warm-up passes'
}
key_profile_kernel() {
    run pattern "$add, profile: {metrics: [PipeUtilization], kernel: other*}, limits: {retries: 0}"
    is "$code $(query 'select launches from ranks')" '1 0' 'exit code and launches'
}
key_profile_kill() {
    good kill "$(shell "$sim/bin/accumulate_inplace --launches 9 >/dev/null; sleep 60; echo end >$work/killed"), profile: {metrics: [PipeUtilization], warmup: 0, kill: on}"
    [ ! -e killed ] || fail 'the program ran to its end'
}
key_profile_distribute() {
    local fused='command: [sim/bin/matmul_all_reduce_inplace], ranks: 2'
    good share "operator: {$fused}, profile: {metrics: [Default], warmup: 0, kernel: 'MatmulAllReduceAdd*', distribute: 1000%}"
    is "$(records launch.share | grep -c '"shared":1')" 2 'ranks that share passes'
}
key_profile_stubs() {
    good stubs "$(command /usr/bin/env -u LD_PRELOAD "$sim/bin/add_custom"), profile: {metrics: [PipeUtilization], warmup: 0, stubs: on}"
    is "$(query 'select launches from ranks')" 1 'launches'
}
key_profile_custom_input() {
    printf '{"mc2_trace_config": {"descid_display": {"65536": "multiply", "0x10001": "add the bias"}}}' >marks.json
    good marks "$(command sim/bin/matmul_custom), profile: {metrics: [PipeUtilization, Source], warmup: 0, custom_input: marks.json}"
    is "$(sed 's/},/},\n/g' "$(find marks -path '*/0/trace.json')" | grep -o '"name":"[a-z ]*"' | sort -u | xargs)" \
        'name:add the bias name:cube time name:multiply name:vector time' 'names in the timeline'
    echo '{"mc2_trace_config": {"descid_display": {"65536": "a/b"}}}' >marks.json
    muster validate marks.yaml 2>marks.err && fail 'a wrong name is accepted'
    grep -q 'marks.yaml:1:.*marks.json:1:.*65536' marks.err || fail "$(cat marks.err)"
}
late() { # NAME DEADLINE: rank 1 comes 2 s late
    run "$1" "operator: {command: [sim/bin/matmul_all_reduce], ranks: 2, env: {MUSTER_TEST_FAULT_POINT: '1:start:1:late=2000'}},
        profile: {metrics: [PipeUtilization], warmup: 0, kernel: 'MatmulAllReduce*', barrier: {deadline: $2}}, limits: {retries: 0, time: 60s}"
}
key_profile_barrier_deadline() {
    late patient 1m
    is "$code" 0 'exit code with a deadline that is longer than the delay'
    late deadline 500ms
    is "$code" 1 'exit code with a shorter deadline'
    grep -q 'rank 1 did not come in time' deadline.err || fail "$(cat deadline.err)"
}
iree=$B/tests/iree_sample
key_profile_tool() {
    good tool "$(shell "$iree dump m.idb 16 3")$unmeasured"
    is "$(query 'select count(*) from metrics')" 0 'figures without the tool'
    good tool2 "$(shell "$iree dump m.idb 16 3"), profile: {tool: iree, dump: m.idb}"
    is "$(query "select value from metrics where metric='iree_workgroups' and kernel='mul'")" 12.0 'workgroups'
    good tool3 "$(command sim/bin/sycl_like app kernels=4), profile: {tool: xpti}"
    is "$(records xpti.process | wc -l)" 1 'traced processes'
}
key_profile_dump() {
    good dump "$(shell "$iree dump a.idb 16 3; $iree dump b.idb 16 5"), profile: {tool: iree, dump: b*}"
    is "$(query "select value from metrics where metric='iree_workgroups' and kernel='mul'")" 20.0 'workgroups'
}
key_profile_collect() {
    good collect "$(shell "$B/lib/muster/sim/bin/train_like --ranks 2 --out p"), profile: {tool: framework, collect: p/rank1*}"
    is "$(query "select value from metrics where metric='step_count' and kernel='step_group_0'")" 3.0 'steps'
    is "$(records dump.file | grep -c 'rank1_ascend_pt/')" 7 'files of the rank'
}
simulated() { # NAME KEYS: runs in the simulator that the test brings
    mkdir -p vendor/Ascend910B2/lib
    cp "$B/tests/camodel_sample.so" vendor/Ascend910B2/lib/libruntime_camodel.so
    MUSTER_SIMULATOR=vendor CAMODEL_SAMPLE=all good "$1" "$(command /bin/true), profile: {tool: simulator, $2}"
}
key_profile_elf() {
    simulated elf "elf: $sim/kernels/add_custom.o"
    is "$(find elf -path '*simulator/logs/add_custom.o' -exec cmp "$sim/kernels/add_custom.o" {} \; -print | wc -l)" 1 'stored files of the kernel'
}
key_profile_cores() {
    simulated cores 'cores: 1'
    is "$(query "select value from v_results where metric='simulator.cores'")" 1.0 'cores'
}
traced=$(command sim/bin/sycl_like app kernels=4)
key_profile_streams() {
    good streams "$traced, profile: {tool: xpti, streams: [ur.c*l, none]}"
    is "$(records xpti.stream | grep -o '"name":"[a-z.]*"')" '"name":"ur.call"' 'recorded streams'
}
key_profile_filter() {
    good filter "$traced, profile: {tool: xpti, filter: VecMul}"
    is "$(query "select group_concat(distinct kernel) from v_results")" VecMul 'kernels with figures'
}
key_profile_launch_count() {
    good count "$three, profile: {metrics: [PipeUtilization], warmup: 0, launch: {count: 2}}"
    is "$(query 'select launches from ranks')" 2 'launches'
}
key_profile_launch_skip() {
    good skip "$three, profile: {metrics: [PipeUtilization], warmup: 0, launch: {skip: 2, count: all}}"
    is "$(query 'select launches from ranks')" 1 'launches'
}
key_profile_launch_range() {
    run marked "$(command "$B/tests/marker" "$sim/kernels/accumulate_inplace.o" '"3"'),
        profile: {metrics: [PipeUtilization], warmup: 0, launch: {range: absent}}, limits: {retries: 0}"
    is "$code $(query 'select launches from ranks')" '1 0' 'exit code and launches'
}
key_cards_rotate() {
    good rotate "operator: {command: [/bin/true], ranks: 4}$unmeasured, cards: {rotate: 3}"
    is "$(query 'select group_concat(cards, " ") from (select group_concat(card, "") cards from (select * from v_ranks order by point, rank) group by point)')" \
        '0123 1230 2301' 'cards of the ranks'
}
key_cards_pairs() {
    local host
    host=$(uname -n)
    good pairs "operator: {command: [/bin/true], ranks: 2}$unmeasured, cards: {pairs: ['$host:0', '$host:1', '$host:2']}"
    is "$(query 'select group_concat(cards, " ") from (select group_concat(card, "") cards from (select * from v_ranks order by point, card) group by point)')" \
        '12 02 01' 'cards of the pairs'
}
key_sweep_scaling() {
    local sizes='sweep: {matrix: {ranks: [1, 2]}}' override='overrides: [{when: "ranks == 1", operator: {command: [sim/bin/matmul_custom]}}]'
    for key_scaling in strong weak; do
        good $key_scaling "operator: {command: [sim/bin/allreduce], ranks: '\${ranks}'}, ${sizes/\}\}/\}, scaling: $key_scaling\}}, $override,
            profile: {metrics: [BasicInfo], warmup: 0, kernel: '*'}"
        muster gang $key_scaling scaling --out $key_scaling -o csv | sed 1d | cut -d, -f5 >$key_scaling.speedups
    done
    paste strong.speedups weak.speedups | awk 'NR == 2 {ok = $2 / $1 > 1.9 && $2 / $1 < 2.1} END {exit !ok}' || fail "$key: $(cat strong.speedups weak.speedups)"
}
key_cards_soc() {
    run soc "$add$unmeasured, cards: {soc: Ascend310P3}" --model Ascend910B1
    is "$code" 2 'exit code'
    good soc2 "$add$unmeasured, cards: {soc: Ascend310P3}"
    is "$(query 'select model from ranks')" Ascend310P3 'model of the card'
}
key_cards_ids() {
    good ids "$add$unmeasured, cards: {ids: [3, 1]}"
    is "$(query 'select group_concat(card) from (select card from ranks order by card)')" 1,3 'cards'
}
one_by_one() { # NAME KEYS: two tasks on two cards must not run at the same time
    good "$1" "$(shell "echo start >>$work/$1.out; sleep 0.1; echo end >>$work/$1.out")$unmeasured, sweep: {repeat: 2}, $2"
    is "$(xargs <"$1.out")" 'start end start end' 'output of two tasks'
}
key_cards_host_cap() {
    # without the key: each of two tasks waits until the other one runs
    good both "$(shell "touch $work/at.\${n}; for i in \$(seq 600); do [ -e $work/at.1 ] && [ -e $work/at.2 ] && exit; sleep 0.1; done; exit 3")$unmeasured,
        sweep: {matrix: {n: [1, 2]}}, limits: {retries: 0}"
    one_by_one cap 'cards: {host_cap: 1}'
}
key_cards_exclusive() { one_by_one exclusive 'cards: {exclusive: host}'; }
key_limits_time() {
    run time "$(command /bin/sleep 60)$unmeasured, limits: {time: 200ms, retries: 0}"
    is "$code $(query 'select status from ranks')" '1 timeout' 'exit code and status'
}
key_limits_on() {
    run on "$(command /bin/false)$unmeasured, limits: {retries: 1, on: [exit-code]}"
    is "$(query 'select count(*) from attempts')" 2 'attempts'
}
key_limits_retries() {
    run retries "$(command /bin/false)$unmeasured, limits: {retries: 3, on: [exit-code]}"
    is "$(query 'select count(*) from attempts')" 4 'attempts'
}
compared() { # NAME KEYS: compares a job with an earlier one, prints the first line
    good "$1" "$add, profile: {metrics: [BasicInfo], warmup: 0}, sweep: {repeat: 3}"
    write later "$add, profile: {metrics: [BasicInfo], warmup: 0}, sweep: {repeat: 3}, compare: {against: $1, $2}"
    muster run --quiet --out "$1" later.yaml >/dev/null 2>&1 || fail "$key: the later job failed"
    muster compare --out "$1" later 2>&1 | sed -n 1p
}
key_compare_against() { is "$(compared base 'metric: core_*' | cut -d: -f1)" 'later-2 against base-1' 'compared jobs'; }
key_compare_metric() { is "$(compared metric 'metric: core_*' | sed 's/.*(metric \(.*\),.*/\1/')" 'core_*' 'metric'; }
key_compare_tolerance() { is "$(compared tolerance 'metric: core_*, tolerance: 7%' | sed 's/.*tolerance \(.*\))/\1/')" '7 %' 'tolerance'; }
# Runs a job that is slower than an earlier one, prints the code of its gate.
gated() { # NAME KEYS
    local profile='profile: {metrics: [BasicInfo], warmup: 0}, sweep: {repeat: 5}' code=0
    good "$1" "operator: {command: [sim/bin/add_custom, --n, '65536']}, $profile"
    write later "operator: {command: [sim/bin/add_custom, --n, '262144']}, $profile, compare: {against: $1}, gate: {$2}"
    muster run --quiet --out "$1" later.yaml >"$1.out" 2>&1 || code=$?
    echo "$code"
}
key_gate_confirm() {
    is "$(gated confirm 'confirm: on')" 4 'exit code of a suspect that fresh runs confirmed'
    is "$(sed -n 's/^kernel .*; //p' confirm.out)" confirmed 'state of the suspect'
    is "$(gated no_confirm 'confirm: off')" 4 'exit code of a suspect without a confirmation'
    is "$(sed -n 's/^kernel .*; //p' no_confirm.out)" 'not confirmed' 'state of the suspect'
}
# Runs a slower job with a gate on one of two cards, once for all keys below.
confirmed() {
    [ -z "${confirmation:-}" ] || return 0
    local profile='profile: {metrics: [BasicInfo], warmup: 0}, sweep: {repeat: 5, matrix: {n: [65536, 131072]}}' factor=1
    for name in unconfirmed slower; do
        write "$name" "operator: {command: [/bin/sh, -c, 'exec $sim/bin/add_custom --n \$((\${n} * $factor))'], version: {environment: {VERSION: $name}}},
            $profile, cards: {at: ['$(uname -n):1']}, compare: {against: unconfirmed},
            gate: {confirm: {pairs: 7, sessions: 3, cards: 1, suspects: 1, time: 5m}}"
        muster submit "$name.yaml" >/dev/null || fail "$key: $name was not submitted"
        muster wait -q "$name" --timeout 60s >"$name.out" 2>&1 || true
        factor=4
    done
    confirmation=$(db 'select max(job_id) from confirmations')
    [ -n "$confirmation" ] || fail "$key: nothing was confirmed: $(cat slower.out)"
}
of_confirmation() { db "select $1 from tasks join points p using(job_id, point) where job_id = $confirmation"; }
key_gate_confirm_pairs() { confirmed && is "$(of_confirmation 'count(distinct repeat)')" 7 'pairs'; }
key_gate_confirm_sessions() { confirmed && is "$(db "select yaml from jobs where job_id = $confirmation" | tr -d ' \n' | grep -o '"sessions":[0-9]*')" '"sessions":3' 'sessions'; }
key_gate_confirm_cards() { confirmed && is "$(db "select count(distinct card) from v_ranks where job_id = $confirmation")" 1 'cards of two'; }
key_gate_confirm_suspects() { confirmed && is "$(db "select count(*) from suspects where job_id = $confirmation")" 1 'suspects of two'; }
key_gate_confirm_time() { confirmed && is "$(db "select (c.until_wall_ms - j.submitted_wall_ms) / 1000 from confirmations c join jobs j using(job_id) where job_id = $confirmation")" 300 'seconds'; }
key_gate_rotate() {
    run rotated "operator: {command: [/bin/true], ranks: 4}$unmeasured, gate: {rotate: 3}, compare: {against: none}"
    is "$(query 'select group_concat(cards, " ") from (select group_concat(card, "") cards from (select * from v_ranks order by point, rank) group by point)')" \
        '0123 1230 2301' 'cards of the ranks'
    is "$(expanded "operator: {command: [/bin/true], ranks: 4}$unmeasured, gate: {rotate: 1}, compare: {against: none}" | grep -c shift)" \
        0 'lines with a variable of one placement'
}
key_gate_fail() { is "$(gated fail 'fail: [not-measured], confirm: off')" 0 'exit code'; }
key_gate_causes() { is "$(gated causes 'causes: [link], confirm: off')" 0 'exit code'; }
key_gate_anchor() {
    is "$(gated no_anchor 'anchor: nothing, fail: []')" 5 'exit code without the anchor'
    grep -q "which gate.anchor names" no_anchor.out || fail "$key: $(cat no_anchor.out)"
    is "$(gated anchor 'anchor: anchor, fail: []')" 0 'exit code'
    grep -qE '^drift: kernel add_custom is [0-9.]+ % worse than in anchor-1 ' anchor.out || fail "$key: $(cat anchor.out)"
}
key_gate_canary() {
    gated canary 'canary: "*", confirm: off' >/dev/null
    grep -q '"canary_regressed": true' canary/later-2/gate/gate.json || fail "$key: $(cat canary.out)"
}
key_gate_alpha() { is "$(gated alpha 'alpha: 0.0001, confirm: off')" 5 'exit code'; }
key_gate_discoveries() { is "$(gated discoveries 'discoveries: 0.01%, confirm: off')" 5 'exit code'; }
key_gate_undecided() { is "$(gated undecided 'alpha: 0.0001, undecided: 100%, confirm: off')" 0 'exit code'; }
key_gate_tolerances() { is "$(gated tolerances 'tolerances: [{metric: duration_us, tolerance: 1000%}], confirm: off')" 0 'exit code'; }

# Keys about the order and the place of tasks, with a fleet of one host.
waits() { # KEYS TEXT: the job waits, and the reason contains the text
    write waits "$add$unmeasured, $1"
    local job
    job=$(muster submit waits.yaml 2>/dev/null)
    muster explain "$job" >explained || true
    grep -qF -- "$2" explained || fail "$key: no '$2' in: $(cat explained)"
    muster cancel "$job" >/dev/null
}
key_after() {
    write first "$add$unmeasured"
    local job
    job=$(muster submit first.yaml 2>/dev/null)
    waits "after: [$job]" "$job"
    muster cancel "$job" >/dev/null
}
key_cards_hosts() { waits 'cards: {hosts: [nowhere, "gone*"]}' 'needs 1 card on hosts like nowhere or gone*'; }
key_cards_at() {
    waits 'cards: {at: ["nowhere:7"]}' 'needs nowhere:7 (not connected)'
    write at "$add$unmeasured, sweep: {matrix: {on: [1, 0]}}, cards: {at: ['$(uname -n):\${on}']}"
    local job
    job=$(muster submit at.yaml 2>/dev/null)
    worker_up 1
    muster wait "$job" --timeout 60s >/dev/null
    is "$(db "select group_concat(point || '.' || card, ' ') from (select distinct point, card from v_ranks where job = '$job' order by point)")" \
        '0.1 1.0' 'cards of the points'
}
key_cards_per_host() {
    write per_host "operator: {command: [/bin/true], ranks: 4}$unmeasured, cards: {per_host: 1}"
    local job
    job=$(muster submit per_host.yaml 2>/dev/null)
    muster explain "$job" >explained || true
    grep -q '1 on each of 4 hosts' explained || fail "per_host: $(cat explained)"
    muster cancel "$job" >/dev/null
}
key_cards_together() {
    write together "operator: {command: [/bin/true], ranks: 2}$unmeasured, cards: {together: switch}"
    local job
    job=$(muster submit together.yaml 2>/dev/null)
    muster explain "$job" >explained || true
    grep -q 'switch' explained || fail "together: $(cat explained)"
    muster cancel "$job" >/dev/null
}
key_priority() { # the first task that a card gets is that of the job submitted last
    write low "priority: 0, $add$unmeasured"
    write high "priority: 100, $add$unmeasured"
    muster submit low.yaml >/dev/null 2>&1
    muster submit high.yaml >/dev/null 2>&1
    worker_up 0
    muster wait -q low >/dev/null
    muster wait -q high >/dev/null
    is "$(db "select j.name from attempts a join tasks t using(task_id) join jobs j using(job_id) where j.name in ('low', 'high') order by a.run_id limit 1")" \
        high 'first job'
}

fleet_keys=' after cards_hosts cards_per_host cards_together priority cards_at gate_confirm_pairs gate_confirm_sessions gate_confirm_cards gate_confirm_suspects gate_confirm_time '

python3 - "$root/configs/job.schema.json" >keys <<'PY'
import json, sys
schema = json.load(open(sys.argv[1]))
def walk(node, path):
    node = node.get("items", node) if path == "overrides" else node
    for name, child in node.get("properties", {}).items():
        whole = f"{path}_{name}" if path else name
        inner = child.get("items", child) if whole == "overrides" else child
        if path == "overrides" and name != "when":
            continue # the key of the job, for some points
        if "properties" in inner:
            walk(child, whole)
        if "properties" not in inner or any("enum" in kind for kind in inner.get("oneOf", [])):
            print(whole)
walk(schema, "")
PY
sort keys >listed
declare -F | sed -n 's/^declare -f key_//p' | sort >checked
diff listed checked ||
    fail 'the schema has a key without a check, or the checks have a key that the schema does not have'
while read -r key; do
    case $fleet_keys in *" $key "*) continue ;; esac
    "key_$key"
done <listed
export MUSTER_COORDINATOR=ipc://$work/control
coordinator_up
for key in $fleet_keys; do "key_$key"; done
[ -z "$(leftovers)" ] || {
    down
    [ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
}

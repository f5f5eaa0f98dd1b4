#!/usr/bin/env bash
# init.sh - the job files of muster init are valid and run; muster run profiles a program
# without a job file, in the current folder
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
sim=$B/lib/muster/sim
figures() { db "select count(*), min(value > 0) from v_results where job = '$1' and metric = 'duration_us'"; }

say 'the sample, a program and a kernel file'
[ "$(muster init 2>next.txt)" = job.yaml ] || fail 'init does not print the name of the file'
[ "$(cat next.txt)" = 'next: muster validate job.yaml; muster run job.yaml' ] || fail "$(cat next.txt)"
[ "$(muster validate job.yaml)" = 'job.yaml: valid, 2 points, 6 tasks' ] || fail "$(cat job.yaml)"
cp "$sim/kernels/add_custom.o" .
printf '#!/bin/sh\nexec %s/bin/add_custom "$@"\n' "$sim" >app
printf '#!/bin/sh\necho "$@" >words\nexec ./app --n 4096\n' >script.sh
chmod +x app script.sh
mkdir jobs
muster init --to jobs/program.yaml -- ./app --n '${elements}' 2>/dev/null >/dev/null || fail 'init of a program'
grep -qF "command: [\"$work/app\", \"--n\", \"\${elements}\"]" jobs/program.yaml || fail "$(cat jobs/program.yaml)"
grep -qF 'matrix: {elements: [65536, 262144]}' jobs/program.yaml || fail "$(cat jobs/program.yaml)"
muster init --kernel ./add_custom.o --to kernel.yaml >/dev/null 2>next.txt || fail 'init of a kernel'
grep -q 'replace args in kernel.yaml by the parameters of the kernel' next.txt || fail "$(cat next.txt)"
for file in jobs/program.yaml kernel.yaml; do
    sed -i 's/repeat: 3 /repeat: 1 /' $file
    muster run --quiet $file >/dev/null 2>run.txt || fail "$file: $(cat run.txt)"
done
[ "$(figures app-1)" = '2|1' ] || fail "program: $(figures app-1)"
[ "$(figures add_custom-2)" = '2|1' ] || fail "kernel: $(figures add_custom-2)"

say 'a program without a job file runs in the current folder'
muster run --quiet --metrics PipeUtilization -- ./script.sh 'a b' '${n}' --help >/dev/null 2>run.txt || fail "run --: $(cat run.txt)"
[ "$(cat words)" = 'a b ${n} --help' ] || fail "words: $(cat words)"
[ "$(figures script-3)" = '1|1' ] || fail "run --: $(figures script-3)"

say 'wrong arguments'
wrong() { # TEXT COMMAND...
    local text=$1 code=0
    shift
    muster "$@" >/dev/null 2>err.txt || code=$?
    [ "$code" -eq 2 ] && grep -qF -- "$text" err.txt || fail "$*: exit $code: $(cat err.txt)"
}
cp job.yaml before.yaml
wrong 'job.yaml exists and is not replaced' init
wrong "add_custom.o is a kernel file; pass --kernel add_custom.o and its parameters" init --to new.yaml add_custom.o
cmp job.yaml before.yaml || fail 'init changed an existing file'
wrong "unknown metric 'Nothing'" init --to other.yaml --metrics Nothing
[ ! -e other.yaml ] || fail 'init left an invalid file'
wrong "'job.yaml' is in front of '-- PROGRAM'" run job.yaml -- ./script.sh
wrong "no program behind '--'" run --
wrong '--ranks is for' run --ranks 2 job.yaml

# shellcheck shell=bash
# serve_nights.sh - a function that makes a store with two nights of a job, the second of them
# slower, and a job whose task fails; for the tests of muster serve

serve_nights() { # FOLDER
    local night
    for night in 1 2; do
        cat >night.yaml <<YAML
version: 1
name: night
operator:
  command: [/bin/sh, -c, "exec $B/lib/muster/sim/bin/add_custom --n \$((\${n} + $((night * 100000))))"]
sweep: {matrix: {n: [524288, 1048576]}, repeat: 2}
profile: {metrics: [Default], warmup: 0}
cards: {ids: [0]}
compare: {against: night}
YAML
        muster run --quiet --out "$1" night.yaml >/dev/null 2>run.err || fail "night $night: $(cat run.err)"
    done
    cat >bad.yaml <<'YAML'
version: 1
name: bad
operator: {command: [/bin/sh, -c, 'echo "first <b>line</b>"; echo second; exit 3']}
profile: {metrics: []}
YAML
    muster run --quiet --out "$1" bad.yaml >/dev/null 2>&1 || [ $? -eq 1 ] || fail 'the bad job did not fail'
}

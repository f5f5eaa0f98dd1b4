# shellcheck shell=bash
# nights.sh - functions that the tests of gates source: nights with planted faults
#
# A fleet of three hosts with two cards each, whose serials are S0 to S5. A night is a
# job of seven repeats, the fewest that decide alone. The file of the fleet has all
# planted faults; each acts only in the night that its `when` names.
#
#   nights_up               starts the fleet
#   night NAME [SEED [SED]]  runs the job NAME, whose text the SED script changes; the
#                           file is NAME.yaml and the key of the job is $key
#   gate CODE KEY [OPTION...]  requires the exit code; the output is in `gated`, the
#                           files are in the folder gate
#   prints TEXT              requires this line in the output of gate
. "$(dirname "${BASH_SOURCE[0]}")/fleet.sh"

cat >"$work/fleet.yaml" <<'YAML'
version: 1
hosts: [{name: one, cards: 6}]
faults:
- {fault: slow_card, card: 3, factor: 1.05, when: {NIGHT: card}}
- {fault: throttle, card: 4, mhz: 1600, when: {NIGHT: host}}
- {fault: throttle, card: 5, mhz: 1600, when: {NIGHT: host}}
- {fault: slow_link, card: 1, to_card: 2, factor: 4, when: {NIGHT: link}}
YAML
for card in 0 1 2 3 4 5; do
    echo "- {fault: slow_card, card: $card, factor: 1.05, when: {NIGHT: all}}"
done >>"$work/fleet.yaml"
export NPU_SIM_FLEET=$work/fleet.yaml

nights_up() { # [CARDS [CARDS_OF_A_HOST]]
    coordinator_up
    for card in ${1:-0 1 2 3 4 5}; do
        worker_up "$card" --host "node$((card / ${2:-2}))" --serial "S$card"
    done
}

# Each operator has its size, which is no value of the sweep. The worker sets
# NPU_SIM_SEED to the repeat; a night has repeats of its own.
night_file() { # NAME SEED
    cat <<YAML
version: 1
name: $1
operator:
  command:
  - /bin/sh
  - -c
  - 'export NPU_SIM_SEED=\$((SEED * 100 + NPU_SIM_SEED)); exec $B/lib/muster/sim/bin/\${op} --n 262144'
  env: {NIGHT: $1, SEED: "$2"}
sweep: {matrix: {op: [add_custom, accumulate_inplace]}, repeat: 7}
profile: {metrics: [PipeUtilization], warmup: 0}
cards: {ids: [0, 1, 2, 3, 4, 5]}
limits: {retries: 0}
compare: {against: clean}
gate: {confirm: off}
YAML
}
night() {
    seed=$((seed + 1)) # not within the pipe, whose commands run in a shell of their own
    night_file "$1" "${2:-$seed}" | sed "${3:-}" >"$1.yaml"
    until_true muster submit "$1.yaml" >key 2>/dev/null
    key=$(cat key)
}
seed=0
gate() {
    local code=0
    rm -rf gate
    muster gate --quiet "${@:2}" >gated 2>gated.err || code=$?
    [ "$code" -eq "$1" ] || fail "the gate of $2 ended with $code, not $1: $(cat gated gated.err)"
    [ ! -e gate/junit.xml ] || [ "$((code != 0))" -eq "$(grep -qE '<(failure|error) ' gate/junit.xml && echo 1 || echo 0)" ] ||
        fail "junit.xml does not agree with exit code $code: $(cat gate/junit.xml)"
}
prints() {
    grep -qxF -- "$1" gated || fail "no line '$1' in: $(cat gated)"
}

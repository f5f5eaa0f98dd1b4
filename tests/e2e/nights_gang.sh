#!/usr/bin/env bash
# nights_gang.sh - a fused operator on four cards: muster gate names the slow link and
# the slow card, though all ranks become slower together
. "$(dirname "$0")/nights.sh"
cd "$work"
cat >fleet.yaml <<'YAML'
version: 1
hosts: [{name: one, cards: 4, mhz: 100}] # a slow clock makes the computation visible
faults:
- {fault: slow_card, card: 2, factor: 1.5, when: {NIGHT: card}}
- {fault: slow_link, card: 1, to_card: 2, factor: 4, when: {NIGHT: link}}
YAML
night_file() { # NAME SEED
    cat <<YAML
version: 1
name: $1
operator:
  command:
  - /bin/sh
  - -c
  - 'export NPU_SIM_SEED=\$((SEED * 100 + NPU_SIM_SEED)); exec $B/lib/muster/sim/bin/matmul_all_reduce --m 64 --n 256 --k 64'
  ranks: 4
  env: {NIGHT: $1, SEED: "$2"}
sweep: {repeat: 7}
profile: {metrics: [PipeUtilization], warmup: 0, kernel: "MatmulAllReduce*", barrier: {deadline: 60s}}
limits: {retries: 0}
compare: {against: clean}
gate: {confirm: off}
YAML
}
nights_up '0 1 2 3' 4
night clean
muster wait --quiet "$key" >/dev/null || true

say 'a slow link is named by its two cards'
night link
gate 4 "$key"
grep -qE '^kernel MatmulAllReduce[^ ]* is [0-9.]+ % slower, because of the link between card S1 of host node0 and card S2 of host node0 \(ranks 1 and 2\); not confirmed$' gated || fail "$(cat gated)"

say 'a slow card is named, though each rank waits for it'
night card
gate 4 "$key"
grep -qE 'slower, because of card S2 of host node0; not confirmed$' gated || fail "$(cat gated)"

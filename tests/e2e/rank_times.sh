#!/usr/bin/env bash
# rank_times.sh - a slow card and a slow link show in the stored times of the right ranks
# and peers; equal seeds give equal figures on a loaded machine too
. "$(dirname "$0")/fleet.sh"
cd "$work"
cat >fleet.yaml <<'YAML'
version: 1
hosts:
- {name: one, cards: 4, mhz: 100} # a slow clock makes the computation visible
faults:
- {fault: slow_card, card: 2, factor: 1.06, when: {SLOW_CARD: "yes"}}
- {fault: slow_link, card: 0, to_card: 1, factor: 4, when: {SLOW_LINK: "yes"}}
YAML
export NPU_SIM_FLEET=$work/fleet.yaml
job() { # NAME COMMAND KERNEL REPEAT: with and without a slow card and a slow link
    cat <<YAML
version: 1
name: $1
operator:
  command: $2
  ranks: 4
  env: {SLOW_CARD: "\${slow_card}", SLOW_LINK: "\${slow_link}"}
sweep:
  matrix: {slow_card: ["no", "yes"], slow_link: ["no", "yes"]}
  repeat: $4
profile: {metrics: [Default], kernel: "$3", barrier: {deadline: 60s}}
limits: {retries: 0, time: 120s}
YAML
}
measure() { # NAME OUT: runs NAME.yaml, prints its figures of device time
    muster run --quiet --out "$2" "$1.yaml" >/dev/null 2>run.err || fail "$1: $(cat run.err)"
    sqlite3 "$2/store/muster.db" "select point, repeat, rank, launch, metric, value
        from v_results where metric = 'duration_us' or metric glob 'compute_us*'
        or metric glob 'transfer_us*' or metric glob 'wait_us*'
        order by point, repeat, rank, launch, metric" >"$2.figures"
}
fused='[sim/bin/matmul_all_reduce, --m, "128", --n, "1024", --k, "64"]'

say 'a fused operator: without noise, the figures are those of the model'
job fused "$fused" 'MatmulAllReduce*' 1 >fused.yaml
NPU_SIM_NOISE=0 measure fused exact
python3 - exact.figures <<'PYTHON' || fail "wrong figures: $(cat exact.figures)"
import sys

value = {}
for line in open(sys.argv[1]):
    point, repeat, rank, launch, metric, number = line.rstrip("\n").split("|")
    value[int(point), int(rank), metric] = float(number)
TICK = 0.02
PLAIN, LINK, CARD, BOTH = range(4)  # the last axis changes first
TURNS, STEPS = 4, 8  # 4 tiles of 32 rows; an all-reduce has two stages
bytes_of_step = 32 * 1024 * 2 / 4  # a quarter of a tile of 16-bit numbers
step_us = 5 + 5 + bytes_of_step / 28e3  # notifies, latency, 28 GB/s
more_us = 3 * bytes_of_step / 28e3  # factor 4

def near(point, rank, metric, wanted, ticks=STEPS + 1):
    got = value[point, rank, metric]
    assert abs(got - wanted) <= ticks * TICK + 1e-9, (point, rank, metric, got, wanted)

compute = value[PLAIN, 0, "compute_us"]
assert compute > 10, compute
for point in range(4):
    for rank in range(4):
        parts = sum(value[point, rank, m] for m in ("compute_us", "transfer_us", "wait_us"))
        near(point, rank, "duration_us", parts, 1)
        # the slow card needs 6 % more, no other one does
        slow = point in (CARD, BOTH) and rank == 2
        near(point, rank, "compute_us", compute * (1.06 if slow else 1), 1)
        for peer in range(4):
            if peer == rank:
                continue
            # a notify takes 0.1 us; a copy begins when both notifies have arrived
            slow = point in (LINK, BOTH) and {rank, peer} == {0, 1}
            copy = STEPS * (step_us + (more_us if slow else 0) - 0.2)
            near(point, rank, f"transfer_us_rank_{peer}", copy)
            # the first tile of the slow card is late by 6 % of a tile
            wait = STEPS * 0.1
            late = 0.06 * compute / TURNS
            if point in (CARD, BOTH) and peer == 2:
                wait += late
            # ranks 2 and 3 wait for 0 and 1: in each second stage, and in each first one
            # but that of the first turn, where only the slow card's delay is left
            if point in (LINK, BOTH) and rank >= 2 and peer < 2:
                wait += (2 * TURNS - 1) * more_us
                if point == BOTH:
                    wait -= late
            near(point, rank, f"wait_us_rank_{peer}", wait)
first = compute / TURNS  # the other tiles are computed during the transfers
near(PLAIN, 0, "duration_us", 0.6 + first + STEPS * step_us + 1 + 0.4, 10)
near(CARD, 0, "duration_us", value[PLAIN, 0, "duration_us"] + 0.06 * first, 2)
near(LINK, 0, "duration_us", value[PLAIN, 0, "duration_us"] + STEPS * more_us, 9)
near(LINK, 3, "duration_us", value[PLAIN, 0, "duration_us"] + (STEPS - 1) * more_us, 9)
PYTHON

say 'a plain collective: the same model'
job plain '[sim/bin/allreduce, --n, "100000"]' 'Hccl*' 1 >plain.yaml
NPU_SIM_NOISE=0 measure plain plain
python3 - plain.figures <<'PYTHON' || fail "wrong figures: $(cat plain.figures)"
import sys

value = {}
for line in open(sys.argv[1]):
    point, repeat, rank, launch, metric, number = line.rstrip("\n").split("|")
    value[int(point), int(rank), int(launch), metric] = float(number)
step_us = 5 + 5 + 100000 / 28e3  # a quarter of 100000 floats
more_us = 3 * 100000 / 28e3
for (point, rank, launch, metric), got in value.items():
    slow_link = point in (1, 3)
    wanted = {"duration_us": 2 * step_us + (2 if rank < 2 else 1) * more_us * slow_link}
    for peer in range(4):
        slow = slow_link and {rank, peer} == {0, 1}
        wanted[f"transfer_us_rank_{peer}"] = 2 * (step_us + more_us * slow - 0.2)
        wanted[f"wait_us_rank_{peer}"] = 0.2 + more_us * (slow_link and rank >= 2 and peer < 2)
    if metric in wanted:
        assert abs(got - wanted[metric]) <= 0.1, (point, rank, metric, got, wanted[metric])
assert len(value) == 4 * 4 * 9, len(value)
PYTHON

say 'equal seeds give equal figures, with busy loops beside the second job'
job noisy "$fused" 'MatmulAllReduce*' 3 >noisy.yaml
job noisy-plain '[sim/bin/allreduce, --n, "1000"]' 'Hccl*' 3 >noisy-plain.yaml
measure noisy calm
measure noisy-plain calm-plain
loops=()
for _ in 1 2 3 4 5 6; do
    sh -c 'while :; do :; done' &
    loops+=($!)
done
code=0
(measure noisy loaded && measure noisy-plain loaded-plain) || code=$?
kill "${loops[@]}"
wait "${loops[@]}" 2>/dev/null || true
[ "$code" -eq 0 ] || exit "$code"
[ -s calm.figures ] && [ -s calm-plain.figures ] || fail 'no figures'
diff calm.figures loaded.figures >&2 || fail 'the figures of the fused operator differ'
diff calm-plain.figures loaded-plain.figures >&2 || fail 'the figures of the collective differ'

say 'repeats differ by about a percent'
sqlite3 calm/store/muster.db "select count(distinct value), (max(value) - min(value)) / avg(value)
    from v_results where metric = 'duration_us' and point = 0 and rank = 0" |
    awk -F'|' '{ok = $1 == 3 && $2 > 0.0005 && $2 < 0.03} END {exit !ok}' ||
    fail "repeats: $(grep '|duration_us|' calm.figures)"
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"

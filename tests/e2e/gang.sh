#!/usr/bin/env bash
# gang.sh - tasks with several cards start all ranks together or none, as processes or
# threads; when one rank fails, all ranks end and the reason names that rank
. "$(dirname "$0")/fleet.sh"

allreduce() { # NAME ranks|threads COUNT MORE
    cat <<YAML
version: 1
name: $1
operator: {command: ["sim/bin/allreduce", --n, "\${n}"$4], $2: $3}
sweep: {matrix: {n: [16, 4096]}, repeat: 2}
profile: {metrics: []}
YAML
}
shell() { # NAME RANKS SCRIPT MORE: a job whose ranks run a shell script
    cat <<YAML
version: 1
name: $1
operator: {command: [sh, -c, '$3'], ranks: $2}
profile: {metrics: []}
$4
YAML
}
submit() { muster submit "$1" | cut -d' ' -f1; }

say 'a private fleet has as many cards as a task needs'
allreduce four ranks 4 '' >"$work/four.yaml"
(cd "$work" && muster run --quiet --out private four.yaml >/dev/null) || fail 'four ranks'
private() { sqlite3 -batch -noheader "$work/private/store/muster.db" "$1"; }
[ "$(private "select count(*) from v_ranks where accepted and status = 'done'")" -eq 16 ] ||
    fail 'not every rank of every task is done'
[ "$(private 'select count(*) from (select run_id from ranks group by run_id
    having count(distinct card) = 4 and min(rank) = 0 and max(rank) = 3)')" -eq 4 ] ||
    fail 'two ranks of a task had the same card'

say 'a private fleet refuses a job that it can never run'
refused() { # TEXT CARDS: a job with these cards must fail with TEXT
    printf 'version: 1\nname: never\noperator: {command: [x], ranks: 4}\ncards: %s\n' "$2" >"$work/never.yaml"
    (cd "$work" && timeout 20 muster run --quiet --out private never.yaml 2>err.txt) && fail "accepted: $2"
    grep -qF "$1" "$work/err.txt" || fail "$2: $(cat "$work/err.txt")"
}
refused "job needs cards 'Ascend77*'" '{soc: "Ascend77*"}'
refused 'the job needs several hosts' '{per_host: 2}'

say 'together: switch places all ranks on hosts of one switch'
shell near 2 'exit 0' 'cards: {together: switch, per_host: 1}' >"$work/near.yaml"
coordinator_up
worker_up 0 --host h0 --switch s0
worker_up 1 --host h1 --switch s1
muster submit "$work/near.yaml" >/dev/null
waits() { muster explain near | grep -qF 'h0 on switch s0 has 1 (1 free), h1 on switch s1 has 1 (1 free); these cards can never run the task'; }
until_true waits
worker_up 2 --host h2 --switch s1
muster wait --quiet near >/dev/null || fail 'two hosts of one switch'
[ "$(db "select group_concat(host, ' ') from (select host from ranks order by rank)")" = 'h1 h2' ] ||
    fail 'not on the hosts of one switch'
down
rm -r "$work/out" "$work"/spool-*

export NPU_SIM_CARDS=4
fleet_up 4
say 'every rank is measured and has its own folder'
cat >"$work/measured.yaml" <<'YAML'
version: 1
name: measured
operator: {command: ["sim/bin/add_custom", --n, "${n}"], ranks: 3}
sweep: {matrix: {n: [16, 4096]}}
profile: {metrics: [PipeUtilization]}
YAML
muster submit "$work/measured.yaml" >/dev/null
muster wait measured >/dev/null || fail 'the job with three measured ranks did not succeed'
[ "$(find "$work/out/measured-1" -name visualize_data.bin | wc -l)" -eq 6 ] ||
    fail 'not every rank was measured'
[ "$(db "select count(*) from v_ranks where parse_state = 'done' and launches = 1")" -eq 6 ] ||
    fail 'not every rank was parsed'

say 'threads: rank 0 runs one process, the other ranks are lenders'
allreduce threads threads 4 ', --threads, 4' >"$work/threads.yaml"
muster submit "$work/threads.yaml" >/dev/null
muster wait threads >/dev/null || fail 'four threads'
[ "$(db "select count(distinct card) from v_ranks where job = 'threads-2' and status = 'done'")" -eq 4 ] ||
    fail 'not every card of the process has a rank that is done'

say 'a fused operator is measured in lock step, as threads and as processes'
cat >"$work/mc2.yaml" <<'YAML'
version: 1
name: mc2
operator:
  command: ["sim/bin/matmul_all_reduce_inplace", --m, "64", --n, "64", --k, "64", --threads, "4"]
  threads: 4
profile: {metrics: [PipeUtilization]}
YAML
sed 's/, --threads, "4"//; s/threads: 4/ranks: 4/; s/name: mc2/name: mc2p/' "$work/mc2.yaml" >"$work/mc2p.yaml"
for way in mc2 mc2p; do
    (cd "$work" && muster run --quiet --out private $way.yaml >/dev/null) || fail "$way"
done
[ "$(private "select count(*) from v_ranks where job like 'mc2%' and launches = 1 and parse_state = 'done'")" -eq 8 ] ||
    fail 'not every card was measured'
[ "$(find "$work"/private/mc2* -name visualize_data.bin | wc -l)" -eq 8 ] || fail 'not every card has its file'

say 'a failing rank ends all ranks, and the reason names it'
shell bad 4 '[ $RANK_ID = 2 ] && exit 5; exec sleep 60' '' >"$work/bad.yaml"
muster submit "$work/bad.yaml" >/dev/null
code=0
muster wait bad >/dev/null 2>&1 || code=$?
[ "$code" -eq 1 ] || fail "wait for the failed gang: exit $code, not 1"
why=$(db "select a.reason from attempts a join tasks using(task_id) where job_id = 3")
case $why in
*'of 4 ranks ended well; rank 2: exit code 5') ;;
*) fail "the rank is not named: $why" ;;
esac
[ "$(db "select count(*) from v_ranks where job = 'bad-3' and status = 'cancelled'")" -eq 3 ] ||
    fail 'the other ranks were not ended'

say 'a killed worker ends the whole attempt, and the task is repeated'
shell lost 4 "[ \$MUSTER_ATTEMPT = 1 ] || exit 0; touch $work/alive.\$RANK_ID; exec sleep 60" \
    'limits: {retries: 1, on: [worker-lost]}' >"$work/lost.yaml"
muster submit "$work/lost.yaml" >/dev/null
all_run() {
    [ -e "$work/alive.0" ] && [ -e "$work/alive.1" ] && [ -e "$work/alive.2" ] && [ -e "$work/alive.3" ] &&
        [ "$(db "select state from attempts order by leased_wall_ms desc limit 1")" = running ]
}
until_true all_run
kill -9 "${worker_pid[1]}"
wait "${worker_pid[1]}" 2>/dev/null || true
worker_up 1
muster wait lost >/dev/null || fail 'the second attempt'
[ "$(db "select count(*) from v_ranks where job = 'lost-4' and attempt = 2 and status = 'done'")" -eq 4 ] ||
    fail 'not all ranks of the second attempt are done'
case $(db "select reason from attempts where state = 'lost'") in
*'rank 1: '*) ;;
*) fail 'the lost rank is not named' ;;
esac

say 'explain reports a task that can never run; show counts ended and done ranks'
shell eight 8 'exit 0' '' >"$work/eight.yaml"
muster submit "$work/eight.yaml" >/dev/null
until_true eval 'muster explain eight >"$work/why"'
case $(cat "$work/why") in
*'needs 8 cards, all at the same time; matching cards:'*'these cards can never run the task'*) ;;
*) fail "explain: $(cat "$work/why")" ;;
esac
muster cancel eight >/dev/null
muster wait eight >/dev/null 2>&1 || true
[ "$(muster show bad --output csv | tail -n 1 | grep -o '[^,]*,[^,]*$')" = 4,0 ] || fail "show: $(muster show bad --output csv)"

say 'a drained card gets no tasks until undrain'
shell quick 4 'exit 0' '' >"$work/quick.yaml"
muster drain "$(hostname):2" --reason 'fan is loud' >/dev/null
muster submit "$work/quick.yaml" >/dev/null
until_true eval 'muster explain quick >"$work/why"'
case $(cat "$work/why") in
*'matching cards:'*'has 3'*'drained:'*':2 (fan is loud)'*) ;;
*) fail "explain: $(cat "$work/why")" ;;
esac
muster list --workers -o csv | grep -q ',drained,' || fail "the list: $(muster list --workers)"
muster undrain "$(hostname)" >/dev/null
muster wait quick >/dev/null || fail 'the gang with the card that was drained'

say 'a gang starts although small tasks keep all cards busy'
shell small 1 'exec sleep 0.1' 'sweep: {repeat: 400}' >"$work/small.yaml"
sed 's/version: 1/version: 1\npriority: 60/' "$work/four.yaml" >"$work/big.yaml"
muster submit "$work/small.yaml" >/dev/null
some_done() { [ "$(db "select count(*) from tasks where job_id = (select job_id from jobs where name = 'small') and state = 'done'")" -gt 8 ]; }
until_true some_done
muster submit "$work/big.yaml" >/dev/null
muster wait four >/dev/null || fail 'the gang among small tasks'
[ "$(db "select count(*) from tasks where job_id = (select job_id from jobs where name = 'small') and state = 'waiting'")" -gt 0 ] ||
    fail 'the small tasks were all done before the gang'
muster cancel small >/dev/null
muster wait small >/dev/null 2>&1 || true

down
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"

say 'a rank that leaves before its first launch ends the gang, is named, and nothing is repeated'
cat >"$work/leaves.sh" <<SH
#!/bin/sh
[ "\$RANK_ID" = 1 ] && exit 0
exec "$B/lib/muster/sim/bin/matmul_all_reduce"
SH
chmod +x "$work/leaves.sh"
cat >"$work/leaves.yaml" <<YAML
version: 1
name: leaves
operator: {command: ["$work/leaves.sh"], ranks: 2, env: {HCCL_BUFFSIZE: "1"}}
profile: {metrics: [PipeUtilization], barrier: {deadline: 1s}}
limits: {time: 600s}
YAML
code=0
(cd "$work" && muster run --quiet --out leaves leaves.yaml >/dev/null 2>run.err) || code=$?
[ "$code" -eq 1 ] || fail "leaves: exit $code: $(cat "$work/run.err")"
left=$(sqlite3 -batch -noheader "$work/leaves/store/muster.db" "select group_concat(reason, ';') from attempts")
case $left in
'0 of 2 ranks ended well; rank 1: no process of the operator connected'*) ;;
*) fail "leaves: $left" ;;
esac
case $left in *';0 of 2'*) fail "leaves: repeated: $left" ;; esac

#!/usr/bin/env bash
# confirm.sh - muster confirm: a slower program is confirmed as code, a slow card as card,
# and a spike is not reproduced; a coordinator that is killed loses no figure; a private
# run confirms the suspects of its gate itself
. "$(dirname "$0")/fleet.sh"
cd "$work"
slow_card() { # FACTOR: plants the speed of card 1 into the fleet file
    cat >fleet.new <<YAML
version: 1
hosts: [{name: one, cards: 4, mhz: 100}] # a slow clock makes the computation visible
faults: [{fault: slow_card, card: 1, factor: $1}]
YAML
    mv fleet.new fleet.yaml
}
export NPU_SIM_FLEET=$work/fleet.yaml
slow_card 1
mkdir -p builds/old builds/new
# add_custom with more elements for point a of the new build, which takes 4 % longer, for
# points c and d of it while the file `spike` exists, and for point d of it on card 2
for build in old new; do
    cat >builds/$build/op <<SH
#!/bin/sh
n=400000
[ \$1 = a ] && [ $build = new ] && n=420000
[ \$1 = c ] && [ -e $work/spike ] && n=440000
[ \$1 = d ] && [ $build = new ] && { [ -e $work/spike ] || [ \$ASCEND_RT_VISIBLE_DEVICES = 2 ]; } && n=440000
exec $B/lib/muster/sim/bin/add_custom --n \$n
SH
    chmod +x builds/$build/op
done
job_file() { # NAME BUILD
    cat <<YAML
version: 1
name: $1
operator: {command: [./op, "\${point}"], version: {path: builds/$2}}
sweep: {matrix: {point: [${points:-a, c}]}, repeat: 7}
profile: {metrics: [PipeUtilization], warmup: 0}
cards: {ids: [1]}
limits: {retries: 0}
YAML
}
job() { # NAME BUILD
    job_file "$@" >"$1.yaml"
    muster submit "$1.yaml" >/dev/null 2>&1
    muster wait -q "$1" --timeout 120s >/dev/null
}
confirm() { # CODE ARGUMENTS...: the causes are in causes.json
    local code=0
    muster confirm -q -o json "${@:2}" >causes.json 2>confirm.err || code=$?
    [ "$code" -eq "$1" ] || fail "muster confirm ${*:2} ended with $code, not $1: $(cat causes.json confirm.err)"
}
causes() { # prints point and cause of each suspect
    python3 -c 'import json
for row in json.load(open("causes.json"))["rows"]:
    print(row["point"].split("=")[1], row["cause"] + row["also"])' | sort | xargs
}

coordinator_up
for card in 0 1 2 3; do
    worker_up $card --host "$([ $card -lt 2 ] && echo alpha || echo beta)" --serial "CARD$card"
done
until_true muster list >/dev/null 2>&1
job base old
touch spike
job night new
rm spike

say 'a slower program is code; a spike is not reproduced; nothing else runs on the host'
muster confirm -q base night -o json >first.json 2>first.err &
first=$!
done_runs() { db "select count(*) from tasks where job_id = 3 and state = 'done'" 2>/dev/null || echo 0; }
until_true eval '[ "$(done_runs)" -ge 10 ]'
kill -KILL "$coordinator_pid"
wait "$coordinator_pid" 2>/dev/null || true
coordinator_up
code=0
wait $first || code=$?
[ "$code" -eq 4 ] || fail "the confirmation ended with $code: $(cat first.json first.err)"
cp first.json causes.json
[ "$(causes)" = 'a code c not-reproduced' ] || fail "causes: $(causes) $(cat causes.json)"
[ "$(db "select count(*) from tasks where job_id = 3 and state = 'done'")" -eq 96 ] || fail 'not all of 96 runs are done'
[ "$(db "select job_id, confirms_job_id, base_job_id, judged from confirmations")" = '3|2|1|1' ] || fail 'wrong confirmation'
python3 - "$work/out/store/muster.db" <<'PY' || fail "wrong figures: $(cat causes.json)"
import json, math, sqlite3, statistics, sys
db = sqlite3.connect(sys.argv[1])
values = {}
for text, repeat, host, card, value in db.execute(
        "select point_text, repeat, host, card, value from v_results"
        " where job_id = 3 and metric = 'duration_us'"):
    point = dict(word.split("=") for word in text.split())
    assert point["at"] == f"{host}:{card}", text
    values[point["suspect"], point["role"], point["side"], repeat] = value
assert {(r["place"], r["neighbour_place"], r["other_place"]) for r in json.load(open("causes.json"))["rows"]} \
    == {("alpha:1", "alpha:0", "beta:2")}
for row in json.load(open("causes.json"))["rows"]:
    number = str(row["number"])
    assert row["card"] == "CARD1", row
    for role, name in (("suspect", ""), ("neighbour", "neighbour_"), ("other", "other_")):
        pairs = [math.log(values[number, role, "B", i] / values[number, role, "A", i]) for i in range(8)]
        walsh = statistics.median((pairs[i] + pairs[k]) / 2 for i in range(8) for k in range(i, 8))
        assert abs(row[name + "code_percent"] - 100 * math.expm1(walsh)) < 1e-6, (row, walsh)
a = [row for row in json.load(open("causes.json"))["rows"] if row["point"] == "point=a"][0]
assert 3.5 < a["code_percent"] < 4.5 and a["code"] == a["other_code"] == "worse" and a["drift"] == "same", a
# the runs of a host do not overlap
for host in "alpha", "beta":
    spans = sorted(db.execute(
        "select started_wall_ns, ended_wall_ns from v_ranks where job_id = 3 and host = ? and accepted", (host,)))
    assert len(spans) == (64 if host == "alpha" else 32), len(spans)
    assert all(one[1] <= two[0] for one, two in zip(spans, spans[1:])), spans
orders = {}
for text, side in db.execute(
        "select p.text, substr(p.text, -1) from attempts a join tasks t using(task_id) join points p using(job_id, point)"
        " where t.job_id = 3 and t.accepted_run_id = a.run_id order by a.started_wall_ms"):
    orders[text[:-1]] = orders.get(text[:-1], "") + side
assert len(orders) == 6 and set(orders.values()) == {"ABBABAABBAABABBA"}, orders
PY
say 'the same confirmation is not measured twice, and has the same causes'
confirm 4 base night
cmp -s first.json causes.json || fail "the second call differs: $(cat causes.json)"
[ "$(db 'select count(*) from jobs')" -eq 3 ] || fail 'the second call measured again'

say 'a card that became slow is confirmed as this card'
slow_card 1.06
job slow old
confirm 4 base slow --points '*point=a*' --pairs 7
[ "$(causes)" = 'a card' ] || fail "causes: $(causes) $(cat causes.json)"
python3 -c 'import json
row, = json.load(open("causes.json"))["rows"]
assert row["card"] == "CARD1" and row["code"] == "same" and row["neighbour_drift"] == row["other_drift"] == "same", row
assert 4.5 < row["drift_percent"] < 7.5, row' || fail "$(cat causes.json)"

say 'the gate confirms its suspects, and names the confirmed cause'
code=0
muster gate -q night --against base --to gated >gate.out 2>gate.err || code=$?
[ "$code" -eq 4 ] || fail "the gate ended with $code: $(cat gate.out gate.err)"
grep -qE '^point point=a of kernel add_custom is [34]\.[0-9] % slower on card CARD1 of host alpha, because of its code; confirmed$' gate.out || fail "$(cat gate.out)"
grep -qE '^also: point point=c .*; fresh runs did not reproduce this$' gate.out || fail "the spike: $(cat gate.out)"
[ "$(db "select count(*) from confirmations where confirms_job_id = 2")" -eq 1 ] || fail 'the gate measured again what was confirmed'
say 'wait of a job with a gate confirms the suspects as the gate does'
slow_card 1
sed -e 's/^name: night$/name: gated/' -e '$a compare: {against: base}' -e '$a gate: {confirm: on}' night.yaml >gated.yaml
muster submit gated.yaml >/dev/null 2>&1
code=0
muster wait -q gated --timeout 120s >wait.out 2>wait.err || code=$?
[ "$code" -eq 4 ] || fail "wait ended with $code: $(cat wait.out wait.err)"
grep -qE '^point point=a .* because of its code; confirmed$' wait.out || fail "$(cat wait.out)"

gated() { # CODE NAME BUILD CARDS: submits a job of one point with a gate, and runs the gate
    local code=0
    points=${points:-a} job_file "$2" "$3" >"$2.yaml"
    printf '%s\n' "compare: {against: before}" "gate: {confirm: {pairs: 7, sessions: 1, cards: $4}}" >>"$2.yaml"
    muster submit "$2.yaml" >key 2>/dev/null
    until_true eval '[ "$(db "select state from jobs where key = '"'"'$(cat key)'"'"'")" = done ]'
    rm -f spike
    muster gate -q "$(cat key)" --to gated >gate.out 2>gate.err || code=$?
    [ "$code" -eq "$1" ] || fail "the gate of $2 ended with $code, not $1: $(cat gate.out gate.err)"
}
say 'answers that contradict each other are measured once more, and then unknown'
points='a, d' job before old
touch spike
points=d gated 5 odd new 3
grep -qE '^point point=d .* slower.*; its alternating runs contradict each other; fresh runs did not decide$' gate.out || fail "$(cat gate.out gate.err)"
[ "$(db "select group_concat(cause, ' ') from suspects join confirmations using(job_id) join jobs j on j.job_id = confirms_job_id where j.name = 'odd'")" = 'contradictory contradictory' ] || fail "$(db 'select * from suspects')"

say 'without the program of the base the same verdict in two nights counts'
mv builds/old builds/gone
gated 5 later new 2
grep -qE '^point point=a .* slower.*; the program of the base does not run any more, so another night must show the same$' gate.out || fail "$(cat gate.out gate.err)"
first=$(cat key)
gated 4 later new 2
grep -qE "^point point=a .* slower .*since $first \(.*; seen in two nights running, because the program of the base does not run any more$" gate.out || fail "$(cat gate.out gate.err)"
mv builds/gone builds/old

say 'what has not run in time is undecided, and wrong requests are refused'
confirm 5 base slow --points '*point=c*' --time 1ms
[ "$(causes)" = 'c unknown' ] || fail "causes: $(causes) $(cat causes.json)"
confirm 2 base slow --again --suspects 99
confirm 2 base slow --again --time 721h
grep -q 'time: expected up to 720 h' confirm.err || fail "$(cat confirm.err)"
confirm 2 base slow --again --cards 4
grep -q 'card_count: expected 1 to 3, found 4' confirm.err || fail "$(cat confirm.err)"
code=0
muster confirm -q --pairs 6 base slow --again >/dev/null 2>confirm.err || code=$?
[ "$code" -eq 2 ] && grep -q 'pairs: expected 7 to 100, found 6' confirm.err || fail "exit $code: $(cat confirm.err)"
confirm 0 slow base
grep -q 'nothing to confirm' confirm.err || fail "$(cat confirm.err)"
[ -z "$(leftovers)" ] || {
    down
    [ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
}

say 'a private run confirms the suspects of its gate on its own cards'
down
unset MUSTER_COORDINATOR
mkdir private
private() { # NAME BUILD
    sed -e "s/^name: .*/name: $1/" -e "s/point: \[a, c\]/point: [a]/" -e "s,builds/night,builds/$2," \
        -e "s,path: [^}]*,path: $work/builds/$2," -e 's/ids: .*]/ids: [0]/' night.yaml >"private/$1.yaml"
}
private earlier old
private later new
printf '%s\n' 'compare: {against: earlier}' 'gate: {confirm: {pairs: 7, cards: 2}}' >>private/later.yaml
(cd private && muster run --quiet earlier.yaml >/dev/null 2>../private.err) || fail "$(cat private.err)"
code=0
(cd private && muster run --quiet --cards 2 later.yaml >../private.out 2>../private.err) || code=$?
[ "$code" -eq 4 ] || fail "the private run ended with $code: $(cat private.out private.err)"
grep -qE '^point point=a of kernel add_custom is [34]\.[0-9] % slower .*because of its code; confirmed$' private.out || fail "$(cat private.out)"
sed -i 's/^name: .*/name: alone/' private/later.yaml
code=0
(cd private && muster run --quiet --cards 1 later.yaml >../private.out 2>../private.err) || code=$?
[ "$code" -eq 5 ] || fail "the run with one card ended with $code: $(cat private.out private.err)"
grep -q 'fresh runs did not decide: the fleet has too few cards of this model' private.err || fail "$(cat private.err)"
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"

#!/usr/bin/env bash
# serve.sh - muster serve answers with the rows that the commands print, from a store and from
# a coordinator; hostile requests get an error and disturb no other request
. "$(dirname "$0")/fleet.sh"
. "$(dirname "$0")/serve_nights.sh"
cd "$work"

refused() { # CODE TEXT OPTION...: the server does not start
    local code=0
    timeout 20 muster serve "${@:3}" >refused.out 2>refused.txt || code=$?
    [ "$code" -eq "$1" ] && grep -qF -- "$2" refused.txt && [ ! -s refused.out ] ||
        fail "muster serve ${*:3}: exit $code, $(cat refused.txt)"
}

say 'a server that must not start names the reason'
"$B/tests/report_store" results/store 25 8 2
unset MUSTER_COORDINATOR
refused 3 'no store in nowhere and no coordinator is named; pass --out DIR' --out nowhere
refused 3 'other machines can reach 0.0.0.0:0, which needs TLS' --out results --listen 0.0.0.0:0
touch tls.crt tls.key
refused 3 'other machines can reach [::]:0, which needs a token' --out results --listen '[::]:0' --tls-cert tls.crt --tls-key tls.key
refused 2 'has no port to listen on' --out results --listen 127.0.0.1
refused 2 '--connections is not between 1 and 60000' --out results --connections 0
refused 2 '--tls-cert and --tls-key need each other' --out results --tls-cert tls.crt
refused 2 'reading nowhere: No such file' --out results --listen 127.0.0.1:0 --tls-cert nowhere --tls-key tls.key
refused 2 'TLS cannot start with the certificate tls.crt' --out results --listen 127.0.0.1:0 --tls-cert tls.crt --tls-key tls.key
echo 0123456789abcdefghijABCD >token
chmod 644 token
refused 3 'other users can read the token token (mode 0644)' --out results --token token
refused 2 'reading extra: No such file' --out results extra

say 'a store'
db=results/store/muster.db
sqlite3 "$db" "insert into events(wall_ms, kind, job_id, task_id, run_id, text) values
    (1000, 'job.submitted', 1, 0, 0, 'one'), (2000, 'worker.lost', 0, 0, 0, 'two'), (3000, 'job.ended', 1, 0, 0, 'three')"
http_proxy='' socks_proxy=none "$root/tests/e2e/serve.py" results || fail 'answers from a store'

say 'parts of traces'
"$root/tests/e2e/serve_trace.py" results || fail 'parts of a trace'

say 'what commands find'
serve_nights nights
"$root/tests/e2e/serve_verdict.py" nights || fail 'answers of commands'

say 'a coordinator: workers, a job while it runs, and an end of the coordinator'
export MUSTER_COORDINATOR=ipc://$work/control
waiting slow.sh
cat >job.yaml <<YAML
version: 1
name: slow
operator: {command: ["$work/slow.sh"]}
sweep: {repeat: 2}
cards: {ids: [0]}
YAML
fleet_up 1
until_true muster submit job.yaml >key.txt 2>/dev/null
until_true eval '[ "$(muster list --workers -o csv | grep -c leased)" -eq 1 ]'
muster serve --listen 127.0.0.1:0 >address.txt 2>serve.log &
worker_pid[serve]=$!
until_true test -s address.txt
api=$(cat address.txt)api/v1
get() { python3 -c 'import sys, urllib.request as r; sys.stdout.buffer.write(r.urlopen(sys.argv[1], timeout=30).read())' "$api$1"; }
code_of() { get "$1" 2>&1 >/dev/null | sed -n 's/.*HTTP Error \([0-9]*\).*/\1/p'; }
get /jobs | cmp - <(muster list -o json) || fail "jobs: $(get /jobs)"
get /jobs/1/tasks | cmp - <(muster show 1 -o json) || fail "tasks: $(get /jobs/1/tasks)"
get '/workers?state=leased' | grep -q '"job_key":"slow-1"' || fail "workers: $(get /workers)"
end "${worker_pid[0]}"
touch go
end "$coordinator_pid"
until_true eval '[ "$(code_of /jobs)" = 503 ]'
coordinator_up
until_true get /jobs >/dev/null 2>&1
get /jobs | cmp - <(muster list -o json) || fail "after the restart: $(get /jobs)"
end "${worker_pid[serve]}"
[ ! -s serve.log ] || fail "messages: $(cat serve.log)"

#!/usr/bin/env bash
# watch.sh - a fleet as it changes: on a terminal, line by line, and as a stream of events
. "$(dirname "$0")/fleet.sh"
cd "$work"
cat >slow.sh <<'SH'
#!/bin/bash
until [ -e "$WORK/go" ]; do read -rt 0.05 _ <>"$WORK/wait" || true; done
SH
chmod +x slow.sh
mkfifo wait
cat >job.yaml <<YAML
version: 1
name: slow
operator: {command: ["$work/slow.sh"], env: {WORK: "$work"}}
sweep: {repeat: 4}
cards: {ids: [0]}
limits: {retries: 0}
YAML
fleet_up 2
until_true muster submit job.yaml >key.txt 2>/dev/null
until_true eval '[ "$(muster list --workers -o csv | grep -cE ",(idle|leased),")" -eq 2 ]'
until_true eval '[ "$(muster list --workers -o csv | grep -c leased)" -eq 1 ]'

say 'one look'
muster watch --once >once.txt || fail "once: exit $?"
head -n 1 once.txt | grep -qx 'muster: 2 cards, 1 leased, 1 idle; 1 job' || fail "$(cat once.txt)"
grep -qE '^slow-1 +running .* 0 of 4 ' once.txt || fail "no job: $(cat once.txt)"
grep -qE ":0 +leased +slow-1 +point 0 repeat 0 rank 0 " once.txt || fail "no card: $(cat once.txt)"
grep -q 'job.submitted' once.txt || fail "no event: $(cat once.txt)"
if grep -q $'\033' once.txt; then fail 'escapes where there is no terminal'; fi
muster events --last 1 -o csv | sed 1d >last.txt
[ "$(wc -l <last.txt)" -eq 1 ] && [ "$(cat last.txt)" = "$(muster events -o csv | tail -n 1)" ] || fail "the last event: $(cat last.txt)"

say 'a stream of events, and a page that ends with its job'
muster events -f -o jsonl slow >events.jsonl 2>events.err &
worker_pid[events]=$!
muster watch --every 100ms slow >frames.txt 2>frames.err &
watcher=$!
cat >terminal.py <<'PY' # a terminal of 30 lines: what is drawn there, and what is left of it
import fcntl, os, pty, select, struct, sys, termios
master, slave = pty.openpty()
fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 90, 0, 0))
before = termios.tcgetattr(slave)
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in (0, 1, 2):
        os.dup2(slave, fd)
    os.execvp("muster", ["muster", "watch", "--every", "200ms"])
seen, asked = b"", False
while True:
    ready, _, _ = select.select([master], [], [], 20)
    if not ready:
        sys.exit("nothing is drawn: " + repr(seen))
    seen += os.read(master, 65536)
    if not asked and seen.count(b"\033[H\033[J") >= 2:
        os.write(master, b"jk" + (b"q" if sys.argv[1] == "q" else b"\003"))
        asked = True
    if seen.endswith(b"\033[?25h\033[?1049l"):
        break
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == int(sys.argv[2]), status
assert termios.tcgetattr(slave) == before, "the terminal is not as it was"
assert seen.startswith(b"\033[?1049h\033[?25l"), seen[:40]
frames = seen.decode().split("\033[H\033[J")
assert all(frame.count("\n") < 30 for frame in frames)
assert "point 0 repeat 0 rank 0" in frames[1] and "slow-1" in frames[1], frames[1]
PY
python3 terminal.py q 0 || fail 'q on a terminal'
python3 terminal.py c 130 || fail 'Ctrl-C on a terminal'
touch go
code=0
wait "$watcher" || code=$?
[ "$code" -eq 1 ] || fail "the watch of a job that failed: exit $code, $(cat frames.err)"
tail -n 40 frames.txt | grep -qE '^slow-1 +failed .* 4 of 4 ' || fail "the last page: $(tail -n 20 frames.txt)"
until_true grep -q '"job.ended"' events.jsonl
end "${worker_pid[events]}"
unset 'worker_pid[events]'
muster events slow -o jsonl | cmp - events.jsonl || fail 'the stream is not what happened'
code=0
muster events -f -o csv 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'no end' err.txt || fail "exit $code: $(cat err.txt)"

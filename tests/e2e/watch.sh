#!/usr/bin/env bash
# watch.sh - muster watch draws a running fleet on a terminal and in a pipe, and
# muster events -f prints every event of a job
. "$(dirname "$0")/fleet.sh"
cd "$work"
waiting slow.sh
cat >job.yaml <<YAML
version: 1
name: slow
operator: {command: ["$work/slow.sh"]}
sweep: {repeat: 4}
cards: {ids: [0]}
limits: {retries: 0}
YAML
fleet_up 2
until_true muster submit job.yaml >key.txt 2>/dev/null
until_true eval '[ "$(muster list --workers -o csv | grep -cE ",(idle|leased),")" -eq 2 ]'
until_true eval '[ "$(muster list --workers -o csv | grep -c leased)" -eq 1 ]'

say 'watch --once prints cards, jobs and events once'
muster watch --once >once.txt || fail "once: exit $?"
head -n 1 once.txt | grep -qx 'muster: 2 cards, 1 leased, 1 idle; 1 job' || fail "$(cat once.txt)"
grep -qE '^slow-1 +running .* 0 of 4 ' once.txt || fail "no job: $(cat once.txt)"
grep -qE ":0 +leased +slow-1 +point 0 repeat 0 rank 0 " once.txt || fail "no card: $(cat once.txt)"
grep -q 'job.submitted' once.txt || fail "no event: $(cat once.txt)"
if grep -q $'\033' once.txt; then fail 'watch prints escape sequences into a file'; fi
muster events --last 1 -o csv | sed 1d >last.txt
[ "$(wc -l <last.txt)" -eq 1 ] && [ "$(cat last.txt)" = "$(muster events -o csv | tail -n 1)" ] || fail "the last event: $(cat last.txt)"

say 'the event stream is complete, and watch JOB ends with its job'
muster events -f -o jsonl slow >events.jsonl 2>events.err &
worker_pid[events]=$!
muster watch --every 100ms slow >frames.txt 2>frames.err &
watcher=$!
cat >terminal.py <<'PY' # runs muster watch on a terminal of 30 lines; checks its pages and the restored terminal
import fcntl, os, pty, re, select, signal, struct, sys, termios, time
master, slave = pty.openpty()
def set_size(lines, letters):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, letters, 0, 0))
set_size(30, 90)
before = termios.tcgetattr(slave)
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in (0, 1, 2):
        os.dup2(slave, fd)
    os.environ["TERM"] = "xterm" # the tests may run with TERM=dumb
    os.execvp("muster", ["muster", "watch", "--every", "200ms"])
seen = b""
ENTER, LEAVE, FRAME = b"\033[?1049h\033[?25l", b"\033[?25h\033[?1049l", b"\033[H"
def await_true(condition, holds):
    global seen
    until = time.monotonic() + 30
    while not holds():
        ready, _, _ = select.select([master], [], [], 20)
        if not ready or time.monotonic() > until:
            sys.exit("not true within 30 s: " + condition + ": " + repr(seen[-3000:]))
        seen += os.read(master, 65536)
def frame(): # returns the lines of the last complete frame
    frames = [f for f in seen.split(FRAME)[1:] if f.endswith(b"\033[J")]
    text = frames[-1].decode() if frames else ""
    return re.sub(r"\033\[[0-9;]*[a-zA-Z]|\r", "", text).split("\n")[:-1]
await_true("a frame", lambda: seen.count(b"\033[J") >= 2)
assert seen.startswith(ENTER + FRAME), seen[:40]
assert any("point 0 repeat 0 rank 0" in line and "slow-1" in line for line in frame()), frame()
assert "tasks/s" in frame()[0] and len(frame()) < 30, frame()
os.write(master, b"jk\033[B\033[6~")
os.write(master, b"s")
await_true("sorted", lambda: frame()[-1].startswith("q quit  s sort (now by trouble)"))
if sys.argv[1] == "q": # resize the terminal, then stop with Ctrl-Z and continue
    set_size(9, 40)
    await_true("a small frame", lambda: 0 < len(frame()) < 9 and all(len(line) <= 40 for line in frame()))
    seen = b""
    os.write(master, b"\x1a")
    assert os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1])
    await_true("the shell's page", lambda: seen.endswith(LEAVE))
    assert termios.tcgetattr(slave) == before, "the terminal is not restored while watch is stopped"
    seen = b""
    os.kill(pid, signal.SIGCONT)
    await_true("the page after SIGCONT", lambda: seen.startswith(ENTER) and frame())
os.write(master, b"q" if sys.argv[1] == "q" else b"\003")
await_true("the end", lambda: seen.endswith(LEAVE))
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == int(sys.argv[2]), status
assert termios.tcgetattr(slave) == before, "the terminal is not restored at the end"
PY
if python3 -c 'import pty; pty.openpty()' 2>/dev/null; then
    python3 terminal.py q 0 || fail 'q on a terminal'
    python3 terminal.py c 130 || fail 'Ctrl-C on a terminal'
else
    echo 'SKIPPED: there is no terminal for muster watch; to run it: mount -t devpts devpts /dev/pts'
fi
touch go
code=0
wait "$watcher" || code=$?
[ "$code" -eq 1 ] || fail "watch of a failed job: exit $code, $(cat frames.err)"
tail -n 40 frames.txt | grep -qE '^slow-1 +failed .* 4 of 4 ' || fail "the last page: $(tail -n 20 frames.txt)"
until_true grep -q '"job.ended"' events.jsonl
end "${worker_pid[events]}"
unset 'worker_pid[events]'
muster events slow -o jsonl | cmp - events.jsonl || fail 'the stream differs from the stored events'
code=0
muster events -f -o csv 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'supports --output text and jsonl only' err.txt || fail "exit $code: $(cat err.txt)"

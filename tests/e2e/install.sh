#!/usr/bin/env bash
# install.sh - the installed programs run a job without the build tree
. "$(dirname "$0")/fleet.sh"
cd "$work"
DESTDIR=$work/stage cmake --install "$B" --prefix /usr/local >install.log || fail "install: $(tail -n 3 install.log)"
bin=$work/stage/usr/local/bin
for program in muster muster-coordinator muster-worker muster-parser; do
    [ -x "$bin/$program" ] || fail "$program is not installed"
done
for page in man/man1/muster-list.1 bash-completion/completions/muster; do
    [ "$(stat -c %a "$work/stage/usr/local/share/$page")" = 644 ] || fail "$page is not readable for all users"
done
PATH=$bin:/usr/bin:/bin
job installed '[1024]' 1 >job.yaml
muster run --out "$work/out" job.yaml >run.txt 2>run.err || fail "exit $?: $(cat run.err)"
grep -q 'complete, 2 of 2' "$(tail -n 1 run.txt)" || fail 'the report is not complete'

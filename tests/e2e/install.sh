#!/usr/bin/env bash
# install.sh - the installed programs run a job without the build tree, and the removal of
# the installation leaves what was there before
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
export DESTDIR=$work/stage
top=$work/stage/usr/local bin=$work/stage/usr/local/bin
mkdir -p "$top/bin" "$top/share/man" "$top/lib/muster/own" # folders that are there already
echo 'of another program' >"$top/share/man/other"
find stage | sort >before
"$root/deploy/install.sh" "$B" /usr/local >install.log || fail "install: $(tail -n 3 install.log)"
for program in muster muster-coordinator muster-worker muster-parser muster-serve; do
    [ -x "$bin/$program" ] || fail "$program is not installed"
done
while read -r path; do
    [ "$(stat -c %a "$top/$path")" = 644 ] || fail "$path is not readable for all users"
done <<'LIST'
share/man/man1/muster-list.1
share/man/man5/muster-job.5
share/bash-completion/completions/muster
share/doc/muster/LICENSE
share/doc/muster/README.md
share/doc/muster/docs/quickstart.md
share/muster/job.schema.json
share/muster/examples/quickstart.yaml
share/muster/kubernetes/workers.yaml
lib/systemd/system/muster-worker.service
LIST
grep -q "^ExecStart=/usr/local/bin/muster-worker " "$top/lib/systemd/system/muster-worker.service" || fail 'the unit has another program'
PATH=$bin:/usr/bin:/bin
job installed '[1024]' 1 >job.yaml
muster run --out "$work/out" job.yaml >run.txt 2>run.err || fail "exit $?: $(cat run.err)"
grep -q 'complete, 2 of 2' "$(tail -n 1 run.txt)" || fail 'the report is not complete'

say 'a newer version replaces the files of the older one'
echo old >"$top/share/muster/gone.yaml"
sed -i '1i share/muster/gone.yaml' "$top/lib/muster/installed.txt"
"$root/deploy/install.sh" "$B" /usr/local >install.log || fail "install: $(cat install.log)"
[ ! -e "$top/share/muster/gone.yaml" ] || fail 'a file of the older version was left'
[ -x "$bin/muster" ] || fail 'the second installation has no muster'

say 'the removal leaves what was there before'
"$root/deploy/install.sh" --remove /usr/local >remove.log || fail "remove: $(cat remove.log)"
find stage | sort | diff before - || fail 'the removal left files, or took other ones away'
code=0
"$root/deploy/install.sh" --remove /usr/local >/dev/null 2>remove.err || code=$?
[ "$code" -eq 1 ] && grep -q 'nothing is installed below' remove.err || fail "exit $code: $(cat remove.err)"
printf '../../outside\n' >"$top/lib/muster/installed.txt"
touch "$work/stage/outside"
! "$root/deploy/install.sh" --remove /usr/local >/dev/null 2>remove.err || fail 'a path out of the installation was removed'
[ -e "$work/stage/outside" ] || fail 'a file outside of the installation was removed'

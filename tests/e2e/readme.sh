#!/usr/bin/env bash
# readme.sh - the README tells the truth: its job file is good, its verbs and paths exist
. "$(dirname "$0")/fleet.sh"
cd "$work"
sed -n '/^```yaml/,/^```/p' "$root/README.md" | sed '/^```/d' >job.yaml
muster validate job.yaml >/dev/null || fail 'the job file of the README is not good'
for verb in $(grep -oE 'muster (help )?[a-z]+' "$root/README.md" | awk '{print $NF}' | sort -u); do
    case $verb in calls | runs | uses | puts | help | list | show) continue ;; esac
    muster help | grep -q "^  $verb " || fail "the README knows a verb that is none: $verb"
done
for path in $(grep -oE '`[a-z]+/[A-Za-z_./]+`' "$root/README.md" | tr -d '`' | grep -v '^out/' | sort -u); do
    [ -e "$root/$path" ] || fail "the README names $path"
done
[ -s "$root/docs/report.png" ] || fail 'no picture'
for target in $(grep -oE 'make [a-z]+' "$root/README.md" | awk '{print $2}' | sort -u); do
    grep -qE "^$target:|^dev release:|\.PHONY.* $target( |\$)" "$root/Makefile" || fail "make $target"
done

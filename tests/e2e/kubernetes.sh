#!/usr/bin/env bash
# kubernetes.sh - the manifests have valid fields and types, refer to each other
# consistently, and pass options that the programs have
. "$(dirname "$0")/fleet.sh"
python3 -c 'import yaml' 2>/dev/null || {
    echo 'SKIPPED: python3-yaml is not installed; to run it: deploy/setup.sh'
    exit 77
}
python3 "$root/tests/support/kubernetes.py" "$B"/deploy/kubernetes/*.yaml >"$work/args" || fail 'a manifest is invalid'
while read -r program option; do
    "$program" --help | grep -q -- "$option " || fail "$program has no $option"
done <"$work/args"
[ "$(wc -l <"$work/args")" -ge 10 ] || fail "only $(wc -l <"$work/args") options were checked"

say 'the checker finds each of these deliberate errors'
broken=0
while IFS='|' read -r file from to; do
    cp "$B"/deploy/kubernetes/*.yaml "$work/"
    sed -i "s|$from|$to|" "$work/$file"
    ! cmp -s "$work/$file" "$B/deploy/kubernetes/$file" || fail "$file does not contain '$from'"
    ! python3 "$root/tests/support/kubernetes.py" "$work"/*.yaml >/dev/null 2>"$work/why" || fail "not found: $file: $to instead of $from"
    broken=$((broken + 1))
done <<'BREAK'
coordinator.yaml|serviceName: muster|servicename: muster
coordinator.yaml|replicas: 1|replicas: one
coordinator.yaml|replicas: 1|replicas: 2
coordinator.yaml|port: 7702, targetPort: data|port: 7702, targetPort: bulk
coordinator.yaml|name: tmp, mountPath|name: temp, mountPath
coordinator.yaml|apiVersion: apps/v1|apiVersion: apps/v2
coordinator.yaml|--metrics=tcp://0.0.0.0:7703|--metrics=tcp://0.0.0.0:7704
coordinator.yaml|path: /healthz, port: metrics|path: /healthz, port: probes
coordinator.yaml|startupProbe:|startProbe:
coordinator.yaml| /secret/metrics.token,|
metrics.yaml|port: metrics|port: meters
metrics.yaml|component: coordinator|component: worker
metrics.yaml|key: metrics.token|key: token
workers.yaml|"32"|"16"
workers.yaml|minMember: 4|minMember: 3
workers.yaml|group-name: muster-workers|group-name: muster-worker
workers.yaml|tcp://muster-coordinator:7701|tcp://muster-coordinator:7703
workers.yaml|completionMode: Indexed|completionMode: Ordered
workers.yaml|memory: 256Gi|memory: 256GB
workers.yaml|emptyDir: {sizeLimit|emptyDirectory: {sizeLimit
BREAK
echo "all $broken errors were found"

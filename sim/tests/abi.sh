#!/usr/bin/env bash
# abi.sh - the libraries export what programs need, and call one another as they should
set -euo pipefail
lib="$MUSTER_BUILD/lib/muster/sim/lib64"
bad=0
complain() { echo "$1" >&2; bad=1; }

for name in ascendcl acl_rt runtime profapi ascend_hal hccl; do
    file="$lib/lib$name.so"
    exported=$(nm -D --defined-only "$file" | awk '{print $3}' | LC_ALL=C sort -u)
    wanted=$(awk -v n=$name '$1 == n {print $2}' sim/tests/symbols.txt | LC_ALL=C sort -u)
    missing=$(LC_ALL=C comm -13 <(echo "$exported") <(echo "$wanted"))
    [ -z "$missing" ] || complain "lib$name.so lacks: $missing"
    foreign=$(grep -vE '^(acl|rt|npu_sim_|Msprof|prof|hal|drv|Hccl)' <<<"$exported" || true)
    [ -z "$foreign" ] || complain "lib$name.so should not export: $foreign"
    readelf -d "$file" | grep -q "SONAME.*\[lib$name.so\]" || complain "soname of lib$name.so"
done
# what the list does not have, libhccl.so must not have either: its profilers hook by name
exported=$(nm -D --defined-only "$lib/libhccl.so" | awk '{print $3}' | LC_ALL=C sort)
[ "$exported" = "$(awk '$1 == "hccl" {print $2}' sim/tests/symbols.txt | LC_ALL=C sort)" ] ||
    complain "libhccl.so exports something else than the list says"
# the public library has no code of its own: each call goes on through the linkage table
undefined=$(nm -D --undefined-only "$lib/libascendcl.so" | awk '{print $2}')
for symbol in $(nm -D --defined-only "$lib/libascendcl.so" | awk '{print $3}'); do
    grep -qx "${symbol}Impl" <<<"$undefined" || complain "$symbol does not call ${symbol}Impl"
done
exit $bad

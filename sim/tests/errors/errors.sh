#!/usr/bin/env bash
# errors.sh - each error code of the headers is returned by a case, or listed as not reachable
set -euo pipefail
include=sim/include
bad=0
complain() {
    echo "$1" >&2
    bad=1
}

unset NPU_SIM_FAULTS NPU_SIM_FLEET NPU_SIM_CARDS NPU_SIM_SOC ASCEND_RT_VISIBLE_DEVICES
lines=$("$MUSTER_BUILD/tests/sim_errors") || complain "$(grep '^not' <<<"$lines" || echo 'no answer')"

reached=$(sed -nE 's/^[0-9]+ ([A-Z0-9_]+):.*/\1/p' <<<"$lines" | LC_ALL=C sort -u)
causeless=$(sed -nE 's/^([A-Z0-9_]+) .*/\1/p' sim/tests/errors/causeless.txt | LC_ALL=C sort)
declared=$({
    sed -nE 's/^#define (ACL_ERROR_[A-Z0-9_]+) +[1-9][0-9]*$/\1/p' \
        $include/acl/*.h $include/acl/error_codes/*.h
    sed -nE 's/^ *(HCCL_E_[A-Z0-9_]+) = .*/\1/p' $include/hccl/hccl_types.h
} | LC_ALL=C sort -u)

both=$(LC_ALL=C comm -12 <(echo "$reached") <(echo "$causeless"))
[ -z "$both" ] || complain "reached by a case, but listed as not reachable: $both"
neither=$(LC_ALL=C comm -23 <(echo "$declared") <({
    echo "$reached"
    echo "$causeless"
} | LC_ALL=C sort -u))
[ -z "$neither" ] || complain "no case and not in causeless.txt: $neither"
unknown=$(LC_ALL=C comm -13 <(echo "$declared") <(echo "$causeless"))
[ -z "$unknown" ] || complain "in causeless.txt, but in no header: $unknown"
exit $bad

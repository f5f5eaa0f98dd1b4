#!/usr/bin/env bash
# determinism.sh - the same seed counts the same in every process; another one does not
set -euo pipefail
counters="$MUSTER_BUILD/tests/sim_counters"
unset NPU_SIM_FAULTS
first=$(NPU_SIM_SEED=1 "$counters")
[ "$first" = "$(NPU_SIM_SEED=1 MALLOC_MMAP_THRESHOLD_=65536 "$counters")" ] ||
    {
        echo "two processes count differently" >&2
        exit 1
    }
[ "$first" != "$(NPU_SIM_SEED=2 "$counters")" ] ||
    {
        echo "the seed changes nothing" >&2
        exit 1
    }

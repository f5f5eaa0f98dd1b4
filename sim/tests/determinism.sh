#!/usr/bin/env bash
# determinism.sh - equal seeds give equal counters in every process, other seeds do not
set -euo pipefail
counters="$MUSTER_BUILD/tests/sim_counters"
unset NPU_SIM_FAULTS
first=$(NPU_SIM_SEED=1 "$counters")
[ "$first" = "$(NPU_SIM_SEED=1 MALLOC_MMAP_THRESHOLD_=65536 "$counters")" ] ||
    {
        echo "two processes with one seed give different counters" >&2
        exit 1
    }
[ "$first" != "$(NPU_SIM_SEED=2 "$counters")" ] ||
    {
        echo "another seed gives the same counters" >&2
        exit 1
    }

#!/usr/bin/env bash
# fused.sh - compares fused operators of the simulated NPU with definitions in Python, and replaces each argument in turn
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
unset NPU_SIM_FAULTS NPU_SIM_FLEET ASCEND_RT_VISIBLE_DEVICES ASCEND_MC2_DEBUG_MODE
export ASCEND_HOME_PATH=$MUSTER_BUILD/lib/muster/sim NPU_SIM_CARDS=8 PYTHONDONTWRITEBYTECODE=1
export LD_LIBRARY_PATH=$ASCEND_HOME_PATH/lib64
for soc in Ascend910B2 Ascend910_9391 Ascend950PR_9589; do
    NPU_SIM_SOC=$soc python3 "$here/fused.py" --chip "$soc"
    # operators of two groups need four ranks
    ranks=2
    [ "$soc" != Ascend910_9391 ] || ranks=4
    NPU_SIM_SOC=$soc python3 "$here/fused.py" --chip "$soc" --ranks "$ranks" --replace
done

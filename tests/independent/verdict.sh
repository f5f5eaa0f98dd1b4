#!/usr/bin/env bash
# verdict.sh - compares exact probabilities and intervals with fractions that Python counts
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
PYTHONDONTWRITEBYTECODE=1 python3 "$here/verdict.py" "$MUSTER_BUILD/tests/verdict_figures"

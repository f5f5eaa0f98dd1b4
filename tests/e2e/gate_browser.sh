#!/usr/bin/env bash
# gate_browser.sh - gate.html of 64 cards and 200 points in headless Chromium: tables sort,
# filter and fold, fields have tooltips, two widths, light and dark, the printed page
. "$(dirname "$0")/fleet.sh"
cd "$work"
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || {
    echo 'SKIPPED: there is no chromium; to run it: deploy/setup.sh --all'
    exit 77
}

"$B/tests/report_store" nights/store 200 64 3 nights
code=0
MUSTER_COORDINATOR='' muster gate report-2 --out nights --to gate >gated 2>gated.err || code=$?
[ "$code" -eq 4 ] || fail "the gate ended with $code: $(cat gated gated.err)"
"$root/tests/e2e/gate_browser.py" gate || fail 'the browser does not show the page as expected'
# the page of a comparison has the same fields, though its cells are sorted by verdict
code=0
MUSTER_COORDINATOR='' muster compare report-1 report-2 --out nights --to compared >compared.txt || code=$?
[ "$code" -eq 4 ] && grep -qx 'by card: 1 regressed: SN0013 of host node-1 (+6.0 %)' compared.txt || fail "$code: $(head compared.txt)"
PYTHONPATH=$root/tests/support python3 - <<'PY' || fail 'the fields of compare.html differ from those of gate.html'
from html_page import Page
pages = [Page(open(path, encoding="utf-8").read()).blocks["change-heat"]
         for path in ("gate/gate.html", "compared/compare.html")]
assert pages[0] == pages[1], [page["rows"][:5] for page in pages]
PY

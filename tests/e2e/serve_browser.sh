#!/usr/bin/env bash
# serve_browser.sh - the pages of muster serve in headless Chromium: links, keys, tables that
# the server sorts, live changes, two widths, light and dark, a server that starts again;
# with the argument `further` the timelines and comparisons instead
. "$(dirname "$0")/fleet.sh"
. "$(dirname "$0")/serve_nights.sh"
part=${1:-pages}
cd "$work"
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || {
    echo 'SKIPPED: there is no chromium; to run it: deploy/setup.sh --all'
    exit 77
}
unset MUSTER_COORDINATOR

"$B/tests/report_store" large/store 50 16 2
further=()
if [ "$part" = further ]; then
    "$B/tests/report_store" hostile/store 3 2 2 hostile
    serve_nights nights
    further=(hostile nights)
fi
"$root/tests/e2e/serve_browser.py" large "${further[@]}" || fail 'the browser does not show the pages as expected'

#!/usr/bin/env bash
# serve_browser.sh - the pages of muster serve in headless Chromium: links, keys, tables that
# the server sorts, live changes, two widths, light and dark, a server that starts again
. "$(dirname "$0")/fleet.sh"
. "$(dirname "$0")/serve_nights.sh"
cd "$work"
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || {
    echo 'SKIPPED: there is no chromium; to run it: deploy/setup.sh --all'
    exit 77
}
unset MUSTER_COORDINATOR

"$B/tests/report_store" large/store 50 16 2
"$B/tests/report_store" hostile/store 3 2 2 hostile
serve_nights nights
"$root/tests/e2e/serve_browser.py" large hostile nights || fail 'the browser does not show the pages as expected'

#!/usr/bin/env bash
# serve_viewer.sh - muster serve answers the vendor's viewer, and serves its web files
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
launch=mix-1/p0/r0/host/device0/matmul_custom/0

say 'a folder without the web files is refused'
"$B/tests/report_store" results/store 2 1 1
mkdir -p site/plugins/Timeline/static/js "results/$launch"
code=0
timeout 20 muster serve --out results --listen 127.0.0.1:0 --viewer site 2>error.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'site has no index.html; pass the folder' error.txt || fail "exit $code, $(cat error.txt)"
for wrong in 'reading gone.bin: No such file:gone.bin' 'results is not a file; pass --browse DIR:results' \
    'gone: No such file:--browse gone' 'have the same name; pass --browse:token.sh other/token.sh'; do
    mkdir -p other && touch token.sh other/token.sh
    code=0
    # shellcheck disable=SC2086 # several words
    timeout 20 muster serve --listen 127.0.0.1:0 ${wrong##*:} >address.txt 2>error.txt || code=$?
    [ "$code" -eq 2 ] && grep -qF -- "${wrong%:*}" error.txt && [ ! -s address.txt ] ||
        fail "${wrong##*:}: exit $code, $(cat error.txt)"
done

say 'web files, messages, several clients, wrong messages'
echo '<html>viewer</html>' >site/index.html
echo '<html>timeline</html>' >site/plugins/Timeline/index.html
echo 'let timeline' >site/plugins/Timeline/static/js/main.js
ln -s /etc/passwd site/link.html
cp "$root/tests/viewer/golden/mix.bin" "results/$launch/visualize_data.bin"
(umask 077 && echo 0123456789abcdefghijABCD >token)
"$root/tests/e2e/serve_viewer.py" results "/$launch/visualize_data.bin" site token || fail 'answers'

say 'broken requests and frames, 16 MiB messages, readers that read nothing'
"$root/tests/fuzz/serve_peers.py" 1 1 results "/$launch/visualize_data.bin" "$root/tests/viewer/golden/mix.json" || fail 'broken peers'

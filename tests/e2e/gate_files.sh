#!/usr/bin/env bash
# gate_files.sh - the files of muster gate: readers of their formats accept them, and
# their figures are those of muster compare; a gate in a script of three lines
. "$(dirname "$0")/nights.sh"
python=/usr/bin/python3 # the one that Debian's packages are installed for
command -v xmllint >/dev/null && $python -c 'import prometheus_client' 2>/dev/null || {
    echo 'SKIPPED: xmllint or the Prometheus client of python3 is not installed; to run it: deploy/setup.sh --all'
    exit 77
}
cd "$work"
cards='[0, 1]'
night_file clean 1 | sed "s/ids: .*]/ids: $cards/" >clean.yaml
night_file card 2 | sed "s/ids: .*]/ids: $cards/; s/NIGHT: card/NIGHT: few/" >nightly.yaml
sed -i 's/^faults:$/&\n- {fault: slow_card, card: 1, factor: 1.08, when: {NIGHT: few}}/' fleet.yaml
nights_up '0 1'
until_true muster submit clean.yaml >key 2>/dev/null
muster wait --quiet clean >/dev/null || true

say 'a script of three lines'
cat >ci.sh <<'SH'
set -e
key=$(muster submit nightly.yaml)
muster gate --quiet --to report "$key"
SH
code=0
bash ci.sh >ci.out 2>&1 || code=$?
[ "$code" -eq 4 ] || fail "the script ended with $code: $(cat ci.out)"

say 'junit.xml has the schema of its readers, and counts its cases'
for file in report/junit.xml out/*/junit.xml; do
    xmllint --noout --schema "$root/tests/e2e/junit.xsd" "$file" 2>xmllint.err || fail "$(cat xmllint.err)"
done
muster compare -o json 2 >compared || true
python3 - <<'PY' || fail "$(cat report/junit.xml)"
import json, math
import xml.etree.ElementTree as tree
root = tree.parse("report/junit.xml").getroot()
for suite in root:
    for name, element in ("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error"), ("skipped", "testcase/skipped"):
        assert int(suite.get(name)) == len(suite.findall(element)), (suite.get("name"), name)
    assert abs(float(suite.get("time")) - sum(float(case.get("time")) for case in suite)) < 0.01
assert [suite.get("name") for suite in root] == ["fleet", "accumulate_inplace", "add_custom"]
assert [case.get("name") for case in root[0]] == ["fleet", "host node0", "baseline", "tasks"]
assert "card S1 of host node0" in root[0][1].find("failure").get("message")
rows = json.load(open("compared"))["rows"]
for suite in root[1:]:
    (case,) = suite
    assert case.get("classname") == suite.get("name") and case.get("name") == "op=" + suite.get("name")
    assert float(case.get("time")) > 0 and case.find("failure").get("type") == "regressed"
    values = {p.get("name"): p.get("value") for p in case.find("properties")}
    (row,) = [r for r in rows if r["kernel"] == suite.get("name") and r["card"] == "S1"]
    assert values["verdict"] == "regressed" and values["card"] == "S1" and values["cause"] == "card", values
    assert values["simulated"] == "true" and json.load(open("report/gate.json"))["simulated"] is True, values
    assert values["against"] == "clean-1" and values["n_base"] == values["n_new"] == "7", values
    assert abs(float(values["ratio"]) - row["new"] / row["base"]) < 1e-5, (values, row)
    assert abs(float(values["low"]) - 1 - row["low_percent"] / 100) < 2e-5, (values, row)
    assert abs(float(values["p"]) - 1 / 3432) < 1e-6, values
PY

say 'metrics.txt is accepted by a reader of OpenMetrics'
$python - <<'PY' || fail "$(cat report/metrics.txt)"
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = {f.name: f.samples for f in text_string_to_metric_families(open("report/metrics.txt").read())}
assert families["muster_gate_exit_code"][0].value == 4
assert families["muster_gate_simulated"][0].value == 1
cells = {s.labels["verdict"]: s.value for s in families["muster_gate_cells"]}
assert cells["regressed"] == 2 and cells["same"] == 2 and sum(cells.values()) == 4, cells
ratios = {s.labels["kernel"]: s.value for s in families["muster_gate_worse_ratio"]}
assert set(ratios) == {"add_custom", "accumulate_inplace"} and all(1 < r < 1.08 for r in ratios.values()), ratios
PY

say 'gate.html begins with the verdict and needs no network'
grep -q '<h1[^>]*>2 points are [0-9.]* % slower, because of card S1 of host node0; not confirmed</h1>' report/gate.html || fail "$(cat report/gate.html)"
# the namespace of SVG is a name, and nothing is loaded from it
! sed 's#http://www.w3.org/2000/svg##' report/gate.html | grep -E 'https?://|src=' || fail 'gate.html loads something'
grep -q 'Simulated figures: they come from a timing model' report/gate.html || fail 'gate.html has no mark of simulated figures'
grep -q '"op=add_custom"' report/gate.html || fail 'the table of gate.html has no points'

say 'a store gives the same verdict as its coordinator'
MUSTER_COORDINATOR='' gate 4 2 --out out --to offline
grep -q 'not among the events' gated.err || fail "$(cat gated.err)"
for file in gate.json junit.xml metrics.txt gate.html; do
    cmp "report/$file" "offline/$file" || fail "$file differs"
done

say 'a base that does not exist leaves the gate undecided; a job that does not exist is an error'
gate 5 2 --against nothing --to none
prints "undecided: no baseline 'nothing', and no job of this name was done before card-2"
sed '/^compare:/d; /^gate:/d; s/^name: .*/name: alone/; s/repeat: 7/repeat: 1/' clean.yaml >alone.yaml
muster submit alone.yaml >/dev/null 2>&1
gate 2 alone
grep -q 'no key compare.against; add it, or name the base with --against' gated.err || fail "$(cat gated.err)"
gate 2 nothing
grep -q nothing gated.err || fail "$(cat gated.err)"

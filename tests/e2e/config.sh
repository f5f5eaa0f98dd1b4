#!/usr/bin/env bash
# config.sh - the precedence of the configuration files, and the errors for wrong files
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
mkdir -p etc home/.config/muster project/below
export MUSTER_ETC=$work/etc HOME=$work/home
unset XDG_CONFIG_HOME
cat >etc/muster.yaml <<'YAML'
coordinator: tcp://head:7701
output: csv
model: Ascend910B1
key: keys/host.key
YAML
printf 'output: jsonl\nmodel: Ascend910B2\nserver-key: ~/head.pub\n' >home/.config/muster/muster.yaml
printf 'model: Ascend910B3\nout: results\n' >project/.muster.yaml

value_and_origin() { muster config "$1" --origin -o jsonl | sed -E 's/.*"value":"?([^",}]*).*"origin":"([^"]*)".*/\1 \2/'; }
expect() { [ "$(value_and_origin "$1")" = "$2" ] || fail "$1: '$(value_and_origin "$1")' is not '$2'"; }
cd project/below
expect coordinator "tcp://head:7701 $work/etc/muster.yaml:1"
expect output "jsonl $work/home/.config/muster/muster.yaml:1"
expect key "$work/etc/keys/host.key $work/etc/muster.yaml:4"
expect server-key "$work/home/head.pub $work/home/.config/muster/muster.yaml:3"
expect model "Ascend910B3 $work/project/.muster.yaml:1"
expect out "$work/project/results $work/project/.muster.yaml:2"
expect cards 'null built in'
MUSTER_MODEL=Ascend950 expect model 'Ascend950 MUSTER_MODEL'
XDG_CONFIG_HOME=$work/nowhere expect output "csv $work/etc/muster.yaml:2"
[ "$(muster config output -o text | tail -n 1)" = 'output  jsonl' ] || fail 'an option does not override the files'
[ "$(muster config output)" = '{"key":"output","value":"jsonl"}' ] || fail "the output form of the file is not used: $(muster config output)"

say 'errors in a file are reported with path, line and column'
wrong() { # TEXT: muster list must exit with 2 and print TEXT; --help must still work
    local code=0
    muster list >/dev/null 2>"$work/err.txt" || code=$?
    [ "$code" -eq 2 ] && grep -qF -- "$1" "$work/err.txt" || fail "exit $code, not '$1': $(cat "$work/err.txt")"
    muster list --help | grep -q '^usage: muster list' || fail '--help fails with a wrong file'
}
cd "$work/project"
echo 'ouptut: csv' >.muster.yaml
wrong "$work/project/.muster.yaml:1:1: unknown key 'ouptut' (did you mean 'output'?)"
printf '\noutput: [csv]\n' >.muster.yaml
wrong "$work/project/.muster.yaml:2:9: value of 'output' must be a non-empty text"
echo 'output: xml' >.muster.yaml
wrong "$work/project/.muster.yaml:1: --output: 'xml' is not one of: text, json, jsonl, csv"
echo '- output' >.muster.yaml
wrong 'the file must be a map of keys and values'
echo 'cards: many' >.muster.yaml
code=0
muster run no.yaml 2>"$work/err.txt" || code=$?
[ "$code" -eq 2 ] && grep -q "cards: 'many' is not a whole number" "$work/err.txt" || fail "cards: $(cat "$work/err.txt")"

say 'a project file that other users can write to is ignored'
echo 'output: json' >.muster.yaml
chmod 666 .muster.yaml
expect output "jsonl $work/home/.config/muster/muster.yaml:1" 2>/dev/null
muster config output 2>&1 >/dev/null | grep -q '.muster.yaml is ignored' || fail 'no message about the ignored file'
chmod 644 .muster.yaml
expect output "json $work/project/.muster.yaml:1"

#!/usr/bin/env bash
# config.sh - which of several places wins, and what is said of files that are wrong
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

told() { muster config "$1" --origin -o jsonl | sed -E 's/.*"value":"?([^",}]*).*"origin":"([^"]*)".*/\1 \2/'; }
expect() { [ "$(told "$1")" = "$2" ] || fail "$1: '$(told "$1")' is not '$2'"; }
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
[ "$(muster config output -o text | tail -n 1)" = 'output  jsonl' ] || fail 'what is typed is the strongest'
[ "$(muster config output)" = '{"key":"output","value":"jsonl"}' ] || fail "a file's form is not taken: $(muster config output)"

say 'what is wrong is told with its place'
wrong() { # WORDS: exit 2, and the words; the help is given even so
    local code=0
    muster list >/dev/null 2>"$work/err.txt" || code=$?
    [ "$code" -eq 2 ] && grep -qF -- "$1" "$work/err.txt" || fail "exit $code, not '$1': $(cat "$work/err.txt")"
    muster list --help | grep -q '^usage: muster list' || fail 'no help'
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

say 'a project file that others could have written is not read'
echo 'output: json' >.muster.yaml
chmod 666 .muster.yaml
expect output "jsonl $work/home/.config/muster/muster.yaml:1" 2>/dev/null
muster config output 2>&1 >/dev/null | grep -q '.muster.yaml is ignored' || fail 'no message about the ignored file'
chmod 644 .muster.yaml
expect output "json $work/project/.muster.yaml:1"

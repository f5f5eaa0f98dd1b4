#!/usr/bin/env bash
# commands.sh - the help, the manual page and the completions of every verb name the same
# options, and the verb takes each of them
. "$(dirname "$0")/fleet.sh"
cd "$work"
muster help --write share || fail 'muster help --write'
mapfile -t commands < <(muster help | sed -n 's/^  \([a-z]*\)  .*/\1/p')

say 'what each shell makes of it'
for shell in bash zsh fish; do
    muster completion "$shell" >"completion.$shell" || fail "muster completion $shell"
    for tool in $shell; do
        command -v "$tool" >/dev/null || {
            echo "SKIPPED: $tool is not installed, so its completion file was not run"
            continue
        }
        "$tool" -n "completion.$shell" 2>err.txt && [ ! -s err.txt ] || fail "$tool cannot read it: $(cat err.txt)"
    done
done
mkdir asked
(
    . ./completion.bash
    ask() { # WORD... -> what bash would offer for the last one
        COMP_WORDS=(muster "$@") COMP_CWORD=$#
        _muster
        printf '%s\n' "${COMPREPLY[@]}"
    }
    ask '' >asked/verbs
    for verb in "${commands[@]}"; do ask "$verb" - >"asked/$verb"; done
    ask list --output '' >asked/forms
    ask capture '' >asked/actions
    touch a_job.yaml
    ask run a_j >asked/files
)
[ "$(tr '\n' ' ' <asked/forms)" = 'text json jsonl csv ' ] || fail "forms: $(cat asked/forms)"
grep -qx salvage asked/actions || fail "actions of capture: $(cat asked/actions)"
[ "$(cat asked/files)" = a_job.yaml ] || fail "files: $(cat asked/files)"
command -v man >/dev/null || echo 'SKIPPED: man is not installed, so no manual page was formatted'
if command -v fish >/dev/null; then
    HOME=$work fish -c 'source completion.fish; complete -C "muster list --"' >asked/fish
    for option in --output --coordinator --out; do
        grep -q -- "^$option" asked/fish || fail "fish does not offer $option: $(cat asked/fish)"
    done
fi

say 'all of them agree'
for verb in "${commands[@]}"; do
    muster "$verb" --help >"asked/$verb.help"
    muster help --man "$verb" >"asked/$verb.man"
    cmp "asked/$verb.man" "share/man/man1/muster-$verb.1" || fail "two pages of $verb"
    if command -v man >/dev/null; then
        MANWIDTH=80 man -l --warnings "asked/$verb.man" 2>err.txt >page.txt && [ ! -s err.txt ] ||
            fail "the page of $verb: $(cat err.txt)"
        grep -q "muster-$verb" page.txt || fail "the page of $verb is empty"
    fi
done
muster-parser --man >parser.man
if command -v man >/dev/null; then
    MANWIDTH=80 man -l --warnings parser.man 2>err.txt >page.txt && [ ! -s err.txt ] || fail "muster-parser(1): $(cat err.txt)"
fi
for option in $(muster-parser --help | sed -n 's/^ .* \(--[a-z-]*\) .*/\1/p' | sort -u); do
    grep -qF -- "${option//-/\\-}" parser.man || fail "muster-parser(1) does not have $option"
done
cmp completion.bash share/bash-completion/completions/muster || fail 'two files for bash'
cmp completion.zsh share/zsh/site-functions/_muster || fail 'two files for zsh'
cmp completion.fish share/fish/vendor_completions.d/muster.fish || fail 'two files for fish'
python3 - "${commands[@]}" <<'PY' >options.txt || fail 'they differ'
import re, sys
verbs = sys.argv[1:]
zsh = open("completion.zsh").read()
fish = open("completion.fish").read().splitlines()
assert sorted(open("asked/verbs").read().split()) == sorted(verbs)
assert sorted(re.findall(r"^        '([a-z]+):", zsh.split("_describe")[0], re.M)) == sorted(verbs)
assert sorted(re.findall(r"__fish_use_subcommand -a (\S+)", "\n".join(fish))) == sorted(verbs)
overview = open("share/man/man1/muster.1").read()
for verb in verbs:
    said = {}
    for letter, name, value in re.findall(r"^  (?:-(\w), |    )--([a-z-]+)(?: ([A-Z]\S*))?  ",
                                          open(f"asked/{verb}.help").read(), re.M):
        said[name] = (letter, value)
    page = open(f"asked/{verb}.man").read()
    manual = {}
    for line in re.findall(r"^\.TP\n(\\fB\\-.*)$", page, re.M):
        line = re.sub(r"\\f[BRI]", "", line).replace("\\-", "-")
        letter, name, value = re.fullmatch(r"(?:-(\w), )?--([a-z-]+)(?: (\S+))?", line).groups("")
        manual[name] = (letter, value)
    assert manual == said, (verb, manual, said)
    offered = set(open(f"asked/{verb}").read().split())
    wanted = {"--" + name for name in said} | {"-" + letter for letter, _ in said.values() if letter}
    assert offered == wanted, (verb, offered, wanted)
    block = re.search(rf"^    {verb}\)\n(.*?)\n        ;;", zsh, re.M | re.S).group(1)
    names = {}
    for short, long, valued in re.findall(r"^        '[*]?\(-(\w) --([a-z-]+)\)'\{-\w[+]?,--[a-z-]+(=?)\}", block, re.M):
        names[long] = (short, bool(valued))
    for long, valued in re.findall(r"^        '[*]?--([a-z-]+)(=?)\[", block, re.M):
        names[long] = ("", bool(valued))
    assert names == {n: (l, bool(v)) for n, (l, v) in said.items()}, (verb, names, said)
    names = {}
    for line in fish:
        if f"__fish_seen_subcommand_from {verb}'" in line and " -l " in line:
            long = re.search(r" -l (\S+)", line).group(1)
            short = re.search(r" -s (\w)", line)
            head = line.split(" -d '")[0]
            names[long] = (short.group(1) if short else "", " -x" in head or " -r" in head)
    assert names == {n: (l, bool(v)) for n, (l, v) in said.items()}, (verb, names, said)
    assert f"muster\\-{verb}(1)" in overview, verb
    for name, (_, value) in said.items():
        print(verb, name, "value" if value else "flag")
PY
[ "$(wc -l <options.txt)" -ge 100 ] || fail "only so many options: $(wc -l <options.txt)"

say 'and the verb itself takes them so'
while read -r verb name kind; do
    code=0
    if [ "$kind" = flag ]; then
        muster "$verb" "--$name=1" >/dev/null 2>err.txt || code=$?
        words='takes no value'
    else
        muster "$verb" "--$name" >/dev/null 2>err.txt || code=$?
        words='needs a value'
    fi
    [ "$code" -eq 2 ] && grep -q "$words" err.txt || fail "$verb --$name: exit $code, $(cat err.txt)"
done <options.txt

say 'what the documents tell to type can be typed'
python3 - "$root" "${commands[@]}" <<'PY' || fail 'a document'
import glob, re, sys
root, verbs = sys.argv[1], sys.argv[2:]
options = {verb: {"--help", "-h"} for verb in verbs}
for line in open("options.txt"):
    verb, name, _ = line.split()
    options[verb].add("--" + name)
seen = 0
for path in [root + "/README.md"] + glob.glob(root + "/docs/**/*.md", recursive=True) + glob.glob(root + "/deploy/*/*.md"):
    is_block = False # of code: between two lines that start with ```
    for line in open(path):
        if line.startswith("```"):
            is_block = not is_block
        said = [] if is_block else re.findall(r"`muster ([a-z]+)([^`]*)`", line)
        if is_block or line.startswith("    "):
            said += re.findall(r"(?:^ *|bin/)muster ([a-z]+)([^#|]*)", line)
        for verb, rest in said:
            assert verb in verbs, (path, line)
            wrong = set(re.findall(r"(?<=\s)--[a-z-]+", rest.split(" -- ")[0])) - options[verb]
            assert not wrong, (path, line, wrong)
            seen += 1
assert seen >= 30, seen
PY

#!/usr/bin/env bash
# commands.sh - help, manual page and completions of every command have the same options,
# the command accepts them, and the documents use only existing commands and options
. "$(dirname "$0")/fleet.sh"
cd "$work"
muster help --write share || fail 'muster help --write'
mapfile -t commands < <(muster help | sed -n 's/^  \([a-z]*\)  .*/\1/p')

say 'each shell accepts its completion file'
for shell in bash zsh fish; do
    muster completion "$shell" >"completion.$shell" || fail "muster completion $shell"
    for tool in $shell; do
        command -v "$tool" >/dev/null || {
            echo "SKIPPED: $tool is not installed, so its completion file was not run; to run it: deploy/setup.sh --all"
            continue
        }
        "$tool" -n "completion.$shell" 2>err.txt && [ ! -s err.txt ] || fail "$tool refuses its completion file: $(cat err.txt)"
    done
done
mkdir offered
(
    . ./completion.bash
    complete_words() { # WORD...: prints the completions that bash offers for the last word
        COMP_WORDS=(muster "$@") COMP_CWORD=$#
        _muster
        printf '%s\n' "${COMPREPLY[@]}"
    }
    complete_words '' >offered/command_names
    for command in "${commands[@]}"; do complete_words "$command" - >"offered/$command"; done
    complete_words list --output '' >offered/forms
    complete_words capture '' >offered/actions
    touch a_job.yaml
    complete_words run a_j >offered/files
    . ./share/bash-completion/completions/muster-worker
    COMP_WORDS=(muster-worker --spo) COMP_CWORD=1
    _muster_program muster-worker
    printf '%s\n' "${COMPREPLY[@]}" >offered/worker_options
    complete -p muster-worker muster-coordinator >offered/programs
)
[ "$(cat offered/worker_options)" = $'--spool\n--spool-limit' ] || fail "muster-worker: $(cat offered/worker_options)"
grep -q -- '-F _muster_program muster-worker' offered/programs || fail "programs: $(cat offered/programs)"
[ "$(tr '\n' ' ' <offered/forms)" = 'text json jsonl csv ' ] || fail "forms: $(cat offered/forms)"
grep -qx salvage offered/actions || fail "actions of capture: $(cat offered/actions)"
[ "$(cat offered/files)" = a_job.yaml ] || fail "files: $(cat offered/files)"
command -v man >/dev/null || echo 'SKIPPED: man is not installed, so no manual page was formatted; to run it: deploy/setup.sh --all'
if command -v fish >/dev/null; then
    HOME=$work fish -c 'source completion.fish; complete -C "muster list --"' >offered/fish
    for option in --output --coordinator --out; do
        grep -q -- "^$option" offered/fish || fail "fish does not offer $option: $(cat offered/fish)"
    done
fi

say 'an option that the action or the data does not use is refused, not ignored'
mkdir raw
touch capture.iidb
echo '{version: 1, name: a, operator: {command: [/bin/true]}}' >job.yaml
unused() { # OPTION COMMAND...: the command refuses the option
    local code=0
    muster "${@:2}" >unused.txt 2>&1 || code=$?
    [ "$code" -eq 2 ] && grep -q -- "^muster $2: --$1 has no effect with " unused.txt || fail "${*:2}: exit $code: $(cat unused.txt)"
}
for action in ls cat verify export import salvage; do
    for option in vendor iree run rank launch; do unused $option capture $action --$option 1 capture.iidb other; done
done
for action in list show drop split quarantine; do
    for option in '--frozen' '--keep 7'; do
        # shellcheck disable=SC2086 # an option and its value
        unused "$(expr "$option" : '--\([a-z]*\)')" baseline $action nightly $option
    done
done
unused at baseline set nightly a-1 --at=a-1
unused until baseline show nightly --until 3
unused part baseline list --part nights
for action in list pause resume remove; do
    for option in nodes cards-per-node resource time-limit idle backlog most model; do unused $option alloc $action q --$option 3; done
    unused here alloc $action q --here
done
unused allocations alloc add q -a
unused nodes alloc node c --nodes 2
unused cards expand --cards 4 job.yaml
unused coordinator expand -c ipc://nothing job.yaml
unused limit expand --forecast -n1 job.yaml
unused archive selftest --archive x
unused program selftest --program x
unused against gang a-1 cards --against a-2
for option in soc kernel core-id; do unused $option import raw --$option 1; done
unused explain inspect --json --explain job.yaml

say 'help, manual pages and completions have the same options'
for command in "${commands[@]}"; do
    muster "$command" --help >"offered/$command.help"
    muster help --man "$command" >"offered/$command.man"
    cmp "offered/$command.man" "share/man/man1/muster-$command.1" || fail "two different pages of $command"
    if command -v man >/dev/null; then
        MANWIDTH=80 man -l --warnings "offered/$command.man" 2>err.txt >page.txt && [ ! -s err.txt ] ||
            fail "the page of $command: $(cat err.txt)"
        grep -q "muster-$command" page.txt || fail "the page of $command is empty"
    fi
done
page=$root/docs/reference/muster-job.5
[ "$(grep -c '^\.TP$' "$page")" -eq "$(grep -c '^| `' "$root/docs/reference/job-keys.md")" ] || fail 'muster-job(5) has other keys than job-keys.md'
grep -A 3 -Fx '.B operator.blocks' "$page" | tail -n 1 | grep -qx 'Value: integer or string; default: 1; also in overrides.' ||
    fail "muster-job(5): $(grep -A 3 -Fx '.B operator.blocks' "$page")"
if command -v man >/dev/null; then
    MANWIDTH=80 man -l --warnings "$page" 2>err.txt >page.txt && [ ! -s err.txt ] || fail "muster-job(5): $(cat err.txt)"
fi
muster-parser --man >parser.man
if command -v man >/dev/null; then
    MANWIDTH=80 man -l --warnings parser.man 2>err.txt >page.txt && [ ! -s err.txt ] || fail "muster-parser(1): $(cat err.txt)"
fi
for option in $(muster-parser --help | sed -n 's/^ .* \(--[a-z-]*\) .*/\1/p' | sort -u); do
    grep -qF -- "${option//-/\\-}" parser.man || fail "muster-parser(1) does not have $option"
done
cmp completion.bash share/bash-completion/completions/muster || fail 'two different files for bash'
cmp completion.zsh share/zsh/site-functions/_muster || fail 'two different files for zsh'
cmp completion.fish share/fish/vendor_completions.d/muster.fish || fail 'two different files for fish'
python3 - "${commands[@]}" <<'PY' >options.txt || fail 'the lists of options differ'
import re, sys
command_names = sys.argv[1:]
zsh = open("completion.zsh").read()
fish = open("completion.fish").read().splitlines()
assert sorted(open("offered/command_names").read().split()) == sorted(command_names)
assert sorted(re.findall(r"^        '([a-z]+):", zsh.split("_describe")[0], re.M)) == sorted(command_names)
assert sorted(re.findall(r"__fish_use_subcommand -a (\S+)", "\n".join(fish))) == sorted(command_names)
overview = open("share/man/man1/muster.1").read()
for command in command_names:
    help_options = {}
    for letter, name, value in re.findall(r"^  (?:-(\w), |    )--([a-z-]+)(?: ([A-Z]\S*))?  ",
                                          open(f"offered/{command}.help").read(), re.M):
        help_options[name] = (letter, value)
    page = open(f"offered/{command}.man").read()
    manual = {}
    for line in re.findall(r"^\.TP\n(\\fB\\-.*)$", page, re.M):
        line = re.sub(r"\\f[BRI]", "", line).replace("\\-", "-")
        letter, name, value = re.fullmatch(r"(?:-(\w), )?--([a-z-]+)(?: (\S+))?", line).groups("")
        manual[name] = (letter, value)
    assert manual == help_options, (command, manual, help_options)
    offered = set(open(f"offered/{command}").read().split())
    expected = {"--" + name for name in help_options} | {"-" + letter for letter, _ in help_options.values() if letter}
    assert offered == expected, (command, offered, expected)
    block = re.search(rf"^    {command}\)\n(.*?)\n        ;;", zsh, re.M | re.S).group(1)
    names = {}
    for short, long, valued in re.findall(r"^        '[*]?\(-(\w) --([a-z-]+)\)'\{-\w[+]?,--[a-z-]+(=?)\}", block, re.M):
        names[long] = (short, bool(valued))
    for long, valued in re.findall(r"^        '[*]?--([a-z-]+)(=?)\[", block, re.M):
        names[long] = ("", bool(valued))
    assert names == {n: (l, bool(v)) for n, (l, v) in help_options.items()}, (command, names, help_options)
    names = {}
    for line in fish:
        if f"__fish_seen_subcommand_from {command}'" in line and " -l " in line:
            long = re.search(r" -l (\S+)", line).group(1)
            short = re.search(r" -s (\w)", line)
            head = line.split(" -d '")[0]
            names[long] = (short.group(1) if short else "", " -x" in head or " -r" in head)
    assert names == {n: (l, bool(v)) for n, (l, v) in help_options.items()}, (command, names, help_options)
    assert f"muster\\-{command}(1)" in overview, command
    for name, (_, value) in help_options.items():
        print(command, name, "value" if value else "flag")
PY
[ "$(wc -l <options.txt)" -ge 100 ] || fail "fewer than 100 options: $(wc -l <options.txt)"

say 'each command accepts its options with or without a value, as documented'
while read -r command name kind; do
    code=0
    if [ "$kind" = flag ]; then
        muster "$command" "--$name=1" >/dev/null 2>err.txt || code=$?
        words='takes no value'
    else
        muster "$command" "--$name" >/dev/null 2>err.txt || code=$?
        words='needs a value'
    fi
    [ "$code" -eq 2 ] && grep -q "$words" err.txt || fail "$command --$name: exit $code, $(cat err.txt)"
done <options.txt

say 'the commands and options in the documents exist'
python3 - "$root" "${commands[@]}" <<'PY' || fail 'a document uses a wrong command or option'
import glob, re, sys
root, command_names = sys.argv[1], sys.argv[2:]
options = {command: {"--help", "-h"} for command in command_names}
for line in open("options.txt"):
    command, name, _ = line.split()
    options[command].add("--" + name)
seen = 0
for path in [root + "/README.md"] + glob.glob(root + "/docs/**/*.md", recursive=True) + glob.glob(root + "/deploy/*/*.md"):
    is_block = False # inside a code block between lines that start with ```
    for line in open(path):
        if line.startswith("```"):
            is_block = not is_block
        uses = [] if is_block else re.findall(r"`muster ([a-z]+)([^`]*)`", line)
        if is_block or line.startswith("    "):
            uses += re.findall(r"(?:^ *|bin/)muster ([a-z]+)([^#|]*)", line)
        for command, rest in uses:
            assert command in command_names, (path, line)
            wrong = set(re.findall(r"(?<=\s)--[a-z-]+", rest.split(" -- ")[0])) - options[command]
            assert not wrong, (path, line, wrong)
            seen += 1
assert seen >= 30, seen
PY

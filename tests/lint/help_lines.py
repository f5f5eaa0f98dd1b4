#!/usr/bin/env python3
"""help_lines.py - checks the help that the built programs print

usage: help_lines.py BUILD PROGRAM...

Each summary of a command and each option begins with a capital letter. An option that
takes a value names its default, as '(default: 10s)', or is marked '(required)'. Each
command has an example, and the options of its examples exist.
"""

import re
import subprocess
import sys

OPTION = re.compile(r"^  (?:-\w, |    )--([\w-]+)(?: (\S.*?))?  +(\S.*)$")
COMMAND = re.compile(r"^  ([a-z][\w-]*)  +(\S.*)$")
PROGRAMS = {"coordinator", "worker"}  # these print the help of another program
DEFAULT = re.compile(r"\((?:.*; )?(?:default[: ]|required)")


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()


def check_options(title, text):
    """Yields a message for each option line that breaks a rule."""
    entries = []
    for line in text.splitlines():
        match = OPTION.match(line)
        if match:
            entries.append(list(match.groups()))
        elif entries and re.match(r"^ {12,}\S", line):
            entries[-1][2] += " " + line.strip()
    for name, value, text in entries:
        if not re.match(r"[A-Z0-9]", text):
            yield f"{title} --{name}: '{text}' does not begin with a capital letter"
        if value and not DEFAULT.search(text):
            yield f"{title} --{name} {value}: '{text}' names no default; write (default: ...) or (required)"


def check_examples(command, text):
    """Yields a message when a command has no example, or one with an unknown option."""
    examples = re.findall(rf"^ +(?:[A-Z_]+=\S+ )*muster {command}( .*)?$", text, re.M)
    if not examples:
        yield f"muster {command}: the help has no example"
    known = {match.group(1) for match in map(OPTION.match, text.splitlines()) if match}
    for example in examples:
        own = re.sub(r"'[^']*'", "", example.split(" -- ")[0])
        for name in re.findall(r"(?<=\s)--([a-z][\w-]*)", own):
            if name not in known:
                yield f"muster {command}: the example '{example.strip()}' has the unknown option --{name}"


def check_program(build, program):
    path = f"{build}/bin/{program}"
    if program != "muster":
        yield from check_options(program, output_of(path, "--help"))
        return
    commands = []
    for line in output_of(path, "help").splitlines():
        match = COMMAND.match(line)
        if match:
            commands.append(match.group(1))
            if not match.group(2)[0].isupper():
                yield f"muster help: '{match.group(0).strip()}' does not begin with a capital letter"
    if len(commands) < 20:
        yield f"muster help lists only {len(commands)} commands; has its form changed?"
    for command in commands:
        text = output_of(path, command, "--help")
        words = text.splitlines()[1:2]
        if words and words[0] and not words[0][0].isupper():
            yield f"muster {command} --help: '{words[0]}' does not begin with a capital letter"
        yield from check_options(f"muster {command}", text)
        if command not in PROGRAMS:
            yield from check_examples(command, text)


def main():
    build, programs = sys.argv[1], sys.argv[2:]
    messages = [m for program in programs for m in check_program(build, program)]
    for message in messages:
        print(message, file=sys.stderr)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())

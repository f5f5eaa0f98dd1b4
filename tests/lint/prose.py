#!/usr/bin/env python3
"""prose.py - finds words and phrases that this project has misused

usage: prose.py [--root FOLDER] [--counts] [FOLDER...]

Reads comments, texts of at least three words, documents and the names in C files. Prints
each finding as FILE:LINE: with the reason, and ends with 1 when there is one. With
FOLDER only files below these folders are read; a file's path is allowed, too.
--counts prints the number of findings per folder instead, and always ends with 0.

A folder that has been rewritten is listed in tests/lint/prose_clean.txt. Without FOLDER
the program reads the folders of this list. The list may only grow.
"""

import argparse
import os
import re
import subprocess
import sys

from project_files import project_files

CLEAN_LIST = "tests/lint/prose_clean.txt"
MAX_SUBJECT = 72
# Commits up to this one are not checked: some are older than the limit, few exceed it.
SUBJECTS_AFTER = "1924d90"
# These files quote the words: the rules, the test that breaks them, the glossary, and the
# list of tables, whose names must not change.
QUOTING = (
    "tests/lint/prose.py", "tests/lint/rules_fail_when_broken.sh",
    "docs/glossary.md", "docs/dev/style.md", "docs/reference/store-schema.md",
    "lib/store/schema.c", "lib/store/schema_test.c", "lib/store/schema_page.c",
)

# (pattern, reason). Patterns ignore case and are applied to prose only. The first PERSONS
# patterns are not applied to documents, which also write about people.
PERSONS = 2
PHRASES = [
    (r"\b(nobody|somebody|anybody|everybody|no one|someone|anyone|everyone)\b",
     "name the program, file or person that is meant"),
    (r"\b(who|whom|whoever)\b", "name the subject: 'the worker that ...', not 'who ...'"),
    (r"\bwhose (it|they)\b", "name the owner"),
    (r"\b(knows|knew|(does|do|did|may|can|must) not know|they know)\b",
     "a program or a file stores, reads or receives; it does not know"),
    (r"\b(wants|wanted)\b", "a program or a file needs or requests; it does not want"),
    (r"\b(tells|told|is to tell|to tell (it|them))\b",
     "a program sends, prints, returns or reports; it does not tell"),
    (r"\b(says|said)\b", "a program prints, returns or reports; it does not say"),
    (r"\b(hears|heard)\b", "a program receives or reads; it does not hear"),
    (r"\b(who|is|are|was|were|be|been) asked\b|\bwho asks\b",
     "name the program that sends the request"),
    (r"\b(comes? home|came home|is home|are home|at home|goes home)\b",
     "acknowledged, stored or returned"),
    (r"\b(stands|stood) (in|on|at|by|beside|below|above|there|here|under|before|behind)\b|\bwhat stands\b",
     "a text or a file is, lies or has; it does not stand"),
    (r"\b(lives|lived) (in|on|at|by|beside|below|above|there|here|under|with)\b",
     "a thing is or exists; it does not live"),
    (r"\b(forgives?|forgiven|owes?|owed|hopes?|hoped|believes?|believed|remembers|remembered)\b",
     "programs and data have no feelings"),
    (r"\b(go|goes|went|gone) (by|their|its) (own|way)\b", "say what happens"),
    (r"\b(anew|hitherto|henceforth|thereof|wherein|whereof)\b", "use a common word"),
    (r"\b(go|goes|going|went|gone) away\b", "ends, disconnects or exits"),
    (r"\bin hand\b", "name the list or the state"),
    (r"\b(talks?|talked|speaks?|spoke) (to|with)\b", "connects to, or exchanges messages with"),
    (r"\b(makes?|made) (its|their) peace\b|\bso that it cannot lie\b", "no images"),
    (r"\bas (good|much) as (it|they) can\b", "say what is done and what is left out"),
    (r"\b(guests?|rendezvous|meeting|seats?|monkey|turmoil|tidings|crew|kin|doors?|books)\b",
     "a retired word: the glossary has the term"),
]
# A comment is not a clause: it has a subject and a verb.
OPENINGS = re.compile(
    r"^(?:\w+\.[ch] - |[\w.]+\.(?:sh|py|cmake) - )?"
    r"([Ww]hat|where|[Ii]t|[Oo]ne (?:that|who|which|of|more)|those|[Tt]hey|[Ww]hatever|how it|why it)\b(?!-)"
)
# Parts of names in C files, divided at underscores.
RETIRED_NAMES = {
    "guest": "inject, or the operator", "guests": "inject, or operators",
    "meeting": "barrier", "rendezvous": "inject_server, or barrier", "seat": "rank, or member",
    "seats": "ranks, or members", "verb": "command", "wish": "options, or request",
    "door": "listener", "ears": "receiver", "crew": "child_pool", "kin": "leftover",
    "tidings": "reports", "told": "sent, or printed", "heard": "received", "tell": "send, or print",
    "hear": "receive", "forgiven": "retries", "forgive": "clear", "monkey": "random_kills",
    "turmoil": "stress", "stranger": "unauthorized_peer",
    "gather": "group_receiver, or group_builder", "nobody": "none", "asker": "client",
    "who": "peer, or the name of the role", "teller": "sender",
}
ARGUMENTS_OF_PRINTF = re.compile(r"%[-+ #0-9.*]*(hh|h|ll|l|z|j|t|L)?[a-zA-Z]")

C_TOKEN = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*", re.S
)
SHELL_TOKEN = re.compile(r"(?:(?<=\s)|^)#[^\n]*|\"(?:\\.|[^\"\\])*\"|'[^']*'", re.M)
HASH_FILES = (".sh", ".py", ".cmake", ".yaml", ".yml", ".service", ".timer", ".conf", ".socket")


def c_segments(source):
    """Yields (kind, position, text); kind is comment, text or name."""
    tokens, last_end, last_kind = [], 0, ""
    for match in C_TOKEN.finditer(source):
        token = match.group(0)
        line_start = source.rfind("\n", 0, match.start()) + 1
        if token.startswith('"'):
            if source[line_start:match.start()].lstrip().startswith("#include"):
                continue
            if last_kind == "text" and not source[last_end:match.start()].strip():
                kind, start, text = tokens.pop()
                tokens.append((kind, start, text + token[1:-1]))
            else:
                tokens.append(("text", match.start(), token[1:-1]))
            last_kind, last_end = "text", match.end()
        elif token.startswith(("/*", "//")):
            tokens.append(("comment", match.start(), token))
            last_kind = "comment"
        elif not token.startswith("'"):
            if source[line_start:match.start()].lstrip().startswith("#include"):
                continue
            tokens.append(("name", match.start(), token))
            last_kind = "name"
    return tokens


def hash_segments(source):
    for match in SHELL_TOKEN.finditer(source):
        token = match.group(0)
        if token.startswith("#"):
            yield "comment", match.start(), token
        else:
            yield "text", match.start(), token[1:-1]


def markdown_segments(source):
    blank = re.sub(r"```.*?```", lambda m: re.sub(r"[^\n]", " ", m.group(0)), source, flags=re.S)
    position = 0
    blank = re.sub(r"`[^`\n]*`", lambda m: " " * len(m.group(0)), blank)
    for line in blank.splitlines(keepends=True):
        yield "document", position, line
        position += len(line)


def segments_of(file, source):
    if file.endswith((".c", ".h", ".cpp")):
        return c_segments(source)
    if file.endswith(".md"):
        return markdown_segments(source)
    name = os.path.basename(file)
    if file.endswith(HASH_FILES) or name in ("CMakeLists.txt", "Makefile", "run"):
        return hash_segments(source)
    return ()


def plain_text(kind, text):
    if kind == "comment":
        text = re.sub(r"^(/\*+|//+|#+!?)", "", text)
        text = re.sub(r"\*+/$", "", text)
        text = re.sub(r"(?m)^([ \t]*)[*#]( |$)", r"\1 ", text)
    return ARGUMENTS_OF_PRINTF.sub("X", text.replace("\\n", " "))


COMPILED = [(re.compile(pattern, re.I), reason) for pattern, reason in PHRASES]


def check_name(name):
    """Names of mixed case belong to foreign interfaces, such as MPI_Gather, and
    all-gather is the name of a collective."""
    if name not in (name.lower(), name.upper()) or "all_gather" in name.lower():
        return
    for part in name.lower().split("_"):
        if part in RETIRED_NAMES:
            yield f"name '{name}': '{part}' is retired; use {RETIRED_NAMES[part]}"


def check_prose(kind, text):
    """Yields (offset in text, message)."""
    plain = plain_text(kind, text)
    if kind == "text" and len(plain.split()) < 3:
        return
    if kind == "comment":
        match = OPENINGS.match(plain.strip())
        if match:
            yield 0, f"a comment begins with '{match.group(1)}'; name the subject"
    flat = text.replace("\n", " ")
    for pattern, reason in COMPILED[PERSONS if kind == "document" else 0:]:
        for match in pattern.finditer(flat):
            yield match.start(), f"'{match.group(0)}': {reason}"


def findings(root, file):
    if file in QUOTING:
        return
    try:
        with open(os.path.join(root, file), encoding="utf-8") as stream:
            source = stream.read()
    except (UnicodeDecodeError, FileNotFoundError):
        return
    names = set()
    for kind, start, text in segments_of(file, source):
        line = source.count("\n", 0, start) + 1
        if kind == "name":
            if text not in names:
                names.add(text)
                for message in check_name(text):
                    yield line, message
            continue
        for offset, message in check_prose(kind, text):
            yield line + text.count("\n", 0, offset), message


def read_clean_list(root):
    path = os.path.join(root, CLEAN_LIST)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as stream:
        return [line.strip() for line in stream if line.strip() and line[0] != "#"]


def long_subjects(root):
    result = subprocess.run(
        ["git", "log", "--no-merges", "--format=%h %s", f"{SUBJECTS_AFTER}..HEAD"],
        cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )
    if result.returncode != 0:  # another history, or a shallow one
        return []
    lines = result.stdout.decode().splitlines()
    return [line for line in lines if len(line.split(" ", 1)[1]) > MAX_SUBJECT]


def is_below(file, folder):
    return file == folder or file.startswith(folder + "/")


def print_counts(root, files):
    counts = {}
    for file in files:
        folder = os.path.dirname(file) or "."
        counts[folder] = counts.get(folder, 0) + sum(1 for _ in findings(root, file))
    for folder in sorted(counts):
        print(f"{counts[folder]:6} {folder}")
    print(f"{sum(counts.values()):6} in all")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--root", default=".", help="Folder of the project (default: .).")
    parser.add_argument("--counts", action="store_true", help="Print findings per folder.")
    parser.add_argument("folders", nargs="*", help="Folders to read (default: the clean ones).")
    options = parser.parse_args()

    files = project_files(options.root)
    folders = [folder.rstrip("/") for folder in options.folders]
    if options.counts:
        print_counts(options.root, [f for f in files if not folders or any(is_below(f, d) for d in folders)])
        return 0
    bad = 0
    if not folders:
        folders = read_clean_list(options.root)
        for line in long_subjects(options.root):
            print(f"commit {line}: the subject is longer than {MAX_SUBJECT} characters", file=sys.stderr)
            bad += 1
    for folder in folders:
        if folder != "." and not any(is_below(f, folder) for f in files):
            print(f"{folder}: no such folder", file=sys.stderr)
            bad += 1
    for file in files:
        if "." in folders or any(is_below(file, folder) for folder in folders):
            for line, message in findings(options.root, file):
                print(f"{file}:{line}: {message}", file=sys.stderr)
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

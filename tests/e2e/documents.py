#!/usr/bin/env python3
"""documents.py - runs the command blocks of the documents as they are printed

usage: documents.py [PAGE...]   (default: all pages of document_tables.py)

A block is a run of indented lines, or a fence without a language or with `sh`. Each command
of a block runs, in the order of the page, in one shell with a folder of its own. The tables
of document_tables.py name the commands that cannot run here, with the reason, and what
else differs from "it ends with 0". A row of a table that matches nothing is an error.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
import document_tables  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Block:
    def __init__(self, line, language):
        self.line, self.language, self.lines = line, language, []

    def text(self):
        return ''.join(line + '\n' for line in self.lines)

    def dedent(self):
        """Removes the further indentation of a block below an item of a list."""
        self.lines = textwrap.dedent(self.text()).rstrip('\n').split('\n')


def read_blocks(path):
    """Returns the blocks of a page. `language` is None for an indented block."""
    blocks, block, before = [], None, ''
    with open(path, encoding='utf-8') as page:
        for number, line in enumerate(page.read().split('\n'), 1):
            if block and block.language is not None:
                if line.startswith('```'):
                    block = None
                else:
                    block.lines.append(line)
            elif line.startswith('```'):
                block = Block(number + 1, line[3:].strip())
                blocks.append(block)
            elif line.startswith('    ') and (block or not before.strip()):
                if not block:
                    block = Block(number, None)
                    blocks.append(block)
                block.lines.append(line[4:])
            elif line.strip():
                block = None
            before = line
    for block in blocks:
        block.dedent()
    return blocks


def is_complete(text):
    """Returns False while a quotation or a list of commands continues on the next line."""
    check = subprocess.run(['bash', '-n'], input=text, capture_output=True, text=True, check=False)
    return check.returncode == 0


def commands_of(block):
    """Yields (line number, text) of each command; a command may have several lines."""
    text, first = '', 0
    for number, line in enumerate(block.lines, block.line):
        if not text and not line.strip():
            continue
        first = first if text else number
        text = text + '\n' + line if text else line
        if not text.endswith('\\') and ('"' not in text and "'" not in text or is_complete(text)):
            yield first, text
            text = ''
    if text:
        yield first, text


def fill(text, values):
    """Replaces placeholders, which stand alone between other characters."""
    for name, value in values.items():
        text = re.sub(r'(?<![A-Za-z0-9_])' + re.escape(name) + r'(?![A-Za-z0-9_])',
                      lambda _, value=value: value, text)
    return text


class Page:
    def __init__(self, name, table):
        self.name, self.table = name, table
        self.rows = table.get('rows', [])
        self.used = [False] * len(self.rows)
        self.script, self.counts = [], {'run': 0, 'listed': 0}

    def find(self, text, kinds):
        """Returns the rows of these kinds whose text begins the command."""
        found = []
        for index, row in enumerate(self.rows):
            if row[0] in kinds and (text + '\n').startswith(row[1]):
                self.used[index] = True
                found.append(row)
        return found

    def call(self, *words):
        self.script.append(' '.join(shlex.quote(str(word)) for word in words))

    def add_command(self, number, text):
        if self.find(text, ('skip',)):
            self.counts['listed'] += 1
            return
        if self.find(text, ('output',)):
            self.call('prints', number, '.*'.join(re.escape(part) for part in text.split('...')))
            return
        for row in self.find(text, ('before',)):
            self.script.append(row[2])
        filled = text
        for row in self.find(text, ('fill',)):
            filled = fill(filled, row[2])
        filled = fill(filled, self.table.get('fill', {}))
        service = self.find(text, ('service',))
        if service:
            self.call('serves', number, filled, service[0][2])
        else:
            ends = self.find(text, ('ends',))
            self.call('ends_with', number, ends[0][2] if ends else 0, filled)
        for row in self.find(text, ('prints',)):
            self.call('prints', number, row[2])
        for row in self.find(text, ('after',)):
            self.script.append(row[2])
        self.counts['run'] += 1

    def add_block(self, block):
        if block.language != self.table.get('only', block.language):
            return False
        if block.language not in (None, '', 'sh'):
            for row in self.find(block.text(), ('file',)):
                text = fill(block.text(), row[3] if len(row) > 3 else {})
                self.script.append(f"cat >{row[2]} <<'END OF FILE'\n{text}END OF FILE")
            return False
        if self.find(block.text(), ('text',)):
            return False
        for number, text in commands_of(block):
            self.add_command(number, text)
        return True

    def build(self):
        """Returns the errors of the table; afterwards `script` has the page as shell text."""
        blocks = [block for block in read_blocks(os.path.join(ROOT, self.name)) if self.add_block(block)]
        self.counts['blocks'] = len(blocks)
        return [f'{self.name}: no block or command matches the row {row[:2]}'
                for row, used in zip(self.rows, self.used) if not used]

    def run(self):
        """Returns the error text of the page, empty when all of it is right."""
        with tempfile.NamedTemporaryFile('w', suffix='.sh', prefix='muster-page-') as script:
            script.write(f'page={shlex.quote(self.name)}\n. {shlex.quote(HERE)}/document_page.sh\n')
            script.write(self.table.get('setup', '') + '\n')
            script.write('\n'.join(self.script) + '\nexit "$errors"\n')
            script.flush()
            done = subprocess.run(['timeout', '-k', '15', '240', 'bash', script.name], capture_output=True, text=True, check=False)
        if done.returncode:
            return f'{self.name}: exit {done.returncode}\n{done.stdout}{done.stderr}'
        return ''


def main():
    names = sys.argv[1:] or list(document_tables.PAGES)
    pages = [Page(name, document_tables.PAGES[name]) for name in names]
    errors = [error for page in pages for error in page.build()]
    if not sys.argv[1:]:
        errors += document_tables.missing_pages(ROOT)
    with tempfile.TemporaryDirectory() as shared, ThreadPoolExecutor(max_workers=3) as pool:
        os.environ['MUSTER_TEST_PAGES'] = shared
        errors += [error for error in pool.map(Page.run, pages) if error]
    for page in pages:
        print(f"{page.name}: {page.counts['blocks']} blocks, {page.counts['run']} commands run, "
              f"{page.counts['listed']} listed")
    for what in ('blocks', 'run', 'listed'):
        print(f'{what}: {sum(page.counts[what] for page in pages)}')
    if not sum(page.counts['run'] for page in pages):
        errors.append('no command was run')
    print('\n'.join(errors), file=sys.stderr)
    sys.exit(1 if errors else 0)


if __name__ == '__main__':
    main()

"""html_page.py - reads the blocks, sentences and tags of a page that lib/html wrote"""

import html.parser
import json


class Page(html.parser.HTMLParser):
    """Collects the JSON of the blocks by their id, the sentences and the tags."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.blocks, self.sentences, self.tags, self.programs = {}, [], set(), 0
        self.block, self.text = None, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.add(tag)
        if "data-kind" in attributes:
            self.block = attributes.get("id", f"block {len(self.blocks)}")
        if tag == "script" and attributes.get("type") != "application/json":
            self.programs += 1
        self.text = "" if tag in ("script", "li", "p") else None

    def handle_data(self, data):
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag):
        if tag == "script" and self.block is not None:
            self.blocks[self.block] = json.loads(self.text)
            self.block = None
        elif tag in ("li", "p") and self.text is not None:
            self.sentences.append(self.text)
        self.text = None


def rows_of(table):
    """Returns the rows of a table with the texts in place of their positions."""
    kinds = [column["kind"] for column in table["columns"]]
    for row in table["rows"]:
        assert len(row) == len(kinds), row
        yield [
            cell if cell is None or kind in ("number", "change", "values")
            else [table["texts"][i] for i in cell] if kind == "link" else table["texts"][cell]
            for kind, cell in zip(kinds, row)
        ]

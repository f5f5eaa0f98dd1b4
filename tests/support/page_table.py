"""page_table.py - uses a table of a page and the page itself, as its reader does"""


def check(condition, *what):
    if not condition:
        raise AssertionError(*what)


def number(text):
    return float(text.replace(",", ""))


class PageTable:
    def __init__(self, browser, table_id):
        self.browser = browser
        self.table = f"document.getElementById('{table_id}')"
        self.rows_js = f"[...{self.table}.querySelectorAll('tbody tr')]"

    def show(self):
        """Scrolls to the table, which is drawn only then."""
        self.browser.evaluate(f"{self.table}.scrollIntoView()")
        self.browser.wait_for(f"{self.rows_js}.length > 0")

    def rows(self):
        """Returns the texts of the cells of all rows of the present page."""
        return self.browser.evaluate(
            self.rows_js + ".map(row => [...row.cells].map(cell => cell.textContent))")

    def of_rows(self, expression):
        """Evaluates an expression that begins with the list of rows."""
        return self.browser.evaluate(self.rows_js + expression)

    def click(self, text):
        self.browser.evaluate(f"[...{self.table}.querySelectorAll('button')]"
                              f".find(button => button.textContent === {text!r}).click()")

    def filter(self, text, matching):
        """Filters the rows, and waits until their number begins with this text."""
        self.browser.evaluate(f"""(() => {{
            const input = {self.table}.querySelector('input');
            input.value = {text!r};
            input.dispatchEvent(new Event('input'));
        }})()""")
        self.browser.wait_for(f"{self.count_js()}.startsWith({matching!r})")

    def count_js(self):
        return f"{self.table}.querySelector('.count').textContent"

    def count(self):
        return self.browser.evaluate(self.count_js())

    def order(self):
        """Returns the order of the sorted column: "ascending" or "descending"."""
        return self.browser.evaluate(
            f"{self.table}.querySelector('[aria-sort]').getAttribute('aria-sort')")


def check_field(browser, plot_id, row, column, unit):
    """Shows the tooltip of a field of a heat map, and requires its value."""
    data = browser.evaluate(f"document.getElementById('{plot_id}').data")
    field = (f"document.querySelectorAll('#{plot_id} rect[data-at]')"
             f"[{row * len(data['columns']) + column}]")
    browser.evaluate(field + ".dispatchEvent(new PointerEvent('pointerover',"
                             " {bubbles: true, clientX: 400, clientY: 300}))")
    tip = browser.evaluate("document.querySelector('.tip:not([hidden])').textContent")
    check(tip.split("\n") == [data["rows"][row], data["columns"][column],
                              f"{data['values'][row][column]:+.2f} {unit}"], tip)
    return browser.evaluate(field + ".getAttribute('class')")


def check_colours(browser):
    """The page fits into two widths, and its colours follow the reader's scheme."""

    def background(scheme, width):
        browser.set_media(scheme)
        browser.resize(width)
        check(browser.evaluate("document.documentElement.scrollWidth") <= width,
              f"the page is wider than {width} pixels")
        return browser.evaluate("getComputedStyle(document.body).backgroundColor")

    light = [background("light", width) for width in (1300, 800)]
    dark = [background("dark", width) for width in (1300, 800)]
    check(light[0] == light[1] and dark[0] == dark[1] and light[0] != dark[0], light, dark)


def check_print(browser, table):
    browser.set_media("dark")
    pdf = browser.call("Page.printToPDF", printBackground=True)["data"]
    check(len(pdf) > 100000, f"the printed page has {len(pdf)} characters")
    # afterprint has restored the pages of the table
    browser.wait_for(table.rows_js + ".length <= 200")

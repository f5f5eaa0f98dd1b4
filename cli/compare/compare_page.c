#include "cli/compare/compare_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/comparison_groups.h"
#include "lib/html/page.h"
#include "lib/html/plot.h"
#include "lib/html/table.h"

static double percent(double shift)
{
    return expm1(shift) * 100;
}

static double smaller_p(double worse, double better)
{
    return better < worse ? better : worse;
}

/* Texts in the order in which they were added, each once. */
struct names {
    struct map *positions; /* text -> position + 1 */
    char **texts;
    size_t count;
};

static size_t names_add(struct names *names, const char *text)
{
    uintptr_t position = (uintptr_t)map_get(names->positions, text);

    if (position == 0) {
        names->texts =
            xreallocarray(names->texts, names->count + 1, sizeof(*names->texts));
        names->texts[names->count++] = xstrdup(text);
        position = names->count;
        map_put(names->positions, text, (void *)position);
    }
    return position - 1;
}

static void names_clear(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->texts[i]);
    free(names->texts);
    map_destroy(names->positions);
}

static int by_text(const void *left, const void *right)
{
    return text_compare_names(*(const char *const *)left, *(const char *const *)right);
}

/* Sorts the texts, with the numbers in them as numbers. */
static void names_sort(struct names *names)
{
    if (names->count > 0)
        qsort(names->texts, names->count, sizeof(*names->texts), by_text);
    for (size_t i = 0; i < names->count; i++)
        map_put(names->positions, names->texts[i], (void *)(uintptr_t)(i + 1));
}

/* The parts of a label that differ between rows. */
struct label {
    bool metric, kernel;
};

static struct label label_of(const struct comparison_row *rows, size_t count)
{
    struct label label = {0};

    for (size_t i = 0; i < count; i++) {
        label.metric |= strcmp(rows[i].metric, rows[0].metric) != 0;
        label.kernel |= !*rows[i].point || strcmp(rows[i].kernel, rows[0].kernel) != 0;
    }
    return label;
}

static char *work_of(const struct comparison_row *row, struct label label)
{
    return xasprintf("%s%s%s%s%s", label.metric ? row->metric : "",
                     label.metric ? " " : "", label.kernel ? row->kernel : "",
                     label.kernel ? " " : "", row->point);
}

/* Finds the row and column of each cell: the first pass collects the names, and the
 * second finds their places after they were sorted. Returns the number of cells with a
 * card. */
static size_t find_places(const struct comparison_row *rows,
                          size_t row_count,
                          struct names *works,
                          struct names *cards,
                          size_t *places)
{
    struct label label = label_of(rows, row_count);
    size_t count = 0;

    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (size_t i = 0; i < row_count; i++) {
            if (!*rows[i].card)
                continue;
            char *work = work_of(&rows[i], label);
            places[2 * i] = names_add(works, work);
            places[2 * i + 1] = names_add(cards, rows[i].card);
            free(work);
            count++;
        }
        names_sort(works);
        names_sort(cards);
    }
    return count;
}

enum { STRONG_CHANGE = 10 }; /* per cent, of the strongest colour */

void compare_page_add_heat(struct text *out,
                           const struct comparison_row *rows,
                           size_t count)
{
    struct names works = {.positions = map_create()},
                 cards = {.positions = map_create()};
    size_t *places = xcalloc(2 * count + 1, sizeof(*places));

    if (find_places(rows, count, &works, &cards, places) > 0 && cards.count > 1) {
        double *values = xcalloc(works.count * cards.count, sizeof(*values));

        for (size_t i = 0; i < works.count * cards.count; i++)
            values[i] = NAN;
        for (size_t i = 0; i < count; i++)
            if (*rows[i].card)
                values[places[2 * i] * cards.count + places[2 * i + 1]] =
                    percent(rows[i].shift);
        html_section_begin(out, "changes", "Changes by point and card", true);
        html_element(out, "p", "soft", "Per cent of the base; positive is worse.");
        html_plot_heat(out,
                       &(struct html_heat){.id = "change-heat",
                                           .label = "changes by point and card",
                                           .colors = HTML_HEAT_CHANGE,
                                           .unit = "%",
                                           .decimals = 2,
                                           .full = STRONG_CHANGE,
                                           .rows = (const char *const *)works.texts,
                                           .row_count = works.count,
                                           .columns = (const char *const *)cards.texts,
                                           .column_count = cards.count,
                                           .values = values});
        html_section_end(out);
        free(values);
    }
    free(places);
    names_clear(&works);
    names_clear(&cards);
}

static const struct html_column group_columns[] = {
    {"verdict", NULL, HTML_COLUMN_WORD, 0},
    {"point", NULL, HTML_COLUMN_TEXT, 0},
    {"kernel", NULL, HTML_COLUMN_TEXT, 0},
    {"card", NULL, HTML_COLUMN_TEXT, 0},
    {"host", NULL, HTML_COLUMN_TEXT, 0},
    {"metric", NULL, HTML_COLUMN_TEXT, 0},
    {"change, %", "positive is worse", HTML_COLUMN_CHANGE, 3},
    {"low, %", "lower end of the 90 % interval", HTML_COLUMN_NUMBER, 3},
    {"high, %", "upper end of the 90 % interval", HTML_COLUMN_NUMBER, 3},
    {"p", "adjusted for the family", HTML_COLUMN_NUMBER, 5},
    {"cells", "that both sides measured", HTML_COLUMN_NUMBER, 0},
    {"missing", "cells of the new job without a value", HTML_COLUMN_NUMBER, 0},
    {"reason", NULL, HTML_COLUMN_TEXT, 0},
};

static void add_group(struct html_table *table, const struct comparison_group *group)
{
    html_table_row(table);
    html_table_text(table, comparison_outcome_name(group->outcome));
    html_table_text(table, group->point);
    html_table_text(table, group->kernel);
    html_table_text(table, group->card);
    html_table_text(table, group->host);
    html_table_text(table, group->metric);
    html_table_number(table, percent(group->shift));
    html_table_number(table, percent(group->low));
    html_table_number(table, percent(group->high));
    html_table_number(table,
                      smaller_p(group->p_worse_adjusted, group->p_better_adjusted));
    html_table_number(table, (double)group->cells);
    html_table_number(table, (double)group->missing);
    html_table_text(table, group->reason);
}

void compare_page_add_groups(struct text *out, const struct comparison *comparison)
{
    static const struct {
        enum comparison_level level;
        const char *id, *table_id, *heading;
    } levels[] = {
        {LEVEL_FLEET, "fleet", "fleet-table", "Fleet"},
        {LEVEL_HOST, "hosts", "host-table", "Hosts"},
        {LEVEL_CARD, "cards", "card-table", "Cards"},
        {LEVEL_POINT, "points", "point-table", "Points"},
    };

    for (size_t i = 0; i < COUNT(levels); i++) {
        struct html_table table;
        size_t count;
        struct comparison_group *groups =
            comparison_groups(comparison, levels[i].level, &count);

        if (count > 0) {
            html_section_begin(out, levels[i].id, levels[i].heading, true);
            html_table_begin(&table, out, levels[i].table_id, group_columns,
                             COUNT(group_columns));
            for (size_t j = 0; j < count; j++)
                add_group(&table, &groups[j]);
            html_table_end(&table);
            html_section_end(out);
        }
        free(groups);
    }
}

enum { COLUMN_POINT = 1 };

static const struct html_column cell_columns[] = {
    {"verdict", NULL, HTML_COLUMN_WORD, 0},
    {"point", NULL, HTML_COLUMN_TEXT, 0},
    {"kernel", NULL, HTML_COLUMN_TEXT, 0},
    {"rank", NULL, HTML_COLUMN_NUMBER, 0},
    {"card", NULL, HTML_COLUMN_TEXT, 0},
    {"metric", NULL, HTML_COLUMN_TEXT, 0},
    {"base", "median", HTML_COLUMN_NUMBER, 3},
    {"new", "median", HTML_COLUMN_NUMBER, 3},
    {"unit", NULL, HTML_COLUMN_TEXT, 0},
    {"change, %", "positive is worse", HTML_COLUMN_CHANGE, 3},
    {"low, %", "lower end of the 90 % interval", HTML_COLUMN_NUMBER, 3},
    {"high, %", "upper end of the 90 % interval", HTML_COLUMN_NUMBER, 3},
    {"p", "adjusted for the family", HTML_COLUMN_NUMBER, 5},
    {"n base", "repeats", HTML_COLUMN_NUMBER, 0},
    {"n new", "repeats", HTML_COLUMN_NUMBER, 0},
    {"reason", NULL, HTML_COLUMN_TEXT, 0},
    {"more repeats", "the fewest that would decide", HTML_COLUMN_NUMBER, 0},
    {"quarantine", "the cell is not counted", HTML_COLUMN_TEXT, 0},
};

static void add_cell(struct html_table *table, const struct comparison_row *row)
{
    html_table_row(table);
    html_table_text(table, comparison_outcome_name(row->outcome));
    html_table_text(table, row->point);
    html_table_text(table, row->kernel);
    html_table_number(table,
                      row->rank == FIGURE_OF_ALL_RANKS ? NAN : (double)row->rank);
    html_table_text(table, row->card);
    html_table_text(table, row->metric);
    html_table_number(table, row->base_median);
    html_table_number(table, row->new_median);
    html_table_text(table, row->unit);
    html_table_number(table, percent(row->shift));
    html_table_number(table, percent(row->low));
    html_table_number(table, percent(row->high));
    html_table_number(table, smaller_p(row->p_worse_adjusted, row->p_better_adjusted));
    html_table_number(table, (double)row->base_count);
    html_table_number(table, (double)row->new_count);
    html_table_text(table, row->reason);
    html_table_number(table, row->more ? (double)row->more : NAN);
    html_table_text(table, row->quarantine);
}

void compare_page_add_cells(struct text *out,
                            const struct comparison_row *rows,
                            size_t count,
                            bool fold)
{
    struct html_table table;

    if (count == 0)
        return;
    html_section_begin(out, "cells", "Cells", true);
    html_table_begin(&table, out, "cell-table", cell_columns, COUNT(cell_columns));
    if (fold)
        html_table_fold_by(&table, COLUMN_POINT);
    for (size_t i = 0; i < count; i++)
        add_cell(&table, &rows[i]);
    html_table_end(&table);
    html_section_end(out);
}

/* Returns all cells; the caller frees the array. */
static struct comparison_row *all_rows(const struct comparison *comparison)
{
    size_t count = comparison_count(comparison);
    struct comparison_row *rows = xcalloc(count + 1, sizeof(*rows));

    for (size_t i = 0; i < count; i++)
        rows[i] = comparison_row(comparison, i);
    return rows;
}

static void add_notes(struct text *out, const char *notes)
{
    html_list_begin(out);
    while (*notes) {
        size_t length = strcspn(notes, "\n");

        html_list_item(out, "", "%.*s", (int)length, notes);
        notes += length + (notes[length] == '\n');
    }
    html_list_end(out);
}

static void build(const struct compare_page *page, struct text *out)
{
    const struct comparison *comparison = page->comparison;
    struct comparison_row *rows = all_rows(comparison);
    bool bad = comparison_total(comparison, OUTCOME_REGRESSED) > 0;
    bool good = !bad && comparison_total(comparison, OUTCOME_NOT_MEASURED) == 0 &&
                comparison_total(comparison, OUTCOME_INCONCLUSIVE) == 0 &&
                comparison_count(comparison) > 0;
    char *title = xasprintf("%s against %s: %s", page->fresh, page->base, page->counts);

    html_page_begin(out, title);
    free(title);
    html_element(out, "h1", "", "%s against %s", page->fresh, page->base);
    html_element(out, "p",
                 bad    ? "verdict bad"
                 : good ? "verdict good"
                        : "verdict warn",
                 "%s", page->counts);
    html_element(out, "p", "soft", "metric %s, tolerance %g %%; muster " MUSTER_VERSION,
                 page->settings->metric, page->settings->tolerance * 100);
    if (comparison_is_simulated(comparison))
        html_simulated_note(out);
    add_notes(out, page->notes);
    html_element(out, "nav", "contents", "%s", "");
    compare_page_add_heat(out, rows, comparison_count(comparison));
    compare_page_add_groups(out, comparison);
    compare_page_add_cells(out, rows, comparison_count(comparison), false);
    free(rows);
    html_page_end(out);
}

int compare_page_write(const struct compare_page *page,
                       const char *folder,
                       struct err *err)
{
    char *path = xasprintf("%s/compare.html", folder);
    struct file_new *file = NULL;
    struct text text = {0};
    int result = -1;

    build(page, &text);
    if (folder_create(folder, err) == 0 && file_new_create(&file, path, err) == 0) {
        result = fd_write_all(file_new_fd(file), text.bytes, text.length) < 0
                     ? err_errno(err, "writing %s", path)
                     : file_new_commit(&file, err);
        if (result < 0)
            file_new_abandon(&file);
    }
    text_clear(&text);
    free(path);
    return result;
}

#include "lib/gate/cause_table.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/verdict/cause/median_polish.h"

/* Names with their numbers, from 0 in the order of their first use. */
struct names {
    struct map *numbers; /* number + 1, as a pointer */
    size_t count;
};

struct cause_table {
    char *metric;
    struct names points, kernels, cards, hosts;
    size_t *host_of_card;   /* by column */
    struct effect *effects; /* of all, then of points by row, then of places */
    size_t effect_count, first_point, first_place;
    double margin; /* median over the cells, a natural logarithm */
};

static void names_init(struct names *names)
{
    names->numbers = map_create();
    names->count = 0;
}

/* Returns the number of the name, or SIZE_MAX when the name is not in the list. */
static size_t number_of(const struct names *names, const char *name)
{
    return (size_t)map_get(names->numbers, name) - 1;
}

static size_t add_name(struct names *names, const char *name)
{
    if (!map_get(names->numbers, name))
        map_put(names->numbers, name, (void *)++names->count);
    return number_of(names, name);
}

/* The caller frees the key. */
static char *row_key(const struct comparison_row *cell)
{
    return xasprintf("%s\n%s", cell->kernel, cell->point);
}

static bool is_compared(const struct cause_table *table,
                        const struct comparison_row *cell)
{
    return strcmp(cell->metric, table->metric) == 0 && isfinite(cell->shift) &&
           isfinite(cell->margin);
}

struct place {
    size_t row, column;
    double shift;
};

static int by_place(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

/* Returns the shifts row by row; NaN: not measured. A place with several cells, such as
 * the ranks of a point, has their median. The caller frees it. */
static double *
shifts_by_place(const struct cause_table *table, struct place *places, size_t count)
{
    size_t columns = table->cards.count, size = table->points.count * columns;
    double *shifts = xreallocarray(NULL, size + 1, sizeof(*shifts));
    double *values = xreallocarray(NULL, count + 1, sizeof(*values));

    for (size_t i = 0; i < size; i++)
        shifts[i] = NAN;
    if (count > 0)
        qsort(places, count, sizeof(*places), by_place);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && by_place(&places[first], &places[end]) == 0;
             end++)
            values[end - first] = places[end].shift;
        shifts[places[first].row * columns + places[first].column] =
            stats_median(values, end - first);
    }
    free(values);
    return shifts;
}

/* Moves the overall shift into the lines (rows or columns) when at least half of them
 * did not change. Returns true when it moved. */
static bool anchor(double *overall, double *lines, size_t count, double margin)
{
    size_t measured = 0, unchanged = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(lines[i])) {
            measured++;
            unchanged += fabs(*overall + lines[i]) < margin / 2;
        }
    if (unchanged == 0 || 2 * unchanged < measured)
        return false;
    for (size_t i = 0; i < count; i++)
        lines[i] += *overall;
    *overall = 0;
    return true;
}

static void find_effects(struct cause_table *table, const double *shifts)
{
    size_t rows = table->points.count, columns = table->cards.count;
    struct median_polish polish;

    table->effects = xcalloc(1 + rows + columns, sizeof(*table->effects));
    median_polish_init(&polish, shifts, rows, columns);
    if (!anchor(&polish.overall, polish.columns, columns, table->margin))
        anchor(&polish.overall, polish.rows, rows, table->margin);
    table->effect_count =
        effects_find(&polish, table->host_of_card, table->margin, table->effects);
    median_polish_clear(&polish);
    while (table->first_point < table->effect_count &&
           table->effects[table->first_point].kind == EFFECT_ALL)
        table->first_point++;
    table->first_place = table->first_point;
    while (table->first_place < table->effect_count &&
           table->effects[table->first_place].kind == EFFECT_POINT)
        table->first_place++;
}

/* Numbers the card and its host. A cell whose figures come from several cards gets a
 * column and a host of its own. */
static size_t column_of(struct cause_table *table, const struct comparison_row *cell)
{
    size_t known = table->cards.count;
    size_t column = add_name(&table->cards, cell->placed_serial);

    if (column == known) {
        table->host_of_card =
            xreallocarray(table->host_of_card, known + 1, sizeof(*table->host_of_card));
        table->host_of_card[column] =
            add_name(&table->hosts, cell->placed_serial[0] ? cell->placed_host : "");
    }
    return column;
}

struct cause_table *
cause_table_create(const struct comparison_row *rows, size_t total, const char *metric)
{
    struct cause_table *table = xcalloc(1, sizeof(*table));
    size_t count = 0;
    struct place *places = xcalloc(total + 1, sizeof(*places));
    double *margins = xcalloc(total + 1, sizeof(*margins));

    table->metric = xstrdup(metric);
    names_init(&table->points);
    names_init(&table->kernels);
    names_init(&table->cards);
    names_init(&table->hosts);
    for (size_t i = 0; i < total; i++) {
        const struct comparison_row *cell = &rows[i];
        char *key;

        if (!is_compared(table, cell))
            continue;
        key = row_key(cell);
        add_name(&table->kernels, cell->kernel);
        margins[count] = cell->margin;
        places[count++] = (struct place){add_name(&table->points, key),
                                         column_of(table, cell), cell->shift};
        free(key);
    }
    table->margin = stats_median(margins, count);
    double *shifts = shifts_by_place(table, places, count);
    find_effects(table, shifts);
    free(shifts);
    free(margins);
    free(places);
    return table;
}

void cause_table_destroy(struct cause_table *table)
{
    if (!table)
        return;
    map_destroy(table->points.numbers);
    map_destroy(table->kernels.numbers);
    map_destroy(table->cards.numbers);
    map_destroy(table->hosts.numbers);
    free(table->host_of_card);
    free(table->effects);
    free(table->metric);
    free(table);
}

const char *cause_table_metric(const struct cause_table *table)
{
    return table->metric;
}

size_t cause_table_kernels(const struct cause_table *table)
{
    return table->kernels.count;
}

size_t cause_table_cards(const struct cause_table *table)
{
    return table->cards.count;
}

size_t cause_table_hosts(const struct cause_table *table)
{
    return table->hosts.count;
}

static int by_index(const void *left, const void *right)
{
    const struct effect *a = left, *b = right;

    return (a->index > b->index) - (a->index < b->index);
}

/* Returns the effect of a row, or NULL. The search is binary, since the function is
 * called for each row and many rows may have an effect. */
static const struct effect *effect_of_row(const struct cause_table *table, size_t row)
{
    const struct effect name = {.index = row};
    size_t count = table->first_place - table->first_point;

    return count > 0 ? bsearch(&name, table->effects + table->first_point, count,
                               sizeof(name), by_index)
                     : NULL;
}

/* Adds an effect that makes its cells slower. The largest one comes first. */
static void add_effect(struct effect out[CAUSE_TABLE_EFFECTS_MAX],
                       size_t *count,
                       const struct effect *effect)
{
    size_t at = *count;

    if (effect->size <= 0 || *count == CAUSE_TABLE_EFFECTS_MAX)
        return;
    for (; at > 0 && out[at - 1].size < effect->size; at--)
        out[at] = out[at - 1];
    out[at] = *effect;
    ++*count;
}

size_t cause_table_explain(const struct cause_table *table,
                           const struct comparison_row *cell,
                           struct effect out[CAUSE_TABLE_EFFECTS_MAX])
{
    char *key = row_key(cell);
    size_t row = number_of(&table->points, key);
    size_t column = number_of(&table->cards, cell->placed_serial);
    size_t count = 0;

    free(key);
    if (row == SIZE_MAX || column == SIZE_MAX)
        return 0;
    for (size_t i = 0; i < table->first_point; i++)
        add_effect(out, &count, &table->effects[i]);
    const struct effect *of_row = effect_of_row(table, row);
    if (of_row)
        add_effect(out, &count, of_row);
    for (size_t i = table->first_place; i < table->effect_count; i++) {
        const struct effect *effect = &table->effects[i];

        if (cell->placed_serial[0] &&
            effect->index ==
                (effect->kind == EFFECT_HOST ? table->host_of_card[column] : column))
            add_effect(out, &count, effect);
    }
    return count;
}

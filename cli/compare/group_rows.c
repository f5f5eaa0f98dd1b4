#include "cli/compare/group_rows.h"

#include <stdio.h>
#include <string.h>

#include "cli/compare/row_cells.h"
#include "cli/compare/verdict_filter.h"
#include "lib/base/mem.h"

enum {
    COLUMN_VERDICT,
    COLUMN_POINT,
    COLUMN_KERNEL,
    COLUMN_CARD,
    COLUMN_HOST,
    COLUMN_METRIC,
    COLUMN_CELLS,
    COLUMN_MISSING,
    COLUMN_CHANGE,
    COLUMN_LOW,
    COLUMN_HIGH,
    COLUMN_P,
    COLUMN_P_ADJUSTED,
    COLUMN_REASON,
    COLUMN_LEANING,
    COLUMN_SIMULATED,
    COLUMN_COUNT,
};

/* All levels have the same columns, so that a program reads one schema. */
static const struct row_output_column columns[COLUMN_COUNT] = {
    [COLUMN_VERDICT] = {"verdict", CELL_TEXT},
    [COLUMN_POINT] = {"point", CELL_TEXT},
    [COLUMN_KERNEL] = {"kernel", CELL_TEXT},
    [COLUMN_CARD] = {"card", CELL_TEXT},
    [COLUMN_HOST] = {"host", CELL_TEXT},
    [COLUMN_METRIC] = {"metric", CELL_TEXT},
    [COLUMN_CELLS] = {"cells", CELL_U64},
    [COLUMN_MISSING] = {"missing", CELL_U64},
    [COLUMN_CHANGE] = {"change_percent", CELL_F64},
    [COLUMN_LOW] = {"low_percent", CELL_F64},
    [COLUMN_HIGH] = {"high_percent", CELL_F64},
    [COLUMN_P] = {"p", CELL_F64},
    [COLUMN_P_ADJUSTED] = {"p_adjusted", CELL_F64},
    [COLUMN_REASON] = {"reason", CELL_TEXT},
    [COLUMN_LEANING] = {"leaning", CELL_TEXT},
    [COLUMN_SIMULATED] = {"simulated", CELL_BOOL},
};

enum {
    OF_POINT = 1 << COLUMN_POINT | 1 << COLUMN_KERNEL,
    OF_CARD = 1 << COLUMN_CARD | 1 << COLUMN_HOST,
    OF_HOST = 1 << COLUMN_HOST,
    OF_NAMES = OF_POINT | OF_CARD,
};

static const struct group_level levels[] = {
    {"point", LEVEL_POINT, OF_POINT},
    {"card", LEVEL_CARD, OF_CARD},
    {"host", LEVEL_HOST, OF_HOST},
    {"fleet", LEVEL_FLEET, 0},
};

const struct group_level *group_level_find(const char *name)
{
    for (size_t i = 0; i < COUNT(levels); i++)
        if (strcmp(levels[i].name, name) == 0)
            return &levels[i];
    return NULL;
}

/* Returns true when the text format has this column: names of other levels are empty.
 */
static bool has_column(const struct group_level *level,
                       enum row_output_format format,
                       size_t column)
{
    unsigned bit = 1u << column;

    if (format == ROW_OUTPUT_TEXT && column == COLUMN_SIMULATED) /* a line has it */
        return false;
    return format != ROW_OUTPUT_TEXT || !(bit & OF_NAMES) || (bit & level->columns);
}

static void print_group(struct row_output *output,
                        const struct comparison_group *group,
                        const struct group_level *level,
                        enum row_output_format format)
{
    struct cell shown[COLUMN_COUNT];
    size_t count = 0;
    bool worse = !(group->p_better < group->p_worse);
    const struct cell cells[COLUMN_COUNT] = {
        [COLUMN_VERDICT] = text_cell(comparison_outcome_name(group->outcome)),
        [COLUMN_POINT] = text_cell(group->point),
        [COLUMN_KERNEL] = text_cell(group->kernel),
        [COLUMN_CARD] = text_cell(group->card),
        [COLUMN_HOST] = text_cell(group->host),
        [COLUMN_METRIC] = text_cell(group->metric),
        [COLUMN_CELLS] = count_cell(group->cells),
        [COLUMN_MISSING] = count_cell(group->missing),
        [COLUMN_CHANGE] = percent_cell(group->shift),
        [COLUMN_LOW] = percent_cell(group->low),
        [COLUMN_HIGH] = percent_cell(group->high),
        [COLUMN_P] = number_cell(worse ? group->p_worse : group->p_better),
        [COLUMN_P_ADJUSTED] =
            number_cell(worse ? group->p_worse_adjusted : group->p_better_adjusted),
        [COLUMN_REASON] = text_cell(group->reason),
        [COLUMN_LEANING] = text_cell(group->leaning),
        [COLUMN_SIMULATED] = bool_cell(group->simulated),
    };

    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (has_column(level, format, i))
            shown[count++] = cells[i];
    row_output_row(output, shown);
}

int group_rows_print(const struct group_level *level,
                     const struct comparison_group *groups,
                     size_t count,
                     enum row_output_format format,
                     const char *only,
                     struct err *err)
{
    struct row_output_column shown[COLUMN_COUNT];
    size_t column_count = 0;
    char schema[64];

    snprintf(schema, sizeof(schema), "muster.compare-%s.v1", level->name);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (has_column(level, format, i))
            shown[column_count++] = columns[i];
    struct row_output *output =
        row_output_create(format, schema, shown, column_count, stdout);
    for (size_t i = 0; i < count; i++)
        if (verdict_filter_matches(only, groups[i].outcome))
            print_group(output, &groups[i], level, format);
    return row_output_finish(&output, err);
}

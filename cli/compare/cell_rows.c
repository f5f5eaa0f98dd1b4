#include "cli/compare/cell_rows.h"

#include "cli/compare/row_cells.h"
#include "cli/compare/verdict_filter.h"
#include "lib/base/mem.h"

enum {
    COLUMN_VERDICT,
    COLUMN_POINT,
    COLUMN_KERNEL,
    COLUMN_RANK,
    COLUMN_CARD,
    COLUMN_METRIC,
    COLUMN_BASE,
    COLUMN_NEW,
    COLUMN_UNIT,
    COLUMN_CHANGE,
    COLUMN_LOW,
    COLUMN_HIGH,
    COLUMN_P,
    COLUMN_P_ADJUSTED,
    COLUMN_BASE_COUNT,
    COLUMN_NEW_COUNT,
    COLUMN_MISSING,
    COLUMN_REASON,
    COLUMN_LEANING,
    COLUMN_MORE,
    COLUMN_NIGHTS,
    COLUMN_NIGHT_NOISE,
    COLUMN_QUARANTINE,
    COLUMN_SIMULATED,
    COLUMN_ENVIRONMENT_CHANGED,
    COLUMN_COUNT,
};

static const struct row_output_column columns[COLUMN_COUNT] = {
    [COLUMN_VERDICT] = {"verdict", CELL_TEXT},
    [COLUMN_POINT] = {"point", CELL_TEXT},
    [COLUMN_KERNEL] = {"kernel", CELL_TEXT},
    [COLUMN_RANK] = {"rank", CELL_U64},
    [COLUMN_CARD] = {"card", CELL_TEXT},
    [COLUMN_METRIC] = {"metric", CELL_TEXT},
    [COLUMN_BASE] = {"base", CELL_F64},
    [COLUMN_NEW] = {"new", CELL_F64},
    [COLUMN_UNIT] = {"unit", CELL_TEXT},
    [COLUMN_CHANGE] = {"change_percent", CELL_F64},
    [COLUMN_LOW] = {"low_percent", CELL_F64},
    [COLUMN_HIGH] = {"high_percent", CELL_F64},
    [COLUMN_P] = {"p", CELL_F64},
    [COLUMN_P_ADJUSTED] = {"p_adjusted", CELL_F64},
    [COLUMN_BASE_COUNT] = {"n_base", CELL_U64},
    [COLUMN_NEW_COUNT] = {"n_new", CELL_U64},
    [COLUMN_MISSING] = {"missing", CELL_U64},
    [COLUMN_REASON] = {"reason", CELL_TEXT},
    [COLUMN_LEANING] = {"leaning", CELL_TEXT},
    [COLUMN_MORE] = {"more_repeats", CELL_U64},
    [COLUMN_NIGHTS] = {"nights", CELL_U64},
    [COLUMN_NIGHT_NOISE] = {"night_noise_percent", CELL_F64},
    [COLUMN_QUARANTINE] = {"quarantine", CELL_TEXT},
    [COLUMN_SIMULATED] = {"simulated", CELL_BOOL},
    [COLUMN_ENVIRONMENT_CHANGED] = {"environment_changed", CELL_BOOL},
};

/* The text format leaves out what a person finds with -o csv when it matters. */
static const int text_columns[] = {
    COLUMN_VERDICT, COLUMN_POINT, COLUMN_KERNEL, COLUMN_RANK,   COLUMN_CARD,
    COLUMN_BASE,    COLUMN_NEW,   COLUMN_UNIT,   COLUMN_CHANGE, COLUMN_LOW,
    COLUMN_HIGH,    COLUMN_P,     COLUMN_REASON, COLUMN_MORE,   COLUMN_QUARANTINE,
};

/* The columns of one format, and the output that has them. */
struct table {
    struct row_output *output;
    struct row_output_column columns[COLUMN_COUNT];
    int numbers[COLUMN_COUNT];
    size_t count;
};

static void table_create(struct table *table,
                         const struct comparison *comparison,
                         enum row_output_format format)
{
    bool is_text = format == ROW_OUTPUT_TEXT;

    table->count = is_text ? COUNT(text_columns) : COLUMN_COUNT;
    if (is_text && comparison_quarantined(comparison) == 0)
        table->count--; /* the last column is for quarantines */
    for (size_t i = 0; i < table->count; i++) {
        table->numbers[i] = is_text ? text_columns[i] : (int)i;
        table->columns[i] = columns[table->numbers[i]];
    }
    table->output = row_output_create(format, "muster.compare.v2", table->columns,
                                      table->count, stdout);
}

static void table_row(struct table *table, const struct cell *cells)
{
    struct cell chosen[COLUMN_COUNT];

    for (size_t i = 0; i < table->count; i++)
        chosen[i] = cells[table->numbers[i]];
    row_output_row(table->output, chosen);
}

static void
print_row(struct table *table, const struct comparison_row *row, bool changed)
{
    bool worse = !(row->p_better < row->p_worse);
    struct cell cells[COLUMN_COUNT] = {
        [COLUMN_VERDICT] = text_cell(comparison_outcome_name(row->outcome)),
        [COLUMN_POINT] = text_cell(row->point),
        [COLUMN_KERNEL] = text_cell(row->kernel),
        [COLUMN_RANK] = rank_cell(row->rank),
        [COLUMN_CARD] = text_cell(row->card),
        [COLUMN_METRIC] = text_cell(row->metric),
        [COLUMN_BASE] = number_cell(row->base_median),
        [COLUMN_NEW] = number_cell(row->new_median),
        [COLUMN_UNIT] = text_cell(row->unit),
        [COLUMN_CHANGE] = percent_cell(row->shift),
        [COLUMN_LOW] = percent_cell(row->low),
        [COLUMN_HIGH] = percent_cell(row->high),
        [COLUMN_P] = number_cell(worse ? row->p_worse : row->p_better),
        [COLUMN_P_ADJUSTED] =
            number_cell(worse ? row->p_worse_adjusted : row->p_better_adjusted),
        [COLUMN_BASE_COUNT] = count_cell(row->base_count),
        [COLUMN_NEW_COUNT] = count_cell(row->new_count),
        [COLUMN_MISSING] = count_cell(row->missing),
        [COLUMN_REASON] = text_cell(row->reason),
        [COLUMN_LEANING] = text_cell(row->leaning),
        [COLUMN_MORE] = count_cell(row->more),
        [COLUMN_NIGHTS] = count_cell(row->nights),
        [COLUMN_NIGHT_NOISE] = percent_cell(row->night_noise),
        [COLUMN_QUARANTINE] = text_cell(row->quarantine),
        [COLUMN_SIMULATED] = bool_cell(row->simulated),
        [COLUMN_ENVIRONMENT_CHANGED] = bool_cell(changed),
    };

    cells[COLUMN_MORE].none = row->more == 0;
    cells[COLUMN_NIGHT_NOISE].none = row->nights < COMPARISON_NIGHTS_FEWEST;
    table_row(table, cells);
}

int cell_rows_print(const struct comparison *comparison,
                    const struct compared_environments *environments,
                    enum row_output_format format,
                    const char *only,
                    struct err *err)
{
    struct table table;

    table_create(&table, comparison, format);
    for (size_t i = 0; i < comparison_count(comparison); i++) {
        struct comparison_row row = comparison_row(comparison, i);

        if (verdict_filter_matches(only, row.outcome))
            print_row(&table, &row,
                      compared_environments_is_changed(environments, &row));
    }
    return row_output_finish(&table.output, err);
}

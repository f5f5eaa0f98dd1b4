#include "parsers/metrics/columns.h"

#include <string.h>

#include "parsers/metrics/columns_internal.h"

const struct column_table *column_tables(enum chip chip)
{
    switch (chip) {
    case CHIP_310P:
        return column_tables_310p;
    case CHIP_A5:
        return column_tables_a5;
    default:
        return column_tables_a2;
    }
}

/* Returns ratio(floor(event * part / whole)): one type's share of a pipe's cycles. */
static struct value cycle_share(const struct measure *measure,
                                const struct pmu_row *row,
                                const struct column *column)
{
    const char *at = strchr(column->terms, '@');
    uint64_t pass_cycles;

    struct value part = measure_sum(measure, row, column->terms, NULL); /* up to '@' */
    struct value whole = measure_sum(measure, row, column->over, NULL);
    struct value cycles = measure_sum(measure, row, at + 1, &pass_cycles);
    if (part.kind == VALUE_NONE || whole.kind == VALUE_NONE ||
        cycles.kind == VALUE_NONE)
        return value_none;
    if (!whole.integer)
        return measure_ratio(measure, value_integer(0), pass_cycles);
    unsigned __int128 product = (unsigned __int128)cycles.integer * part.integer;
    product /= whole.integer;
    if (product > UINT64_MAX)
        return value_none;
    return measure_ratio(measure, value_integer((uint64_t)product), pass_cycles);
}

static struct value l2_hit_rate_310p(const struct measure *measure)
{
    uint64_t hits = measure->l2[0], all;

    if (!measure->has_l2 ||
        __builtin_add_overflow(measure->l2[1], measure->l2[2], &all) || hits > all)
        return value_none;
    return measure_quotient(measure, 100, value_integer(hits), value_integer(all));
}

/* Returns the hit rate in percent: 0, on every chip, when there were no requests. */
static struct value hit_rate(const struct measure *measure,
                             const struct pmu_row *row,
                             const struct column *column)
{
    struct value hits = measure_sum(measure, row, column->terms, NULL);
    struct value all = measure_sum(measure, row, column->over, NULL);

    if (hits.kind != VALUE_NONE && all.kind != VALUE_NONE && !all.integer)
        return value_real(0);
    return measure_quotient(measure, 100, hits, all);
}

static bool applies_to_row(const struct column *column, const struct pmu_row *row)
{
    return column->rows == ALL_ROWS ||
           (column->rows == CUBE_ROWS) == (row->kind == CORE_AIC);
}

static struct value sum_bytes(const struct measure *measure,
                              const struct pmu_row *row,
                              const struct column *column)
{
    return value_times(measure_sum(measure, row, column->terms, NULL), column->bytes);
}

struct value column_value(const struct measure *measure,
                          const struct pmu_row *row,
                          const struct column *column)
{
    struct value value = value_none, over;
    uint64_t pass_cycles = 0;

    if (!applies_to_row(column, row))
        return value_none;
    switch (column->kind) {
    case COLUMN_BLOCK:
        return value_integer(row->block);
    case COLUMN_SUB_BLOCK: /* a text, which the writer gets from measure_row_name() */
        return value_none;
    case COLUMN_TIME:
        return measure_time(measure, row);
    case COLUMN_CYCLES:
        return value_integer(row->cycles);
    case COLUMN_COUNT:
        return measure_sum(measure, row, column->terms, NULL);
    case COLUMN_MICROSECONDS:
        return measure_us(measure, measure_sum(measure, row, column->terms, NULL));
    case COLUMN_RATIO:
        value = measure_sum(measure, row, column->terms, &pass_cycles);
        return measure_ratio(measure, value, pass_cycles);
    case COLUMN_SHARE:
        return cycle_share(measure, row, column);
    case COLUMN_BANDWIDTH:
        return measure_bandwidth(measure, row, sum_bytes(measure, row, column));
    case COLUMN_KILOBYTES:
        value = sum_bytes(measure, row, column);
        return value.kind == VALUE_NONE ? value : value_real(value.real / 1024);
    case COLUMN_USAGE:
        value = measure_bandwidth(measure, row, sum_bytes(measure, row, column));
        return measure_usage(value, measure_limit(measure, column->path));
    case COLUMN_ACTIVE:
        over = measure_sum(measure, row, column->over, NULL);
        return measure_active(measure, sum_bytes(measure, row, column), over);
    case COLUMN_QUOTIENT:
        value = measure_sum(measure, row, column->terms, NULL);
        over = measure_sum(measure, row, column->over, NULL);
        return measure_quotient(measure, 1, value, over);
    case COLUMN_PERCENT:
        return hit_rate(measure, row, column);
    case COLUMN_OPERATIONS:
        return measure_vector_operations(measure, row);
    case COLUMN_L2_RATE:
        return l2_hit_rate_310p(measure);
    }
    return value_none;
}

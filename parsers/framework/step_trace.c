#include "parsers/framework/step_trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/csv_read.h"
#include "lib/base/mem.h"

enum { STEP_COLUMN = STEP_TIME_COUNT, COLUMN_COUNT, STEPS_MAX = 1 << 20 };

static const struct csv_column columns[COLUMN_COUNT] = {
    [STEP_COMPUTING] = {"Computing", CSV_DOUBLE, false},
    [STEP_COMMUNICATION_ALONE] = {"Communication(Not Overlapped)", CSV_DOUBLE, false},
    [STEP_OVERLAPPED] = {"Overlapped", CSV_DOUBLE, false},
    [STEP_COMMUNICATION] = {"Communication", CSV_DOUBLE, false},
    [STEP_FREE] = {"Free", CSV_DOUBLE, false},
    [STEP_STAGE] = {"Stage", CSV_DOUBLE, true},
    [STEP_BUBBLE] = {"Bubble", CSV_DOUBLE, true},
    [STEP_COMMUNICATION_NO_RECEIVE] =
        {"Communication(Not Overlapped and Exclude Receive)", CSV_DOUBLE, true},
    [STEP_PREPARING] = {"Preparing", CSV_DOUBLE, true},
    [STEP_COLUMN] = {"Step", CSV_TEXT, false},
};

const char *step_time_name(enum step_time time)
{
    return columns[time].name;
}

static int
take_row(void *arg, const struct csv_value *values, uint64_t line, struct err *err)
{
    struct step_trace *trace = arg;
    struct step_trace_row row;

    if (trace->count == STEPS_MAX)
        return err_set(err, ERR_LIMIT, "line %llu: the file has too many steps",
                       (unsigned long long)line);
    for (size_t i = 0; i < STEP_TIME_COUNT; i++)
        row.us[i] = values[i].there ? values[i].f64 : NAN;
    row.step = xstrdup(values[STEP_COLUMN].text);
    trace->rows = xreallocarray(trace->rows, trace->count + 1, sizeof(*trace->rows));
    trace->rows[trace->count++] = row;
    return 0;
}

static void skip_row(void *arg, const char *reason)
{
    struct step_trace *trace = arg;

    (void)reason;
    trace->rows_skipped++;
}

int step_trace_read(struct step_trace *trace, const char *path, struct err *err)
{
    *trace = (struct step_trace){0};
    if (csv_read_good_rows(path, columns, COLUMN_COUNT, take_row, skip_row, trace,
                           err) == 0)
        return 0;
    step_trace_clear(trace);
    return -1;
}

void step_trace_clear(struct step_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++)
        free(trace->rows[i].step);
    free(trace->rows);
    *trace = (struct step_trace){0};
}

int64_t
step_trace_ns(const struct step_trace *trace, const char *step, enum step_time time)
{
    enum { NS_PER_US = 1000 };
    const double limit_us = 9e15;

    for (size_t i = 0; i < trace->count; i++)
        if (strcmp(trace->rows[i].step, step) == 0)
            return fabs(trace->rows[i].us[time]) < limit_us
                       ? llround(trace->rows[i].us[time] * NS_PER_US)
                       : 0;
    return 0;
}

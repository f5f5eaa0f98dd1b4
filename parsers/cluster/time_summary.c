#include "parsers/cluster/time_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/decimal.h"
#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "lib/html/table.h"
#include "parsers/cluster/together.h"

static const struct {
    const char *name, *key, *title, *meaning;
} times[TIME_COUNT] = {
    [TIME_STEP] = {"stepTime", "step_us", "Step ms", NULL},
    [TIME_COMPUTING] = {"computation", "computation_us", "Computing ms", NULL},
    [TIME_COMM_ALONE] = {"communicationNotOverlapComputation",
                         "communication_not_overlapped_us",
                         "Communication, not overlapped ms",
                         "that no computation hides"},
    [TIME_OVERLAPPED] = {"communicationOverlapComputation",
                         "communication_overlapped_us", "Overlapped ms",
                         "communication during computation"},
    [TIME_COMM] = {"communication", "communication_us", "Communication ms", NULL},
    [TIME_FREE] = {"free", "free_us", "Free ms",
                   "without computation, communication and copies"},
    [TIME_WAIT] = {"communicationWaitStageTime", "communication_wait_us", "Wait ms",
                   "in collectives, for the rank that comes last"},
    [TIME_TRANSMIT] = {"communicationTransmitStageTime", "communication_transmit_us",
                       "Transmit ms", "the rest of the time in these collectives"},
    [TIME_COPY] = {"memory", "copy_us", "Copies ms", "copies by the device"},
    [TIME_COPY_ALONE] = {"memoryNotOverlapComputationCommunication",
                         "copy_not_overlapped_us", "Copies, not overlapped ms",
                         "outside of computation and communication"},
};

/* Finds the rows of a rank, which are next to each other. */
static struct rank_range find_rows(const struct cluster *cluster, int64_t rank)
{
    struct rank_range range = {0};

    while (range.first < cluster->time_count &&
           cluster->times[range.first].rank != rank)
        range.first++;
    while (range.first + range.count < cluster->time_count &&
           cluster->times[range.first + range.count].rank == rank)
        range.count++;
    return range;
}

/* The communication files write "step50" for the step 50. */
static bool is_of_step(const struct rank_times *row, const char *step)
{
    return row->is_whole ||
           (strncmp(step, "step", 4) == 0 && strcmp(step + 4, row->step) == 0);
}

static void
add_collective(struct cluster *cluster, const struct together_op *ops, size_t count)
{
    double shortest = INFINITY;

    for (size_t i = 0; i < count; i++)
        shortest = fmin(shortest, ops[i].op->times.elapse_ms);
    for (size_t i = 0; i < count; i++) {
        const char *step = names_text(cluster->names, ops[i].op->step);
        struct rank_range *range = &cluster->time_ranges[ops[i].rank];

        for (size_t j = 0; j < range->count; j++) {
            /* operators come by step, so the search begins at the last one */
            struct rank_times *row =
                &cluster->times[range->first + (range->last + j) % range->count];

            if (!is_of_step(row, step))
                continue;
            row->us[TIME_WAIT] += (ops[i].op->times.elapse_ms - shortest) * 1000;
            row->us[TIME_TRANSMIT] += shortest * 1000;
            range->last = (range->last + j) % range->count;
            break;
        }
    }
}

static double whole_ns(double us)
{
    return round(us * 1000) / 1000;
}

void time_summary_set(struct cluster *cluster,
                      const struct rank_times *rows,
                      size_t count)
{
    if (count == 0)
        return;
    cluster->times = xcalloc(count, sizeof(*rows));
    cluster->time_count = count;
    memcpy(cluster->times, rows, count * sizeof(*rows));
    cluster->time_ranges = xcalloc(cluster->count + 1, sizeof(*cluster->time_ranges));
    for (size_t i = 0; i < cluster->count; i++) {
        struct rank_range range = find_rows(cluster, cluster->ranks[i].rank);
        double none = cluster->ranks[i].comm.count > 0 ? 0 : NAN;

        cluster->time_ranges[i] = range;
        for (size_t j = 0; j < range.count; j++) {
            cluster->times[range.first + j].us[TIME_WAIT] = none;
            cluster->times[range.first + j].us[TIME_TRANSMIT] = none;
        }
    }
    together_each_collective(cluster, add_collective);
    for (size_t i = 0; i < count; i++) {
        cluster->times[i].us[TIME_WAIT] = whole_ns(cluster->times[i].us[TIME_WAIT]);
        cluster->times[i].us[TIME_TRANSMIT] =
            whole_ns(cluster->times[i].us[TIME_TRANSMIT]);
    }
}

void time_summary_csv(struct text *out, const struct cluster *cluster)
{
    text_add(out, "Rank,Step");
    for (enum rank_time time = 0; time < TIME_COUNT; time++)
        text_printf(out, ",%s", times[time].name);
    text_add(out, "\n");
    for (size_t i = 0; i < cluster->time_count; i++) {
        const struct rank_times *row = &cluster->times[i];

        text_printf(out, "%lld,", (long long)row->rank);
        text_add_csv(out, row->step);
        for (enum rank_time time = 0; time < TIME_COUNT; time++) {
            char digits[DECIMAL_REAL_ROOM];

            text_add(out, ",");
            if (isfinite(row->us[time]))
                text_add_bytes(out, digits, decimal_put_double(digits, row->us[time]));
        }
        text_add(out, "\n");
    }
}

void time_summary_json(struct json_write *json, const struct cluster *cluster)
{
    json_write_array(json);
    for (size_t i = 0; i < cluster->time_count; i++) {
        const struct rank_times *row = &cluster->times[i];

        json_write_object(json);
        json_write_key(json, "rank");
        json_write_i64(json, row->rank);
        json_write_key(json, "step");
        json_write_text(json, row->step);
        for (enum rank_time time = 0; time < TIME_COUNT; time++) {
            json_write_key(json, times[time].key);
            if (isfinite(row->us[time]))
                json_write_fixed(json, row->us[time], 3);
            else
                json_write_null(json);
        }
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

void time_summary_table(struct text *page, const struct cluster *cluster)
{
    struct html_column columns[2 + TIME_COUNT] = {
        {"Rank", NULL, HTML_COLUMN_NUMBER, 0},
        {"Step", NULL, HTML_COLUMN_TEXT, 0},
    };
    struct html_table table;

    if (cluster->time_count == 0)
        return;
    for (enum rank_time time = 0; time < TIME_COUNT; time++)
        columns[2 + time] = (struct html_column){times[time].title, times[time].meaning,
                                                 HTML_COLUMN_NUMBER, 3};
    html_element(page, "h3", "", "Where the time of each step went");
    html_table_begin(&table, page, "times", columns, COUNT(columns));
    for (size_t i = 0; i < cluster->time_count; i++) {
        const struct rank_times *row = &cluster->times[i];

        html_table_row(&table);
        html_table_number(&table, (double)row->rank);
        html_table_text(&table, row->step);
        for (enum rank_time time = 0; time < TIME_COUNT; time++)
            html_table_number(&table, row->us[time] / 1000);
    }
    html_table_end(&table);
}

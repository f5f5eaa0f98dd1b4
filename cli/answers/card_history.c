#include "cli/answers/card_history.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answers/cards.h"
#include "cli/answers/heat_table.h"
#include "cli/view/row_output.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"

struct history_job {
    char *key;
    uint64_t job_id, ended_wall_ns;
};

struct history {
    struct history_job *jobs;
    size_t count, room;
    const char *host, *metric;
    int64_t card;
    struct text *out;
    uint64_t rows;
};

static void add_job(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct history *history = arg;

    if (history->count == history->room) {
        history->room = history->room ? history->room * 2 : 64;
        history->jobs =
            xreallocarray(history->jobs, history->room, sizeof(*history->jobs));
    }
    history->jobs[history->count++] =
        (struct history_job){xstrdup(job->job_key), job->job_id, job->ended_wall_ns};
}

static void clear(struct history *history)
{
    for (size_t i = 0; i < history->count; i++)
        free(history->jobs[i].key);
    free(history->jobs);
}

struct rank_count {
    const struct history *history;
    uint64_t ranks, failed;
};

static void count_rank(const void *row, void *arg)
{
    const struct msg_rank_row *rank = row;
    struct rank_count *count = arg;

    if (rank->card != count->history->card ||
        strcmp(rank->host, count->history->host) != 0)
        return;
    count->ranks++;
    count->failed += strcmp(rank->status, "done") != 0;
}

/* How far the card is from the other cards at the points that it shares with them. */
struct distance {
    double percent; /* median over points and kernels; NaN: there is no such point */
    uint64_t points;
    bool simulated;
};

/* Returns the median of the other cards at a point; NaN: no other card has a value. */
static double median_of_others(const struct heat_row *row, size_t card, double *scratch)
{
    size_t count = 0;

    for (size_t i = 0; i < row->field_room; i++)
        if (i != card && row->fields[i].count)
            scratch[count++] = row->fields[i].median;
    return count ? stats_median(scratch, count) : NAN;
}

static struct distance find_distance(const struct heat_table *table,
                                     const struct history *history)
{
    struct distance distance = {.percent = NAN, .simulated = table->simulated};
    double *percents = xcalloc(table->row_count + 1, sizeof(*percents));
    double *scratch = xcalloc(table->card_count + 1, sizeof(*scratch));
    struct map *points = map_create();
    size_t card = 0, count = 0;

    while (card < table->card_count &&
           (table->cards[card].card != history->card ||
            strcmp(table->cards[card].host, history->host) != 0))
        card++;
    for (size_t i = 0; card < table->card_count && i < table->row_count; i++) {
        const struct heat_row *row = table->rows[i];

        if (card >= row->field_room || row->fields[card].count == 0)
            continue;
        double others = median_of_others(row, card, scratch);
        if (!(others > 0))
            continue;
        percents[count++] = 100 * (row->fields[card].median / others - 1);
        map_put(points, row->shape, points);
    }
    if (count)
        distance.percent = stats_median(percents, count);
    distance.points = map_count(points);
    map_destroy(points);
    free(percents);
    free(scratch);
    return distance;
}

static void write_row(struct history *history,
                      const struct history_job *job,
                      const struct rank_count *count,
                      const struct distance *distance)
{
    static const struct row_output_column columns[] = {
        {"job_id", CELL_U64},  {"job_key", CELL_TEXT},   {"ended_wall_ns", CELL_WIDE},
        {"ranks", CELL_U64},   {"failed", CELL_U64},     {"points", CELL_U64},
        {"percent", CELL_F64}, {"simulated", CELL_BOOL},
    };
    const struct cell cells[] = {
        {.kind = CELL_U64, .u64 = job->job_id},
        {.kind = CELL_TEXT, .text = job->key},
        {.kind = CELL_WIDE, .u64 = job->ended_wall_ns, .none = !job->ended_wall_ns},
        {.kind = CELL_U64, .u64 = count->ranks},
        {.kind = CELL_U64, .u64 = count->failed},
        {.kind = CELL_U64, .u64 = distance->points},
        {.kind = CELL_F64,
         .f64 = distance->percent,
         .none = isnan(distance->percent) != 0},
        {.kind = CELL_BOOL, .yes = distance->simulated},
    };

    text_add(history->out, history->rows++ ? "," : "");
    row_output_json(history->out, columns, COUNT(columns), cells);
}

static int add_history(struct history *history,
                       struct row_source *source,
                       const struct history_job *job,
                       struct err *err)
{
    struct heat_table table = {.metric = history->metric};
    struct rank_count count = {.history = history};
    int result =
        row_source_each(source, MSG_RANK_ROW, job->job_id, count_rank, &count, err);

    if (result < 0 || count.ranks == 0)
        return result;
    result = heat_table_read(&table, source, job->job_id, err);
    if (result == 0) {
        struct distance distance = find_distance(&table, history);

        write_row(history, job, &count, &distance);
    }
    heat_table_clear(&table);
    return result;
}

int card_history_answer(struct row_source *source,
                        const struct http_request *request,
                        struct http_response *response,
                        struct err *err)
{
    static const char *const known[] = {"jobs", "metric", NULL};
    const char *metric = http_argument(request, "metric");
    struct history history = {
        .host = request->parts[0],
        .metric = metric ? metric : "duration_us",
        .out = &response->body,
    };
    uint64_t card, jobs = CARDS_JOBS_DEFAULT;

    if (http_arguments_check(request, known, err) < 0 ||
        http_part_u64(request, 1, &card, err) < 0 ||
        http_argument_u64(request, "jobs", &jobs, err) < 0)
        return -1;
    history.card = (int64_t)card;
    text_add(history.out, "{\"schema\":\"muster.card-history.v1\",\"rows\":[");
    int result = row_source_uncounted_jobs(source, add_job, &history, err);
    size_t first = history.count > jobs ? history.count - (size_t)jobs : 0;
    for (size_t i = first; result == 0 && i < history.count; i++)
        result = add_history(&history, source, &history.jobs[i], err);
    text_add(history.out, "]}\n");
    clear(&history);
    response->type = "application/json";
    response->rows = history.rows;
    response->has_rows = true;
    return result;
}

#include "cli/answers/cards.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/view/row_output.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

struct job_list {
    uint64_t *ids;
    size_t count, room;
};

static void add_job(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct job_list *list = arg;

    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 64;
        list->ids = xreallocarray(list->ids, list->room, sizeof(*list->ids));
    }
    list->ids[list->count++] = job->job_id;
}

int cards_each_rank(struct row_source *source,
                    uint64_t jobs,
                    client_row_fn *fn,
                    void *arg,
                    struct err *err)
{
    struct job_list list = {0};
    int result = row_source_uncounted_jobs(source, add_job, &list, err);

    for (size_t i = list.count; result == 0 && i > 0 && list.count - i < jobs; i--)
        result = row_source_each(source, MSG_RANK_ROW, list.ids[i - 1], fn, arg, err);
    free(list.ids);
    return result;
}

struct card {
    char *host, *model, *serial; /* of the newest rank */
    int64_t card;
    bool simulated;
    uint64_t ranks, failed, last_job_id;
};

struct card_list {
    struct card **cards;
    size_t count, room;
    struct map *by_name;
};

static struct card *find_card(struct card_list *list, const struct msg_rank_row *rank)
{
    char *key = xasprintf("%s:%" PRId64, rank->host, rank->card);
    struct card *card = map_get(list->by_name, key);

    if (!card) {
        card = xcalloc(1, sizeof(*card));
        card->host = xstrdup(rank->host);
        card->model = xstrdup(rank->model);
        card->serial = xstrdup(rank->serial);
        card->card = rank->card;
        card->simulated = rank->simulated;
        card->last_job_id = rank->job_id; /* the newest job comes first */
        map_put(list->by_name, key, card);
        if (list->count == list->room) {
            list->room = list->room ? list->room * 2 : 16;
            list->cards = xreallocarray(list->cards, list->room, sizeof(*list->cards));
        }
        list->cards[list->count++] = card;
    }
    free(key);
    return card;
}

static void add_rank(const void *row, void *arg)
{
    const struct msg_rank_row *rank = row;

    if (rank->card < 0)
        return;
    struct card *card = find_card(arg, rank);
    card->ranks++;
    card->failed += strcmp(rank->status, "done") != 0;
}

static int by_place(const void *a, const void *b)
{
    const struct card *const *x = a, *const *y = b;
    int order = text_compare_names((*x)->host, (*y)->host);

    return order ? order : ((*x)->card > (*y)->card) - ((*x)->card < (*y)->card);
}

static void write_cards(struct text *out, const struct card_list *list)
{
    static const struct row_output_column columns[] = {
        {"host", CELL_TEXT},   {"card", CELL_I64},        {"model", CELL_TEXT},
        {"serial", CELL_TEXT}, {"simulated", CELL_BOOL},  {"ranks", CELL_U64},
        {"failed", CELL_U64},  {"last_job_id", CELL_U64},
    };

    text_add(out, "{\"schema\":\"muster.fleet-cards.v1\",\"rows\":[");
    for (size_t i = 0; i < list->count; i++) {
        const struct card *card = list->cards[i];
        const struct cell cells[] = {
            {.kind = CELL_TEXT, .text = card->host},
            {.kind = CELL_I64, .i64 = card->card},
            {.kind = CELL_TEXT, .text = card->model},
            {.kind = CELL_TEXT, .text = card->serial},
            {.kind = CELL_BOOL, .yes = card->simulated},
            {.kind = CELL_U64, .u64 = card->ranks},
            {.kind = CELL_U64, .u64 = card->failed},
            {.kind = CELL_U64, .u64 = card->last_job_id},
        };

        text_add(out, i ? "," : "");
        row_output_json(out, columns, COUNT(columns), cells);
    }
    text_add(out, "]}\n");
}

int cards_answer(struct row_source *source,
                 const struct http_request *request,
                 struct http_response *response,
                 struct err *err)
{
    static const char *const known[] = {"jobs", NULL};
    struct card_list list = {0};
    uint64_t jobs = CARDS_JOBS_DEFAULT;

    if (http_arguments_check(request, known, err) < 0 ||
        http_argument_u64(request, "jobs", &jobs, err) < 0)
        return -1;
    list.by_name = map_create();
    int result = cards_each_rank(source, jobs, add_rank, &list, err);
    if (result == 0) {
        if (list.count)
            qsort(list.cards, list.count, sizeof(struct card *), by_place);
        write_cards(&response->body, &list);
        response->type = "application/json";
        response->rows = list.count;
        response->has_rows = true;
    }
    for (size_t i = 0; i < list.count; i++) {
        free(list.cards[i]->host);
        free(list.cards[i]->model);
        free(list.cards[i]->serial);
        free(list.cards[i]);
    }
    free(list.cards);
    map_destroy(list.by_name);
    return result;
}

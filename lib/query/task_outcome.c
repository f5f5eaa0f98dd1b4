#include "lib/query/task_outcome.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/query/store_rows.h"

struct search {
    const struct msg_explain *request;
    struct text found;  /* the requested task, or the first that has not ended */
    struct text failed; /* the first failed task */
    bool ended;
    uint64_t counts[TASK_STATE_END];
};

static void describe_end(const struct msg_task_row *row, struct text *out)
{
    text_printf(out, "has ended: %s", row->state);
    if (row->host && *row->host)
        text_printf(out, ", attempt %" PRIu64 " on %s:%" PRIu64, row->attempt,
                    row->host, row->card);
    if (row->status && *row->status && strcmp(row->status, row->state) != 0)
        text_printf(out, ", %s", row->status);
    if (row->exit_code)
        text_printf(out, ", exit code %" PRId64, row->exit_code);
    if (row->reason && *row->reason)
        text_printf(out, ": %s", row->reason);
}

static void describe_task(const struct msg_task_row *row, bool ended, struct text *out)
{
    text_printf(out, "point %" PRIu64 " repeat %" PRIu64 " ", row->point, row->repeat);
    if (ended)
        describe_end(row, out);
    else if (row->attempt > 0)
        text_printf(out, "is %s, attempt %" PRIu64, row->state, row->attempt);
    else
        text_printf(out, "is %s", row->state);
}

static void read_task(enum message_type type, const void *message, void *arg)
{
    const struct msg_task_row *row = message;
    struct search *search = arg;
    const struct msg_explain *request = search->request;
    enum task_state state;

    (void)type;
    if (!task_state_parse(row->state, &state))
        return;
    search->counts[state]++;
    bool ended = task_state_is_final(state);
    bool matches = request->any
                       ? !ended && search->found.length == 0
                       : row->point == request->point && row->repeat == request->repeat;

    if (matches) {
        describe_task(row, ended, &search->found);
        search->ended = ended;
    }
    if (state == TASK_FAILED && search->failed.length == 0)
        describe_task(row, true, &search->failed);
}

static void describe_all(const struct search *search, struct text *out)
{
    const char *before = "all tasks have ended: ";

    for (unsigned state = 0; state < TASK_STATE_END; state++)
        if (search->counts[state]) {
            text_printf(out, "%s%" PRIu64 " %s", before, search->counts[state],
                        task_state_name((enum task_state)state));
            before = ", ";
        }
    if (search->failed.length)
        text_printf(out, "; %s", text_get(&search->failed));
}

int task_outcome_explain(struct text *out,
                         bool *ended,
                         struct store *store,
                         const struct msg_explain *request,
                         struct err *err)
{
    struct search search = {.request = request, .ended = true};
    int result = store_rows_tasks(store, request->job_id, read_task, &search, err);

    if (result == 0 && search.found.length)
        text_add(out, text_get(&search.found));
    else if (result == 0 && request->any)
        describe_all(&search, out);
    else if (result == 0)
        result = err_set(err, ERR_NOT_FOUND,
                         "the job has no point %" PRIu64 " repeat %" PRIu64,
                         request->point, request->repeat);
    *ended = search.ended;
    text_clear(&search.found);
    text_clear(&search.failed);
    return result;
}

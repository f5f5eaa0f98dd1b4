#include "lib/query/task_outcome.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/query/store_rows.h"

struct looking {
    const struct msg_explain *wanted;
    struct text one; /* the task that was asked for, or the first that has not ended */
    struct text worst; /* the first that failed */
    bool ended;
    uint64_t counts[TASK_STATE_END];
};

static void tell_end(const struct msg_task_row *row, struct text *out)
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

static void tell_task(const struct msg_task_row *row, bool ended, struct text *out)
{
    text_printf(out, "point %" PRIu64 " repeat %" PRIu64 " ", row->point, row->repeat);
    if (ended)
        tell_end(row, out);
    else if (row->attempt > 0)
        text_printf(out, "is %s, attempt %" PRIu64, row->state, row->attempt);
    else
        text_printf(out, "is %s", row->state);
}

static void look(enum message_type type, const void *message, void *arg)
{
    const struct msg_task_row *row = message;
    struct looking *looking = arg;
    const struct msg_explain *wanted = looking->wanted;
    enum task_state state;

    (void)type;
    if (!task_state_parse(row->state, &state))
        return;
    looking->counts[state]++;
    bool ended = task_state_is_final(state);
    bool is_it = wanted->any
                     ? !ended && looking->one.length == 0
                     : row->point == wanted->point && row->repeat == wanted->repeat;

    if (is_it) {
        tell_task(row, ended, &looking->one);
        looking->ended = ended;
    }
    if (state == TASK_FAILED && looking->worst.length == 0)
        tell_task(row, true, &looking->worst);
}

static void tell_all(const struct looking *looking, struct text *out)
{
    const char *before = "all its tasks have ended: ";

    for (unsigned state = 0; state < TASK_STATE_END; state++)
        if (looking->counts[state]) {
            text_printf(out, "%s%" PRIu64 " %s", before, looking->counts[state],
                        task_state_name((enum task_state)state));
            before = ", ";
        }
    if (looking->worst.length)
        text_printf(out, "; %s", text_get(&looking->worst));
}

int task_outcome_explain(struct text *out,
                         bool *ended,
                         struct store *store,
                         const struct msg_explain *wanted,
                         struct err *err)
{
    struct looking looking = {.wanted = wanted, .ended = true};
    int result = store_rows_tasks(store, wanted->job_id, look, &looking, err);

    if (result == 0 && looking.one.length)
        text_add(out, text_get(&looking.one));
    else if (result == 0 && wanted->any)
        tell_all(&looking, out);
    else if (result == 0)
        result = err_set(err, ERR_NOT_FOUND,
                         "the job has no point %" PRIu64 " repeat %" PRIu64,
                         wanted->point, wanted->repeat);
    *ended = looking.ended;
    text_clear(&looking.one);
    text_clear(&looking.worst);
    return result;
}

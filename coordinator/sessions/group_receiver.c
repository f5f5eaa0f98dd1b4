/* group_receiver.c - checks and stores capture groups; acknowledges them after the
 * commit */
#include <inttypes.h>
#include <stdlib.h>

#include "coordinator/sessions/sessions_internal.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/store/captures.h"

/* Returns true when the worker runs the rank of this group: its own rank, or in a
 * threads job all ranks, whose process it has. */
static bool has_rank(const struct attempt *attempt,
                     const struct worker *worker,
                     const struct msg_group *group)
{
    const struct attempt_rank *rank =
        ledger_find_rank_on_card(attempt, worker->host, worker->card);

    return rank && ledger_rank_has_process(rank) &&
           (attempt->threads || rank->number == group->shard >> 16);
}

/* Sets *refused (free() it) to the reason when the group is not stored. */
static int store_group(char **refused,
                       struct ledger *ledger,
                       const struct worker *worker,
                       const struct msg_group *group,
                       struct err *err)
{
    struct attempt *attempt = ledger_find_attempt(ledger, group->run_id);

    *refused = NULL;
    if (!attempt) {
        *refused = xstrdup("this attempt has ended");
        return 0;
    }
    if (group->shard >> 16 >= attempt->rank_count || group->number > UINT32_MAX ||
        group->raw_bytes > UINT32_MAX) {
        *refused = xstrdup("shard, number or raw_bytes is out of range");
        return 0;
    }
    if (!has_rank(attempt, worker, group)) {
        *refused = xstrdup("the worker does not run this rank of the attempt");
        return 0;
    }
    const struct captures_group row = {.run_id = group->run_id,
                                       .shard = (uint32_t)group->shard,
                                       .number = (uint32_t)group->number,
                                       .raw_bytes = (uint32_t)group->raw_bytes,
                                       .zstd = group->zstd,
                                       .bytes = group->data.data,
                                       .size = group->data.size,
                                       .received_wall_ms = clock_wall_ns() / 1000000};
    return ledger_group(ledger, attempt, &row, refused, err);
}

int sessions_handle_group(struct sessions *sessions,
                          struct link *data_link,
                          const struct incoming *in,
                          struct err *err)
{
    const struct msg_group *group = &in->message.group;
    const struct worker *worker;
    char *reason;

    if (in->kind->type != MSG_GROUP) {
        const struct msg_refused refused = {refusal_word(ERR_INPUT),
                                            "the data socket accepts only groups"};

        outbox_send(sessions->outbox, data_link, &in->peer, MSG_REFUSED, &refused);
        return 0;
    }
    worker = workers_find_session(&sessions->fleet->workers, group->session);
    if (!worker) { /* the worker sends its groups again after its next hello */
        log_debug("group of an unknown session ignored: run_id=%" PRIu64,
                  group->run_id);
        return 0;
    }
    if (store_group(&reason, sessions->ledger, worker, group, err) < 0)
        return -1;
    if (reason) {
        const struct msg_group_refused refused = {group->run_id, group->shard,
                                                  group->number, reason};

        log_warning("group refused: run_id=%" PRIu64 " shard=%" PRIu64
                    " number=%" PRIu64 " reason=\"%s\"",
                    group->run_id, group->shard, group->number, reason);
        outbox_send(sessions->outbox, data_link, &in->peer, MSG_GROUP_REFUSED,
                    &refused);
        free(reason);
    } else {
        const struct msg_group_ack ack = {group->run_id, group->shard, group->number};

        outbox_send(sessions->outbox, data_link, &in->peer, MSG_GROUP_ACK, &ack);
    }
    return 0;
}

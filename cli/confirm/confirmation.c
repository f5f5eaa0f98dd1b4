#include "cli/confirm/confirmation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/user_name.h"
#include "cli/fleet/follow.h"
#include "cli/query/client.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/verdict/cause/ab_cause.h"
#include "lib/wire/messages.h"

bool confirmation_has_room(const struct confirmation_request *request,
                           const char *kernel)
{
    size_t same = 0;

    for (size_t i = 0; i < request->count; i++)
        same += strcmp(request->suspects[i].kernel, kernel) == 0;
    return same < CONFIRMATION_OF_KERNEL_MOST;
}

enum confirmation_outcome confirmation_outcome_of(const char *cause)
{
    static const char *const confirmed[] = {"code", "code-here", "card",
                                            "link", "host",      "environment"};

    for (size_t i = 0; i < COUNT(confirmed); i++)
        if (strcmp(cause, confirmed[i]) == 0)
            return CONFIRMATION_CONFIRMED;
    if (strcmp(cause, cause_name(CAUSE_BASE_GONE)) == 0)
        return CONFIRMATION_BASE_GONE;
    return strcmp(cause, "not-reproduced") == 0 ? CONFIRMATION_NOT_REPRODUCED
                                                : CONFIRMATION_UNKNOWN;
}

/* Returns a token that only the same suspects of the same jobs have (FNV-1a); free()
 * it.
 */
static char *token_of(const struct confirmation_request *request)
{
    struct text text = {0};
    uint64_t hash = 0xcbf29ce484222325u;

    text_printf(&text, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %g", request->pairs,
                request->sessions, request->cards, request->tolerance);
    if (request->round > 0)
        text_printf(&text, " round %u", request->round);
    for (size_t i = 0; i < request->count; i++) {
        const struct confirmation_suspect *suspect = &request->suspects[i];

        text_printf(&text, "\n%s\t%s\t%s\t%s\t%" PRIu64, suspect->point,
                    suspect->kernel, suspect->metric, suspect->card, suspect->rank);
    }
    for (const char *c = text_get(&text); *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    text_clear(&text);
    return xasprintf("confirm-%" PRIu64 "-%" PRIu64 "-%016" PRIx64, request->job_id,
                     request->base_job_id, hash);
}

/* The lists of the message, one entry per suspect. */
struct lists {
    const char **points, **kernels, **metrics, **cards;
    uint64_t *ranks, *night_h, *night_w, *nights;
};

static uint64_t ppm(double share)
{
    return share > 0 ? (uint64_t)llround(share * 1e6) : 0;
}

static void fill_lists(struct lists *lists, const struct confirmation_request *request)
{
    size_t count = request->count;

    *lists = (struct lists){
        .points = xcalloc(count, sizeof(char *)),
        .kernels = xcalloc(count, sizeof(char *)),
        .metrics = xcalloc(count, sizeof(char *)),
        .cards = xcalloc(count, sizeof(char *)),
        .ranks = xcalloc(count, sizeof(uint64_t)),
        .night_h = xcalloc(count, sizeof(uint64_t)),
        .night_w = xcalloc(count, sizeof(uint64_t)),
        .nights = xcalloc(count, sizeof(uint64_t)),
    };
    for (size_t i = 0; i < count; i++) {
        const struct confirmation_suspect *suspect = &request->suspects[i];

        lists->points[i] = suspect->point;
        lists->kernels[i] = suspect->kernel;
        lists->metrics[i] = suspect->metric;
        lists->cards[i] = suspect->card;
        lists->ranks[i] = suspect->rank;
        lists->night_h[i] = ppm(suspect->night_h);
        lists->night_w[i] = ppm(suspect->night_w);
        lists->nights[i] = suspect->nights;
    }
}

static void clear_lists(struct lists *lists)
{
    free(lists->points);
    free(lists->kernels);
    free(lists->metrics);
    free(lists->cards);
    free(lists->ranks);
    free(lists->night_h);
    free(lists->night_w);
    free(lists->nights);
}

static int submit(struct client *client,
                  const struct confirmation_request *request,
                  uint64_t *job_id,
                  struct err *err)
{
    char *once = request->again ? xstrdup("") : token_of(request);
    const union any_message *reply;
    size_t count = request->count;
    struct lists lists;

    fill_lists(&lists, request);
    const struct msg_confirm_suspects message = {
        .job_id = request->job_id,
        .base_job_id = request->base_job_id,
        .user = user_name_get(),
        .once = once,
        .pairs = request->pairs,
        .sessions = request->sessions,
        .card_count = request->cards,
        .time_ms = request->time_ms,
        .tolerance = request->tolerance,
        .points = {lists.points, count},
        .kernels = {lists.kernels, count},
        .metrics = {lists.metrics, count},
        .cards = {lists.cards, count},
        .ranks = {lists.ranks, count},
        .night_h_ppm = {lists.night_h, count},
        .night_w_ppm = {lists.night_w, count},
        .nights = {lists.nights, count},
    };
    int result = client_request(client, MSG_CONFIRM_SUSPECTS, &message, MSG_SUBMITTED,
                                &reply, err);
    if (result == 0)
        *job_id = reply->submitted.job_id;
    clear_lists(&lists);
    free(once);
    return result;
}

static void keep_row(const void *message, void *arg)
{
    const struct msg_suspect_row *row = message;
    struct confirmation_request *request = arg;

    if (row->number < 1 || row->number > request->count)
        return;
    struct confirmation_suspect *suspect = &request->suspects[row->number - 1];
    suspect->outcome = confirmation_outcome_of(row->cause);
    snprintf(suspect->cause, sizeof(suspect->cause), "%s", row->cause);
    snprintf(suspect->also, sizeof(suspect->also), "%s", row->also);
    snprintf(suspect->reason, sizeof(suspect->reason), "%s", row->reason);
    snprintf(suspect->slow_card, sizeof(suspect->slow_card), "%s", row->slow_card);
    snprintf(suspect->slow_peer, sizeof(suspect->slow_peer), "%s", row->slow_peer);
    suspect->code_percent = row->code_percent;
    suspect->drift_percent = row->drift_percent;
}

int confirmation_run(struct client *client,
                     struct confirmation_request *request,
                     struct progress *progress,
                     uint64_t *job_id,
                     struct err *err)
{
    struct follow_options options = {.timeout_ms = UINT64_MAX, .progress = progress};
    struct follow_result end;

    if (submit(client, request, job_id, err) < 0)
        return -1;
    options.job_id = *job_id;
    if (follow(client, &options, &end, err) < 0)
        return -1;
    if (!end.final)
        return err_set(err, ERR_CONFLICT,
                       "the wait was interrupted; the confirmation continues as job "
                       "%" PRIu64,
                       *job_id);
    const struct msg_list_suspects list = {.job_id = *job_id};
    return client_each(client, MSG_LIST_SUSPECTS, &list, MSG_SUSPECT_ROW, keep_row,
                       request, err);
}

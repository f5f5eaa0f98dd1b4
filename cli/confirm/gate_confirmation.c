#include "cli/confirm/gate_confirmation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/confirm/confirmation.h"
#include "cli/view/progress.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"

static enum cause cause_of(const char *word)
{
    int cause = CAUSE_COUNT - 1;

    while (cause > CAUSE_NONE && strcmp(cause_name((enum cause)cause), word) != 0)
        cause--;
    return (enum cause)cause;
}

/* Takes the largest changes; the others stay open. */
static void take_suspects(struct confirmation_request *request,
                          const struct gate *gate,
                          size_t most)
{
    size_t count;
    const struct suspect *suspects = gate_suspects(gate, &count);

    request->suspects = xcalloc(most, sizeof(*request->suspects));
    request->count = count < most ? count : most;
    for (size_t i = 0; i < request->count; i++) {
        const struct comparison_row *cell = &suspects[i].cell;

        request->suspects[i] = (struct confirmation_suspect){
            .point = cell->point,
            .kernel = cell->kernel,
            .metric = cell->metric,
            .card = cell->card,
            .rank = cell->rank,
            .night_h = cell->night_noise,
            .night_w = cell->usual_night_noise,
            .nights = cell->nights_unknown ? 0 : cell->nights,
        };
    }
}

static void apply(struct gate *gate, const struct confirmation_request *request)
{
    static const enum suspect_state states[] = {
        [CONFIRMATION_UNKNOWN] = SUSPECT_UNDECIDED,
        [CONFIRMATION_CONFIRMED] = SUSPECT_CONFIRMED,
        [CONFIRMATION_NOT_REPRODUCED] = SUSPECT_NOT_REPRODUCED,
    };

    for (size_t i = 0; i < request->count; i++) {
        const struct confirmation_suspect *suspect = &request->suspects[i];
        struct causes causes = {CAUSE_NONE, CAUSE_NONE};

        if (suspect->outcome == CONFIRMATION_CONFIRMED)
            causes = (struct causes){cause_of(suspect->cause), cause_of(suspect->also)};
        gate_confirm(gate, i, states[suspect->outcome], causes);
    }
}

int gate_confirmation_run(struct gate *gate,
                          const struct gate_confirm_jobs *jobs,
                          void *arg,
                          struct err *err)
{
    const struct job_confirm *settings = jobs->settings;
    struct client *client = row_source_client(jobs->source);
    struct confirmation_request request = {.job_id = jobs->job_id,
                                           .base_job_id = jobs->base_job_id,
                                           .pairs = settings->pairs,
                                           .sessions = settings->sessions,
                                           .cards = settings->cards,
                                           .time_ms = settings->time_ms,
                                           .tolerance = jobs->tolerance};
    uint64_t confirmation_job_id;

    (void)arg;
    if (!client) {
        fprintf(stderr, "muster: suspects are not confirmed, because no coordinator is "
                        "named\n");
        return 0;
    }
    take_suspects(&request, gate, settings->suspects);
    struct progress *progress = progress_create(jobs->quiet);
    int result =
        confirmation_run(client, &request, progress, &confirmation_job_id, err);
    progress_destroy(progress);
    if (result == 0)
        apply(gate, &request);
    free(request.suspects);
    if (result < 0 && err->code == ERR_INPUT) {
        fprintf(stderr, "muster: suspects are not confirmed: %s\n", err->text);
        return 0;
    }
    return result;
}

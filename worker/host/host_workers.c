#include "worker/host/host_workers.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/options.h"
#include "lib/daemon/worker_settings.h"
#include "lib/wire/join_ticket.h"
#include "worker/host/card_list.h"
#include "worker/host/supervisor.h"
#include "worker/process/run_as_user.h"

/* Options that differ between the workers. */
static const char *const own_options[] = {"cards", "spool", "parent-fd", NULL};

static int find_cards(struct card_list *out,
                      const struct worker_settings *settings,
                      struct err *err)
{
    char parts[PATH_MAX], *library = NULL;
    int result;

    if (settings->simulated) {
        if (file_parts_folder(parts, sizeof(parts), err) < 0)
            return -1;
        library = xasprintf("%s/sim/lib64/libdcmi.so", parts);
    }
    const struct card_lookup lookup = dcmi_cards_of_host(library);
    result = card_list_find(settings->cards, &lookup, out, err);
    free(library);
    return result;
}

/* Puts the ticket into the environment. The child processes read MUSTER_TICKET and
 * remove it from their environment. putenv() keeps the text, so it is never freed. */
static void prepare_ticket(const struct worker_settings *settings,
                           const struct join_ticket *ticket)
{
    if (settings->ticket)
        putenv(join_ticket_variable(ticket));
}

/* Lets operators of other accounts pass through the spool folder. */
static int prepare_spool(const struct worker_settings *settings, struct err *err)
{
    if (!settings->as_submitter)
        return 0;
    return folder_create(settings->spool, err) < 0
               ? -1
               : run_as_user_allow_passage(settings->spool, err);
}

int host_workers_serve(const struct worker_settings *settings,
                       const struct join_ticket *ticket,
                       char **argv,
                       struct err *err)
{
    struct supervisor_options options = {.spool = settings->spool,
                                         .parent_fd = (int)settings->parent_fd};
    struct card_list cards = {0};
    int result;

    prepare_ticket(settings, ticket);
    if (find_cards(&cards, settings, err) < 0 || prepare_spool(settings, err) < 0)
        return -1;
    log_info("workers started: cards=%zu source=%s", cards.count, cards.from);
    options.words = options_without(argv, own_options);
    result = supervisor_run(&cards, &options, err);
    free(options.words);
    if (settings->remove_spool)
        rmdir(settings->spool); /* fails while the folder of a worker is left in it */
    return result;
}

#include "worker/host/host_workers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/daemon/worker_settings.h"
#include "lib/wire/join_ticket.h"
#include "worker/host/card_list.h"
#include "worker/host/supervisor.h"
#include "worker/process/run_as_user.h"

int host_workers_serve(const struct worker_settings *settings,
                       const struct join_ticket *own,
                       int argc,
                       char **argv,
                       struct err *err)
{
    const char **words = xcalloc((size_t)argc + 1, sizeof(*words));
    struct supervisor_options wish = {.words = words, .spool = settings->spool};
    char *library = NULL, parts[PATH_MAX], *ticket = NULL;
    struct card_list cards = {0};
    int result = 0;

    for (int i = 1; i < argc; i++) {
        bool apart = !strcmp(argv[i], "--cards") || !strcmp(argv[i], "--spool") ||
                     !strcmp(argv[i], "--parent-fd");

        if (apart)
            i++;
        else if (!text_has_prefix(argv[i], "--cards=") &&
                 !text_has_prefix(argv[i], "--spool=") &&
                 !text_has_prefix(argv[i], "--parent-fd="))
            words[wish.word_count++] = argv[i];
    }
    if (settings->simulated) {
        result = file_parts_folder(parts, sizeof(parts), err);
        if (result == 0)
            library = xasprintf("%s/sim/lib64/libdcmi.so", parts);
    }
    if (settings->ticket) { /* for the children, who take it out of theirs */
        ticket = join_ticket_variable(own);
        putenv(ticket);
    }
    const struct board board = dcmi_cards_of_host(library);
    if (result == 0)
        result = card_list_find(settings->cards, &board, &cards, err);
    if (result == 0 && settings->as_submitter &&
        (folder_create(settings->spool, err) < 0 ||
         run_as_user_allow_passage(settings->spool, err) < 0))
        result = -1;
    if (result == 0) {
        log_info("serving %zu cards: from %s", cards.count, cards.from);
        result = supervisor_run(&cards, &wish, err);
        if (settings->remove_spool)
            rmdir(settings->spool); /* each card's went with its worker, or stays */
    }
    free(library);
    free(words);
    return result;
}

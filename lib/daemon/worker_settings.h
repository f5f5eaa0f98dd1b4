/* worker_settings.h - what a worker is started with, and the table it is read by
 *
 * The table is here, not in main.c, so that `muster worker` has the same one. */
#ifndef LIB_DAEMON_WORKER_SETTINGS_H
#define LIB_DAEMON_WORKER_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/options.h"

enum {
    WORKER_SETTINGS_ROWS = 40,
    HOST_CARDS_MAX = 64, /* of one host */
};

struct worker_settings {
    const char *control, *data, *model, *serial, *spool, *key, *server_key, *host,
        *address, *net_switch, *cards, *limits, *cpus, *cgroup, *env_allow;
    int64_t card;     /* -1: all of the host, each with a process of its own */
    uint64_t idle_ms; /* 0: it waits for ever */
    int64_t parent_fd;
    uint64_t spool_limit;
    int log_level, log_format;
    bool simulated, insecure, once, ticket, help, version, no_restore, as_submitter,
        spool_goes;
    struct option_row rows[WORKER_SETTINGS_ROWS];
};

extern const char worker_settings_usage[];

/* What is built in, and the table whose targets are in it: it must stay where it is. */
void worker_settings_init(struct worker_settings *settings);
/* What one option alone cannot tell. */
int worker_settings_check(const struct worker_settings *settings,
                          char **args,
                          struct err *err);

#endif

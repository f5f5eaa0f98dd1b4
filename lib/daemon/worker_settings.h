/* worker_settings.h - options of muster-worker: values, table, defaults, checks
 *
 * The table is in this library because `muster worker` prints the same help, manual
 * page and completion as the program. */
#ifndef LIB_DAEMON_WORKER_SETTINGS_H
#define LIB_DAEMON_WORKER_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/options.h"

enum {
    WORKER_SETTINGS_ROWS = 40,
    HOST_CARDS_MAX = 64, /* cards that muster serves on one host */
};

struct worker_settings {
    const char *control, *data, *model, *serial, *spool, *key, *server_key, *host,
        *address, *net_switch, *cards, *limits, *cpus, *cgroup, *env_allow;
    int64_t card;     /* -1: all cards of the host, each with its own process */
    uint64_t idle_ms; /* 0: never exit */
    int64_t parent_fd;
    uint64_t spool_limit;
    int log_level, log_format;
    bool simulated, insecure, once, ticket, help, version, no_restore, as_submitter,
        remove_spool;
    struct option_row rows[WORKER_SETTINGS_ROWS];
};

extern const char worker_settings_usage[];

/* Sets the defaults and fills the table. The table points into *settings, which must
 * not move afterwards. */
void worker_settings_init(struct worker_settings *settings);
/* Checks required options, ranges and combinations. `args` are the arguments that are
 * no options; there must be none. */
int worker_settings_check(const struct worker_settings *settings,
                          char **args,
                          struct err *err);

#endif

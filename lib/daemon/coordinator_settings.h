/* coordinator_settings.h - what the coordinator is started with, and the table it is
 * read by
 *
 * The table is here, not in main.c, so that `muster coordinator` has the same one: its
 * help, its manual page and its completion are the program's. */
#ifndef LIB_DAEMON_COORDINATOR_SETTINGS_H
#define LIB_DAEMON_COORDINATOR_SETTINGS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/options.h"

enum { COORDINATOR_SETTINGS_ROWS = 29 };

struct coordinator_settings {
    const char *store, *out, *control, *data;
    const char *key, *allow;
    const char *parser, *metrics;
    const char *reached_at, *announce, *parent_folder;
    uint64_t alloc_poll_ms;
    uint64_t parsers, parser_memory, parser_limit_ms;
    int64_t parent_fd;
    bool insecure, help, version;
    int log_level, log_format;
    char parser_beside[PATH_MAX + 32];
    struct option_row rows[COORDINATOR_SETTINGS_ROWS];
};

extern const char coordinator_settings_usage[];

/* What is built in, and the table whose targets are in it: it must stay where it is. */
void coordinator_settings_init(struct coordinator_settings *settings);
/* What one option alone cannot tell. */
int coordinator_settings_check(const struct coordinator_settings *settings,
                               struct err *err);

#endif

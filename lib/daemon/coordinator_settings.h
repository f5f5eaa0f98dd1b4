/* coordinator_settings.h - options of muster-coordinator: values, table, defaults,
 * checks
 *
 * The table is in this library because `muster coordinator` prints the same help,
 * manual page and completion as the program. */
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
    const char *parser, *metrics, *metrics_token;
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

/* Sets the defaults and fills the table. The table points into *settings, which must
 * not move afterwards. */
void coordinator_settings_init(struct coordinator_settings *settings);
/* Checks required options, ranges and combinations. */
int coordinator_settings_check(const struct coordinator_settings *settings,
                               struct err *err);

#endif

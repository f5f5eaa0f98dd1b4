/* serve_settings.h - options of muster-serve: values, table, defaults
 *
 * The table is in this library because `muster serve` prints the same help, manual page
 * and completion as the program. */
#ifndef CLI_APP_SERVE_SETTINGS_H
#define CLI_APP_SERVE_SETTINGS_H

#include <stdint.h>

#include "cli/app/command_options.h"

enum { SERVE_SETTINGS_ROWS = 20, SERVE_SETTINGS_FILES = 1000 };

struct serve_settings {
    struct command_options common;
    const char *listen, *token, *certificate, *key, *viewer, *browse;
    struct option_texts names;
    uint64_t idle_ms, connections_max;
    bool version;
    struct option_row rows[SERVE_SETTINGS_ROWS];
};

extern const char serve_settings_usage[];
extern const char serve_settings_summary[];

/* Sets the defaults and fills the table. The table points into *settings, which must
 * not move afterwards. */
void serve_settings_init(struct serve_settings *settings);

#endif

#include "lib/daemon/coordinator_settings.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

#ifdef __SANITIZE_ADDRESS__
#define PARSER_MEMORY 0 /* its shadow alone is larger than any limit */
#else
#define PARSER_MEMORY (4ull << 30)
#endif

const char coordinator_settings_usage[] =
    "--store DIR --out DIR --control ENDPOINT --data ENDPOINT [OPTION...]";

static void fill_rows(struct coordinator_settings *settings)
{
    const struct option_row rows[] = {
        {"store", 0, OPTION_TEXT, &settings->store, "DIR", "folder of muster.db", NULL},
        {"out", 0, OPTION_TEXT, &settings->out, "DIR", "folder of results and reports",
         NULL},
        {"control", 0, OPTION_TEXT, &settings->control, "ENDPOINT",
         "ipc:///PATH or tcp://HOST:PORT for workers and clients", NULL},
        {"data", 0, OPTION_TEXT, &settings->data, "ENDPOINT", "the same for captures",
         NULL},
        {"key", 0, OPTION_TEXT, &settings->key, "FILE", "our secret key: CURVE", NULL},
        {"allow", 0, OPTION_TEXT, &settings->allow, "FILE",
         "public keys that may come, a line each", NULL},
        {"insecure", 0, OPTION_FLAG, &settings->insecure, NULL,
         "plain tcp off loopback", NULL},
        {"parsers", 0, OPTION_U64, &settings->parsers, "N",
         "at most N at once (as many as cores)", NULL},
        {"parser", 0, OPTION_TEXT, &settings->parser, "PROGRAM",
         "instead of muster-parser", NULL},
        {"parser-memory", 0, OPTION_BYTES, &settings->parser_memory, "BYTES",
         "each may take; 0: no limit (4GiB)", NULL},
        {"parser-limit", 0, OPTION_DURATION, &settings->parser_limit_ms, "TIME",
         "each may run (10m)", NULL},
        {"metrics", 0, OPTION_TEXT, &settings->metrics, "ENDPOINT",
         "OpenMetrics at unix:///PATH or tcp://127.0.0.1:PORT (not at all)", NULL},
        {"reached-at", 0, OPTION_TEXT, &settings->reached_at, "HOST",
         "by workers of allocations; else as the endpoints say", NULL},
        {"alloc-poll", 0, OPTION_DURATION, &settings->alloc_poll_ms, "TIME",
         "how often a cluster is asked how allocations are (10s)", NULL},
        {"announce", 0, OPTION_TEXT, &settings->announce, "FILE",
         "write both endpoints there when they are open", NULL},
        {"parent-fd", 0, OPTION_I64, &settings->parent_fd, "N",
         "end when this pipe closes", NULL},
        {"parent-folder", 0, OPTION_TEXT, &settings->parent_folder, "DIR",
         "and remove this one, which must be called muster-*", NULL},
        {"log-level", 0, OPTION_CHOICE, &settings->log_level, "LEVEL", "what is told",
         log_levels},
        {"log-format", 0, OPTION_CHOICE, &settings->log_format, "FORM",
         "for people, collectors of logs, or systemd", log_formats},
        {"help", 'h', OPTION_FLAG, &settings->help, NULL, "this text", NULL},
        {"version", 0, OPTION_FLAG, &settings->version, NULL, "which version this is",
         NULL},
        {0},
    };

    _Static_assert(COUNT(rows) <= COORDINATOR_SETTINGS_ROWS, "the table has grown");
    memcpy(settings->rows, rows, sizeof(rows));
}

void coordinator_settings_init(struct coordinator_settings *settings)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct err none;

    memset(settings, 0, sizeof(*settings));
    settings->parser = settings->parser_beside;
    if (file_next_to_program(settings->parser_beside, sizeof(settings->parser_beside),
                             "muster-parser", &none) < 0)
        settings->parser = "muster-parser";
    settings->alloc_poll_ms = 10000;
    settings->parsers = cores > 0 ? (uint64_t)cores : 1;
    settings->parser_memory = PARSER_MEMORY;
    settings->parser_limit_ms = 600000;
    settings->parent_fd = -1;
    settings->log_level = LOG_INFO;
    fill_rows(settings);
}

/* Of a private fleet's making: nothing else is removed by mistake. */
static bool is_private(const char *folder)
{
    const char *slash = strrchr(folder, '/');

    return slash && text_has_prefix(slash + 1, "muster-");
}

int coordinator_settings_check(const struct coordinator_settings *settings,
                               struct err *err)
{
    if (!settings->store || !settings->out || !settings->control || !settings->data)
        return err_set(err, ERR_INPUT,
                       "--store, --out, --control and --data are needed");
    if (!settings->key != !settings->allow)
        return err_set(err, ERR_INPUT, "--key and --allow go together");
    if (settings->parent_fd < -1 || settings->parent_fd > INT_MAX)
        return err_set(err, ERR_INPUT, "--parent-fd: no such descriptor");
    if (settings->parent_folder &&
        (settings->parent_fd < 0 || !is_private(settings->parent_folder)))
        return err_set(err, ERR_INPUT,
                       "--parent-folder: with --parent-fd, and called muster-*");
    return 0;
}

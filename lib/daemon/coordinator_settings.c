#include "lib/daemon/coordinator_settings.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

#ifdef __SANITIZE_ADDRESS__
#define PARSER_MEMORY                                                                  \
    0 /* the sanitizer reserves more address space than any limit allows */
#else
#define PARSER_MEMORY (4ull << 30)
#endif

const char coordinator_settings_usage[] =
    "--store DIR --out DIR --control ENDPOINT --data ENDPOINT [OPTION...]";

/* Writes the options that most installations set, and returns their number. */
static size_t fill_main_rows(struct coordinator_settings *settings)
{
    const struct option_row rows[] = {
        {"store", 0, OPTION_PATH, &settings->store, "DIR",
         "Folder of muster.db (required)", NULL},
        {"out", 0, OPTION_PATH, &settings->out, "DIR",
         "Folder of results and reports (required)", NULL},
        {"control", 0, OPTION_TEXT, &settings->control, "ENDPOINT",
         "Endpoint for workers and clients, ipc:///PATH or tcp://HOST:PORT (required)",
         NULL},
        {"data", 0, OPTION_TEXT, &settings->data, "ENDPOINT",
         "Endpoint that receives captures, ipc:///PATH or tcp://HOST:PORT (required)",
         NULL},
        {"key", 0, OPTION_PATH, &settings->key, "FILE",
         "Secret CURVE key of the coordinator; needs --allow (default: none)", NULL},
        {"allow", 0, OPTION_PATH, &settings->allow, "FILE",
         "File with the public keys of allowed peers, one per line (default: none)",
         NULL},
        {"insecure", 0, OPTION_FLAG, &settings->insecure, NULL,
         "Allow TCP without keys beyond loopback (default: refuse)", NULL},
        {"parsers", 0, OPTION_COUNT, &settings->parsers, "N",
         "Run at most N parsers at the same time (default: number of processors)",
         NULL},
        {"parser", 0, OPTION_TEXT, &settings->parser, "PROGRAM",
         "Parser program (default: muster-parser beside this program)", NULL},
        {"parser-memory", 0, OPTION_BYTES, &settings->parser_memory, "BYTES",
         "Memory limit of one parser; 0: no limit (default: 4GiB)", NULL},
        {"parser-limit", 0, OPTION_DURATION, &settings->parser_limit_ms, "TIME",
         "Time limit of one parser (default: 10m)", NULL},
    };

    memcpy(settings->rows, rows, sizeof(rows));
    return COUNT(rows);
}

/* Adds the other options behind the first `count` rows. */
static void fill_other_rows(struct coordinator_settings *settings, size_t count)
{
    const struct option_row rows[] = {
        {"metrics", 0, OPTION_TEXT, &settings->metrics, "ENDPOINT",
         "Serve OpenMetrics at unix:///PATH or tcp://127.0.0.1:PORT; at another "
         "address only with --metrics-token (default: off)",
         NULL},
        {"metrics-token", 0, OPTION_PATH, &settings->metrics_token, "FILE",
         "File with the token that a request for metrics must have (default: none)",
         NULL},
        {"reached-at", 0, OPTION_TEXT, &settings->reached_at, "HOST",
         "Host name that workers of allocations connect to (default: the host in "
         "--control)",
         NULL},
        {"alloc-poll", 0, OPTION_DURATION, &settings->alloc_poll_ms, "TIME",
         "Interval between queries of the cluster about allocations (default: 10s)",
         NULL},
        {"announce", 0, OPTION_PATH, &settings->announce, "FILE",
         "Write both endpoints to FILE when they are open (default: none)", NULL},
        {"parent-fd", 0, OPTION_I64, &settings->parent_fd, "N",
         "Exit when the pipe at descriptor N closes (default: no pipe)", NULL},
        {"parent-folder", 0, OPTION_PATH, &settings->parent_folder, "DIR",
         "Remove this folder, which must be called muster-*, when the pipe of "
         "--parent-fd closes (default: none)",
         NULL},
        {"log-level", 0, OPTION_CHOICE, &settings->log_level, "LEVEL",
         "Least severe level to log (default: info)", log_levels},
        {"log-format", 0, OPTION_CHOICE, &settings->log_format, "FORM",
         "Format of log lines (default: text)", log_formats},
        {"help", 'h', OPTION_FLAG, &settings->help, NULL, "Print this help and exit",
         NULL},
        {"version", 0, OPTION_FLAG, &settings->version, NULL,
         "Print the version and exit", NULL},
        {0},
    };

    assert(count + COUNT(rows) <= COUNT(settings->rows));
    memcpy(settings->rows + count, rows, sizeof(rows));
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
    fill_other_rows(settings, fill_main_rows(settings));
}

/* Returns true for a folder of a private fleet. The coordinator removes no other
 * folder, so that a wrong option cannot delete other data. */
static bool is_private(const char *folder)
{
    const char *slash = strrchr(folder, '/');

    return slash && text_has_prefix(slash + 1, "muster-");
}

int coordinator_settings_check(const struct coordinator_settings *settings,
                               struct err *err)
{
    const char *missing = !settings->store     ? "--store"
                          : !settings->out     ? "--out"
                          : !settings->control ? "--control"
                          : !settings->data    ? "--data"
                                               : NULL;

    if (missing)
        return err_set(err, ERR_INPUT,
                       "%s is missing; --store, --out, --control and --data are "
                       "required",
                       missing);
    if (!settings->key != !settings->allow)
        return err_set(err, ERR_INPUT,
                       "--key and --allow need each other; pass both or none");
    if (settings->metrics_token && !settings->metrics)
        return err_set(
            err, ERR_INPUT,
            "--metrics-token needs --metrics ENDPOINT, which names where the "
            "metrics are served");
    if (settings->parent_fd < -1 || settings->parent_fd > INT_MAX)
        return err_set(err, ERR_INPUT, "--parent-fd: %lld is not a descriptor number",
                       (long long)settings->parent_fd);
    if (settings->parent_folder &&
        (settings->parent_fd < 0 || !is_private(settings->parent_folder)))
        return err_set(err, ERR_INPUT,
                       "--parent-folder: needs --parent-fd, and the folder must be "
                       "called muster-*");
    return 0;
}

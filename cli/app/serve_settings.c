#include "cli/app/serve_settings.h"

#include <string.h>

#include "lib/base/mem.h"

enum { DEFAULT_IDLE_MS = 60000, DEFAULT_CONNECTIONS = 2048 };

const char serve_settings_usage[] = "[OPTIONS] [FILE...]";
const char serve_settings_summary[] =
    "Show jobs, cards and figures in a browser, and as a JSON API";

static void fill_rows(struct serve_settings *settings)
{
    const struct option_row rows[] = {
        {"listen", 0, OPTION_TEXT, &settings->listen, "ADDRESS:PORT",
         "Where browsers connect; port 0: any free port (default: 127.0.0.1:8470)",
         NULL},
        {"token", 0, OPTION_TEXT, &settings->token, "FILE",
         "Token that requests need: a key of 'muster keygen --role read', or a line of "
         "24 letters or more (default: none)",
         NULL},
        {"tls-cert", 0, OPTION_TEXT, &settings->certificate, "FILE",
         "Certificate in PEM form, with its chain (default: no TLS)", NULL},
        {"tls-key", 0, OPTION_TEXT, &settings->key, "FILE",
         "Private key of the certificate in PEM form (default: no TLS)", NULL},
        {"name", 0, OPTION_TEXTS, &settings->names, "HOST",
         "Further host name of this server in addresses; may be repeated (default: "
         "localhost)",
         NULL},
        {"viewer", 0, OPTION_TEXT, &settings->viewer, "DIR",
         "Web files of an installed MindStudio Insight, shown at /viewer (default: "
         "none)",
         NULL},
        {"browse", 0, OPTION_TEXT, &settings->browse, "DIR",
         "Let the viewer open each *.bin and trace.json below this folder too "
         "(default: only results)",
         NULL},
        {"idle", 0, OPTION_DURATION, &settings->idle_ms, "DURATION",
         "Close a connection without requests after this time (default: 60s)", NULL},
        {"connections", 0, OPTION_U64, &settings->connections_max, "N",
         "Serve at most N connections; one more closes the longest idle one (default: "
         "2048)",
         NULL},
        COMMAND_OPTIONS_OUT_ROW(settings->common),
        COMMAND_OPTIONS_CLIENT_ROWS(settings->common),
        {"version", 0, OPTION_FLAG, &settings->version, NULL,
         "Print the version and exit", NULL},
        COMMAND_OPTIONS_HELP_ROW(settings->common),
        {0},
    };

    _Static_assert(COUNT(rows) <= SERVE_SETTINGS_ROWS, "the table has too few rows");
    memcpy(settings->rows, rows, sizeof(rows));
}

void serve_settings_init(struct serve_settings *settings)
{
    *settings = (struct serve_settings){
        .common = COMMAND_OPTIONS_INIT,
        .listen = "127.0.0.1:8470",
        .idle_ms = DEFAULT_IDLE_MS,
        .connections_max = DEFAULT_CONNECTIONS,
    };
    fill_rows(settings);
}

/* serve.c - replaces this process by muster-serve */
#include "cli/app/exec_program.h"
#include "cli/app/serve_settings.h"

const struct command command_serve;

static int run(int argc, char **argv, struct err *err)
{
    static struct serve_settings settings;

    serve_settings_init(&settings);
    return exec_program_run(&command_serve, "muster-serve", settings.rows,
                            &settings.common.help, SERVE_SETTINGS_FILES, argc, argv,
                            err);
}

const struct command command_serve = {
    .name = "serve",
    .args = serve_settings_usage,
    .summary = serve_settings_summary,
    .details =
        "Starts muster-serve with the same options. It prints the address to open and\n"
        "runs until Ctrl-C. The server only reads: from the store below --out DIR,\n"
        "also while a coordinator writes to it, or from a coordinator. Each FILE is a\n"
        "visualize_data.bin or a trace.json that the vendor's viewer may open besides\n"
        "the results; with a FILE or --browse, neither a store nor a coordinator is\n"
        "needed. Without --token every user of this machine can read. An address that\n"
        "other machines can reach needs TLS and a token.\n"
        "docs/user/serve.md describes the pages and the API, docs/user/viewer.md the\n"
        "vendor's viewer.",
    .examples = "  muster serve\n"
                "  muster serve --out results --listen 127.0.0.1:8080\n"
                "  muster serve visualize_data.bin",
    .run = run,
};

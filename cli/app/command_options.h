/* command_options.h - what most verbs share: options, their help, and who to ask */
#ifndef CLI_APP_COMMAND_OPTIONS_H
#define CLI_APP_COMMAND_OPTIONS_H

#include "cli/app/command.h"
#include "cli/query/client.h"
#include "cli/view/row_output.h"
#include "lib/base/err.h"
#include "lib/base/options.h"

/* What the command line says of the coordinator and of the form of the answer. */
struct command_options {
    struct client_options client;
    const char *out; /* folder of results; its store is read without a coordinator */
    int format;      /* enum row_output_format */
    bool help;
};

extern const char *const command_options_formats[]; /* the choices of --output */

#define COMMAND_OPTIONS_HELP_ROW(options)                                                 \
    {                                                                                  \
        "help", 'h', OPTION_FLAG, &(options).help, NULL, "this text", NULL                \
    }
#define COMMAND_OPTIONS_INIT                                                           \
    {                                                                                  \
        .out = "out"                                                                   \
    }
#define COMMAND_OPTIONS_OUT_ROW(options)                                                  \
    {                                                                                  \
        "out", 0, OPTION_TEXT, &(options).out, "DIR",                                     \
            "without a coordinator: read the store in this folder of results (out)",   \
            NULL                                                                       \
    }
#define COMMAND_OPTIONS_LIVE_ROW(options)                                                 \
    {                                                                                  \
        "out", 0, OPTION_TEXT, &(options).out, "DIR",                                     \
            "without a coordinator: the private run that goes on in this folder of "   \
            "results (out)",                                                           \
            NULL                                                                       \
    }
#define COMMAND_OPTIONS_OUTPUT_ROW(options)                                               \
    {                                                                                  \
        "output", 'o', OPTION_CHOICE, &(options).format, "FORM",                          \
            "the form of the answer", command_options_formats                          \
    }
#define COMMAND_OPTIONS_CLIENT_ROWS(options)                                              \
    {"coordinator", 'c',                                                               \
     OPTION_TEXT,   &(options).client.endpoint,                                           \
     "ENDPOINT",    "its control socket (MUSTER_COORDINATOR)",                         \
     NULL},                                                                            \
        {"key", 0, OPTION_TEXT, &(options).client.key, "FILE", "our key (MUSTER_KEY)",    \
         NULL},                                                                        \
    {                                                                                  \
        "server-key", 0, OPTION_TEXT, &(options).client.server_key, "FILE",               \
            "the coordinator's public key (MUSTER_SERVER_KEY)", NULL                   \
    }

/* Reads the options. 1: help was asked for and printed; 0: go on with *args, which has
 * between `least` and `most` arguments; -1 with err. */
int command_options_parse(const struct command *command,
                          const struct option_row *rows,
                          const struct command_options *verb,
                          int argc,
                          char **argv,
                          char ***args,
                          size_t least,
                          size_t most,
                          struct err *err);

/* The table with which a command reads its options, good during the call. */
typedef void
command_table_fn(const struct command *command, const struct option_row *rows, void *arg);
/* Hands out that table instead of running the command. */
int command_options_read_table(const struct command *command,
                               command_table_fn *fn,
                               void *arg,
                               struct err *err);

#endif

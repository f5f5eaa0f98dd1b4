/* command_options.h - options that most commands share, and how they are parsed */
#ifndef CLI_APP_COMMAND_OPTIONS_H
#define CLI_APP_COMMAND_OPTIONS_H

#include "cli/app/command.h"
#include "cli/query/client.h"
#include "cli/view/row_output.h"
#include "lib/base/err.h"
#include "lib/base/options.h"

/* A line for the details of a command with an argument JOB. */
#define COMMAND_JOB_DETAILS                                                            \
    "JOB is a number, a key such as sweep-1, or a name: the newest job of this name."
/* of commands that change a job */
#define COMMAND_ONE_JOB_DETAILS                                                        \
    "JOB is a number, a key such as sweep-1, or a name that only one job has."

/* The shared options: which coordinator or store to read, and the output format. */
struct command_options {
    struct client_options client;
    const char
        *out;   /* folder of results; its store is read when no coordinator is named */
    int format; /* enum row_output_format */
    bool help;
};

extern const char *const command_options_formats[]; /* the choices of --output */

/* Rows for the option table of a command; `options` is its struct command_options. */
/* clang-format off */
#define COMMAND_OPTIONS_INIT {.out = "out"}
#define COMMAND_OPTIONS_HELP_ROW(options)                                              \
    {"help", 'h', OPTION_FLAG, &(options).help, NULL, "Print this help", NULL}
#define COMMAND_OPTIONS_OUT_ROW(options)                                               \
    {"out", 0, OPTION_TEXT, &(options).out, "DIR",                                     \
     "Folder of results to read without a coordinator (default: out)", NULL}
#define COMMAND_OPTIONS_LIVE_ROW(options)                                              \
    {"out", 0, OPTION_TEXT, &(options).out, "DIR",                                     \
     "Folder of the active private run to use without a coordinator (default: out)",   \
     NULL}
#define COMMAND_OPTIONS_OUTPUT_ROW(options)                                            \
    {"output", 'o', OPTION_CHOICE, &(options).format, "FORM",                          \
     "Output format (default: text)", command_options_formats}
#define COMMAND_OPTIONS_CLIENT_ROWS(options)                                           \
    {"coordinator", 'c', OPTION_TEXT, &(options).client.endpoint, "ENDPOINT",          \
     "Control endpoint of the coordinator (default: $MUSTER_COORDINATOR)", NULL},      \
    {"key", 0, OPTION_TEXT, &(options).client.key, "FILE",                             \
     "Secret CURVE key of this client (default: $MUSTER_KEY)", NULL},                  \
    {"server-key", 0, OPTION_TEXT, &(options).client.server_key, "FILE",               \
     "Public CURVE key of the coordinator (default: $MUSTER_SERVER_KEY)", NULL}
/* clang-format on */

/* Reads the options, after their defaults from the configuration files. Returns 0 with
 * `least` to `most` arguments in *args, 1 after --help was printed, or -1 with err. */
int command_options_parse(const struct command *command,
                          const struct option_row *rows,
                          const struct command_options *options,
                          int argc,
                          char **argv,
                          char ***args,
                          size_t least,
                          size_t most,
                          struct err *err);

/* An action or another mode of a command, and the options that only it reads, divided
 * by blanks. */
struct command_mode {
    const char *name; /* NULL ends the list */
    const char *options;
};

/* Returns an error when the command line has an option that modes of the list read, but
 * `mode` does not. Call it after command_options_parse(). */
int command_options_check_mode(const struct command_mode *modes,
                               const char *mode,
                               struct err *err);

/* Receives the option table of a command, which is valid during the call. */
typedef void command_table_fn(const struct command *command,
                              const struct option_row *rows,
                              void *arg);
/* Calls fn with the option table of a command. The command itself does not run. */
int command_options_read_table(const struct command *command,
                               command_table_fn *fn,
                               void *arg,
                               struct err *err);

#endif

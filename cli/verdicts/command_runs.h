/* command_runs.h - runs commands of muster whose output a server returns
 *
 * A comparison of large jobs takes seconds, in which a server with one thread could
 * answer no other request. Therefore a process of its own computes it. Outputs are
 * kept, and all requests for the same output use one process. */
#ifndef CLI_VERDICTS_COMMAND_RUNS_H
#define CLI_VERDICTS_COMMAND_RUNS_H

#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/json_tree.h"
#include "lib/base/text.h"

enum {
    COMMAND_RUNS_KEPT = 16,
    COMMAND_RUNS_AT_ONCE = 2,
    COMMAND_RUNS_MS = 60000, /* a command that runs longer is ended */
    COMMAND_RUNS_BYTES = 64 << 20,
    COMMAND_RUNS_AGAIN_MS = 5000, /* at least between two runs of the same command */
};

struct command_output {
    int exit_code;
    struct text text, errors; /* of stdout and stderr */
    /* The lines of stdout as JSON, when each is an object. */
    struct command_row {
        const char *line;
        size_t size;
        const struct json_node *node;
    } * rows;
    size_t count;
};

struct command_runs;

struct command_runs *command_runs_create(void);
/* Ends the processes that run. NULL is allowed. */
void command_runs_destroy(struct command_runs *runs);

/* Returns the output of the command, or NULL while its first run lasts. argv[0] is the
 * path of the program; a command with equal arguments is the same. An output of another
 * version of the data is returned until a newer run has ended. Fails when the process
 * cannot start. */
int command_runs_get(const struct command_output **output,
                     struct command_runs *runs,
                     char *const *argv,
                     uint64_t version,
                     struct err *err);
/* Collects the processes that have ended. Call it once a second. */
void command_runs_sweep(struct command_runs *runs);

#endif

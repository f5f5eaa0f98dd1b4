/* card_checks.h - checks the assumptions about cards, and replays an archive of them */
#ifndef CLI_SELFTEST_CARD_CHECKS_H
#define CLI_SELFTEST_CARD_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/selftest/check_rows.h"
#include "lib/base/err.h"

struct card_checks_options {
    bool simulated;
    const char *program, *group_program; /* of the shell; NULL: the simulator's own */
    uint64_t operations; /* vector operations of a launch of `program`; 0: unknown */
    const char *archive; /* file to write */
};

/* Runs all checks in `folder`, prints their rows and writes the archive. Both return an
 * exit code, or -1. */
int card_checks_run(struct check_rows *output,
                    const struct card_checks_options *options,
                    const char *parts,
                    const char *folder,
                    struct err *err);
int card_checks_replay(struct check_rows *output, const char *archive, struct err *err);

#endif

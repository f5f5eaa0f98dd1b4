/* known_program.h - measures programs whose kernels are known, and exports the captures
 */
#ifndef CLI_SELFTEST_KNOWN_PROGRAM_H
#define CLI_SELFTEST_KNOWN_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/selftest/check_rows.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

enum { KNOWN_PROGRAM_END_BYTES = 32 };

/* A program that ends with an error when its result is wrong. */
struct known_program {
    const char *check;   /* name of its row */
    const char *command; /* of the shell; NULL: there is none */
    unsigned ranks;
    bool hardware; /* on real cards */
};

/* Runs the program under muster in `folder` and writes the capture to `capture`, which
 * does not exist afterwards when there is none. Adds the line of its row. */
int known_program_measure(const struct known_program *program,
                          const char *folder,
                          const char *capture,
                          struct text *lines,
                          struct err *err);

/* Runs a program with its output in a file, or with its output and errors discarded
 * when `into` is NULL. Returns its wait status, or -1. */
int known_program_spawn(FILE *into, const char *const *argv, struct err *err);
/* Writes "exit code 3" or "signal 9". */
void known_program_describe(char out[KNOWN_PROGRAM_END_BYTES], int wait_status);

#endif

/* program.h - what the sample operators share: options, checks, and the result line
 *
 * Only the public acl calls are used, so that the same source runs on a card. */
#ifndef SIM_OPS_PROGRAM_H
#define SIM_OPS_PROGRAM_H

#include <acl/acl.h>
#include <stddef.h>
#include <stdint.h>

struct option_row {
    const char *name; /* with its dashes */
    uint32_t *value;
    uint32_t min, max;
    const char *help;
};

struct program {
    const char *name; /* of the kernel, and of its file */
    aclrtStream stream;
    aclrtBinHandle binary;
    aclrtFuncHandle function;
};

/* Ends the program with 2 on a bad option, with 0 after --help. */
void program_options(const char *name,
                     const char *summary,
                     const struct option_row *rows,
                     size_t count,
                     char **argv);
/* Ends the program with 1, and says which call failed. */
void program_check(aclError error, const char *call);
#define CHECK(call) program_check(call, #call)

void program_open(struct program *program, const char *name);
void program_close(struct program *program);

void *program_upload(const void *host, size_t size);
void program_download(void *host, const void *device, size_t size);

/* A value that depends on its place only, small enough to add up without rounding. */
float program_value(uint32_t salt, uint32_t i);
void *program_alloc(size_t size);
/* Prints the one line of the result; returns the exit code. */
int program_result(const char *name,
                   const char *shape,
                   const void *output,
                   size_t size,
                   size_t wrong);

#endif

/* program.h - what the sample operators share: options, checks, and the result line
 *
 * Only the public acl calls are used, so that the same source runs on a card. */
#ifndef SIM_OPS_PROGRAM_H
#define SIM_OPS_PROGRAM_H

#include <acl/acl.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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
/* An option whose value is one of the words, taken out of argv; *value is its place.
 * Ends the program with 2 when it is none of them. */
void program_word(const char *name,
                  const char *option,
                  const char *const *words,
                  uint32_t *value,
                  char **argv);
/* An option with any text; NULL when it is not there. */
const char *program_text(const char *option, char **argv);
/* Ends the program with 1, and says which call failed. */
void program_check(aclError error, const char *call);
#define CHECK(call) program_check(call, #call)

/* ../kernels/NAME.o, seen from the folder of the program */
void program_kernel_path(const char *name, char *out, size_t size);
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
uint64_t program_checksum(const void *bytes, size_t size);
int program_result_of(const char *name,
                      const char *shape,
                      uint64_t checksum,
                      size_t wrong);

#ifdef __cplusplus
}
#endif

#endif

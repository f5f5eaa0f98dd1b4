/* program.h - options, checks and result line of the sample operators
 *
 * Only public acl calls are used, so the same source runs on a card. */
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
    const char *name; /* name of the kernel and of its file */
    aclrtStream stream;
    aclrtBinHandle binary;
    aclrtFuncHandle function;
};

/* Reads the options. Exits with 2 on an invalid option, with 0 after --help. */
void program_options(const char *name,
                     const char *summary,
                     const struct option_row *rows,
                     size_t count,
                     char **argv);
/* Reads an option whose value is one of the words and removes it from argv; *value is
 * the index of the word. Exits with 2 on another value. */
void program_word(const char *name,
                  const char *option,
                  const char *const *words,
                  uint32_t *value,
                  char **argv);
/* Returns the text of an option, or NULL when it is absent. */
const char *program_text(const char *option, char **argv);
/* On an error: prints the failed call and exits with 1. */
void program_check(aclError error, const char *call);
#define CHECK(call) program_check(call, #call)

/* Writes the path ../kernels/NAME.o, relative to the folder of the program. */
void program_kernel_path(const char *name, char *out, size_t size);
void program_open(struct program *program, const char *name);
void program_close(struct program *program);

void *program_upload(const void *host, size_t size);
void program_download(void *host, const void *device, size_t size);

/* Returns a value that depends only on salt and index, small enough for sums without
 * rounding. */
float program_value(uint32_t salt, uint32_t i);
void *program_alloc(size_t size);
/* Prints the result line; returns the exit code. */
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

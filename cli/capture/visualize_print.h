/* visualize_print.h - prints a visualize_data.bin as text or JSON */
#ifndef CLI_CAPTURE_VISUALIZE_PRINT_H
#define CLI_CAPTURE_VISUALIZE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct visualize_print {
    const char *path;
    uint8_t *bytes;
    size_t size;
};

int visualize_print_open(struct visualize_print *file,
                         const char *path,
                         struct err *err);
void visualize_print_close(struct visualize_print *file);

/* Prints one line per block. Fails at bytes that are no block, after the valid blocks.
 */
int visualize_print_blocks(const struct visualize_print *file, struct err *err);
/* Prints each field of each block with its meaning. */
int visualize_print_explain(const struct visualize_print *file, struct err *err);
/* Writes the file as one JSON document to `fd`, with its problems when `check` is set.
 */
int visualize_print_json(const struct visualize_print *file,
                         int fd,
                         bool check,
                         size_t *errors,
                         struct err *err);

#endif

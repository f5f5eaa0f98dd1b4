/* visualize_print.h - a visualize_data.bin told to a person or a program */
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

/* A line a block. -1 where it goes on as no block does, behind those that are. */
int visualize_print_print(const struct visualize_print *file, struct err *err);
/* Each block, and each of its fields, with what it means. */
int visualize_print_explain(const struct visualize_print *file, struct err *err);
/* The whole file as one JSON document to `fd`; with its problems when `check`. */
int visualize_print_print_json(const struct visualize_print *file,
                               int fd,
                               bool check,
                               size_t *errors,
                               struct err *err);

#endif

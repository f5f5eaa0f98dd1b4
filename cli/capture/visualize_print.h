/* visualize_print.h - a visualize_data.bin told to a person or a program */
#ifndef CLI_CAPTURE_VISUALIZE_PRINT_H
#define CLI_CAPTURE_VISUALIZE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct bin_file {
    const char *path;
    uint8_t *bytes;
    size_t size;
};

int bin_file_open(struct bin_file *file, const char *path, struct err *err);
void bin_file_close(struct bin_file *file);

/* A line a block. -1 where it goes on as no block does, behind those that are. */
int bin_file_print(const struct bin_file *file, struct err *err);
/* Each block, and each of its fields, with what it means. */
int bin_file_explain(const struct bin_file *file, struct err *err);
/* The whole file as one JSON document to `fd`; with its problems when `check`. */
int bin_file_print_json(const struct bin_file *file,
                        int fd,
                        bool check,
                        size_t *errors,
                        struct err *err);

#endif

/* pages_files.h - the files of the pages, which the build copies into the program */
#ifndef CLI_PAGES_PAGES_FILES_H
#define CLI_PAGES_PAGES_FILES_H

#include <stddef.h>

struct embedded_file {
    const char *name; /* NULL ends the list */
    const char *bytes;
    size_t size;
};

extern const struct embedded_file pages_files[];

#endif

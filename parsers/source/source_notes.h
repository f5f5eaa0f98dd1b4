/* source_notes.h - problems found in the raw data, kept for the report */
#ifndef PARSERS_SOURCE_SOURCE_NOTES_H
#define PARSERS_SOURCE_SOURCE_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOURCE_NO_BLOCK = -1, SOURCE_NOTES_MAX = 100 };

struct source_note {
    bool is_error; /* data is lost; otherwise the note is only information */
    int64_t block; /* number of the capture block, or SOURCE_NO_BLOCK */
    char text[256];
};

struct source_notes {
    struct source_note *notes;
    size_t count, room;
    size_t left_out; /* notes beyond SOURCE_NOTES_MAX */
};

void source_note(struct source_notes *notes,
                 bool is_error,
                 int64_t block,
                 const char *fmt,
                 ...) __attribute__((format(printf, 4, 5)));
void source_notes_clear(struct source_notes *notes);

#endif

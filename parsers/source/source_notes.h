/* source_notes.h - problems and remarks about the raw data, kept for the report */
#ifndef PARSERS_SOURCE_SOURCE_NOTES_H
#define PARSERS_SOURCE_SOURCE_NOTES_H

#include <stddef.h>
#include <stdint.h>

enum { SOURCE_NO_BLOCK = -1, SOURCE_NOTES_MAX = 100 };

enum source_note_level {
    SOURCE_DETAIL, /* only for the log: the figures do not depend on it */
    SOURCE_REMARK, /* users see it with the figures of the launch */
    SOURCE_ERROR,  /* data is lost: the result is not complete */
};

struct source_note {
    enum source_note_level level;
    int64_t block; /* number of the capture block, or SOURCE_NO_BLOCK */
    char text[256];
};

struct source_notes {
    struct source_note *notes;
    size_t count, room;
    size_t left_out; /* notes beyond SOURCE_NOTES_MAX */
};

void source_note(struct source_notes *notes,
                 enum source_note_level level,
                 int64_t block,
                 const char *fmt,
                 ...) __attribute__((format(printf, 4, 5)));
void source_notes_clear(struct source_notes *notes);

#endif

#include "parsers/source/source_notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/mem.h"

void source_note(struct source_notes *notes,
                 enum source_note_level level,
                 int64_t block,
                 const char *fmt,
                 ...)
{
    va_list args;

    if (notes->count == SOURCE_NOTES_MAX) {
        notes->left_out++;
        return;
    }
    if (notes->count == notes->room) {
        notes->room = notes->room ? notes->room * 2 : 4;
        notes->notes = xreallocarray(notes->notes, notes->room, sizeof(*notes->notes));
    }
    struct source_note *note = &notes->notes[notes->count++];
    *note = (struct source_note){.level = level, .block = block};
    va_start(args, fmt);
    vsnprintf(note->text, sizeof(note->text), fmt, args);
    va_end(args);
}

void source_notes_clear(struct source_notes *notes)
{
    free(notes->notes);
    *notes = (struct source_notes){0};
}

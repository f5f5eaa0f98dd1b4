/* read_all.h - a source through every reader, formula and view, to nowhere: for tests
 * and fuzzers */
#ifndef PARSERS_RUN_READ_ALL_H
#define PARSERS_RUN_READ_ALL_H

#include "parsers/findings/findings.h"
#include "parsers/run/parser.h"
#include "parsers/timeline/timeline.h"

struct read_all {
    size_t words;      /* notes, of all kinds */
    size_t incomplete; /* launches */
    size_t bytes;      /* of all files that would have been written */
};

static inline void read_all_launch(const struct source_launch *launch,
                                   struct read_all *told)
{
    struct findings findings;
    struct text out = {0};

    told->words += launch->notes.count;
    told->incomplete += !launch->complete;
    if (!launch->has_chip)
        return;
    findings_read(&findings, launch);
    if (timeline_has_data(&findings))
        timeline_write(&findings, TIMELINE_BYTES_MAX, &findings.trace,
                       &(struct timeline_cut){0});
    for (const struct parser *const *it = parsers; *it; it++) {
        text_reset(&out);
        if (parser_applies(*it, &findings))
            (*it)->run(*it, &findings, &out);
        told->bytes += out.length;
    }
    told->words += findings.notes.count;
    text_clear(&out);
    findings_clear(&findings);
}

static inline struct read_all read_all(const struct source *source)
{
    struct read_all told = {.words = source->notes.count};

    for (size_t i = 0; i < source->count; i++)
        read_all_launch(source->launches[i], &told);
    return told;
}

#endif

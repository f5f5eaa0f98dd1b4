/* read_all.h - runs all readers and parsers on a source and discards their output, for
 * tests and fuzzers */
#ifndef PARSERS_RUN_READ_ALL_H
#define PARSERS_RUN_READ_ALL_H

#include "parsers/findings/findings.h"
#include "parsers/run/parser.h"
#include "parsers/timeline/timeline.h"

struct read_all {
    size_t notes;      /* of all kinds */
    size_t incomplete; /* launches */
    size_t bytes;      /* of all output files */
};

static inline void read_all_launch(const struct source_launch *launch,
                                   struct read_all *totals)
{
    struct findings findings;
    struct text out = {0};

    totals->notes += launch->notes.count;
    totals->incomplete += !launch->complete;
    if (!launch->has_chip)
        return;
    findings_read(&findings, launch);
    if (timeline_has_data(&findings))
        timeline_write(&findings, TIMELINE_BYTES_MAX, &findings.trace,
                       &(struct timeline_cut){0});
    for (const struct parser *it = parsers; it->name; it++) {
        text_reset(&out);
        if (parser_applies(it, &findings))
            parser_run(it, &findings, &out);
        totals->bytes += out.length;
    }
    totals->notes += findings.notes.count;
    text_clear(&out);
    findings_clear(&findings);
}

static inline struct read_all read_all(const struct source *source)
{
    struct read_all totals = {.notes = source->notes.count};

    for (size_t i = 0; i < source->count; i++)
        read_all_launch(source->launches[i], &totals);
    return totals;
}

#endif

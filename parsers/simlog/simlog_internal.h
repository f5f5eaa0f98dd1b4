/* simlog_internal.h - text helpers that the log readers of this folder share */
#ifndef PARSERS_SIMLOG_SIMLOG_INTERNAL_H
#define PARSERS_SIMLOG_SIMLOG_INTERNAL_H

#include <string.h>

#include "parsers/simlog/simlog.h"

/* limit on the lines that a reader keeps of one log */
static const size_t SIMLOG_LINES_MAX = (size_t)1 << 25;

/* Sets the next line, without its line feed, and moves *at after it. Returns false at
 * the end. */
static inline bool
simlog_next_line(const char **at, const char *end, const char **line, size_t *length)
{
    const char *feed;

    if (*at >= end)
        return false;
    feed = memchr(*at, '\n', (size_t)(end - *at));
    *line = *at;
    *length = (size_t)((feed ? feed : end) - *at);
    *at += *length + (feed ? 1 : 0);
    return true;
}

/* Finds `text` and sets *rest to what follows. Returns false when it is not there. */
static inline bool
sim_span_find(struct sim_span span, const char *text, struct sim_span *rest)
{
    const char *at = memmem(span.at, span.length, text, strlen(text));

    if (!at)
        return false;
    rest->at = at + strlen(text);
    rest->length = (uint32_t)(span.at + span.length - rest->at);
    return true;
}

static inline bool sim_span_contains(struct sim_span span, const char *text)
{
    return memmem(span.at, span.length, text, strlen(text)) != NULL;
}

#endif

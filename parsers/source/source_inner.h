/* source_inner.h - the launches of a range that was replayed as one
 *
 * The range has the passes and their bytes. The bytes of one launch, a inner, are cut
 * out of them: in the counters a change of stream or task from one record to the next
 * is the start of the next launch; in the task log each launch has tasks of its own. */
#ifndef PARSERS_SOURCE_SOURCE_INNER_H
#define PARSERS_SOURCE_SOURCE_INNER_H

#include "parsers/source/source.h"

struct record_range_launch;

/* Adds a launch to a range, which is a launch of the same source. */
struct source_launch *source_inner_add(struct source *source,
                                       struct source_launch *range,
                                       const struct record_range_launch *record);
/* Copies the facts of the range to its launches, after the last fact was read. */
void source_inner_finish(struct source_launch *range);
/* Finds the tasks of the launches in a range whose bytes were read. */
void source_inner_prepare(struct source_launch *range);
/* Fills an inner launch from its range, which is loaded. */
void source_inner_fill(struct source_launch *inner);
/* Sets the times of the launches of a loaded range: from the start of the first to the
 * end of the last. Returns false, and sets *missing to a launch without times, when the
 * task log lacks it. */
bool source_inner_times(const struct source_launch *range,
                        uint64_t *start_ticks,
                        uint64_t *end_ticks,
                        const struct source_launch **missing);

#endif

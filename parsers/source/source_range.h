/* source_range.h - cuts the counters of one kernel out of the files of a range
 *
 * Range replay writes one file per pass with the records of all kernels. output.txt in
 * the folder lists the kernels in launch order. A change of stream or task from one
 * record to the next is the start of the next kernel. */
#ifndef PARSERS_SOURCE_SOURCE_RANGE_H
#define PARSERS_SOURCE_SOURCE_RANGE_H

#include "parsers/source/source.h"

/* Sets the range folder of all launches that output.txt in `folder` lists. */
void source_range_apply(struct source *source, const char *folder);
/* Keep only the launch's own part of the counters of a pass, or of the task log. Return
 * false, add a note and empty the text when there is no such part. */
bool source_range_cut_counters(struct source_launch *launch, struct text *bytes);
bool source_range_cut_log(struct source_launch *launch,
                          const struct text *counters,
                          struct text *bytes);

#endif

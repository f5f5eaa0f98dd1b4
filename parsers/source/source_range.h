/* source_range.h - counters of several kernels in one file, as range replay leaves them
 *
 * The folder of a range has a list of the kernels in the order of their launches, and
 * the files of each round with all of them mixed: where stream or task changes from one
 * record to the next, another kernel begins. */
#ifndef PARSERS_SOURCE_SOURCE_RANGE_H
#define PARSERS_SOURCE_SOURCE_RANGE_H

#include "parsers/source/source.h"

/* Tells the launches of a source that their counters lie in this folder. */
void source_range_apply(struct source *source, const char *folder);
/* Cuts its own part out of the counters of a round, or of the log. False, with a note,
 * when there is none: then the text is empty. */
bool source_range_cut_counters(struct source_launch *launch, struct text *bytes);
bool source_range_cut_log(struct source_launch *launch,
                          const struct text *counters,
                          struct text *bytes);

#endif

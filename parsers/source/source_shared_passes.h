/* source_shared_passes.h - passes of a launch that other ranks executed
 *
 * Ranks that run the same kernel can share the passes of a launch: each rank executes
 * some of them in the same replay. The capture of a rank records that it shared, and
 * the passes of the others are read from their captures. */
#ifndef PARSERS_SOURCE_SOURCE_SHARED_PASSES_H
#define PARSERS_SOURCE_SOURCE_SHARED_PASSES_H

#include "parsers/source/source.h"

/* Copies the missing passes of a loaded launch from the other ranks of the run. The
 * lowest rank that has a pass is used. Adds a note when a pass is found nowhere. */
void source_add_shared_passes(struct source *source, struct source_launch *launch);

#endif

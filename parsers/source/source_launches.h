/* source_launches.h - creates, fills and destroys the launches of a source
 *
 * For the code that builds a source: the capture and folder readers, and tests. */
#ifndef PARSERS_SOURCE_SOURCE_LAUNCHES_H
#define PARSERS_SOURCE_SOURCE_LAUNCHES_H

#include "parsers/source/source.h"

struct source *source_create(void);
struct source_launch *source_add_launch(struct source *source);
/* Returns the pass with this number, which is 1 or more, and adds it if it is new.
 * Returns NULL when the launch has SOURCE_PASSES_MAX others. */
struct source_pass *source_launch_pass(struct source_launch *launch, uint32_t number);

/* Reads the launch's own bytes from the origin, unless they are in memory. */
void source_launch_fill(struct source *source, struct source_launch *launch);
/* Frees the bytes of a launch and keeps its facts. */
void source_launch_clear(struct source_launch *launch);
void source_launch_destroy(struct source_launch *launch);

/* Return constant texts for an enum launch_kind and an enum restore_class; "": unknown.
 */
const char *source_group_found(uint32_t kind);
const char *source_restored(uint32_t restore_class);

#endif

/* launch_selection.h - selects launches by the names of their folders
 *
 * A selection is a pattern of kernel names, such as "Matmul*", or of names and launch
 * numbers, such as "MatmulAllReduce/2". Several are divided by |. */
#ifndef PARSERS_SOURCE_LAUNCH_SELECTION_H
#define PARSERS_SOURCE_LAUNCH_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct source;

bool launch_selection_matches(const char *selection,
                              const char *kernel,
                              uint32_t order);
/* Removes the launches that do not match from a source of a folder. Fails when none is
 * left, with the names of some launches. */
int launch_selection_apply(struct source *source,
                           const char *selection,
                           struct err *err);
/* Sets the error of a selection without a launch. `others` is a list of launches. */
int launch_selection_fail(const char *selection, const char *others, struct err *err);

#endif

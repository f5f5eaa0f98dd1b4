/* check_place.h - would MindStudio Insight open a file of this name, in this folder?
 *
 * It looks at the path, at who owns file and folder, and at who may write to them; and
 * it puts a database beside the file, named after it up to its first dot. */
#ifndef PARSERS_VISUALIZE_CHECK_CHECK_PLACE_H
#define PARSERS_VISUALIZE_CHECK_CHECK_PLACE_H

#include "parsers/visualize_check/check.h"

/* How many errors; of the user who asks, as the reader runs as somebody. */
size_t visualize_check_place(const char *path, check_fn *fn, void *arg);

#endif

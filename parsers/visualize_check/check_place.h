/* check_place.h - checks whether MindStudio Insight would open a file at this path
 *
 * The viewer checks the path, and the owner and the write permissions of the file and
 * its folder. Beside the file it creates a database, named after the file up to the
 * first dot. */
#ifndef PARSERS_VISUALIZE_CHECK_CHECK_PLACE_H
#define PARSERS_VISUALIZE_CHECK_CHECK_PLACE_H

#include "parsers/visualize_check/check_problem.h"

/* Calls fn for each problem and returns the number of errors. Permissions are checked
 * for the calling user; the viewer is expected to run as the same user. */
size_t visualize_check_place(const char *path, check_fn *fn, void *arg);
/* Checks a folder before files are written to it. The folder may not exist yet. */
size_t visualize_check_folder(const char *path, check_fn *fn, void *arg);

#endif

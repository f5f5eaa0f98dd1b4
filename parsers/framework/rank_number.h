/* rank_number.h - which rank a folder of a capture belongs to */
#ifndef PARSERS_FRAMEWORK_RANK_NUMBER_H
#define PARSERS_FRAMEWORK_RANK_NUMBER_H

#include "parsers/framework/rank_list.h"

/* Returns the rank, or -1. Adds a warning when two sources disagree. */
int64_t rank_number_find(const struct rank_folder *folder, struct text *warnings);

/* Gives numbers to folders without one, removes all but the newest folder of a rank,
 * and sorts by rank. Each such decision adds a warning. */
void rank_number_finish(struct rank_folders *folders);

#endif

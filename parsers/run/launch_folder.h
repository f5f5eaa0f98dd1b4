/* launch_folder.h - the output folder of each launch of a source */
#ifndef PARSERS_RUN_LAUNCH_FOLDER_H
#define PARSERS_RUN_LAUNCH_FOLDER_H

#include <stdint.h>

#include "lib/base/text.h"
#include "parsers/source/source.h"

/* Numbers the launches of each kernel on each device. If two processes have a launch of
 * the same number, the later launch gets the next free number. The caller frees the
 * array. */
uint32_t *launch_folder_numbers(const struct source *source);

/* Appends <host>/device<N>/<kernel>/<number>. */
void launch_folder_path(const struct source *source,
                        const struct source_launch *launch,
                        uint32_t number,
                        struct text *out);

#endif

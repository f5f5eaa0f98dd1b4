/* visualize_file.h - visualize_data.bin of one launch */
#ifndef PARSERS_VISUALIZE_VISUALIZE_FILE_H
#define PARSERS_VISUALIZE_VISUALIZE_FILE_H

#include "lib/base/text.h"
#include "parsers/findings/findings.h"

/* Writes the blocks of all requested metrics and of all other data of the launch. The
 * first block is the timeline, if there is one. */
void visualize_file_write(const struct findings *findings, struct text *out);

#endif

/* quarantine.h - quarantine.json: the parser that failed on a launch, and its input
 *
 * The file has no time, so that the same source always gives the same bytes. */
#ifndef PARSERS_RUN_QUARANTINE_H
#define PARSERS_RUN_QUARANTINE_H

#include "parsers/source/source.h"

#define QUARANTINE_FILE "quarantine.json"

/* Writes the file to `folder`, which is created. A failure is logged as a warning. */
void quarantine_write(const char *folder,
                      const struct source_launch *launch,
                      const char *parser,
                      const char *why);

#endif

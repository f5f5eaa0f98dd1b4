/* rank.h - all launches of a source: their files written, their figures told
 *
 * What is told are JSON lines: {"launch","kernel","device","metric","value","unit"},
 * {"output": path below the folder}, {"error": text, "block": number}. The same source
 * gives the same lines and the same files. */
#ifndef PARSERS_RANK_H
#define PARSERS_RANK_H

#include "base/json_write.h"
#include "parsers/inputs/source.h"

/* Files go to FOLDER/<host>/device<N>/<kernel>/<launch>/. `bad` counts errors told. A
 * launch that is not complete gets the files that can be made, and no figures. -1 only
 * when a file could not be written. */
int rank_parse(const struct source *source,
               const char *folder,
               struct json_write *lines,
               size_t *bad,
               struct err *err);

#endif

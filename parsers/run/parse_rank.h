/* parse_rank.h - all launches of a source: their files written, their figures told
 *
 * What is told are JSON lines: {"launch","kernel","device","metric","value","unit"},
 * {"output": path below the folder}, {"error": text, "block": number}. The same source
 * gives the same lines and the same files. */
#ifndef PARSERS_RUN_PARSE_RANK_H
#define PARSERS_RUN_PARSE_RANK_H

#include "lib/base/json_write.h"
#include "parsers/source/source.h"

/* Launches are read in children, `parallel` at once. One that crashes, or is at a
 * launch for longer than `limit_ms`, costs the file that it was making: that is told as
 * an error and written down in the launch's folder, in quarantine.json, with where the
 * bytes stand that did it. */
struct parse_rank_work {
    const char *folder; /* files go to FOLDER/<host>/device<N>/<kernel>/<launch>/ */
    struct json_write *lines;
    size_t parallel;   /* 0: as many as there are processors */
    uint64_t limit_ms; /* 0: two minutes */
    size_t bad;        /* errors told */
};

/* A launch that is not complete gets the files that can be made, and no figures. -1
 * only when a file could not be written. */
int parse_rank(struct source *source, struct parse_rank_work *work, struct err *err);

#endif

/* parse_rank.h - writes the files of all launches of a source and reports their figures
 *
 * The report consists of JSON lines:
 * {"launch","kernel","device","metric","value","unit"},
 * {"output": path below the folder}, {"error": text, "block": number}. The same source
 * always gives the same lines and the same files. */
#ifndef PARSERS_RUN_PARSE_RANK_H
#define PARSERS_RUN_PARSE_RANK_H

#include "lib/base/json_write.h"
#include "parsers/source/source.h"

/* Child processes read the launches, `parallel` at a time. A child that crashes, or
 * that exceeds `limit_ms` for one launch, loses only the file in work. The loss is
 * reported as an error. quarantine.json in the launch's folder names the parser and its
 * input. */
struct parse_rank_work {
    const char *folder; /* files go to FOLDER/<host>/device<N>/<kernel>/<launch>/ */
    struct json_write *lines;
    size_t parallel;        /* 0: the number of processors */
    uint64_t limit_ms;      /* 0: two minutes */
    bool stops_when_killed; /* see child_pool.h */
    bool complete_only;     /* skip incomplete launches, without an error */
    size_t bad;             /* out: number of reported errors */
};

/* An incomplete launch gets the files that its data allow, and no figures. Afterwards
 * `complete` of a launch is false also when an error of the launch was reported.
 * Returns -1 only when a file cannot be written, or with `stops_when_killed` when a
 * process was killed; ERR_NO_SPACE and ERR_NO_RESOURCE: a later parse may succeed. */
int parse_rank(struct source *source, struct parse_rank_work *work, struct err *err);

#endif

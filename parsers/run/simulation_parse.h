/* simulation_parse.h - writes the results of the logs of an instruction simulator
 *
 * The logs of a rank belong to one launch. Its files are those of sim_folder.h, in
 * FOLDER/<host>/device<N>/simulator/, beside the logs. A metric whose logs are missing
 * is an error. */
#ifndef PARSERS_RUN_SIMULATION_PARSE_H
#define PARSERS_RUN_SIMULATION_PARSE_H

#include <stddef.h>

#include "lib/base/err.h"
#include "lib/base/json_write.h"

struct dump_file;

struct simulation_parse;

struct simulation_report {
    const char *folder;       /* of the results of the rank */
    struct json_write *lines; /* see parse_rank.h */
    size_t *bad;              /* grows by the number of reported errors */
};

struct simulation_parse *simulation_parse_create(void);
void simulation_parse_destroy(struct simulation_parse *parse); /* NULL is allowed */
/* Takes up a restored log, or the file of the kernel. */
void simulation_parse_add(struct simulation_parse *parse, const struct dump_file *file);
/* Parses the logs, if there are any. Returns -1 only when a file cannot be written. */
int simulation_parse_finish(struct simulation_parse *parse,
                            const struct simulation_report *report,
                            struct err *err);

struct simulation_figure {
    const char *metric, *unit, *meaning;
};

/* Returns the figure with this index, or NULL after the last one. */
const struct simulation_figure *simulation_figure_at(size_t index);

#endif

/* dump_collector.h - collects the files that the program of a rank wrote
 *
 * The collector lists the files of a pattern before the program starts. After its end
 * the collector reads the files that are new or have changed, in pieces, and builds the
 * groups of one shard. The loop runs between the pieces. Files of another account and
 * files that are no regular ones are errors, as is a pattern without any new file. */
#ifndef WORKER_CAPTURE_DUMP_COLLECTOR_H
#define WORKER_CAPTURE_DUMP_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/capture/format/records.h"
#include "worker/capture/group_builder.h"

struct dump_collector;
struct reactor;
struct record_run_rank;
struct record_simulation;

struct dump_collector_options {
    const struct record_run_rank *rank; /* copied */
    const char *pattern;                /* copied; %r is the number of the rank */
    const char *folder;                 /* working directory of the program; copied */
    const char *also; /* path of a file to collect even if it is old, or NULL; copied */
    uid_t owner;      /* account of the program */
    enum dump_kind kind; /* with DUMP_PROFILE the pattern may match folders */
    const struct record_simulation *simulation; /* written first, or NULL; copied */
    const char *nothing; /* error when no file is new; NULL: it names the pattern */
    group_builder_fn *on_group;
    /* Returns false while no group can be stored; the collector then waits. */
    bool (*has_room)(void *arg);
    void (*on_finished)(void *arg); /* may destroy the collector */
    void *arg;
};

struct dump_collector_totals {
    uint64_t files, bytes, groups, blocks;
    char error[240]; /* the first; "": none */
};

int dump_collector_create(struct dump_collector **out,
                          struct reactor *reactor,
                          const struct dump_collector_options *options,
                          struct err *err);
void dump_collector_destroy(struct dump_collector *collector); /* NULL is allowed */

/* Call it once, when the program has ended. Calls on_finished from the loop. */
void dump_collector_start(struct dump_collector *collector);
const struct dump_collector_totals *
dump_collector_totals(const struct dump_collector *collector);

#endif

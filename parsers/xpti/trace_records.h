/* trace_records.h - the XPTI records of one rank, by process
 *
 * A process names objects and texts by its own numbers. Records of several kinds come
 * in blocks of their own, so nothing is resolved before all are read. */
#ifndef PARSERS_XPTI_TRACE_RECORDS_H
#define PARSERS_XPTI_TRACE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/capture/capture_reader.h"
#include "lib/capture/format/records.h"
#include "parsers/xpti/trace_objects.h"

struct trace_process {
    uint32_t shard, rank, pid, thread_count;
    char host[64], program[128];
    bool has_first;
    int64_t to_wall_ns; /* added to the times of the records */
    char note[128];
    char **texts; /* by number */
    size_t text_room;
    struct trace_objects objects;
    struct record_xpti_event *events;
    size_t event_count, event_room;
};

struct trace_drop {
    uint32_t kind, reason;
    uint64_t count;
};

struct trace_records {
    struct trace_process *processes;
    size_t count;
    struct trace_drop *drops;
    size_t drop_count;
    size_t events;
    size_t bad; /* records that contradict themselves */
};

/* Adds a block of any kind; other kinds are skipped. Fits captures_block_fn. */
int trace_records_add(const struct capture_block *block,
                      void *records,
                      struct err *err);
/* Sorts the events by time and completes the objects. Call it after the last block. */
void trace_records_finish(struct trace_records *records);
void trace_records_clear(struct trace_records *records);

/* Returns "" for an unknown number. */
const char *trace_text(const struct trace_process *process, uint32_t number);
/* Returns NULL for an unknown number. */
const struct trace_object *trace_object(const struct trace_process *process,
                                        uint64_t number);
/* Returns the kernel, or the name of the place. */
const char *trace_object_name(const struct trace_process *process,
                              const struct trace_object *object);

#endif

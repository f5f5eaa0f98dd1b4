/* event_collector.h - runs a program with the subscriber and collects its records */
#ifndef TESTS_XPTI_EVENT_COLLECTOR_H
#define TESTS_XPTI_EVENT_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/capture/format/records.h"

enum { COLLECTOR_TEXTS = 256, COLLECTOR_PROCESSES = 4, COLLECTOR_OUT = 8192 };

struct collector_process {
    struct record_xpti_process first;
    struct record_xpti_stream streams[16];
    unsigned stream_count, process_records;
    char *texts[COLLECTOR_TEXTS]; /* by number */
    struct record_xpti_object *objects;
    size_t object_count, object_room;
    struct record_xpti_event *events;
    size_t event_count, event_room;
    struct record_xpti_metadata *metadata;
    size_t metadata_count, metadata_room;
    uint64_t dropped, interrupted;
    uint32_t pid;
};

struct collected {
    int status; /* as of waitpid() */
    char out[COLLECTOR_OUT];
    struct collector_process processes[COLLECTOR_PROCESSES];
    unsigned count;
    bool broken; /* a ring or a record is invalid */
};

/* Runs argv with the lines of `env` (KEY=value, NULL-terminated). With `kill_after` the
 * program is killed after this number of events; 0: never. */
void collector_run(struct collected *collected,
                   const char *const *argv,
                   const char *const *env,
                   size_t kill_after);
void collector_clear(struct collected *collected);

size_t collector_count(const struct collector_process *process, uint16_t type);
/* Returns the text of a number, or "". */
const char *collector_text(const struct collector_process *process, uint32_t number);
/* Returns the object with the number, or NULL. */
const struct record_xpti_object *
collector_object(const struct collector_process *process, uint64_t number);
const char *collector_name(const struct collector_process *process, uint64_t object);

#endif

/* trace_index_internal.h - data that the files of this folder share
 */
#ifndef PARSERS_TRACE_INDEX_TRACE_INDEX_INTERNAL_H
#define PARSERS_TRACE_INDEX_TRACE_INDEX_INTERNAL_H

#include "lib/base/text.h"
#include "parsers/trace_index/trace_index.h"

enum { TRACE_SLICES_MAX = 1 << 30, TRACE_ARGS_MAX = 1 << 20 };

enum { PAIR_KEY_BYTES = 24 };
/* Writes the key of two numbers of texts. */
void trace_pair_key(char key[PAIR_KEY_BYTES], uint32_t a, uint32_t b);

/* The fields of an event that are kept as texts; of ARGS, the place is kept. */
enum trace_field {
    PH,
    NAME,
    PID,
    TID,
    ID,
    TS,
    DUR,
    CAT,
    CNAME,
    GROUP,
    FIELDS,
    ARGS = FIELDS
};

/* A time as the file has it: nanoseconds, and millionths of one behind them. */
struct trace_time {
    int64_t ns;
    int32_t millionths;
};

struct trace_event {
    struct text fields[FIELDS]; /* "" when the event lacks the field */
    uint64_t args_at;
    uint32_t args_size; /* 0: no arguments */
};

/* The lane of a slice, and the slices that share its row; group 0 has one slice. */
struct trace_place {
    uint32_t lane, group;
};

/* A slice that is not in the index yet. */
struct trace_new {
    struct trace_slice slice;
    struct trace_place place;
};

/* The half of a B and E pair that came first. */
struct trace_half {
    struct trace_new slice; /* of a B */
    int64_t end_ns;         /* of an E */
    bool has_begin, has_end;
};

enum trace_state { PART_START, PART_EVENTS, PART_REST, PART_END };

struct trace_build {
    trace_bytes_fn *fn;
    void *arg;
    uint64_t part_at, part_size;
    uint64_t part_done; /* bytes, before the current call */
    size_t part_first;  /* slices before the part */
    enum trace_state state;
    struct trace_event event;
    /* The last field, and the one that followed each field last: events usually have
     * their fields in the same order. */
    uint8_t last_field, follower[FIELDS + 1];
    struct text args; /* of one event */
    struct arena *arena;
    struct trace_place *places; /* one for each slice of the index */
    size_t slice_room, lane_room, process_room, counter_room, point_room;
    uint32_t last_pid, last_tid, last_lane;
    struct names *half_keys; /* number k is half k - 1 */
    struct trace_half *halves;
    size_t half_count, half_room;
    bool has_time;
};

/* Reads "12.3456789" microseconds. */
bool trace_time_read(const char *text, struct trace_time *time);
struct trace_time trace_time_add(struct trace_time a, struct trace_time b);
int64_t trace_time_round(struct trace_time time); /* to whole nanoseconds */

uint32_t trace_add_lane(struct trace_index *index, const char *pid, const char *tid);
uint32_t trace_add_process(struct trace_index *index, const char *pid);
int trace_add_slice(struct trace_index *index,
                    const struct trace_new *slice,
                    struct err *err);
void trace_add_point(struct trace_index *index, const struct trace_point *point);
void trace_add_sample(struct trace_index *index,
                      const char *pid,
                      const char *name,
                      const struct trace_sample *sample);

/* trace_events.c: adds what the event describes. */
int trace_event_add(struct trace_index *index, struct err *err);
/* trace_pairs.c: adds one half of a SET or WAIT slice; the other half completes it. */
int trace_pair_add(struct trace_index *index,
                   const struct trace_new *slice,
                   int64_t at_ns,
                   bool is_end,
                   struct err *err);
/* trace_flags.c: 's' for a SET, 'w' for a WAIT, otherwise NUL. */
char trace_flag_kind(const char *name);
bool trace_is_flag(const char *name);
void trace_points_sort(struct trace_index *index);
/* trace_rows.c: sorts the slices and finds the row of each. */
void trace_rows_build(struct trace_index *index);
/* trace_order.c: the order in which lanes and processes are displayed. */
void trace_order_build(struct trace_index *index);
/* trace_window.c */
void trace_longest_build(struct trace_index *index);
/* trace_summary.c */
void trace_levels_build(struct trace_index *index);

#endif

/* irpf_profile.h - devices, operations and times of an IREE profile
 *
 * An operation is a function that was dispatched, or a kind of queue operation such as
 * a copy, on one device. Memory grows with the number of functions and operations, not
 * with the number of events. */
#ifndef PARSERS_IREE_IRPF_PROFILE_H
#define PARSERS_IREE_IRPF_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/iree/irpf.h"
#include "parsers/iree/key_table.h"

/* The clock of the times of a device. */
enum irpf_clock {
    IRPF_CLOCK_UNKNOWN, /* fewer than two correlations: ticks have no time */
    IRPF_CLOCK_HOST,    /* the monotonic clock of IREE's host events */
    IRPF_CLOCK_DRIVER,  /* time stamps of the driver */
};

struct irpf_device {
    uint32_t device, queues;
    char name[64];
    char uuid[33];   /* hex digits; "": none */
    uint64_t clocks; /* clock correlations */
    enum irpf_clock clock;
    /* the first and the last correlation */
    uint64_t ticks[2], driver_ns[2], host_ns[2];
};

struct irpf_function {
    uint64_t executable;
    uint32_t function;
    const char *name; /* not NUL-terminated */
    uint32_t name_bytes;
};

struct irpf_operation {
    enum irpf_content content; /* of the events: where the times come from */
    uint32_t type, function, device;
    uint64_t executable; /* of a dispatched function */
    uint64_t events, operations, payload;
    uint64_t failed; /* events with a status other than 0 */
    uint64_t timed;  /* events with a duration; the next three are theirs */
    uint64_t total_ns, min_ns, max_ns;
    bool is_driver_clock;
};

/* An event with its time. */
struct irpf_event {
    const struct irpf_item *item;
    bool has_time;
    bool is_driver_clock;
    uint64_t start_ns, end_ns; /* equal for an instant */
};

struct irpf_profile {
    uint64_t offset; /* in the file */
    uint64_t bytes;  /* that belong to it */
    uint16_t major, minor;
    uint64_t stated, missing;
    uint64_t records, contents[IRPF_CONTENTS], items[IRPF_CONTENTS];
    uint64_t truncated, dropped;
    bool has_begin, has_end;
    uint32_t status; /* of the session's end */
    struct key_table devices, functions, operations;
    uint64_t uncounted; /* items for which a table was full */
    uint64_t first_ns;  /* earliest time of the host's clock; UINT64_MAX: none */
    uint64_t first_driver_ns;
    char problem[240]; /* first damage; "": none */
    const uint8_t *start;
};

/* Reads the profile at the start of `bytes`. `offset` is its place in the file. Damage
 * after the head is no failure: what is whole is read, and `problem` has the rest. */
int irpf_profile_read(struct irpf_profile *out,
                      const uint8_t *bytes,
                      uint64_t size,
                      uint64_t offset,
                      struct err *err);
void irpf_profile_clear(struct irpf_profile *profile);

const struct irpf_device *irpf_profile_device(const struct irpf_profile *profile,
                                              size_t index);
const struct irpf_operation *irpf_profile_operation(const struct irpf_profile *profile,
                                                    size_t index);
/* Writes the name of an operation: the function, or `copy`, `fill` ... */
void irpf_profile_name(char *out,
                       size_t size,
                       const struct irpf_profile *profile,
                       const struct irpf_item *item);
void irpf_profile_operation_name(char *out,
                                 size_t size,
                                 const struct irpf_profile *profile,
                                 const struct irpf_operation *operation);

/* Calls fn for each event of a queue, a device or the host, in the order of the file.
 */
typedef void irpf_event_fn(const struct irpf_event *event, void *arg);
void irpf_profile_each_event(const struct irpf_profile *profile,
                             irpf_event_fn *fn,
                             void *arg);
/* Calls `fn` with each item of the content. */
typedef void irpf_item_fn(const struct irpf_item *item, void *arg);
void irpf_profile_each_item(const struct irpf_profile *profile,
                            enum irpf_content content,
                            irpf_item_fn *fn,
                            void *arg);

#endif

/* output.h - connection to the worker, and records into its ring
 *
 * The connection opens when the first selected stream is announced. A child of fork()
 * opens one of its own at its first event. Events never wait: a full ring drops them.
 * Records about names and objects wait for room, at most 2 s. */
#ifndef XPTI_SUBSCRIBER_OUTPUT_H
#define XPTI_SUBSCRIBER_OUTPUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum output_state {
    OUTPUT_CLOSED, /* not connected yet */
    OUTPUT_OPEN,
    OUTPUT_OFF, /* no worker, or the subscriber has ended */
};

extern atomic_int output_state_now; /* enum output_state */

static inline bool output_is_open(void)
{
    return atomic_load_explicit(&output_state_now, memory_order_acquire) == OUTPUT_OPEN;
}

/* Connects if necessary. Returns false without a worker. One thread at a time. */
bool output_open(void);
/* Ends the output for ever; waits for a record that is being written. */
void output_end(void);
/* In a child process: forgets the connection of the parent. */
void output_reset(void);

void output_write(uint16_t kind, const void *record, size_t size);
/* `head` begins with the length of the whole record. */
void output_write_with_bytes(uint16_t kind,
                             void *head,
                             size_t head_bytes,
                             const void *bytes,
                             size_t size);
void output_write_event(uint64_t time_ns, const void *record, size_t size);
/* Counts a record that could not be written at all. */
void output_count_drop(uint16_t kind);

#endif

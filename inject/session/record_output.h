/* record_output.h - records into the ring, from any thread
 *
 * A full ring is waited for, with a limit; then the record is given up and counted. The
 * lock is held while bytes are copied, never while waiting. */
#ifndef INJECT_SESSION_RECORD_OUTPUT_H
#define INJECT_SESSION_RECORD_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

struct record_channel_bytes;

/* The bell is ours from now on; the memory's descriptor is not. 0 or -1. */
int record_output_start(int memory, uint64_t ring_bytes, int bell);
void record_output_reset(void); /* in a child: the ring is the parent's */

void record_output_record(uint16_t kind, const void *record, size_t size);
/* The same, but never waits: what the program may do in a hot loop. */
void record_output_if_room(uint16_t kind, const void *record, size_t size);
/* The same with the time at hand, for what a program does in its hottest loop. The last
 * one before a silence may be seen a little later than others. */
void record_output_quick(uint16_t kind,
                         uint64_t time_ns,
                         const void *record,
                         size_t size);
/* A channel.bytes record: fills in length and bytes. */
void record_output_bytes(struct record_channel_bytes *head,
                         const void *bytes,
                         uint32_t size);

/* The same for any kind whose head begins with the length of the whole record. */
void record_output_with_bytes(uint16_t kind,
                              void *head,
                              size_t head_bytes,
                              const void *bytes,
                              uint32_t size);

#endif

/* record_output.h - writes records into the ring, from any thread
 *
 * When the ring is full, a writer waits up to 2 s; then the record is dropped and
 * counted. Each lane of the ring has a lock, which is held while bytes are copied,
 * never during a wait. Records lie in lane 0, in the order of writing; those of
 * record_output_quick() in a lane that the thread takes at its first one. */
#ifndef INJECT_SESSION_RECORD_OUTPUT_H
#define INJECT_SESSION_RECORD_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

struct record_channel_bytes;

/* Maps the ring. Takes `wake_fd`, but not `memory`. Returns 0 or -1. */
int record_output_start(int memory,
                        uint64_t ring_bytes,
                        unsigned ring_lanes,
                        int wake_fd);
void record_output_reset(void); /* in a child process: the ring belongs to the parent */
/* Ends the output while other threads may write: later records are lost. */
void record_output_stop(void);
/* Counts a record that could not be written for another reason than a full ring. */
void record_output_count_drop(uint16_t kind);

void record_output_record(uint16_t kind, const void *record, size_t size);
/* Writes a record without a wait: drops it when the ring is full. */
void record_output_if_room(uint16_t kind, const void *record, size_t size);
/* The same for calls that a program makes very often. The caller passes the time. The
 * reader may see the last record before a pause later than usual. */
void record_output_quick(uint16_t kind,
                         uint64_t time_ns,
                         const void *record,
                         size_t size);
/* As quick, in lane 0, but a full ring makes the caller wait. After a wait in vain, the
 * next calls do not wait until a record fits again: a reader that has ended must not
 * stop each of the program's calls. */
void record_output_frequent(uint16_t kind,
                            uint64_t time_ns,
                            const void *record,
                            size_t size);
/* Writes a channel.bytes record: fills in length and bytes. */
void record_output_bytes(struct record_channel_bytes *head,
                         const void *bytes,
                         uint32_t size);

/* Writes a record whose head begins with the length of the whole record. */
void record_output_with_bytes(uint16_t kind,
                              void *head,
                              size_t head_bytes,
                              const void *bytes,
                              uint32_t size);

#endif

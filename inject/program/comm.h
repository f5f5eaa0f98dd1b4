/* comm.h - the communicators of this process: who is in them, and what they use
 *
 * Filled by the hooks of HCCL's functions. A communicator's `key` is the same number on
 * all of its ranks and differs between groups: it is made of what all ranks were given
 * alike (root info, rank table, parent and list of ranks), of the name, and of how
 * often this device made one like it before, so that a group which is made anew starts
 * to count anew.
 *
 * All that is handed out is a copy: threads come and go, and destroy. The table has a
 * fixed size; what does not fit is not known, and is never replayed. */
#ifndef INJECT_PROGRAM_COMM_H
#define INJECT_PROGRAM_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COMM_NAME_MAX = 128, COMM_NOTIFIES = 2 };

struct comm {
    const void *handle; /* HcclComm */
    uint64_t key;
    char name[COMM_NAME_MAX]; /* the same on all ranks; what an MC2 operator is given */
    uint32_t rank, ranks;
    int32_t device;      /* visible */
    uint32_t generation; /* groups like it on this device before */
    /* What an operator asked for so far; NULL and 0 when it did not. */
    const void *context; /* on the device: first argument of its kernels */
    void *server_stream; /* of the AI CPU */
    void *notifies[COMM_NOTIFIES];
    uintptr_t buffer; /* of the windows; never saved, never put back */
    uint64_t buffer_bytes;
    uint64_t operations; /* comm_next_operation() so far */
};

/* Of bytes that all ranks have alike; goes on from `seed`, which is 0 at first. */
uint64_t comm_hash(uint64_t seed, const void *bytes, size_t size);
/* The same without white space: a rank table that two hosts wrote. */
uint64_t comm_hash_text(uint64_t seed, const char *text, size_t size);

/* Of a communicator's name, as the vendor's reports call it. */
uint64_t comm_name_hash(const char *name);

/* A communicator came to be: handle, name, rank, ranks and device are filled in;
 * `origin` is the hash of what all ranks were given. *out is what was kept. False when
 * there is no room. */
bool comm_add(const struct comm *made, uint64_t origin, struct comm *out);
void comm_remove(const void *handle);

bool comm_get(const void *handle, struct comm *out);
/* By name, among those of the device. */
bool comm_find_name(const char *name, int32_t device, struct comm *out);
/* By the address of its context, among those of the device. */
bool comm_find_context(const void *context, int32_t device, struct comm *out);
/* By the stream of its AI CPU half. */
bool comm_find_server(const void *stream, struct comm *out);
/* True when the range touches a window of a communicator of the device. */
bool comm_owns_memory(int32_t device, uintptr_t address, size_t size);

/* True once an operator was told any context. */
bool comm_has_any_context(void);

/* What an operator was told about its communicator. */
void comm_set_context(const void *handle, const void *context);
void comm_set_server(const void *handle, void *stream, void *const *notifies, size_t n);
void comm_set_buffer(const void *handle, const void *buffer, uint64_t bytes);

/* The number of the group operation that begins on this rank, from 1; 0 when the
 * communicator is not known. */
uint64_t comm_next_operation(const void *handle);

void comms_reset(void); /* in a child */

#endif

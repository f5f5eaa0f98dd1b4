/* comm.h - communicators of this process, their ranks and resources
 *
 * The hooks of HCCL's functions fill the table. The `key` of a communicator is equal on
 * all of its ranks and differs between communicators. It is a hash of the data that all
 * ranks pass to HCCL (root info, rank table, parent and list of ranks), of the name,
 * and of the number of earlier equal communicators on this device. A communicator that
 * is created again therefore has a new key and counts its operations from 1.
 *
 * All functions return copies, because other threads may destroy a communicator. The
 * table has a fixed size. Operations of a communicator that does not fit are not
 * replayed. */
#ifndef INJECT_PROGRAM_COMM_H
#define INJECT_PROGRAM_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COMM_NAME_MAX = 128, COMM_NOTIFIES = 2 };

struct comm {
    const void *handle; /* HcclComm */
    uint64_t key;
    char name[COMM_NAME_MAX]; /* equal on all ranks; MC2 operators refer to it */
    uint32_t rank, ranks;
    int32_t device;      /* visible number */
    uint32_t generation; /* number of earlier equal communicators on this device */
    /* Resources that an operator requested so far, else NULL and 0. */
    const void *context; /* in device memory: first argument of the kernels */
    void *server_stream; /* stream of the AI CPU kernel */
    void *notifies[COMM_NOTIFIES];
    uintptr_t buffer; /* windows of the peers; never saved and never restored */
    uint64_t buffer_bytes;
    uint64_t operations; /* calls of comm_next_operation() so far */
};

/* Hashes bytes that are equal on all ranks. `seed` is 0, or the hash of earlier bytes.
 */
uint64_t comm_hash(uint64_t seed, const void *bytes, size_t size);
/* Hashes text without its white space: two hosts may format a rank table differently.
 */
uint64_t comm_hash_text(uint64_t seed, const char *text, size_t size);

/* Returns the hash by which the vendor's reports identify a communicator's name. */
uint64_t comm_name_hash(const char *name);

/* Adds a communicator with its handle, name, rank, ranks and device. `origin` is the
 * hash of the data that all ranks passed. *out is the stored entry. Returns false when
 * the table is full. */
bool comm_add(const struct comm *made, uint64_t origin, struct comm *out);
void comm_remove(const void *handle);

bool comm_get(const void *handle, struct comm *out);
/* Finds a communicator of the device by its name. */
bool comm_find_name(const char *name, int32_t device, struct comm *out);
/* Finds a communicator of the device by the address of its context. */
bool comm_find_context(const void *context, int32_t device, struct comm *out);
/* Finds a communicator by the stream of its AI CPU kernel. */
bool comm_find_server(const void *stream, struct comm *out);
/* Returns true when the memory overlaps a window of a communicator of the device. */
bool comm_owns_memory(int32_t device, uintptr_t address, size_t size);

/* Returns true after any operator requested the context of a communicator. */
bool comm_has_any_context(void);

/* Store the resources that HCCL returned to an operator. */
void comm_set_context(const void *handle, const void *context);
void comm_set_server(const void *handle, void *stream, void *const *notifies, size_t n);
void comm_set_buffer(const void *handle, const void *buffer, uint64_t bytes);

/* Returns the number of the operation that begins on this rank, from 1, or 0 for an
 * unknown communicator. */
uint64_t comm_next_operation(const void *handle);

void comms_reset(void); /* in a child process */

#endif

/* runtime.h - what we ourselves ask of the runtime, by whatever names it has
 *
 * Called inside a hook only (depth is not 0), so that nothing of it is taken for the
 * program's. All return 0, the runtime's error, or ABI_NOT_SUPPORTED. */
#ifndef INJECT_BASE_RUNTIME_H
#define INJECT_BASE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The device of this thread as the program counts, or -1. */
int runtime_device(void);
/* As the driver counts. */
int runtime_logical(int visible);

int runtime_malloc(void **out, size_t size);
int runtime_free(void *address);
int runtime_copy_async(void *to, const void *from, size_t size, int kind, void *stream);
int runtime_copy(void *to, const void *from, size_t size, int kind);
int runtime_sync_stream(void *stream, int timeout_ms);
int runtime_sync_device(int timeout_ms);
void runtime_abort_stream(void *stream);

int32_t runtime_stream_id(void *stream); /* -1: not told */
bool runtime_is_capturing(void *stream); /* launches are recorded, not run */
/* What this thread launches on the stream becomes a model; executed as often as wanted.
 */
int runtime_capture_begin(void *stream);
int runtime_capture_end(void *stream, void **model);
int runtime_execute_model(void *model, void *stream);
void runtime_destroy_model(void *model);
int64_t runtime_kernel_type(void *func); /* -1: not told */
int runtime_function_name(void *func, char *out, size_t size);
/* A kernel binary of our own, and a function in it. */
int runtime_load(const void *bytes, size_t size, void **binary);
int runtime_get_function(void *binary, const char *name, void **function);
void runtime_unload(void *binary);
int64_t runtime_l2_bytes(int visible); /* 0: not told */
/* Of the thread's device, in bytes. */
int runtime_memory(uint64_t *free_bytes, uint64_t *total);
void runtime_soc(char *out, size_t size);
/* 128 bytes; what HCCL says of a communicator. */
int runtime_comm_name(const void *comm, char out[128]);
int runtime_comm_place(const void *comm, uint32_t *ranks, uint32_t *rank);
/* How long what lies between two places of a stream takes, by the device. */
struct runtime_timing {
    void *start, *end; /* NULL: it cannot be told */
};
void runtime_timing_start(struct runtime_timing *timing, void *stream);
void runtime_timing_end(struct runtime_timing *timing, void *stream);
/* When the stream has come there: nanoseconds, or 0. Once. */
uint64_t runtime_timing_take(struct runtime_timing *timing);
/* Tells the runtime's profiler that counters are wanted, or no more. */
void runtime_profile(int logical, bool start, uint64_t switches);

#endif

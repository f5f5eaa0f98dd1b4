/* runtime.h - calls of inject to the runtime
 *
 * Call these functions only inside a hook (hook_depth > 0); otherwise inject would
 * treat them as calls of the program. They return 0, the error of the runtime, or
 * ABI_NOT_SUPPORTED. */
#ifndef INJECT_BASE_RUNTIME_H
#define INJECT_BASE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the visible number of the calling thread's device, or -1. */
int runtime_device(void);
/* Converts a visible device number to the number that the driver uses. */
int runtime_logical(int visible);

int runtime_malloc(void **out, size_t size);
int runtime_free(void *address);
int runtime_copy_async(void *to, const void *from, size_t size, int kind, void *stream);
int runtime_copy(void *to, const void *from, size_t size, int kind);
int runtime_sync_stream(void *stream, int timeout_ms);
int runtime_sync_device(int timeout_ms);
void runtime_abort_stream(void *stream);

int32_t runtime_stream_id(void *stream); /* -1: unknown */
/* Returns true while launches on the stream are captured into a model and not run. */
bool runtime_is_capturing(void *stream);
/* Captures the launches of this thread on the stream into a model, which can be
 * executed any number of times. */
int runtime_capture_begin(void *stream);
int runtime_capture_end(void *stream, void **model);
int runtime_execute_model(void *model, void *stream);
void runtime_destroy_model(void *model);
int64_t runtime_kernel_type(void *func); /* -1: unknown */
int runtime_function_name(void *func, char *out, size_t size);
/* Load and unload a kernel binary of inject, and find a function in it. */
int runtime_load(const void *bytes, size_t size, void **binary);
int runtime_get_function(void *binary, const char *name, void **function);
void runtime_unload(void *binary);
int64_t runtime_l2_bytes(int visible); /* 0: unknown */
/* Returns the free and total memory of the calling thread's device in bytes. */
int runtime_memory(uint64_t *free_bytes, uint64_t *total);
void runtime_soc(char *out, size_t size);
void runtime_cann_version(char *out, size_t size); /* "": unknown */
/* Return the name of an HCCL communicator, its number of ranks and the own rank. */
int runtime_comm_name(const void *comm, char out[128]);
int runtime_comm_place(const void *comm, uint32_t *ranks, uint32_t *rank);
/* Device time between two points of a stream. */
struct runtime_timing {
    void *start, *end; /* events; NULL when the runtime has none */
};
void runtime_timing_start(struct runtime_timing *timing, void *stream);
void runtime_timing_end(struct runtime_timing *timing, void *stream);
/* Returns the nanoseconds, or 0 when unknown, and destroys the events. Call it after
 * the stream was synchronized. */
uint64_t runtime_timing_take(struct runtime_timing *timing);
/* Starts or stops the runtime's profiler on a device. */
void runtime_profile(int logical, bool start, uint64_t switches);

#endif

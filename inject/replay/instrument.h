/* instrument.h - runs an instrumented copy of a kernel that records its own actions
 *
 * The copy of the kernel's binary writes into a buffer in device memory. It is launched
 * once, with the same arguments, in place of the kernel. Only binaries of the simulated
 * NPU can be instrumented here: a trailer at their end is enough for them. A copy with
 * marks around its instructions fills its buffer with the map of these marks. */
#ifndef INJECT_REPLAY_INSTRUMENT_H
#define INJECT_REPLAY_INSTRUMENT_H

#include <stdbool.h>
#include <stdint.h>

struct launch;

enum instrument_kind {
    INSTRUMENT_MEMORY, /* transfers: MemoryDetail */
    INSTRUMENT_BLOCKS, /* how often each basic block ran: Source */
    INSTRUMENT_MARKS,  /* marks of each instruction in the timeline: InstrTimeline */
    INSTRUMENT_KINDS
};

struct instrument_job {
    const struct launch *launch;
    uint64_t number; /* of the launch */
    uint32_t device; /* logical number */
    uint32_t chip;
};

/* Returns true when `metrics`, a list as in the job file, has this name. */
bool instrument_has_metric(const char *metrics, const char *name);
/* Returns true when the list names the metric of this kind. */
bool instrument_is_wanted(const char *metrics, enum instrument_kind kind);
/* Writes a record with the hash of the launch's binary, and the bytes of each binary
 * once. */
void instrument_write_code(const struct instrument_job *job);
/* Clears the list of written binaries, for another worker. */
void instrument_forget_sent_code(void);

/* Between start and end, the launch's call contains the instrumented kernel. */
struct instrument {
    enum instrument_kind kind;
    void *own;    /* the program's kernel */
    void *binary; /* the instrumented copy */
    void *buffer; /* in device memory */
    uint64_t bytes;
    uint32_t parts;
    uint64_t part_bytes;
};

/* Returns 0, or -1 without any change when the kernel cannot be instrumented. */
int instrument_start(struct instrument *instrument,
                     const struct instrument_job *job,
                     enum instrument_kind kind);
/* Restores the program's kernel. With `ran`, writes the contents of the buffer as
 * records. */
void instrument_end(struct instrument *instrument,
                    const struct instrument_job *job,
                    bool ran);

#endif

/* instrument.h - a launch of its own in which the kernel writes down what it does
 *
 * The kernel's binary is rewritten so that it fills a buffer of the device, and is
 * launched once in place of the program's own, with the same arguments. Only the
 * simulator's binaries can be rewritten here: it takes a mark at their end. */
#ifndef INJECT_REPLAY_INSTRUMENT_H
#define INJECT_REPLAY_INSTRUMENT_H

#include <stdbool.h>
#include <stdint.h>

struct launch;

enum instrument_kind {
    INSTRUMENT_MEMORY, /* transfers: MemoryDetail */
    INSTRUMENT_BLOCKS, /* how often each basic block ran: Source */
    INSTRUMENT_KINDS
};

struct instrument_job {
    const struct launch *launch;
    uint64_t number; /* of the launch */
    uint32_t device; /* logical */
    uint32_t chip;
};

/* What was asked for; names as in the job file. */
bool instrument_is_wanted(const char *metrics, enum instrument_kind kind);
/* Tells which binary the launch runs, if it was seen, and its bytes once. */
void instrument_write_code(const struct instrument_job *job);
/* To a worker that was told nothing yet. */
void instrument_forget_sent_code(void);
/* From its start to its end the launch's call has the instrumented kernel in it. */
struct instrument {
    enum instrument_kind kind;
    void *own;    /* the program's kernel */
    void *binary; /* the rewritten one */
    void *buffer; /* of the device */
    uint64_t bytes;
    uint32_t parts;
    uint64_t part_bytes;
};

/* -1: it cannot be done here, and nothing has changed. */
int instrument_start(struct instrument *instrument,
                     const struct instrument_job *job,
                     enum instrument_kind kind);
/* Tells what the kernel wrote when `ran`. */
void instrument_end(struct instrument *instrument,
                    const struct instrument_job *job,
                    bool ran);

#endif

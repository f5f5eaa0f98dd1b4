/* transfer.h - types of transfer records: size and offsets of their common fields */
#ifndef SIM_INSTRUMENT_TRANSFER_H
#define SIM_INSTRUMENT_TRANSFER_H

#include <npu_sim/recorder.h>
#include <npu_sim/records.h>
#include <stdint.h>

struct transfer_type {
    uint32_t type;
    uint32_t size;
    uint32_t core_at;
    /* offsets of the memories in the record; 0: use dst_memory and src_memory */
    uint32_t dst_memory_at, src_memory_at;
    uint8_t dst_memory, src_memory;
    const char *name; /* of the instruction */
};

/* decoded fields of a transfer */
struct transfer_view {
    enum npu_sim_memory from, to;
    enum npu_sim_pipe pipe;
    uint64_t dst, src; /* as in the record */
    uint64_t bytes;
    uint64_t setting; /* last register of the instruction: counts and strides */
};

/* Returns NULL for a type that bodies of the simulator cannot produce. */
const struct transfer_type *transfer_type_of(uint32_t type);
/* Sets program counter, number and core; converts local addresses to offsets. */
void transfer_complete(const struct transfer_type *type,
                       void *record,
                       uint64_t pc,
                       uint64_t number,
                       uint32_t core);
void transfer_look(const struct transfer_type *type,
                   const void *record,
                   struct transfer_view *view);

#endif

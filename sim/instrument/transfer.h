/* transfer.h - the kinds of transfer record: size, and where their common parts lie */
#ifndef SIM_INSTRUMENT_TRANSFER_H
#define SIM_INSTRUMENT_TRANSFER_H

#include <npu_sim/recorder.h>
#include <npu_sim/records.h>
#include <stdint.h>

struct transfer_type {
    uint32_t type;
    uint32_t size;
    uint32_t core_at;
    /* where the record names its memories; 0: the type always has the ones below */
    uint32_t dst_memory_at, src_memory_at;
    uint8_t dst_memory, src_memory;
    const char *name; /* of the instruction */
};

/* what a transfer takes part in, besides its record */
struct transfer_view {
    enum npu_sim_memory from, to;
    enum npu_sim_pipe pipe;
    uint64_t dst, src; /* as in the record */
    uint64_t bytes;
    uint64_t setting; /* of the instruction's last register: counts and strides */
};

/* NULL: none that a body of the simulator can make. */
const struct transfer_type *transfer_type_of(uint32_t type);
/* Fills in counter, number and core; local addresses become offsets. */
void transfer_complete(const struct transfer_type *type,
                       void *record,
                       uint64_t pc,
                       uint64_t number,
                       uint32_t core);
void transfer_look(const struct transfer_type *type,
                   const void *record,
                   struct transfer_view *view);

#endif

#include "sim/instrument/gm_buffer.h"

#include <string.h>

#include "sim/instrument/transfer.h"

/* words of the head that the simulated instructions change */
enum { WORD_COUNT = 0, WORD_LENGTH = 1, WORD_ND_PARA = 2 };

static uint64_t get(const uint8_t *part, int word)
{
    uint64_t value;

    memcpy(&value, part + word * 8, sizeof(value));
    return value;
}

static void set(uint8_t *part, int word, uint64_t value)
{
    memcpy(part + word * 8, &value, sizeof(value));
}

/* Stores the operands of the instruction that sets the matrices of a fix-pipe transfer.
 */
static void
note_parameters(uint8_t *part, const struct transfer_type *type, const void *record)
{
    struct npu_sim_record_mov_fp fp;

    if (type->type != NPU_SIM_RECORD_MOV_FP)
        return;
    memcpy(&fp, record, sizeof(fp));
    set(part, WORD_ND_PARA,
        fp.matrices | (uint64_t)fp.src_matrix_stride << 16 |
            (uint64_t)fp.dst_matrix_stride << 32);
}

void gm_buffer_add(uint8_t *part,
                   uint64_t stride,
                   const struct transfer_type *type,
                   const void *record)
{
    const uint32_t head[2] = {type->type, NPU_SIM_RECORD_MAGIC};
    uint64_t room = stride - GM_BUFFER_HEAD - GM_BUFFER_GAP;
    uint64_t count = get(part, WORD_COUNT), length = get(part, WORD_LENGTH);
    uint64_t size = sizeof(head) + type->size;

    note_parameters(part, type, record);
    if (length & GM_BUFFER_FULL) {
        set(part, WORD_LENGTH, length + 1);
    } else if (length > room || size > room - length) {
        set(part, WORD_LENGTH, GM_BUFFER_FULL | (count + 1));
    } else {
        memcpy(part + GM_BUFFER_HEAD + length, head, sizeof(head));
        memcpy(part + GM_BUFFER_HEAD + length + sizeof(head), record, type->size);
        set(part, WORD_COUNT, count + 1);
        set(part, WORD_LENGTH, length + size);
    }
}

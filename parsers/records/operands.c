#include "parsers/records/operands.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"

enum { HEAD_BYTES = 8, ENTRY_BYTES = 24 };

static const char *const names[OPERAND_TYPES] = {
    "F16",  "F16X2",  "BF16",  "BF16X2", "E4M3",     "E5M2",     "E1M2",
    "E2M1", "V2BF16", "V2F16", "HIF8X2", "F8E4M3X2", "F8E5M2X2", "FMIX",
    "HALF", "F32",    "F32X2", "B4",     "B8",       "B16",      "B32",
    "B64",  "B128",   "S16",   "S32",    "U16",      "U32",      "S8",
    "U8",   "U64",    "S64",   "SX32",   "ZX32",
};

const char *operand_name(unsigned type)
{
    return type < OPERAND_TYPES ? names[type] : "INVALID_TYPE";
}

static void add(uint64_t *sum, uint64_t more)
{
    *sum = more > UINT64_MAX - *sum ? UINT64_MAX : *sum + more;
}

static void add_thread(struct operand_sum sums[OPERAND_TYPES], const uint8_t *thread)
{
    for (size_t type = 0; type < OPERAND_TYPES; type++) {
        add(&sums[type].instructions, load_u64(thread + type * ENTRY_BYTES));
        add(&sums[type].operations, load_u64(thread + type * ENTRY_BYTES + 8));
    }
}

void operands_read(struct operands *operands, const uint8_t *bytes, size_t size)
{
    size_t left = size > HEAD_BYTES ? size - HEAD_BYTES : 0;

    *operands = (struct operands){.count = left / OPERAND_BLOCK_BYTES};
    operands->tail_bytes = size > HEAD_BYTES ? left % OPERAND_BLOCK_BYTES : size;
    if (!operands->count)
        return;
    operands->blocks = xcalloc(operands->count, sizeof(operands->blocks[0]));
    for (size_t i = 0; i < operands->count; i++) {
        const uint8_t *thread = bytes + HEAD_BYTES + i * OPERAND_BLOCK_BYTES;

        add_thread(operands->blocks[i].simd, thread);
        for (size_t k = 1; k <= OPERAND_THREADS; k++)
            add_thread(operands->blocks[i].simt, thread + k * OPERAND_THREAD_BYTES);
    }
}

void operands_clear(struct operands *operands)
{
    free(operands->blocks);
    memset(operands, 0, sizeof(*operands));
}

const struct operand_block *operands_at(const struct operands *operands, size_t block)
{
    return operands && block < operands->count ? &operands->blocks[block] : NULL;
}

/* dbi_fuzz.c - anything at all as a buffer, a packet and a chart of transfers */
#include "parsers/transfers/dbi.h"

static void take(void *arg, const struct dbi_transfer *transfer)
{
    uint64_t *sum = arg;

    *sum += transfer->src ^ transfer->dst_bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct dbi_reader reader;
    uint64_t sum = 0;
    bool is_end;

    dbi_init(&reader, take, &sum);
    reader.room = 1 << 16;
    if (size < 1)
        return 0;
    switch (bytes[0] % 4) {
    case 0:
        dbi_read_records(&reader, 0, bytes + 1, size - 1);
        break;
    case 1:
        dbi_read_buffer(&reader, bytes + 1, size - 1, 1024);
        break;
    case 2:
        dbi_read_packet(&reader, bytes + 1, size - 1, &is_end);
        break;
    default:
        dbi_read_chart(&reader, bytes + 1, size - 1);
    }
    return 0;
}

/* transfer_reader_fuzz.c - anything at all as a buffer, a packet and a chart of
 * transfers */
#include "parsers/transfers/transfer_reader.h"

static void take(void *arg, const struct transfer *transfer)
{
    uint64_t *sum = arg;

    *sum += transfer->src ^ transfer->dst_bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct transfer_reader reader;
    uint64_t sum = 0;
    bool is_end;

    transfer_reader_init(&reader, take, &sum);
    reader.room = 1 << 16;
    if (size < 1)
        return 0;
    switch (bytes[0] % 4) {
    case 0:
        transfer_read_records(&reader, 0, bytes + 1, size - 1);
        break;
    case 1:
        transfer_read_buffer(&reader, bytes + 1, size - 1, 1024);
        break;
    case 2:
        transfer_read_packet(&reader, bytes + 1, size - 1, &is_end);
        break;
    default:
        transfer_read_chart(&reader, bytes + 1, size - 1);
    }
    return 0;
}

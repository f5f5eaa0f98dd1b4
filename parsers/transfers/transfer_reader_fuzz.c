/* transfer_reader_fuzz.c - reads any bytes as records, buffer, packet and chart */
#include "parsers/transfers/transfer_reader.h"

static void add_transfer(void *arg, const struct transfer *transfer)
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

    transfer_reader_init(&reader, add_transfer, &sum);
    reader.transfers_left = 1 << 16;
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

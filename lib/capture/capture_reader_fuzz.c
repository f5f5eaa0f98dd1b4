/* capture_reader_fuzz.c - for any bytes the reader ends, and every block with
 * `verified` has the right CRC */
#include <assert.h>

#include "lib/capture/capture_reader.h"
#include "lib/capture/format/crc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct capture_reader *reader = capture_reader_create(data, size);
    struct capture_block block;
    struct capture_group group;
    struct err err;
    size_t cursor = 0;

    capture_reader_sort(reader);
    while (capture_reader_next(reader, &block)) {
        const uint8_t *record;
        size_t at = 0, record_bytes;
        uint32_t records = 0;

        while (capture_record_next(&block, &at, &record, &record_bytes))
            records++;
        assert(records == block.records);
        assert(!block.verified ||
               crc32c_by_table(0, block.payload, block.payload_bytes) ==
                   block.head.payload_crc);
    }
    while (capture_reader_next_group(reader, &cursor, &group))
        assert(group.offset + group.size <= size);
    capture_reader_destroy(reader);
    capture_group_check(data, size, 1, 0, 0, &err);
    return 0;
}

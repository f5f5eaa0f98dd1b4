/* transfer_reader.h - what an instrumented kernel wrote about its transfers, taken
 * apart
 *
 * Three ways lead here: the buffer of the device (a part a core), a packet of the
 * profiler's library (one core's part on its way), and MemoryChart.bin, where the
 * records are already taken apart. Each record becomes transfers of one piece of
 * memory to another, which are handed on one by one. A record can ask for more
 * transfers than there are atoms: beyond the limit it is left out and counted. */
#ifndef PARSERS_TRANSFERS_TRANSFER_READER_H
#define PARSERS_TRANSFERS_TRANSFER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum transfer_memory {
    MEMORY_L1,
    MEMORY_L0A,
    MEMORY_L0B,
    MEMORY_L0C,
    MEMORY_UB,
    MEMORY_BT,
    MEMORY_GM,
    MEMORY_REG,
    MEMORY_PRIVATE,
    MEMORY_KINDS
};

struct transfer {
    uint64_t src, dst;
    uint64_t src_bytes, dst_bytes; /* 0: none on that side */
    uint64_t pc;
    uint64_t serial; /* of its record */
    uint32_t block;  /* on a 950 core x 3 + vector 0, vector 1, cube */
    uint16_t sub_block;
    uint8_t src_memory,
        dst_memory; /* enum transfer_memory; others are kept as they are */
};

typedef void transfer_fn(void *arg, const struct transfer *transfer);

struct transfer_reader {
    transfer_fn *take;
    void *arg;
    uint64_t room; /* transfers that may still come */
    uint32_t block;
    uint64_t records;      /* that were taken apart */
    uint64_t too_large;    /* that ask for more transfers than there is room for */
    uint64_t senseless;    /* whose fields contradict each other */
    uint64_t lost;         /* that the buffer had no room for */
    uint64_t unread_bytes; /* behind a broken record, or at the end */
};

enum {
    TRANSFERS_MAX = 1 << 26,
    TRANSFER_CHART_ROW_BYTES = 56,
    TRANSFER_PACKET_HEAD_BYTES = 28
};

void transfer_reader_init(struct transfer_reader *reader, transfer_fn *take, void *arg);
/* Records back to back. */
void transfer_read_records(struct transfer_reader *reader,
                           uint32_t block,
                           const uint8_t *bytes,
                           size_t size);
/* One core's part of the buffer: its head, and the records behind it. */
void transfer_read_part(struct transfer_reader *reader,
                        uint32_t block,
                        const uint8_t *part,
                        size_t size);
/* All parts; `stride` bytes from one to the next. */
void transfer_read_buffer(struct transfer_reader *reader,
                          const uint8_t *bytes,
                          size_t size,
                          uint64_t stride);
/* False: its sizes contradict each other, and nothing was read. *is_end: the launch is
 * complete, and what follows the head is the path of its folder. */
bool transfer_read_packet(struct transfer_reader *reader,
                          const uint8_t *bytes,
                          size_t size,
                          bool *is_end);
void transfer_read_chart(struct transfer_reader *reader,
                         const uint8_t *bytes,
                         size_t size);
/* As a row of MemoryChart.bin. */
void transfer_write_chart_row(uint8_t out[TRANSFER_CHART_ROW_BYTES],
                              const struct transfer *transfer);

/* "GM" and so on; INVALID_TYPE for a number that has no name. */
const char *transfer_memory_name(unsigned memory);

#endif

/* transfer_reader.h - reads the memory records of an instrumented kernel
 *
 * The vendor calls these records DBI (dynamic binary instrumentation). They come from
 * one of three inputs: the buffer of the device, with one part per block; a packet of
 * the profiling library, with the records of one block; or MemoryChart.bin, which has
 * the expanded transfers.
 *
 * One record describes many transfers by strides and repeats. The reader expands each
 * record and calls the callback once per transfer. The counts in a record come from the
 * device and can be garbage: the reader skips and counts a record that has more
 * transfers than `transfers_left`. */
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
    uint64_t src_bytes, dst_bytes; /* 0: no bytes on this side */
    uint64_t pc;
    uint64_t serial; /* number of the record */
    uint32_t block;  /* on a 950: core * 3 + {0 vector 0, 1 vector 1, 2 cube} */
    uint16_t sub_block;
    uint8_t src_memory, dst_memory; /* enum transfer_memory, or an unknown number */
};

typedef void transfer_fn(void *arg, const struct transfer *transfer);

struct transfer_reader {
    transfer_fn *on_transfer;
    void *arg;
    uint64_t transfers_left; /* limit on further transfers */
    uint32_t block;
    uint64_t records;       /* records that were expanded */
    uint64_t too_large;     /* records skipped for having more than transfers_left */
    uint64_t contradictory; /* records skipped for fields that exclude each other */
    uint64_t lost;          /* records that the device dropped: its buffer was full */
    uint64_t unread_bytes;  /* bytes after a broken record, and incomplete records */
};

enum {
    TRANSFERS_MAX = 1 << 26,
    TRANSFER_CHART_ROW_BYTES = 56,
    TRANSFER_PACKET_HEAD_BYTES = 28
};

void transfer_reader_init(struct transfer_reader *reader,
                          transfer_fn *on_transfer,
                          void *arg);
/* Reads records without any header around them. Stops at the first broken record. */
void transfer_read_records(struct transfer_reader *reader,
                           uint32_t block,
                           const uint8_t *bytes,
                           size_t size);
/* Reads one block's part of the device buffer: its header, then its records. */
void transfer_read_part(struct transfer_reader *reader,
                        uint32_t block,
                        const uint8_t *part,
                        size_t size);
/* Reads all parts of the device buffer; `stride` bytes from one part to the next. */
void transfer_read_buffer(struct transfer_reader *reader,
                          const uint8_t *bytes,
                          size_t size,
                          uint64_t stride);
/* Reads a packet. Returns false, and reads nothing, when its sizes contradict each
 * other. Sets *is_end when the launch is complete; such a packet has the path of the
 * dump folder after its header, and no records. */
bool transfer_read_packet(struct transfer_reader *reader,
                          const uint8_t *bytes,
                          size_t size,
                          bool *is_end);
/* Reads the rows of MemoryChart.bin. */
void transfer_read_chart(struct transfer_reader *reader,
                         const uint8_t *bytes,
                         size_t size);
/* Writes one row of MemoryChart.bin. */
void transfer_write_chart_row(uint8_t out[TRANSFER_CHART_ROW_BYTES],
                              const struct transfer *transfer);

/* Returns "GM" and the like, or "INVALID_TYPE" for an unknown number. */
const char *transfer_memory_name(unsigned memory);

#endif

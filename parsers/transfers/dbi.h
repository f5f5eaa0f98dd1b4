/* dbi.h - what an instrumented kernel wrote about its transfers, taken apart
 *
 * Three ways lead here: the buffer of the device (a part a core), a packet of the
 * profiler's library (one core's part on its way), and MemoryChart.bin, where the
 * records are already taken apart. Each record becomes transfers of one piece of
 * memory to another, which are handed on one by one. A record can ask for more
 * transfers than there are atoms: beyond the limit it is left out and counted. */
#ifndef PARSERS_TRANSFERS_DBI_H
#define PARSERS_TRANSFERS_DBI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dbi_memory {
    DBI_L1,
    DBI_L0A,
    DBI_L0B,
    DBI_L0C,
    DBI_UB,
    DBI_BT,
    DBI_GM,
    DBI_REG,
    DBI_PRIVATE,
    DBI_MEMORIES
};

struct dbi_transfer {
    uint64_t src, dst;
    uint64_t src_bytes, dst_bytes; /* 0: none on that side */
    uint64_t pc;
    uint64_t serial; /* of its record */
    uint32_t block;  /* on a 950 core x 3 + vector 0, vector 1, cube */
    uint16_t sub_block;
    uint8_t src_memory, dst_memory; /* enum dbi_memory; others are kept as they are */
};

typedef void dbi_fn(void *arg, const struct dbi_transfer *transfer);

struct dbi_reader {
    dbi_fn *take;
    void *arg;
    uint64_t room; /* transfers that may still come */
    uint32_t block;
    uint64_t records;      /* that were taken apart */
    uint64_t too_large;    /* that ask for more transfers than there is room for */
    uint64_t senseless;    /* whose fields contradict each other */
    uint64_t lost;         /* that the buffer had no room for */
    uint64_t unread_bytes; /* behind a broken record, or at the end */
};

enum { DBI_TRANSFERS_MAX = 1 << 26, DBI_CHART_BYTES = 56, DBI_PACKET_HEAD = 28 };

void dbi_init(struct dbi_reader *reader, dbi_fn *take, void *arg);
/* Records back to back. */
void dbi_read_records(struct dbi_reader *reader,
                      uint32_t block,
                      const uint8_t *bytes,
                      size_t size);
/* One core's part of the buffer: its head, and the records behind it. */
void dbi_read_part(struct dbi_reader *reader,
                   uint32_t block,
                   const uint8_t *part,
                   size_t size);
/* All parts; `stride` bytes from one to the next. */
void dbi_read_buffer(struct dbi_reader *reader,
                     const uint8_t *bytes,
                     size_t size,
                     uint64_t stride);
/* False: its sizes contradict each other, and nothing was read. *is_end: the launch is
 * complete, and what follows the head is the path of its folder. */
bool dbi_read_packet(struct dbi_reader *reader,
                     const uint8_t *bytes,
                     size_t size,
                     bool *is_end);
void dbi_read_chart(struct dbi_reader *reader, const uint8_t *bytes, size_t size);
/* As a row of MemoryChart.bin. */
void dbi_put_chart(uint8_t out[DBI_CHART_BYTES], const struct dbi_transfer *transfer);

/* "GM" and so on; INVALID_TYPE for a number that has no name. */
const char *dbi_memory_name(unsigned memory);

#endif

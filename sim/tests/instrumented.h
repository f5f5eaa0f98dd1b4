/* instrumented.h - shared by tests of instrumented kernels: makes a kernel file with
 * the mark of instrumentation at its end, byte by byte */
#ifndef SIM_TESTS_INSTRUMENTED_H
#define SIM_TESTS_INSTRUMENTED_H

#include <acl/acl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef COPIES_KERNEL
#define COPIES_KERNEL "copies.o"
#endif

#define MEMORY_RECORDS 4u  /* bit 2 of the profiler's configuration */
#define BLOCK_COUNTS   64u /* bit 6 */

static inline uint64_t word_at(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;

    for (size_t i = size; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

#define U8(bytes, at)  word_at((const uint8_t *)(bytes) + (at), 1)
#define U16(bytes, at) word_at((const uint8_t *)(bytes) + (at), 2)
#define U32(bytes, at) word_at((const uint8_t *)(bytes) + (at), 4)
#define U64(bytes, at) word_at((const uint8_t *)(bytes) + (at), 8)

/* Loads the kernel file as a tool would instrument it. Returns NULL on failure. */
static inline aclrtBinHandle instrumented_load_for(const char *path,
                                                   uint32_t flags,
                                                   uint32_t cores,
                                                   uint64_t stride,
                                                   uint64_t buffer)
{
    uint8_t tail[40] = {0};
    aclrtBinHandle binary = NULL;
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;
    long size;

    if (!file || fseek(file, 0, SEEK_END) < 0 || (size = ftell(file)) < 0)
        return NULL;
    rewind(file);
    bytes = malloc((size_t)size + sizeof(tail));
    if (!bytes || fread(bytes, (size_t)size, 1, file) != 1)
        return NULL;
    fclose(file);
    memcpy(tail, &flags, 4);
    memcpy(tail + 4, &cores, 4);
    memcpy(tail + 8, &stride, 8);
    memcpy(tail + 16, &buffer, 8);
    memcpy(tail + 24, "NPU_SIM instr 2", 16);
    memcpy(bytes + size, tail, sizeof(tail));
    if (aclrtBinaryLoadFromData(bytes, (size_t)size + sizeof(tail), NULL, &binary))
        binary = NULL;
    free(bytes);
    return binary;
}

/* Launches with the buffer as the last argument. */
static inline aclrtBinHandle
instrumented_load(const char *path, uint32_t flags, uint32_t cores, uint64_t stride)
{
    return instrumented_load_for(path, flags, cores, stride, 0);
}

#endif

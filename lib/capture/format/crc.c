#include "lib/capture/format/crc.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

enum { POLYNOMIAL = 0x82f63b78 }; /* Castagnoli, reflected */

/* table[k][b] is the CRC of byte b and k zero bytes; a step processes eight bytes. */
static uint32_t table[8][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_table(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;

        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ (uint32_t)POLYNOMIAL : crc >> 1;
        table[0][byte] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int byte = 0; byte < 256; byte++)
            table[k][byte] =
                table[k - 1][byte] >> 8 ^ table[0][table[k - 1][byte] & 0xff];
}

static uint32_t by_table(uint32_t crc, const uint8_t *next, size_t size)
{
    pthread_once(&once, fill_table);
    for (; size >= 8; size -= 8, next += 8) {
        uint32_t low = crc ^ ((uint32_t)next[0] | (uint32_t)next[1] << 8 |
                              (uint32_t)next[2] << 16 | (uint32_t)next[3] << 24);

        crc = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^
              table[5][low >> 16 & 0xff] ^ table[4][low >> 24] ^ table[3][next[4]] ^
              table[2][next[5]] ^ table[1][next[6]] ^ table[0][next[7]];
    }
    while (size--)
        crc = crc >> 8 ^ table[0][(crc ^ *next++) & 0xff];
    return crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t
by_processor(uint32_t crc, const uint8_t *next, size_t size)
{
    uint64_t wide = crc;

    for (; size >= 8; size -= 8, next += 8) {
        uint64_t word;

        memcpy(&word, next, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (uint32_t)wide;
    while (size--)
        crc = __builtin_ia32_crc32qi(crc, *next++);
    return crc;
}

static bool processor_can(void)
{
    return __builtin_cpu_supports("sse4.2");
}

#elif defined(__aarch64__)

__attribute__((target("+crc"))) static uint32_t
by_processor(uint32_t crc, const uint8_t *next, size_t size)
{
    for (; size >= 8; size -= 8, next += 8) {
        uint64_t word;

        memcpy(&word, next, 8);
        crc = __builtin_aarch64_crc32cx(crc, word);
    }
    while (size--)
        crc = __builtin_aarch64_crc32cb(crc, *next++);
    return crc;
}

static bool processor_can(void)
{
    return getauxval(AT_HWCAP) & 1 << 7; /* HWCAP_CRC32 */
}

#else

static uint32_t by_processor(uint32_t crc, const uint8_t *next, size_t size)
{
    return by_table(crc, next, size);
}

static bool processor_can(void)
{
    return false;
}

#endif

uint32_t crc32c(uint32_t crc, const void *bytes, size_t size)
{
    return ~(processor_can() ? by_processor : by_table)(~crc, bytes, size);
}

uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t size)
{
    return ~by_table(~crc, bytes, size);
}

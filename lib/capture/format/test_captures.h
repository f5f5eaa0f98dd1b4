/* test_captures.h - handwritten captures for tests */
#ifndef LIB_CAPTURE_FORMAT_TEST_CAPTURES_H
#define LIB_CAPTURE_FORMAT_TEST_CAPTURES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A string table "cap.block", "shard=7 seq=0", and user data "hello": 160 bytes */
static const char oracle_chunks[] = "49494442010000005900000000000000"
                                    "000000000300000000000000000000000000000000000000"
                                    "01000000000000000900000000000000"
                                    "0b000000000000000d00000000000000"
                                    "006361702e626c6f636b0073686172643d37207365713d3000"
                                    "0000000000000000"
                                    "00000000000000"
                                    "49494442ffff00001500000000000000"
                                    "01000000020000000000000000000000"
                                    "68656c6c6f0000000000000000000000";

/* shard 7, run 0x1122334455667788, one block of three records: 304 bytes */
static const char oracle_group[] =
    "49494442010000008e00000000000000"
    "00000000040000000000000000000000"
    "000000000000000001000000000000002a000000000000002c00000000000000"
    "0a000000000000003700000000000000"
    "06000000000000000073686172643d30"
    "30303030303037207461626c653d3030"
    "303030303030206372633d3435643739"
    "323236006361702e73616d706c650063"
    "79636c65730000000000000000000000"
    "49494442ffff00008000000000000000"
    "02000000030000000000000000000000"
    "43415042400000008877665544332211"
    "0700000000000000e803000000000000"
    "f2030000000000000300000010000000"
    "000000000000000029f911bef3d41d48"
    "e8030000000000000100000064000000"
    "ed0300000000000002000000c8000000"
    "f203000000000000030000002c010000";

/* a dump of a compiler's instrumentation: metadata chunk and ring; 4560 bytes when the
 * ring is filled up to its 4352 with zeros and the head in its last 8 */
static const char oracle_foreign[] = "3049444200000000ac00000000000000"
                                     "08000000494442446affffff14000000"
                                     "04000000020000001c00000010000000"
                                     "020000003c0000001000000094ffffff"
                                     "01000000a0ffffffb0ffffff1c000000"
                                     "10000000040000000300000073726300"
                                     "03000000746774000300000061646400"
                                     "d8ffffff1c0000001000000004000000"
                                     "03000000737263000300000074677400"
                                     "030000006d756c000c00100004000800"
                                     "00000c00040004000600080004000c00"
                                     "0c000000000004000800000000000000"
                                     "30494442010000000011000000000000"
                                     "00000000000000000000000000000000"
                                     "02000000010000000100000003000000"
                                     "040400000000000000100000007f0000"
                                     "020a0100000000000000c03f00000000"
                                     "01020000000000006869000000000000"
                                     "051000000000000010200000007f0000"
                                     "00010000010000000000000000000000"
                                     "02000000010000000100000004000000";

enum { ORACLE_FOREIGN_BYTES = 4560 };

/* Returns bytes that the caller frees. */
static inline uint8_t *oracle_bytes(const char *hex, size_t *size)
{
    size_t count = strlen(hex) / 2;
    uint8_t *bytes = malloc(count + 1);

    for (size_t i = 0; i < count; i++) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    *size = count;
    return bytes;
}

static inline uint8_t *oracle_foreign_bytes(void)
{
    size_t size;
    uint8_t *head = oracle_bytes(oracle_foreign, &size);
    uint8_t *bytes = calloc(1, ORACLE_FOREIGN_BYTES);

    memcpy(bytes, head, size);
    bytes[ORACLE_FOREIGN_BYTES - 8] = 0x80;
    free(head);
    return bytes;
}

#endif

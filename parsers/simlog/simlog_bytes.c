/* simlog_bytes.c - computes the bytes that a transfer instruction moves
 *
 * Register XM has bit fields with counts and sizes; their layout depends on the kind of
 * transfer. The log has the values of the registers. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/simlog/simlog_internal.h"

/* Reads the value of XM from a text like "XM:X5=0x1f0". */
static bool read_xm(struct sim_span detail, uint64_t *value)
{
    const char *end = detail.at + detail.length;
    const char *at = memmem(detail.at, detail.length, "XM:X", 4);
    char digits[24];
    size_t length = 0;

    while (at && at < end && *at != '=' && *at != ',')
        at++;
    if (!at || at == end || *at != '=')
        return false;
    for (at++; at < end && *at != ',' && *at != ' ' && length + 1 < sizeof(digits);
         at++)
        digits[length++] = *at;
    digits[length] = '\0';
    *value = strtoull(digits, NULL, 16);
    return length > 0;
}

static uint64_t bit_field(uint64_t value, unsigned first, unsigned last)
{
    return value >> first & ((1ull << (last - first + 1)) - 1);
}

/* Returns the bytes of an element, from a text like "dtype:B16", or 0. */
static uint64_t element_bytes(struct sim_span detail)
{
    const char *at = memmem(detail.at, detail.length, "dtype:", 6);
    const char *end = detail.at + detail.length;
    uint64_t size = 0;

    for (at = at ? at + 6 : end; at < end && *at != ',' && *at != ' '; at++)
        if (*at >= '0' && *at <= '9')
            size = size < 1000 ? size * 10 + (uint64_t)(*at - '0') : size;
    return size / 8;
}

bool simlog_moved_bytes(const struct sim_instruction *row, uint64_t *bytes)
{
    uint64_t xm;

    if ((row->pipe != SIM_MTE1 && row->pipe != SIM_MTE2 && row->pipe != SIM_MTE3) ||
        !read_xm(row->detail, &xm))
        return false;
    if (sim_span_contains(row->name, "ND2NZ")) {
        *bytes =
            bit_field(xm, 32, 47) * element_bytes(row->detail) * bit_field(xm, 16, 31);
        return element_bytes(row->detail) > 0;
    }
    if (sim_span_contains(row->name, "LOAD") && sim_span_contains(row->name, "2D"))
        *bytes = 512 * bit_field(xm, 16, 23);
    else if (sim_span_contains(row->name, "ALIGN"))
        *bytes = bit_field(xm, 16, 36) * bit_field(xm, 4, 15);
    else if (sim_span_contains(row->name, "MOV"))
        *bytes = bit_field(xm, 16, 31) * 32 * bit_field(xm, 4, 15);
    else
        return false;
    return true;
}

/* simlog_registers.c - counts the live scalar registers at each instruction
 *
 * A register is live from a write to the last use before the next write. A register
 * that is first read, because the part of the log with its write is missing, is live
 * from that read. The instructions are read in the order of their addresses, so the
 * result is an estimate without loops. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/simlog/simlog.h"

enum { REGISTERS = 256, USES_MAX = 16, SCALAR_REGISTERS = 32, QUAD = 4 };

/* instructions of the scalar pipe that write no general register */
static const char *const no_write[] = {"ST",   "STI",        "STP",     "CMP",
                                       "CMPI", "DC_PRELOAD", "PRELOAD", "MOV_SPR_XN"};

struct uses {
    unsigned number[USES_MAX];
    bool writes[USES_MAX];
    size_t count;
};

struct liveness {
    bool is_live[REGISTERS];
    size_t last[REGISTERS];
    size_t count;
};

static void add_use(struct uses *uses, unsigned number, bool writes)
{
    if (uses->count == USES_MAX || number >= REGISTERS)
        return;
    uses->number[uses->count] = number;
    uses->writes[uses->count++] = writes;
}

static unsigned number_at(const char *at, const char *end)
{
    unsigned value = 0;

    while (at < end && isdigit((unsigned char)*at) && value < 10000)
        value = value * 10 + (unsigned)(*at++ - '0');
    return value;
}

/* Returns true when the instruction writes the register at this position in its text.
 */
static bool is_written(const struct sim_instruction *row, size_t position)
{
    if (row->pipe != SIM_SCALAR)
        return false;
    for (size_t i = 0; i < COUNT(no_write); i++)
        if (sim_span_is(row->name, no_write[i]))
            return false;
    if (sim_span_is(row->name, "ST_DEV") || sim_span_is(row->name, "ST_ATOMIC_IMM"))
        return position == 1;
    if (sim_span_is(row->name, "LDP") || sim_span_is(row->name, "LDP_XI"))
        return position < 2;
    return position == 0;
}

/* Finds registers in a log of the 950: [R<n>:<value>|R], written ones as [Rd<n>... */
static void find_numbered_uses(const struct sim_instruction *row, struct uses *uses)
{
    const char *at = row->detail.at, *end = at + row->detail.length;

    uses->count = 0;
    for (; at + 2 < end; at++) {
        bool writes = at[2] == 'd';
        const char *digits = at + 2 + writes;

        if (at[0] == '[' && at[1] == 'R' && digits < end &&
            isdigit((unsigned char)*digits))
            add_use(uses, number_at(digits, end), writes);
    }
}

/* Finds the registers in other logs: X<n>, on older chips x[<n>] and x<letter>:<n>. */
static void find_uses(const struct sim_instruction *row, struct uses *uses)
{
    const char *at = row->detail.at, *end = at + row->detail.length;
    size_t position = 0;

    uses->count = 0;
    for (; at < end; at++) {
        const char *digits = NULL;
        bool starts = at == row->detail.at || !isalnum((unsigned char)at[-1]);

        if (!starts || at + 1 >= end)
            continue;
        if (*at == 'X' && isdigit((unsigned char)at[1]))
            digits = at + 1;
        else if (*at == 'x' && at[1] == '[' && at + 2 < end)
            digits = at + 2;
        else if (*at == 'x' && islower((unsigned char)at[1]) && at + 3 < end &&
                 at[2] == ':' && isdigit((unsigned char)at[3]) && at[3] != '0')
            digits = at + 3;
        if (!digits || !isdigit((unsigned char)*digits))
            continue;
        add_use(uses, number_at(digits, end), is_written(row, position++));
    }
    if (sim_span_is(row->name, "LDQ") && uses->count > 0)
        for (unsigned i = 1; i < QUAD; i++)
            add_use(uses, (uses->number[0] + i) % SCALAR_REGISTERS, true);
}

static void mark_read(struct liveness *live, unsigned number, size_t at)
{
    live->count += !live->is_live[number];
    live->is_live[number] = true;
    live->last[number] = at;
}

/* Records a write. Since its last use the register was not live, so the instructions in
 * between lose the count. */
static void mark_written(struct liveness *live,
                         struct sim_instruction *rows,
                         unsigned number,
                         size_t at)
{
    if (!live->is_live[number]) {
        live->is_live[number] = true;
        live->count++;
    } else {
        for (size_t i = live->last[number] + 1; i < at; i++)
            rows[i].registers -= rows[i].registers > 0;
    }
    live->last[number] = at;
}

void simlog_count_registers(struct sim_core *core)
{
    struct liveness live = {0};
    struct uses uses;

    for (size_t i = 0; i < core->count; i++) {
        (core->is_numbered ? find_numbered_uses : find_uses)(&core->rows[i], &uses);
        for (size_t u = 0; u < uses.count; u++)
            if (!uses.writes[u])
                mark_read(&live, uses.number[u], i);
        for (size_t u = 0; u < uses.count; u++)
            if (uses.writes[u])
                mark_written(&live, core->rows, uses.number[u], i);
        core->rows[i].registers =
            (uint32_t)(live.count < SCALAR_REGISTERS ? live.count : SCALAR_REGISTERS);
    }
    for (unsigned number = 0; number < REGISTERS; number++)
        if (live.is_live[number])
            mark_written(&live, core->rows, number, core->count);
}

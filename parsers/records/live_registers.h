/* live_registers.h - reads lrm.bin: the live registers at each instruction
 *
 * The file is nested tag-length-value data. It has one list of instructions per kind of
 * register; the addresses in all lists must be equal. */
#ifndef PARSERS_RECORDS_LIVE_REGISTERS_H
#define PARSERS_RECORDS_LIVE_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum register_kind { REGISTER_R, REGISTER_S, REGISTER_P, REGISTER_X, REGISTER_KINDS };
enum register_use {
    REGISTER_SPACE,
    REGISTER_READ,
    REGISTER_WRITE,
    REGISTER_READ_WRITE,
    REGISTER_IN_USE,
    REGISTER_USES,
};

struct register_entry {
    uint16_t number;
    uint8_t kind;  /* enum register_kind */
    uint8_t use;   /* enum register_use */
    uint32_t life; /* consecutive lines that list the register, including this one */
};

struct register_line {
    uint64_t address;
    size_t first, count; /* range in `entries`, all kinds of register */
};

struct register_function {
    char *name;
    uint64_t first_line;
};

struct live_registers {
    struct register_line *lines; /* in the order of the file */
    size_t line_count;
    struct register_entry *entries;
    size_t entry_count, entry_room;
    struct register_function *functions;
    size_t function_count;
    uint8_t kinds[REGISTER_KINDS]; /* the kinds in the file */
    uint64_t sizes[REGISTER_KINDS];
    size_t kind_count;
};

/* Returns ERR_INPUT when the file is damaged; then it has read nothing. */
int live_registers_read(struct live_registers *registers,
                        const uint8_t *bytes,
                        size_t size,
                        struct err *err);
void live_registers_clear(struct live_registers *registers);
/* Returns R, S, P or X. */
char register_letter(enum register_kind kind);

#endif

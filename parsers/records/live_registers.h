/* live_registers.h - lrm.bin: which registers live at which instruction
 *
 * Nested tag, length, value. Every instruction has a list of registers for each kind;
 * the addresses of the kinds must agree. */
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
    uint32_t life; /* how many lines on end list it, this one among them */
};

struct register_line {
    uint64_t address;
    size_t first, count; /* of the entries, all kinds */
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
    uint8_t kinds[REGISTER_KINDS]; /* those that the file has */
    uint64_t sizes[REGISTER_KINDS];
    size_t kind_count;
};

int live_registers_read(struct live_registers *registers,
                        const uint8_t *bytes,
                        size_t size,
                        struct err *err);
void live_registers_clear(struct live_registers *registers);
/* The letter of a kind. */
char register_letter(enum register_kind kind);

#endif

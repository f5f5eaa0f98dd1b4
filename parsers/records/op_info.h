/* op_info.h - the facts of an operator launch: kernel, chip, device, clocks
 *
 * A folder has them in op_basic_info.txt, a capture in several records. */
#ifndef PARSERS_RECORDS_OP_INFO_H
#define PARSERS_RECORDS_OP_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/capture/counter_schedule.h"

struct op_info {
    char name[256]; /* demangled name of the kernel */
    char soc[32];
    enum chip chip;
    uint32_t block_dim;
    uint32_t device;
    uint32_t pid;         /* 0: not known */
    uint32_t current_mhz; /* 0: not known, as are the next three */
    uint32_t rated_mhz;
    uint32_t ticks_khz;
    uint32_t core_count;
    uint32_t hbm_maker; /* 88 selects its own bandwidth limits; 0: default */
    bool is_mc2;
    bool is_lccl;
    bool has_simt;
    bool simulated;
};

/* Reads the text of an op_basic_info.txt. Counts lines without KEY=VALUE in
 * *unknown_lines. Returns ERR_INPUT for an invalid number or an unsupported chip. */
int op_info_parse(struct op_info *info,
                  const char *text,
                  size_t size,
                  size_t *unknown_lines,
                  struct err *err);
/* Sets unknown facts to those of the card model. */
void op_info_fill(struct op_info *info);
/* Return the current and the rated clock of the cores; never 0. */
uint32_t op_info_clock_mhz(const struct op_info *info);
uint32_t op_info_rated_mhz(const struct op_info *info);
/* Sets the name: of a mangled name with _Z<n> the n letters after the number, otherwise
 * the whole name. */
void op_info_set_name(struct op_info *info, const char *kernel);

#endif

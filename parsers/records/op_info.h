/* op_info.h - the facts about one operator launch that no channel gives
 *
 * From a folder they stand in op_basic_info.txt, from a capture in several records. */
#ifndef PARSERS_RECORDS_OP_INFO_H
#define PARSERS_RECORDS_OP_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/capture/counter_schedule.h"

struct op_info {
    char name[256]; /* of the kernel, as people read it */
    char soc[32];
    enum chip chip;
    uint32_t block_dim;
    uint32_t device;
    uint32_t pid;         /* 0: not known */
    uint32_t current_mhz; /* 0: not known, as are the next three */
    uint32_t rated_mhz;
    uint32_t ticks_khz;
    uint32_t core_count;
    uint32_t hbm_maker; /* 88 has limits of its own; 0 the default */
    bool is_mc2;
    bool is_lccl;
    bool has_simt;
    bool simulated;
};

/* The text of an op_basic_info.txt. `unknown_lines` counts what is no line of such a
 * file. ERR_INPUT when a number does not fit or the chip is not one that we read. */
int op_info_parse(struct op_info *info,
                  const char *text,
                  size_t size,
                  size_t *unknown_lines,
                  struct err *err);
/* Puts what the driver would say of such a chip where a fact is not known. */
void op_info_fill(struct op_info *info);
/* The clock of the cores, and the one they are rated for: never 0. */
uint32_t op_info_clock_mhz(const struct op_info *info);
uint32_t op_info_rated_mhz(const struct op_info *info);
/* Of a name that holds _Z<n> the n letters behind the number, else all of it. */
void op_info_set_name(struct op_info *info, const char *kernel);

#endif

/* text_log.h - the logs of an instruction simulator: what each core did at which cycle
 *
 * One set of files a core in the folder that CAMODEL_LOG_PATH names: instructions at
 * their end (instr_log), at their start (instr_popped_log), lines that the instruction
 * cache fetched (icache_log), and for all cores of an AI Core the requests of the
 * transfer engines (mte_log). Files are added to. A core's lines are kept until its
 * body ends, and then written in the order of their cycles. */
#ifndef SIM_INSTRUMENT_TEXT_LOG_H
#define SIM_INSTRUMENT_TEXT_LOG_H

#include <npu_sim/recorder.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/instrument/pipeline.h"
#include "sim/instrument/transfer.h"

struct text_log;

/* NULL: nobody asked for logs. */
const char *text_log_folder(void);

struct text_log *text_log_create(uint64_t code_base);
void text_log_destroy(struct text_log *log); /* NULL is welcome */

void text_log_instruction(struct text_log *log,
                          uint64_t pc,
                          const char *pipe,
                          const char *name,
                          const char *detail,
                          struct pipeline_time time);
void text_log_transfer(struct text_log *log,
                       const struct transfer_view *view,
                       struct pipeline_time time);
/* Writes what was kept: `core` is the AI Core, `part` one of its cores or "". */
void text_log_write(struct text_log *log, uint32_t core, const char *part);

#endif

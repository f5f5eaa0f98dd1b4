/* text_log.h - logs in the format of an instruction simulator
 *
 * The folder of CAMODEL_LOG_PATH gets one set of files per core: instructions at their
 * end (instr_log), at their start (instr_popped_log), and lines fetched by the
 * instruction cache (icache_log). The requests of the transfer engines (mte_log) are
 * written per AI Core. Files are appended to. The lines of a core are kept until its
 * body ends and then written in the order of their cycles. */
#ifndef SIM_INSTRUMENT_TEXT_LOG_H
#define SIM_INSTRUMENT_TEXT_LOG_H

#include <npu_sim/recorder.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/instrument/pipeline.h"
#include "sim/instrument/transfer.h"

struct text_log;

/* NULL: CAMODEL_LOG_PATH is not set */
const char *text_log_folder(void);

struct text_log *text_log_create(uint64_t code_base);
void text_log_destroy(struct text_log *log); /* NULL is allowed */

void text_log_instruction(struct text_log *log,
                          uint64_t pc,
                          const char *pipe,
                          const char *name,
                          const char *detail,
                          struct pipeline_time time);
void text_log_transfer(struct text_log *log,
                       const struct transfer_view *view,
                       struct pipeline_time time);
/* Writes the kept lines. `core`: the AI Core; `part`: one of its cores, or "". */
void text_log_write(struct text_log *log, uint32_t core, const char *part);

#endif

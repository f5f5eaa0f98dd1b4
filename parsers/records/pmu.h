/* pmu.h - the counter records of one launch: a row a (block, sub-block)
 *
 * Feed it the file of each pass, in order. A row keeps what each pass counted beside
 * the cycles of that same pass, so that a ratio can be taken within one run. Total
 * cycles, times and core are those of the last pass in which the row was seen.
 *
 * A file may hold more than one launch (warm-ups of LCCL, the barrier before an MC2
 * operator): the last run of records with one stream and task is taken. */
#ifndef PARSERS_RECORDS_PMU_H
#define PARSERS_RECORDS_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/capture/counter_schedule.h"

enum { PMU_RECORD_BYTES = 128, PMU_PASSES_MAX = 16 };
enum core_kind { CORE_AIC, CORE_AIV }; /* the one core of a 310P is an AIC */

struct pmu_row {
    uint32_t block;
    uint16_t sub_block;
    uint16_t core; /* physical */
    enum core_kind kind;
    uint32_t seen; /* a bit a pass */
    uint32_t room; /* passes that fit into `cells` */
    uint64_t cycles;
    uint64_t start_ticks;
    uint64_t end_ticks;
    uint64_t *cells; /* slots of pass 0, its cycles, slots of pass 1 ... */
};

struct pmu;

struct pmu *pmu_create(enum chip chip);
void pmu_destroy(struct pmu *pmu); /* NULL is welcome */

/* What was odd in a file; none of it is an error. */
struct pmu_notes {
    size_t records;    /* taken */
    size_t skipped;    /* of another function type */
    size_t groups;     /* launches in the file; more than 1 is worth a word */
    size_t tail_bytes; /* behind the last whole record */
};

/* ERR_LIMIT when there are more passes or rows than can be. */
int pmu_add_pass(struct pmu *pmu,
                 const struct counter_schedule_pass *events,
                 const uint8_t *bytes,
                 size_t size,
                 struct pmu_notes *notes,
                 struct err *err);
/* Sorts the rows: by block, then cube0, vector0, vector1. Once, after the last pass. */
void pmu_finish(struct pmu *pmu);

size_t pmu_row_count(const struct pmu *pmu);
const struct pmu_row *pmu_row(const struct pmu *pmu, size_t index);
size_t pmu_pass_count(const struct pmu *pmu);
/* NULL: no such row. Once finished. */
const struct pmu_row *pmu_find(const struct pmu *pmu,
                               enum core_kind kind,
                               uint32_t block,
                               uint32_t sub_block);
/* Vector cores of a block, at the most. */
uint32_t pmu_vectors_per_block(const struct pmu *pmu);
/* Rows that other passes have, and this one (from 0) has not. */
size_t pmu_rows_without_pass(const struct pmu *pmu, size_t pass);

/* What the row counted, and the cycles of that pass. False: not collected. */
bool pmu_get(const struct pmu *pmu,
             const struct pmu_row *row,
             unsigned event,
             uint64_t *value,
             uint64_t *pass_cycles);

/* From now on a bit is set in `passes` for each pass that pmu_get() answers from; NULL:
 * no more. */
void pmu_track_passes(struct pmu *pmu, uint32_t *passes);

/* Stream and task as the runtime numbers them, out of the two halves of a record. */
void pmu_decode_ids(uint16_t raw_stream,
                    uint16_t raw_task,
                    uint16_t *stream,
                    uint16_t *task);

#endif

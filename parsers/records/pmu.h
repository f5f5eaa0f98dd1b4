/* pmu.h - the hardware counters of one launch, one row per block and sub-block
 *
 * PMU: performance monitoring unit. Add the file of each pass in order, then finish. A
 * row has the counters of each pass and the cycles of the same pass, so that a ratio
 * uses values of one execution. Total cycles, times and core come from the last pass
 * that has the row.
 *
 * A file can have several launches (warm-ups of LCCL, the barrier before an MC2
 * operator). Only the last consecutive records with the same stream and task are used.
 */
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
    uint16_t core; /* physical number */
    enum core_kind kind;
    uint32_t seen; /* one bit per pass */
    uint32_t room; /* passes that `cells` has space for */
    uint64_t cycles;
    uint64_t start_ticks;
    uint64_t end_ticks;
    uint64_t *cells; /* slots of pass 0, its cycles, slots of pass 1 ... */
};

struct pmu;

struct pmu *pmu_create(enum chip chip);
void pmu_destroy(struct pmu *pmu); /* NULL is allowed */

/* observations about a file; none is an error */
struct pmu_notes {
    size_t records;    /* records that were used */
    size_t skipped;    /* records of another function type */
    size_t groups;     /* launches in the file, of which the last is used */
    size_t tail_bytes; /* bytes after the last complete record */
};

/* Returns ERR_LIMIT beyond PMU_PASSES_MAX passes or 2^18 rows. */
int pmu_add_pass(struct pmu *pmu,
                 const struct counter_schedule_pass *events,
                 const uint8_t *bytes,
                 size_t size,
                 struct pmu_notes *notes,
                 struct err *err);
/* Sorts the rows by block, then cube0, vector0, vector1. Call it once, after the last
 * pass. */
void pmu_finish(struct pmu *pmu);

size_t pmu_row_count(const struct pmu *pmu);
const struct pmu_row *pmu_row(const struct pmu *pmu, size_t index);
size_t pmu_pass_count(const struct pmu *pmu);
/* Returns the row, or NULL. Call it after pmu_finish(). */
const struct pmu_row *pmu_find(const struct pmu *pmu,
                               enum core_kind kind,
                               uint32_t block,
                               uint32_t sub_block);
/* Returns the largest number of vector cores in a block. */
uint32_t pmu_vectors_per_block(const struct pmu *pmu);
/* Returns how many rows this pass, counted from 0, has no counters for. */
size_t pmu_rows_without_pass(const struct pmu *pmu, size_t pass);

/* Gets the count of an event and the cycles of the pass that counted it. Returns false
 * when no pass collected the event. */
bool pmu_get(const struct pmu *pmu,
             const struct pmu_row *row,
             unsigned event,
             uint64_t *value,
             uint64_t *pass_cycles);

/* From now on pmu_get() sets the bit of the pass that it reads in *passes; NULL ends
 * this. */
void pmu_track_passes(struct pmu *pmu, uint32_t *passes);

/* Converts stream and task of a record to the numbers of the runtime. */
void pmu_decode_ids(uint16_t raw_stream,
                    uint16_t raw_task,
                    uint16_t *stream,
                    uint16_t *task);

#endif

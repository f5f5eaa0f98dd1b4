/* measure.h - one launch as the formulas see it, and the functions they are made of
 *
 * Events are named in short texts, so that a table of formulas can be read beside the
 * document it comes from: "1293+1294", "4*19+518-524", "1801-1806-1058/2". What its
 * transfer records say is named by its two memories: "UB>GM" are bytes, "UB>GM/128" the
 * requests of 128 bytes (or 256) that its transfers need one by one, "GM>L0A//256"
 * those that all bytes together need. What was not collected, and a difference below
 * zero, is VALUE_NONE; on the A5 the difference counts as 0. GB/s are 2^30 bytes, as
 * everywhere in the vendor's tool. */
#ifndef PARSERS_METRICS_MEASURE_H
#define PARSERS_METRICS_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/decimal.h"
#include "lib/base/text.h"
#include "parsers/metrics/bandwidth_limits.h"
#include "parsers/records/op_info.h"
#include "parsers/records/pmu.h"

enum value_kind { VALUE_NONE, VALUE_INTEGER, VALUE_REAL };

struct value {
    enum value_kind kind;
    uint64_t integer;
    double real; /* of an integer too */
};

static const struct value value_none = {VALUE_NONE, 0, 0};
struct value value_integer(uint64_t integer);
struct value value_real(double real); /* what is not finite is none */
/* "NA", all digits of an integer, 6 decimals of a real number. */
enum { VALUE_ROOM = DECIMAL_FIXED_ROOM };
size_t value_put(char out[VALUE_ROOM], struct value value); /* its length; no NUL */
void value_add(struct text *out, struct value value);

enum op_kind { OP_NONE, OP_CUBE, OP_VECTOR, OP_MIX, OP_AICORE };
const char *op_kind_name(enum op_kind kind); /* "cube" ... "AiCore" */

struct memory_detail;
struct operands;

enum { MEASURE_L2_EVENTS = 8 };

struct measure {
    const struct op_info *info; /* borrowed, as is the next */
    const struct pmu *pmu;
    enum op_kind kind;
    double clock_mhz;
    bool as_vendor;    /* docs/reference/differences.md: what the vendor's tool gets wrong, too */
    bool kernel_scale; /* only a marked part was counted: its cycles are the time */
    double k; /* how much of the operator one row stands for: 1 but on the 310P */
    bool has_duration;
    double duration_us;
    bool has_l2;
    uint64_t l2[MEASURE_L2_EVENTS];
    const struct memory_detail *memory; /* borrowed; NULL: no instrumented launch */
    const struct operands *operands;    /* borrowed; NULL: none were recorded */
};

/* `duration_us` below 0: there is none. */
void measure_init(struct measure *measure,
                  const struct op_info *info,
                  const struct pmu *pmu,
                  double duration_us);
/* The 72 bytes of L2Cache.bin; false, and nothing taken, for any other size. */
bool measure_set_l2(struct measure *measure, const uint8_t *bytes, size_t size);

/* cube0, vector0, vector1; of the 310P AiCore. */
void measure_row_name(const struct measure *measure,
                      const struct pmu_row *row,
                      char out[16]);
/* Its core in what instrumented launches and operand records count: on the 950 each
 * core has a part for each of its vectors and one for its cube, elsewhere a block is
 * one. */
uint32_t measure_device_block(const struct measure *measure, const struct pmu_row *row);
/* How many rows of this kind there are. */
size_t measure_rows(const struct measure *measure, enum core_kind kind);

/* Sum of the events of `terms`; `pass_cycles` (or NULL) is that of the first. */
struct value measure_sum(const struct measure *measure,
                         const struct pmu_row *row,
                         const char *terms,
                         uint64_t *pass_cycles);

/* Microseconds of so many cycles; of all cycles of the row. */
struct value measure_us(const struct measure *measure, struct value cycles);
struct value measure_time(const struct measure *measure, const struct pmu_row *row);
/* Cycles over those of the same pass; of a mix operator over those of its duration. */
struct value
measure_ratio(const struct measure *measure, struct value cycles, uint64_t pass_cycles);
/* GiB/s over the time base of the row. */
struct value measure_bandwidth(const struct measure *measure,
                               const struct pmu_row *row,
                               struct value bytes);
/* GiB/s while `cycles` ran. */
struct value
measure_active(const struct measure *measure, struct value bytes, struct value cycles);
/* Percent of `limit`, 100 at the most; none where there is no limit. */
struct value measure_usage(struct value bandwidth, double limit);
struct value measure_quotient(const struct measure *measure,
                              double factor,
                              struct value over,
                              struct value under);
/* GiB/s that a path is known to reach at best; 0: nobody knows. */
double measure_limit(const struct measure *measure, enum path path);
/* The 32-bit float counter of such a chip counts the 16-bit ones, too. */
bool measure_corrects_floats(const struct measure *measure);
/* Operations of the vector unit: its seven counters by weight. */
struct value measure_vector_operations(const struct measure *measure,
                                       const struct pmu_row *row);
/* times * value, none for none. */
struct value value_times(struct value value, uint64_t times);

#endif

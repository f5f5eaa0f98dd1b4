/* measure.h - evaluates the formulas of the metric tables for one launch
 *
 * A formula is a short text of event numbers, as the vendor's documents have them:
 * "1293+1294", "4*19+518-524", "1801-1806-1058/2". Two memories name transferred bytes:
 * "UB>GM" is the bytes, "UB>GM/128" the requests of 128 (or 256) bytes with each
 * transfer rounded up, "GM>L0A//256" the requests with only the sum rounded up.
 *
 * The result is VALUE_NONE when an event was not collected or a difference is negative;
 * on the A5 a negative difference is 0. GB/s are 2^30 bytes per second, as in the
 * vendor's tool. */
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
    double real; /* also set for an integer */
};

static const struct value value_none = {VALUE_NONE, 0, 0};
struct value value_integer(uint64_t integer);
struct value value_real(double real); /* VALUE_NONE unless finite */
enum { VALUE_ROOM = DECIMAL_FIXED_ROOM };
/* Writes "NA", an integer, or a real number with 6 decimals, without a NUL. Returns the
 * length. */
size_t value_put(char out[VALUE_ROOM], struct value value);
void value_add(struct text *out, struct value value);

enum op_kind { OP_NONE, OP_CUBE, OP_VECTOR, OP_MIX, OP_AICORE };
const char *op_kind_name(enum op_kind kind); /* "cube" ... "AiCore" */

struct memory_detail;
struct operands;

enum { MEASURE_L2_EVENTS = 8 };

struct measure {
    const struct op_info *info; /* borrowed, like pmu */
    const struct pmu *pmu;
    enum op_kind kind;
    double clock_mhz;
    bool as_vendor;    /* repeat known mistakes (docs/reference/differences.md) */
    bool kernel_scale; /* only a marked part was counted: use its cycles as time */
    const double *limits[2]; /* GiB/s by path: measured, and as the vendor has them */
    double time_scale;       /* 1; on the 310P: rounds / blocks, since it has one row */
    bool has_duration;
    double duration_us;
    bool has_l2;
    uint64_t l2[MEASURE_L2_EVENTS];
    /* both borrowed; NULL without an instrumented launch, or operand records */
    const struct memory_detail *memory;
    const struct operands *operands;
};

/* Borrows info and pmu. A negative `duration_us` means unknown. */
void measure_init(struct measure *measure,
                  const struct op_info *info,
                  const struct pmu *pmu,
                  double duration_us);
/* Reads L2Cache.bin. Returns false, and changes nothing, unless it has 72 bytes. */
bool measure_set_l2(struct measure *measure, const uint8_t *bytes, size_t size);

/* Writes cube0, vector0, vector1 and so on; on the 310P AiCore. */
void measure_row_name(const struct measure *measure,
                      const struct pmu_row *row,
                      char out[16]);
/* Returns the number that instrumented launches and operand records use for the core of
 * this row. On the 950 it is core * 3 + {0 vector 0, 1 vector 1, 2 cube}, on other
 * chips the block. */
uint32_t measure_device_block(const struct measure *measure, const struct pmu_row *row);
/* Returns the number of rows of this kind. */
size_t measure_rows(const struct measure *measure, enum core_kind kind);

/* Evaluates `terms`. Sets *pass_cycles, unless NULL, to the cycles of the pass that
 * counted the first event; the vendor's tool uses those of the last pass. */
struct value measure_sum(const struct measure *measure,
                         const struct pmu_row *row,
                         const char *terms,
                         uint64_t *pass_cycles);

/* Convert cycles, or all cycles of the row, to microseconds. */
struct value measure_us(const struct measure *measure, struct value cycles);
struct value measure_time(const struct measure *measure, const struct pmu_row *row);
/* Divides cycles by the cycles of their pass; for a mix operator by its duration. */
struct value
measure_ratio(const struct measure *measure, struct value cycles, uint64_t pass_cycles);
/* Returns GiB/s: bytes over the row's time, for a mix operator over the duration. */
struct value measure_bandwidth(const struct measure *measure,
                               const struct pmu_row *row,
                               struct value bytes);
/* Returns GiB/s: bytes over the time of `cycles`. */
struct value
measure_active(const struct measure *measure, struct value bytes, struct value cycles);
/* Returns percent of `limit`, at most 100, or VALUE_NONE without a limit. */
struct value measure_usage(struct value bandwidth, double limit);
struct value measure_quotient(const struct measure *measure,
                              double factor,
                              struct value over,
                              struct value under);
/* Returns the highest known GiB/s of a path, or 0. */
double measure_limit(const struct measure *measure, enum path path);
/* Returns true for chips whose fp32 counter (event 75) also counts fp16 (event 76). */
bool measure_corrects_floats(const struct measure *measure);
/* Returns the operations of the vector unit: the weighted sum of seven counters. */
struct value measure_vector_operations(const struct measure *measure,
                                       const struct pmu_row *row);
enum { MEASURE_FLAGS = 16 }; /* between cores */
/* Returns the event that counts the cycles in which a core waited for a flag. */
const char *measure_wait_event(unsigned flag);
/* Returns times * value, or VALUE_NONE for VALUE_NONE. */
struct value value_times(struct value value, uint64_t times);

#endif

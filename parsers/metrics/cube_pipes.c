#include "parsers/metrics/cube_pipes.h"

/* Returns the bytes from L1: all bytes minus those that came from GM by the records. */
static uint64_t from_l1(const struct measure *measure,
                        const struct pmu_row *row,
                        const char *all,
                        const char *gm)
{
    struct value bytes = measure_sum(measure, row, all, NULL);
    struct value from_gm = measure_sum(measure, row, gm, NULL);

    return bytes.integer > from_gm.integer ? bytes.integer - from_gm.integer : 0;
}

struct value cube_pipes_mte1(const struct measure *measure, const struct pmu_row *row)
{
    uint64_t bytes;

    if (!measure->memory)
        return value_none;
    bytes = from_l1(measure, row, "256*28", "GM>L0A") +
            from_l1(measure, row, "128*34", "GM>L0B");
    return measure_active(measure, value_integer(bytes),
                          measure_sum(measure, row, "770", NULL));
}

struct value cube_pipes_mte2(const struct measure *measure, const struct pmu_row *row)
{
    return measure_active(measure,
                          measure_sum(measure, row, "GM>L1+GM>L0A+GM>L0B", NULL),
                          measure_sum(measure, row, "12", NULL));
}

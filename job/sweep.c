#include "job/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MARK_EVERY = 512 };

bool sweep_multiply(struct sweep *sweep, uint64_t limit)
{
    bool fits = true;

    sweep->combinations = 1;
    for (size_t axis = 0; axis < sweep->axis_count; axis++)
        if (__builtin_mul_overflow(sweep->combinations, sweep->lengths[axis],
                                   &sweep->combinations)) {
            sweep->combinations = UINT64_MAX;
            fits = false;
        }
    return fits && sweep->combinations <= limit;
}

void sweep_digits(const struct sweep *sweep, uint64_t combination, size_t *digits)
{
    for (size_t axis = sweep->axis_count; axis-- > 0;) {
        digits[axis] = combination % sweep->lengths[axis];
        combination /= sweep->lengths[axis];
    }
}

bool sweep_step(const struct sweep *sweep, size_t *digits)
{
    for (size_t axis = sweep->axis_count; axis-- > 0;) {
        if (++digits[axis] < sweep->lengths[axis])
            return true;
        digits[axis] = 0;
    }
    return false;
}

bool sweep_is_excluded(const struct sweep *sweep, const size_t *digits)
{
    for (size_t i = 0; i < sweep->exclude_count; i++)
        if (expression_is_true(sweep->excludes[i], digits))
            return true;
    return false;
}

void sweep_count(struct sweep *sweep)
{
    size_t *digits = xcalloc(sweep->axis_count, sizeof(*digits));
    uint64_t combination = 0;

    sweep->points = 0;
    if (sweep->exclude_count == 0) {
        sweep->points = sweep->combinations;
        free(digits);
        return;
    }
    sweep->marks = xcalloc(sweep->combinations / MARK_EVERY + 1, sizeof(*sweep->marks));
    do {
        if (!sweep_is_excluded(sweep, digits)) {
            if (sweep->points % MARK_EVERY == 0)
                sweep->marks[sweep->points / MARK_EVERY] = combination;
            sweep->points++;
        }
        combination++;
    } while (sweep_step(sweep, digits));
    free(digits);
}

void sweep_clear(struct sweep *sweep)
{
    free(sweep->marks);
    sweep->marks = NULL;
}

void sweep_find(const struct sweep *sweep, uint64_t index, size_t *digits)
{
    if (sweep->exclude_count == 0) {
        sweep_digits(sweep, index, digits);
        return;
    }
    sweep_digits(sweep, sweep->marks[index / MARK_EVERY], digits);
    for (uint64_t left = index % MARK_EVERY; left > 0; left--)
        do
            sweep_step(sweep, digits);
        while (sweep_is_excluded(sweep, digits));
}

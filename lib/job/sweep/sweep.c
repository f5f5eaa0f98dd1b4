#include "lib/job/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

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

static void set_digits(const struct sweep *sweep, uint64_t combination, size_t *digits)
{
    for (size_t axis = sweep->axis_count; axis-- > 0;) {
        digits[axis] = combination % sweep->lengths[axis];
        combination /= sweep->lengths[axis];
    }
}

/* Moves to the next combination. Returns false after the last. */
static bool step(const struct sweep *sweep, size_t *digits)
{
    for (size_t axis = sweep->axis_count; axis-- > 0;) {
        if (++digits[axis] < sweep->lengths[axis])
            return true;
        digits[axis] = 0;
    }
    return false;
}

/* Returns the first exclude that matches, or their number. */
static size_t find_exclude(const struct sweep *sweep, const size_t *digits)
{
    size_t i = 0;

    while (i < sweep->exclude_count && !expression_is_true(sweep->excludes[i], digits))
        i++;
    return i;
}

bool sweep_is_excluded(const struct sweep *sweep, const size_t *digits)
{
    return find_exclude(sweep, digits) < sweep->exclude_count;
}

static uint64_t count_crossed(struct sweep *sweep)
{
    size_t *digits = xcalloc(sweep->axis_count + 1, sizeof(*digits));
    uint64_t combination = 0, crossed = 0;

    sweep->marks = xcalloc(sweep->combinations / MARK_EVERY + 1, sizeof(*sweep->marks));
    sweep->excludes_used = xcalloc(sweep->exclude_count, sizeof(bool));
    do {
        size_t exclude = find_exclude(sweep, digits);

        if (exclude < sweep->exclude_count) {
            sweep->excludes_used[exclude] = true;
        } else {
            if (crossed % MARK_EVERY == 0)
                sweep->marks[crossed / MARK_EVERY] = combination;
            crossed++;
        }
        combination++;
    } while (step(sweep, digits));
    free(digits);
    return crossed;
}

void sweep_count(struct sweep *sweep)
{
    sweep->crossed = sweep->combinations;
    if (sweep->exclude_count > 0 && sweep->combinations > 0)
        sweep->crossed = count_crossed(sweep);
    sweep->points = sweep->crossed + sweep->include_count;
}

void sweep_clear(struct sweep *sweep)
{
    free(sweep->marks);
    free(sweep->excludes_used);
    sweep->marks = NULL;
    sweep->excludes_used = NULL;
}

static void set_included(const struct sweep *sweep, uint64_t index, size_t *digits)
{
    for (size_t axis = 0; axis < sweep->axis_count; axis++)
        digits[axis] = sweep->lengths[axis] + (size_t)(index - sweep->crossed);
}

void sweep_next(const struct sweep *sweep, uint64_t index, size_t *digits)
{
    if (index >= sweep->crossed) {
        set_included(sweep, index, digits);
        return;
    }
    if (index > 0)
        step(sweep, digits);
    while (sweep_is_excluded(sweep, digits))
        step(sweep, digits);
}

void sweep_find(const struct sweep *sweep, uint64_t index, size_t *digits)
{
    if (index >= sweep->crossed) {
        set_included(sweep, index, digits);
        return;
    }
    if (sweep->exclude_count == 0) {
        set_digits(sweep, index, digits);
        return;
    }
    set_digits(sweep, sweep->marks[index / MARK_EVERY], digits);
    for (uint64_t left = index % MARK_EVERY; left > 0; left--)
        do
            step(sweep, digits);
        while (sweep_is_excluded(sweep, digits));
}

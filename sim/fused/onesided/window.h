/* window.h - a receiver's window: a table of flags, and behind it the rows
 *
 * A program clears the flags that it has read; no operator does. */
#ifndef SIM_FUSED_ONESIDED_WINDOW_H
#define SIM_FUSED_ONESIDED_WINDOW_H

#include "sim/fused/shared/body.h"
#include "sim/fused/shared/check.h"

#define WINDOW_SCALE_BYTES 128 /* behind a quantised row, for its scale */

/* Checks for an array of `count` positive sizes; returns it, or NULL after a failure.
 */
const int64_t *
window_shape(struct check *check, const aclIntArray *array, uint64_t count);
/* Returns where the rows begin behind a table of so many numbers. */
uint64_t window_rows_at(uint64_t table_numbers);
/* Returns true when the windows have room for the bytes. */
bool window_has_room(const struct body *body, uint64_t bytes);
int64_t window_int(const struct mc2_tensor *tensor, uint64_t at);
/* Returns the address of a byte in a rank's window. */
void *window_of(const struct body *body, int64_t rank, uint64_t offset);
/* Sets a number of a table in a rank's window. */
void window_set(const struct body *body, int64_t rank, uint64_t number, int64_t value);

#endif

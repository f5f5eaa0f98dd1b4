/* number.h - the element types of tensors as 32-bit floats
 *
 * Types are those of aclDataType. Types of 4 bits have two elements in a byte, the
 * first one in the lower half. */
#ifndef SIM_FUSED_SHARED_NUMBER_H
#define SIM_FUSED_SHARED_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

uint32_t number_bits(int32_t type); /* 0: no such type */
/* Returns the bytes of `count` elements, rounded up. */
uint64_t number_bytes(int32_t type, uint64_t count);
bool number_is_int(int32_t type); /* a type of signed integers of at most 8 bits */
float number_get(int32_t type, uint64_t address, uint64_t index);
/* Rounds to the nearest value of the type, ties to even; integers are limited to their
 * range. */
void number_put(int32_t type, uint64_t address, uint64_t index, float value);
/* Reads `count` elements that are `step` apart. */
void numbers_get(int32_t type,
                 uint64_t address,
                 uint64_t index,
                 uint64_t step,
                 uint64_t count,
                 float *out);
/* Writes `count` neighbours, rounded as by number_put(). */
void numbers_put(int32_t type,
                 uint64_t address,
                 uint64_t index,
                 uint64_t count,
                 const float *values);
float number_round(int32_t type, float value);

#endif

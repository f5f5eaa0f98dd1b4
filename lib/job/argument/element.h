/* element.h - element types of operator buffers */
#ifndef LIB_JOB_ARGUMENT_ELEMENT_H
#define LIB_JOB_ARGUMENT_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct element;

/* Finds fp64 fp32 fp16 bf16 i8 u8 i16 u16 i32 u32 i64 u64; NULL: unknown name. */
const struct element *element_find(const char *name);
const char *element_name(const struct element *element);
size_t element_bytes(const struct element *element);
/* Returns all names, for an error message. */
const char *element_names(void);

/* Parses a value of this type. Returns false for other text and out of range. */
bool element_parse(const struct element *element, const char *text, void *out);
/* Fills a buffer with small integers that depend on position and salt only. Their sums
 * are exact in all types. */
void element_fill(const struct element *element,
                  uint32_t salt,
                  void *out,
                  size_t count);
/* Returns the first index at which the buffers differ by more than `within`, relative
 * to the expected value, or absolute if that is below 1. Returns `count` if there is
 * none. */
size_t element_differ(const struct element *element,
                      const void *found,
                      const void *expected,
                      size_t count,
                      double within);
double element_value(const struct element *element, const void *values, size_t place);

#endif

/* element.h - the types that an operator's buffers hold */
#ifndef RUNNER_ELEMENT_H
#define RUNNER_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct element;

/* fp64 fp32 fp16 bf16 i8 u8 ... i64 u64; NULL: there is none of this name. */
const struct element *element_find(const char *name);
const char *element_name(const struct element *element);
size_t element_bytes(const struct element *element);
/* All names, for a message. */
const char *element_names(void);

/* The text as a value of this type; false when it is none, or out of range. */
bool element_parse(const struct element *element, const char *text, void *out);
/* Small whole numbers that depend on their place only: sums of them stay exact. */
void element_fill(const struct element *element,
                  uint32_t salt,
                  void *out,
                  size_t count);
/* The first place where the two differ by more than `within`, as a share of what was
 * expected or, below 1, as such; `count` when there is none. */
size_t element_differ(const struct element *element,
                      const void *found,
                      const void *expected,
                      size_t count,
                      double within);
double element_value(const struct element *element, const void *values, size_t place);

#endif

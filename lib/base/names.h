/* names.h - stores each distinct text once and numbers it */
#ifndef LIB_BASE_NAMES_H
#define LIB_BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct names;

/* Number 0 is the empty text. */
struct names *names_create(void);
void names_destroy(struct names *names); /* NULL is allowed */
uint32_t names_add(struct names *names, const char *text);
/* Adds a text that ends after `length` bytes and has no NUL before. */
uint32_t names_add_part(struct names *names, const char *text, size_t length);
/* Returns the number of a text, or UINT32_MAX when it was never added. */
uint32_t names_find(const struct names *names, const char *text);
const char *names_text(const struct names *names, uint32_t number);
uint32_t names_count(const struct names *names);
size_t names_bytes(const struct names *names); /* memory in use, about */

#endif

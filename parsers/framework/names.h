/* names.h - stores each distinct text once and numbers it
 *
 * Number 0 is the empty text. Texts stay at their address. */
#ifndef PARSERS_FRAMEWORK_NAMES_H
#define PARSERS_FRAMEWORK_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct names;

struct names *names_create(void);
void names_destroy(struct names *names); /* NULL is allowed */

uint32_t names_add(struct names *names, const char *text);
const char *names_get(const struct names *names, uint32_t number);
size_t names_count(const struct names *names);

#endif

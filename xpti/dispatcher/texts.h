/* texts.h - interned texts and metadata values, numbered 1, 2, 3 ... by first use */
#ifndef XPTI_DISPATCHER_TEXTS_H
#define XPTI_DISPATCHER_TEXTS_H

#include <stdint.h>

/* Returns the number of the text, and its copy in *interned; 0 without memory. The
 * caller holds the state lock. `interned` may be NULL. */
uint32_t texts_add(const char *text, const char **interned);
const char *texts_get(uint32_t id); /* NULL: no such number */
void texts_reset(void);

#endif

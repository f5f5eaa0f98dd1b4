/* text_numbers.h - our numbers of texts; the first use of a text writes its record
 *
 * The table stores hashes of 64 bits and no texts. It has a fixed size. */
#ifndef XPTI_SUBSCRIBER_TEXT_NUMBERS_H
#define XPTI_SUBSCRIBER_TEXT_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

enum {
    TEXT_MAX = 4096,                 /* bytes of a text; the rest is cut */
    TEXT_LEFT_OUT = (int)(1u << 31), /* in a number: the filter leaves the name out */
};

/* Returns the number of a text that was used before, else 0. Takes no lock. */
uint32_t text_numbers_find(const char *text, size_t length);
/* Returns the number of the text, or 0 when the table is full. One thread at a time. */
uint32_t text_numbers_add(const char *text, size_t length);
/* Returns the length of a text, at most TEXT_MAX. */
size_t text_length(const char *text);
/* Forgets all texts. No other thread may use the table. */
void text_numbers_reset(void);

#endif

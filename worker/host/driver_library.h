/* driver_library.h - finds the libraries of the driver and asks them about a card */
#ifndef WORKER_HOST_DRIVER_LIBRARY_H
#define WORKER_HOST_DRIVER_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the answer, and returns false when the library does not have one. */
typedef bool driver_question(void *library, uint32_t card, char *answer, size_t size);

/* Asks the libraries of this name in `folder`, or with NULL in the usual folders of the
 * driver, until one answers. `card` is the driver's number. Returns false, with an
 * empty answer, when none does. */
bool driver_library_ask(const char *name,
                        const char *folder,
                        driver_question *ask,
                        uint32_t card,
                        char *answer,
                        size_t size);

/* Finds the board and the chip on it in the management library. */
bool driver_library_place(void *management, uint32_t card, int *board, int *chip);

/* Returns true for printable characters without blanks: the text goes into messages. */
bool driver_library_is_word(const char *text);

#endif

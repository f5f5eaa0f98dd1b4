/* cpu_description.h - the JSON file that describes operators of the AI CPU
 *
 * Of all it says only the library with the functions matters here ("kernelSo", of the
 * first operator): which function belongs to an operator the program tells itself when
 * it registers it. */
#ifndef SIM_RUNTIME_CPU_DESCRIPTION_H
#define SIM_RUNTIME_CPU_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>

bool cpu_description_is(const char *path); /* by its name */
/* Where the library is: beside the description, or where those of the cards are. False
 * when the file does not name one, or it is in neither place. */
bool cpu_description_library(const char *path, char *library, size_t size);

#endif

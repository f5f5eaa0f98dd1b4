/* cpu_description.h - reads the JSON file that describes operators of the AI CPU
 *
 * The simulator uses only the library with the functions: "kernelSo" of the first
 * operator. The program passes the function of an operator when it registers it. */
#ifndef SIM_RUNTIME_LAUNCH_CPU_DESCRIPTION_H
#define SIM_RUNTIME_LAUNCH_CPU_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>

bool cpu_description_is(const char *path); /* decides by the file name */
/* Finds the library: beside the description, else in the folder of the AI CPU
 * libraries. Returns false when the file names no library, or it is in neither folder.
 */
bool cpu_description_library(const char *path, char *library, size_t size);

#endif

/* ms_tools_ext.c - the library of marks and ranges, for programs of older releases
 *
 * Newer releases compile the same functions into each program. */
#define MSTX_API
#include <mstx/ms_tools_ext.h>

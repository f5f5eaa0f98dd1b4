/* ms_tools_ext.c - the library of marks and ranges, for programs of older releases
 *
 * The same functions that newer ones have inside. */
#define MSTX_API
#include <mstx/ms_tools_ext.h>

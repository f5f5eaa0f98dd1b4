/* method.h - how a figure was measured
 *
 * A method is a text of words "name=value", such as "replay=kernel warmup=5". Figures
 * of different methods are not compared: a difference could come from the method. A
 * word that only one of two methods has is unknown to the other and does not count. */
#ifndef LIB_COMPARE_METHOD_H
#define LIB_COMPARE_METHOD_H

#include <stdbool.h>

bool method_differs(const char *base, const char *fresh);
/* Returns the differences: "warmup 0 became 3, replay kernel became application"; NULL:
 * there is none. The caller frees the text. */
char *method_difference(const char *base, const char *fresh);

#endif

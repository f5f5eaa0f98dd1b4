/* bytes16_plain_test.c - the same of the words that stand in where there is no SSE2 */
#define LANES_PLAIN 1
#include "lib/base/bytes16_test.c"

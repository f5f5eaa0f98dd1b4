/* bytes16_plain_test.c - the tests of bytes16_test.c for machines without SSE2 */
#define BYTES16_PLAIN 1
#include "lib/base/bytes16_test.c"

/* exported.h - keeps public functions visible in the build with hidden symbols
 *
 * The headers of the ABI have no visibility attributes, because programs include them,
 * too. */
#ifndef SIM_RUNTIME_EXPORTED_H
#define SIM_RUNTIME_EXPORTED_H

#define EXPORTED __attribute__((visibility("default")))

#pragma GCC visibility push(default)
#include <runtime/rt.h>
#pragma GCC visibility pop

#endif

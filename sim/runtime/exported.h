/* exported.h - what stays visible where libruntime.so is built with hidden symbols
 *
 * The headers of the ABI do not say so themselves: they are read by programs too. */
#ifndef SIM_RUNTIME_EXPORTED_H
#define SIM_RUNTIME_EXPORTED_H

#define EXPORTED __attribute__((visibility("default")))

#pragma GCC visibility push(default)
#include <runtime/rt.h>
#pragma GCC visibility pop

#endif

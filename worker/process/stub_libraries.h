/* stub_libraries.h - writes libraries that load inject before the runtime's libraries
 *
 * For operators that LD_PRELOAD does not reach: a launcher clears their environment, or
 * they look up functions without dlsym(). The folder precedes the runtime's folder in
 * LD_LIBRARY_PATH. A stub has the name of a runtime library, no code, and two
 * dependencies: inject, and the runtime's library by its full path. A lookup in the
 * stub therefore finds a hook of inject first, else the real function. */
#ifndef WORKER_PROCESS_STUB_LIBRARIES_H
#define WORKER_PROCESS_STUB_LIBRARIES_H

/* Writes a stub for each of the runtime's libraries in `runtime`/lib64 to `folder`,
 * which exists. Old stubs are replaced; a process that has them open keeps them.
 * Returns the number of stubs, or -1 with errno. */
int stub_libraries_write(const char *folder, const char *runtime, const char *inject);

#endif

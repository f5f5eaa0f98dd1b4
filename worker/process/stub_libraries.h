/* stub_libraries.h - a folder of libraries with the runtime's names, to stand first
 * where a program looks for libraries
 *
 * For programs that LD_PRELOAD does not reach: their environment is cleaned on the way,
 * or they look functions up past dlsym(). A stub has nothing in it; it says that it
 * needs two others, the guest and the runtime's own library by its full path. Whoever
 * opens it by the bare name and looks a function up finds ours where there is one, and
 * else the real one. */
#ifndef WORKER_PROCESS_STUB_LIBRARIES_H
#define WORKER_PROCESS_STUB_LIBRARIES_H

/* One for each of the runtime's libraries that is in HOME/lib64, into `folder`, which
 * is there. Those of earlier are replaced; a program that has them open keeps them. How
 * many there are, or -1 with errno. */
int stub_libraries_write(const char *folder, const char *home, const char *guest);

#endif

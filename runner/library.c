#include "runner/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "runner/acl.h"
#include "runner/entry.h"
#include "runner/operator.h"

/* Finds the entry. The library stays loaded for later points. */
static int find(muster_operator_fn **out,
                const struct runner_messages_point *point,
                bool *is_new,
                struct err *err)
{
    const char *file = point->words[RUNNER_MESSAGES_FILE];
    char room[256];
    const char *entry = entry_name(point, room);
    void *loaded = dlopen(file, RTLD_NOW | RTLD_NOLOAD);
    void *library = dlopen(file, RTLD_NOW);

    *is_new = !loaded;
    if (loaded)
        dlclose(loaded);

    if (!library)
        return err_set(err, file_exists(file) ? ERR_SYSTEM : ERR_INPUT, "%s",
                       dlerror());
    *(void **)out = dlsym(library, entry);
    return *out ? 0
                : err_set(err, ERR_INPUT,
                          "%.160s has no function '%s'; check entry in the job file",
                          file, entry);
}

int library_run(const struct acl *acl,
                void *stream,
                const struct runner_messages_point *point,
                bool *is_new,
                struct err *err)
{
    const struct muster_call call = {
        .size = sizeof(call),
        .stream = stream,
        .count = (int32_t)(point->count - RUNNER_MESSAGES_WORDS_FOR_RUNNER),
        .words = point->words + RUNNER_MESSAGES_WORDS_FOR_RUNNER,
    };
    muster_operator_fn *entry;
    int code;

    if (find(&entry, point, is_new, err) < 0)
        return -1;
    code = entry(&call);
    fflush(stdout);
    if (ACL(acl, aclrtSynchronizeStream, (stream), err) < 0)
        return -1;
    return code ? err_set(err, ERR_SYSTEM, "the operator returned %d", code) : 0;
}

#include "runner/acl.h"

#include <dlfcn.h>
#include <stdbool.h>

#include "lib/base/mem.h"

/* Newer releases have the runtime's half in a library of its own. */
static const char *const libraries[] = {"libascendcl.so", "libacl_rt.so"};

static void *find(void *const handles[], const char *name)
{
    void *found = NULL;

    for (size_t i = 0; i < COUNT(libraries) && !found; i++)
        found = handles[i] ? dlsym(handles[i], name) : NULL;
    return found;
}

/* Global: operator libraries that were not linked to it find it, too. */
static int find_all(struct acl *acl, struct err *err)
{
    static const char *const names[] = {
#define X(name) #name,
        ACL_FUNCTIONS(X)
#undef X
    };
    void *handles[COUNT(libraries)], **place = (void **)acl;

    for (size_t i = 0; i < COUNT(libraries); i++) {
        handles[i] = dlopen(libraries[i], RTLD_NOW | RTLD_GLOBAL);
        if (!handles[0])
            return err_set(err, ERR_NOT_FOUND, "no runtime of an NPU: %s", dlerror());
    }
    for (size_t i = 0; i < COUNT(names); i++)
        if (!(place[i] = find(handles, names[i])))
            return err_set(err, ERR_NOT_FOUND, "the runtime has no %s", names[i]);
    return 0;
}

int acl_check(const struct acl *acl, aclError error, const char *call, struct err *err)
{
    const char *words;

    if (error == 0)
        return 0;
    words = acl->aclGetRecentErrMsg();
    return err_set(err, ERR_SYSTEM, "error %d: %s%s%s", error, call, words ? ": " : "",
                   words ? words : "");
}

int acl_start(const struct acl **out, struct err *err)
{
    static struct acl acl;
    static bool started;

    if (!started && (find_all(&acl, err) < 0 || ACL(&acl, aclInit, (NULL), err) < 0 ||
                     ACL(&acl, aclrtSetDevice, (0), err) < 0))
        return -1;
    started = true;
    *out = &acl;
    return 0;
}

#include "runner/acl.h"

#include <dlfcn.h>
#include <stdbool.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

/* Newer releases have the aclrt functions in a library of their own. */
static const char *const libraries[] = {"libascendcl.so", "libacl_rt.so"};

static void *find(void *const handles[], const char *name)
{
    void *found = NULL;

    for (size_t i = 0; i < COUNT(libraries) && !found; i++)
        found = handles[i] ? dlsym(handles[i], name) : NULL;
    return found;
}

/* RTLD_GLOBAL makes the runtime visible to operator libraries that do not link it. */
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
            return err_set(err, ERR_NOT_FOUND, "loading the NPU runtime: %s",
                           dlerror());
    }
    for (size_t i = 0; i < COUNT(names); i++)
        if (!(place[i] = find(handles, names[i])))
            return err_set(
                err, ERR_NOT_FOUND,
                "the NPU runtime has no function %s; install a newer CANN release",
                names[i]);
    return 0;
}

int acl_check(const struct acl *acl, aclError error, const char *call, struct err *err)
{
    const char *text;

    if (error == 0)
        return 0;
    text = acl->aclGetRecentErrMsg();
    if (text &&
        text_has_prefix(text, call)) /* has no more than the call and its error */
        text = NULL;
    return err_set(err, ERR_SYSTEM, "%s failed with error %d%s%s", call, error,
                   text ? ": " : "", text ? text : "");
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

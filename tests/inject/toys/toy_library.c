/* toy_library.c - libraries whose dlsym() results depend on the calling library; built
 * as first, second and local */
#include <dlfcn.h>
#include <stddef.h>

#define NAMED(which)   #which
#define NAME_OF(which) NAMED(which)

#if defined(TOY_FIRST) || defined(TOY_SECOND)
const char *toy_name(void);
const char *toy_name(void)
{
    return NAME_OF(TOY_NAME);
}
#endif

#ifdef TOY_FIRST
const char *toy_first_name(void);
const char *toy_first_name(void)
{
    return toy_name();
}

/* Uses the result, so that the call of dlsym() is no tail call. */
const char *toy_first_asks_next(void);
const char *toy_first_asks_next(void)
{
    const char *(*next)(void) = (const char *(*)(void))dlsym(RTLD_NEXT, "toy_name");

    return next == toy_name ? "itself" : next ? next() : "none";
}
#endif

#ifdef TOY_SECOND
const char *aclrtMalloc(void);
const char *aclrtMalloc(void)
{
    return "the toy's own";
}
#endif

#ifdef TOY_LOCAL
const char *toy_local_only(void);
const char *toy_local_only(void)
{
    return "found in its own scope";
}

const char *toy_local_asks_default(void);
const char *toy_local_asks_default(void)
{
    const char *(*own)(void) =
        (const char *(*)(void))dlsym(RTLD_DEFAULT, "toy_local_only");

    return own ? own() : "none";
}
#endif

#include "cli/app/user_name.h"

#include <pwd.h>
#include <unistd.h>

const char *user_name_get(void)
{
    const struct passwd *entry = getpwuid(geteuid());

    return entry ? entry->pw_name : "unknown";
}

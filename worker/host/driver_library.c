#include "worker/host/driver_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

#include "lib/base/mem.h"

typedef int init_fn(void);
typedef int place_fn(int *card, int *chip, unsigned logical);

static const char *const folders[] = {
    "", /* the path of the loader */
    "/usr/local/dcmi/",
    "/usr/local/Ascend/driver/lib64/driver/",
};

bool driver_library_is_word(const char *text)
{
    if (!*text)
        return false;
    for (; *text; text++)
        if (*text <= ' ' || *text > '~')
            return false;
    return true;
}

bool driver_library_place(void *management, uint32_t card, int *board, int *chip)
{
    init_fn *init = (init_fn *)(uintptr_t)dlsym(management, "dcmi_init");
    place_fn *place = (place_fn *)(uintptr_t)dlsym(
        management, "dcmi_get_card_id_device_id_from_logicid");

    return init && place && init() == 0 && place(board, chip, card) == 0;
}

bool driver_library_ask(const char *name,
                        const char *folder,
                        driver_question *ask,
                        uint32_t card,
                        char *answer,
                        size_t size)
{
    bool found = false;

    for (size_t i = 0; i < COUNT(folders) && !found; i++) {
        char path[PATH_MAX];
        void *library;

        if (folder && *folders[i])
            continue;
        snprintf(path, sizeof(path), "%s%s%s", folder ? folder : folders[i],
                 folder ? "/" : "", name);
        /* a library of the driver may have started threads: it is never unloaded */
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (!library)
            continue;
        found = ask(library, card, answer, size);
        dlclose(library);
    }
    if (!found)
        answer[0] = '\0';
    return found;
}

#include "worker/host/card_model.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

struct chip_info { /* dcmi_chip_info */
    unsigned char type[32], name[32], version[32];
    unsigned cores;
};

typedef int soc_fn(uint32_t device, char *soc, uint32_t size);
typedef int init_fn(void);
typedef int place_fn(int *card, int *chip, unsigned logical);
typedef int chip_fn(int card, int chip, struct chip_info *info);

/* Returns true for a name without control characters, because it goes into messages. */
static bool is_name(const char *text)
{
    if (!*text)
        return false;
    for (; *text; text++)
        if (*text <= ' ' || *text > '~')
            return false;
    return true;
}

static bool ask_driver(void *library, uint32_t card, char model[CARD_MODEL_BYTES])
{
    soc_fn *soc = (soc_fn *)(uintptr_t)dlsym(library, "halGetSocVersion");
    bool known = soc && soc(card, model, CARD_MODEL_BYTES) == 0;

    model[CARD_MODEL_BYTES - 1] = '\0';
    return known && is_name(model);
}

static bool ask_management(void *library, uint32_t card, char model[CARD_MODEL_BYTES])
{
    init_fn *init = (init_fn *)(uintptr_t)dlsym(library, "dcmi_init");
    place_fn *place = (place_fn *)(uintptr_t)dlsym(
        library, "dcmi_get_card_id_device_id_from_logicid");
    chip_fn *chip = (chip_fn *)(uintptr_t)dlsym(library, "dcmi_get_device_chip_info");
    struct chip_info info = {{0}, {0}, {0}, 0};
    int number, part;

    if (!init || !place || !chip || init() != 0 || place(&number, &part, card) != 0 ||
        chip(number, part, &info) != 0)
        return false;
    info.name[sizeof(info.name) - 1] = '\0';
    /* the library gives the name as 910B1 */
    snprintf(model, CARD_MODEL_BYTES, "%s%s",
             text_has_prefix((const char *)info.name, "Ascend") ? "" : "Ascend",
             (const char *)info.name);
    return info.name[0] && is_name(model);
}

static const struct place {
    const char *folder, *library; /* folder "": the path of the loader */
    bool (*ask)(void *library, uint32_t card, char model[CARD_MODEL_BYTES]);
} places[] = {
    {"", "libascend_hal.so", ask_driver},
    {"/usr/local/Ascend/driver/lib64/driver/", "libascend_hal.so", ask_driver},
    {"", "libdcmi.so", ask_management},
    {"/usr/local/dcmi/", "libdcmi.so", ask_management},
    {"/usr/local/Ascend/driver/lib64/driver/", "libdcmi.so", ask_management},
};

int card_model_find(char model[CARD_MODEL_BYTES],
                    const char *folder,
                    uint32_t card,
                    struct err *err)
{
    bool found = false;

    for (size_t i = 0; i < COUNT(places) && !found; i++) {
        char path[PATH_MAX];
        void *library;

        if (folder && *places[i].folder)
            continue;
        snprintf(path, sizeof(path), "%s%s%s", folder ? folder : places[i].folder,
                 folder ? "/" : "", places[i].library);
        /* a library of the driver may have started threads: it is never unloaded */
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (!library)
            continue;
        found = places[i].ask(library, card, model);
        dlclose(library);
    }
    if (found)
        return 0;
    model[0] = '\0';
    return err_set(
        err, ERR_NOT_FOUND,
        "no library of the driver reports the model of card %u; pass --model",
        (unsigned)card);
}

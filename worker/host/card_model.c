#include "worker/host/card_model.h"

#include <dlfcn.h>
#include <stdio.h>

#include "lib/base/text.h"
#include "worker/host/driver_library.h"

struct chip_info { /* dcmi_chip_info */
    unsigned char type[32], name[32], version[32];
    unsigned cores;
};

typedef int soc_fn(uint32_t device, char *soc, uint32_t size);
typedef int chip_fn(int card, int chip, struct chip_info *info);

static bool ask_driver(void *library, uint32_t card, char *model, size_t size)
{
    soc_fn *soc = (soc_fn *)(uintptr_t)dlsym(library, "halGetSocVersion");
    bool known = soc && soc(card, model, (uint32_t)size) == 0;

    model[size - 1] = '\0';
    return known && driver_library_is_word(model);
}

static bool ask_management(void *library, uint32_t card, char *model, size_t size)
{
    chip_fn *chip = (chip_fn *)(uintptr_t)dlsym(library, "dcmi_get_device_chip_info");
    struct chip_info info = {{0}, {0}, {0}, 0};
    int number, part;

    if (!chip || !driver_library_place(library, card, &number, &part) ||
        chip(number, part, &info) != 0)
        return false;
    info.name[sizeof(info.name) - 1] = '\0';
    /* the library gives the name as 910B1 */
    snprintf(model, size, "%s%s",
             text_has_prefix((const char *)info.name, "Ascend") ? "" : "Ascend",
             (const char *)info.name);
    return info.name[0] && driver_library_is_word(model);
}

int card_model_find(char model[CARD_MODEL_BYTES],
                    const char *folder,
                    uint32_t card,
                    struct err *err)
{
    if (driver_library_ask("libascend_hal.so", folder, ask_driver, card, model,
                           CARD_MODEL_BYTES) ||
        driver_library_ask("libdcmi.so", folder, ask_management, card, model,
                           CARD_MODEL_BYTES))
        return 0;
    return err_set(
        err, ERR_NOT_FOUND,
        "no library of the driver reports the model of card %u; pass --model",
        (unsigned)card);
}

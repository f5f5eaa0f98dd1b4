#include "worker/card/card_health.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"

enum { FRESH_MS = 1000, WARNING = 1 /* health state of a card that still works */ };

static const char *const places[] = {"libdcmi.so", "/usr/local/dcmi/libdcmi.so"};

struct ecc_info { /* dcmi_ecc_info */
    int enabled;
    unsigned single_bit, double_bit, total_single_bit, total_double_bit;
    unsigned isolated[2];
};

struct pcie_info { /* dcmi_pcie_info; the PCI domain is in the upper bits of `bus` */
    unsigned device, vendor, sub_vendor, sub_device, slot, bus, function;
};

struct card_health {
    char *first_place;
    uint32_t card;
    void *library;
    bool opened, bad;
    uint64_t queried_ms;
    char text[160];
    int (*init)(void);
    int (*place)(int *card, int *chip, unsigned logical);
    int (*state)(int card, int chip, unsigned *state);
    int (*ecc)(int card, int chip, int kind, struct ecc_info *info);
    int (*pcie)(int card, int chip, struct pcie_info *info);
};

struct card_health *card_health_create(const char *library, uint32_t card)
{
    struct card_health *health = xcalloc(1, sizeof(*health));

    health->first_place = library ? xstrdup(library) : NULL;
    health->card = card;
    return health;
}

void card_health_destroy(struct card_health *health)
{
    if (!health)
        return;
    free(health->first_place);
    free(health); /* the library stays open, because its threads may run */
}

static void open_library(struct card_health *health)
{
    health->opened = true;
    if (health->first_place)
        health->library = dlopen(health->first_place, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < COUNT(places) && !health->library; i++)
        health->library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
    if (!health->library)
        return;
    *(void **)&health->init = dlsym(health->library, "dcmi_init");
    *(void **)&health->place =
        dlsym(health->library, "dcmi_get_card_id_device_id_from_logicid");
    *(void **)&health->state = dlsym(health->library, "dcmi_get_device_health");
    *(void **)&health->ecc = dlsym(health->library, "dcmi_get_device_ecc_info");
    *(void **)&health->pcie = dlsym(health->library, "dcmi_get_device_pcie_info");
    if (!health->init || !health->place || health->init() != 0) {
        health->state = NULL;
        health->pcie = NULL;
    }
}

static const char *state_word(unsigned state)
{
    static const char *const text[] = {"healthy", "a warning", "an alarm",
                                       "a critical alarm"};

    return state < COUNT(text) ? text[state] : "card missing";
}

static void query(struct card_health *health)
{
    struct ecc_info ecc = {0};
    unsigned state = 0;
    int card, chip;

    health->bad = false;
    if (!health->state || health->place(&card, &chip, health->card) != 0 ||
        health->state(card, chip, &state) != 0 || state <= WARNING)
        return;
    health->bad = true;
    if (!health->ecc || health->ecc(card, chip, 2 /* device memory */, &ecc) != 0)
        ecc.double_bit = 0;
    snprintf(health->text, sizeof(health->text),
             "management library reports %s; double bit errors: %u", state_word(state),
             ecc.double_bit);
}

bool card_health_has_fault(struct card_health *health,
                           bool refresh,
                           char *text,
                           size_t size)
{
    uint64_t now = clock_mono_ms();

    if (!health->opened)
        open_library(health);
    if (refresh || health->queried_ms == 0 || now - health->queried_ms >= FRESH_MS) {
        query(health);
        health->queried_ms = now;
    }
    if (health->bad)
        snprintf(text, size, "%s", health->text);
    return health->bad;
}

bool card_health_near_cpus(struct card_health *health,
                           const char *sysfs,
                           char *out,
                           size_t size)
{
    struct pcie_info at = {0};
    char path[256];
    int card, chip;
    FILE *file;

    out[0] = '\0';
    if (!health->opened)
        open_library(health);
    if (!health->pcie || health->place(&card, &chip, health->card) != 0 ||
        health->pcie(card, chip, &at) != 0)
        return false;
    snprintf(path, sizeof(path), "%s/bus/pci/devices/%04x:%02x:%02x.%x/local_cpulist",
             sysfs, at.bus >> 8, at.bus & 0xff, at.slot, at.function);
    file = fopen(path, "re");
    if (!file)
        return false;
    if (!fgets(out, (int)size, file))
        out[0] = '\0';
    fclose(file);
    out[strcspn(out, "\n")] = '\0';
    return out[0] != '\0';
}

/* dcmi_cards.c - finds cards with the management library (libdcmi.so) or device nodes
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "worker/host/card_list.h"

/* Paths of the driver's installer, for hosts without a loader path. */
static const char *const usual[] = {
    "libdcmi.so",
    "/usr/local/dcmi/libdcmi.so",
    "/usr/local/Ascend/driver/lib64/driver/libdcmi.so",
};

typedef int init_fn(void);
typedef int list_fn(int *count, int *list, int room);
typedef int devices_fn(int card, int *count);
typedef int place_fn(int *logical, int card, int device);
typedef int logical_fn(unsigned physical, unsigned *logical);

static void *open_library(const char *path)
{
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

    for (size_t i = 0; !library && !path && i < COUNT(usual); i++)
        library = dlopen(usual[i], RTLD_NOW | RTLD_LOCAL);
    if (library) {
        init_fn *init = (init_fn *)(uintptr_t)dlsym(library, "dcmi_init");

        if (!init || init() != 0) {
            dlclose(library);
            return NULL;
        }
    }
    return library;
}

static int by_library(void *library, struct card_list *out)
{
    list_fn *list = (list_fn *)(uintptr_t)dlsym(library, "dcmi_get_card_list");
    devices_fn *devices =
        (devices_fn *)(uintptr_t)dlsym(library, "dcmi_get_device_num_in_card");
    place_fn *place = (place_fn *)(uintptr_t)dlsym(library, "dcmi_get_device_logic_id");
    int cards[HOST_CARDS_MAX], count = 0;

    if (!list || !devices || !place || list(&count, cards, HOST_CARDS_MAX) != 0)
        return -1;
    for (int i = 0; i < count && i < HOST_CARDS_MAX; i++) {
        int chips = 0, number;

        if (devices(cards[i], &chips) != 0)
            continue;
        for (int chip = 0; chip < chips && chip < HOST_CARDS_MAX; chip++)
            if (place(&number, cards[i], chip) == 0 && number >= 0 &&
                number < HOST_CARDS_MAX && out->count < HOST_CARDS_MAX)
                out->numbers[out->count++] = (uint32_t)number;
    }
    return out->count ? 0 : -1;
}

/* Lists /dev/davinci0, /dev/davinci1 ..., for drivers without the management library.
 */
static int by_nodes(struct card_list *out)
{
    static const char stem[] = "davinci";
    DIR *folder = opendir("/dev");

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        uint64_t number;

        if (text_has_prefix(entry->d_name, stem) &&
            num_parse_u64(entry->d_name + strlen(stem), &number) &&
            number < HOST_CARDS_MAX && out->count < HOST_CARDS_MAX)
            out->numbers[out->count++] = (uint32_t)number;
    }
    if (folder)
        closedir(folder);
    return out->count ? 0 : -1;
}

static int compare(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

static int all_cards(void *arg, struct card_list *out, struct err *err)
{
    const char *path = arg;
    void *library = open_library(path);
    int result = -1;

    out->count = 0;
    if (library) {
        result = by_library(library, out);
        dlclose(library);
    }
    if (result < 0 && !path)
        result = by_nodes(out);
    if (result < 0)
        return err_set(
            err, ERR_NOT_FOUND,
            path ? "%s reports no card"
                 : "this host has no card; pass --simulated for simulated cards",
            path);
    qsort(out->numbers, out->count, sizeof(out->numbers[0]), compare);
    return 0;
}

static int logical_of(void *arg, uint32_t physical, uint32_t *logical)
{
    void *library = open_library(arg);
    logical_fn *translate = library ? (logical_fn *)(uintptr_t)dlsym(
                                          library, "dcmi_get_device_logicid_from_phyid")
                                    : NULL;
    unsigned number = 0;
    int result = translate ? translate(physical, &number) : -1;

    if (library)
        dlclose(library);
    *logical = number;
    return result == 0 && number < HOST_CARDS_MAX ? 0 : -1;
}

struct card_lookup dcmi_cards_of_host(const char *path)
{
    return (struct card_lookup){all_cards, logical_of, (void *)path};
}

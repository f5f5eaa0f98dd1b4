#include "worker/host/card_serial.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "worker/host/driver_library.h"

enum { LABEL_BYTES = 256 };

struct label { /* dcmi_elabel_info */
    char product[LABEL_BYTES], model[LABEL_BYTES], maker[LABEL_BYTES];
    char date[LABEL_BYTES], serial[LABEL_BYTES];
};

typedef int label_fn(int board, int chip, struct label *label);
typedef int count_fn(int board, int *chips);

static bool ask(void *library, uint32_t card, char *serial, size_t size)
{
    label_fn *read_label =
        (label_fn *)(uintptr_t)dlsym(library, "dcmi_get_device_elabel_info");
    count_fn *count_chips =
        (count_fn *)(uintptr_t)dlsym(library, "dcmi_get_device_num_in_card");
    struct label label = {.serial = ""};
    int board, chip, chips = 1;
    char part[16] = "";

    if (!read_label || !driver_library_place(library, card, &board, &chip) ||
        read_label(board, chip, &label) != 0)
        return false;
    label.serial[LABEL_BYTES - 1] = '\0';
    if (!driver_library_is_word(label.serial) || strcmp(label.serial, "NA") == 0)
        return false;
    if (count_chips && count_chips(board, &chips) == 0 && chips > 1)
        snprintf(part, sizeof(part), "/%d", chip);
    return (size_t)snprintf(serial, size, "%s%s", label.serial, part) < size;
}

bool card_serial_find(char serial[CARD_SERIAL_BYTES], const char *folder, uint32_t card)
{
    return driver_library_ask("libdcmi.so", folder, ask, card, serial,
                              CARD_SERIAL_BYTES);
}

/* dcmi.h - functions of the cards' management library that inject calls
 *
 * The library is loaded and initialised at the first call. A function that it lacks is
 * NULL; without the library all are NULL. */
#ifndef INJECT_DEVICE_DCMI_H
#define INJECT_DEVICE_DCMI_H

#include <stdbool.h>

struct device;

struct dcmi_process { /* dcmi_proc_mem_info */
    int pid;
    unsigned long memory;
};

struct dcmi_errors { /* dcmi_ecc_info */
    int enabled;
    unsigned single_bit, double_bit, total_single_bit, total_double_bit;
    unsigned isolated[2];
};

struct dcmi_hbm_product { /* dcmi_hbm_product_info */
    unsigned short maker;
    unsigned char reserved[62];
};

typedef int dcmi_value_fn(int card, int chip, int *value);

struct dcmi {
    int (*place)(int *card, int *chip, unsigned logical);
    dcmi_value_fn *temperature, *power, *state;
    int (*processes)(int card, int chip, struct dcmi_process *list, int *count);
    int (*errors)(int card, int chip, int kind, struct dcmi_errors *out);
    int (*driver_version)(char *out, unsigned size);
    int (*components)(int card, int chip, int *list, unsigned count);
    int (*component_version)(int card,
                             int chip,
                             int component,
                             unsigned char *out,
                             unsigned size);
    int (*hbm_product)(int card, int chip, struct dcmi_hbm_product *out);
};

const struct dcmi *dcmi_get(void);
/* Finds the card and the chip on it, by which DCMI names a device. */
bool dcmi_find(const struct device *device, int *card, int *chip);

#endif

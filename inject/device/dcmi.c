#include "inject/device/dcmi.h"

#include <pthread.h>
#include <stdint.h>

#include "inject/base/real_functions.h"
#include "inject/device/device.h"

static struct dcmi dcmi;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uintptr_t find(const char *name)
{
    return (uintptr_t)real_function_lookup(LAYER_DCMI, name);
}

/* Leaves all functions NULL when DCMI cannot be initialized. */
static void find_functions(void)
{
    int (*init)(void) = (int (*)(void))find("dcmi_init");

    if (!init || init() != 0)
        return;
    dcmi = (struct dcmi){
        .place = (int (*)(int *, int *, unsigned))find(
            "dcmi_get_card_id_device_id_from_logicid"),
        .temperature = (dcmi_value_fn *)find("dcmi_get_device_temperature"),
        .power = (dcmi_value_fn *)find("dcmi_get_device_power_info"),
        .state = (dcmi_value_fn *)find("dcmi_get_device_health"),
        .processes = (int (*)(int, int, struct dcmi_process *, int *))find(
            "dcmi_get_device_resource_info"),
        .errors = (int (*)(int, int, int, struct dcmi_errors *))find(
            "dcmi_get_device_ecc_info"),
        .driver_version = (int (*)(char *, unsigned))find("dcmi_get_driver_version"),
        .components =
            (int (*)(int, int, int *, unsigned))find("dcmi_get_device_component_list"),
        .component_version = (int (*)(int, int, int, unsigned char *, unsigned))find(
            "dcmi_get_device_component_static_version"),
        .hbm_product = (int (*)(int, int, struct dcmi_hbm_product *))find(
            "dcmi_get_device_hbm_product_info"),
    };
}

const struct dcmi *dcmi_get(void)
{
    pthread_once(&once, find_functions);
    return &dcmi;
}

bool dcmi_find(const struct device *device, int *card, int *chip)
{
    const struct dcmi *is = dcmi_get();

    return is->place && is->place(card, chip, (unsigned)device->logical) == 0;
}

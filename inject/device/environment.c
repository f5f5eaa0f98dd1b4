#include "inject/device/environment.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "inject/base/runtime.h"
#include "inject/device/dcmi.h"
#include "inject/device/device.h"
#include "inject/session/record_output.h"
#include "lib/capture/format/records.h"

/* Files of the installers, for hosts whose libraries do not report a version. Each has
 * a line "Version=". */
#define DRIVER_FILE   "/usr/local/Ascend/driver/version.info"
#define FIRMWARE_FILE "/usr/local/Ascend/firmware/version.info"
static const char *const toolkit_files[] = {
    "share/info/runtime/version.info", /* since 8.5 */
    "runtime/version.info",
};

/* Copies the value of the line "Version=". Leaves `out` empty when there is none. */
static void read_version_file(char *out, size_t size, const char *path)
{
    static const char key[] = "Version=";
    char text[1024];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    const char *at = text;

    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return;
    text[length] = '\0';
    while (strncmp(at, key, strlen(key)) != 0) {
        at = strchr(at, '\n');
        if (!at)
            return;
        at++;
    }
    at += strlen(key);
    snprintf(out, size, "%.*s", (int)strcspn(at, " \r\n"), at);
}

static void read_cann(char *out, size_t size)
{
    const char *home = getenv("ASCEND_HOME_PATH");

    runtime_cann_version(out, size);
    for (size_t i = 0;
         i < sizeof(toolkit_files) / sizeof(toolkit_files[0]) && home && *home && !*out;
         i++) {
        char path[PATH_MAX];
        int length = snprintf(path, sizeof(path), "%s/%s", home, toolkit_files[i]);

        if (length > 0 && (size_t)length < sizeof(path))
            read_version_file(out, size, path);
    }
}

/* The first component is the one whose version the vendor's tools call the firmware's.
 */
static void read_firmware(const struct dcmi *dcmi,
                          int card,
                          int chip,
                          struct record_run_environment *is)
{
    unsigned char *out = (unsigned char *)is->firmware;
    int component;

    if (!dcmi->components || !dcmi->component_version ||
        dcmi->components(card, chip, &component, 1) != 0 ||
        dcmi->component_version(card, chip, component, out, sizeof(is->firmware)) != 0)
        is->firmware[0] = '\0';
    is->firmware[sizeof(is->firmware) - 1] = '\0';
}

static void read_dcmi(const struct device *device, struct record_run_environment *is)
{
    const struct dcmi *dcmi = dcmi_get();
    struct dcmi_hbm_product product = {0};
    int card, chip;

    if (dcmi->driver_version &&
        dcmi->driver_version(is->driver, sizeof(is->driver)) != 0)
        is->driver[0] = '\0';
    is->driver[sizeof(is->driver) - 1] = '\0';
    if (!dcmi_find(device, &card, &chip))
        return;
    read_firmware(dcmi, card, chip, is);
    if (dcmi->hbm_product && dcmi->hbm_product(card, chip, &product) == 0)
        is->hbm_maker = product.maker;
}

void environment_write_record(struct device *device)
{
    struct record_run_environment is = {
        .device = (uint32_t)device->logical,
        .replay_version = REPLAY_VERSION,
    };
    struct utsname host;

    if (atomic_exchange(&device->described, true))
        return;
    memcpy(is.chip, device->soc, sizeof(is.chip));
    read_cann(is.cann, sizeof(is.cann));
    read_dcmi(device, &is);
    if (!is.driver[0])
        read_version_file(is.driver, sizeof(is.driver), DRIVER_FILE);
    if (!is.firmware[0])
        read_version_file(is.firmware, sizeof(is.firmware), FIRMWARE_FILE);
    if (uname(&host) == 0)
        snprintf(is.host_kernel, sizeof(is.host_kernel), "%.63s", host.release);
    record_output_record(RECORD_RUN_ENVIRONMENT, &is, sizeof(is));
}

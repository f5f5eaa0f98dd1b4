/* npu_smi.c - npu-smi info: options, and functions that several outputs share */
#include "sim/tools/npu_smi.h"

#include <dcmi_interface_api.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: npu-smi info [-l | -m | -t TYPE [-i CARD] [-c CHIP] [-p PHY-ID]]\n"
    "  -l  the cards\n"
    "  -m  how their numbers belong together\n"
    "  -t  topo, common, board, health, temp, power, usages, memory, ecc, proc-mem,\n"
    "      phyid-remap (-p), spod-info (-c)\n"
    "       npu-smi -v\n";

void smi_cards(struct card_list *out)
{
    if (dcmi_get_card_list(&out->count, out->id, CARDS_LISTED) != DCMI_OK ||
        out->count == 0) {
        fprintf(stderr, "npu-smi: the host has no cards\n");
        exit(1);
    }
}

int smi_devices_of(int card)
{
    int devices = 0;

    return dcmi_get_device_num_in_card(card, &devices) == DCMI_OK ? devices : 0;
}

const char *smi_health(unsigned health)
{
    static const char *const names[] = {"OK", "Warning", "Alarm", "Critical"};

    return health < sizeof(names) / sizeof(names[0]) ? names[health] : "UNKNOWN";
}

void smi_process_name(int pid, char *out, int size)
{
    char path[32];
    ssize_t length = -1;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/comm", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        length = read(fd, out, (size_t)size - 1);
        close(fd);
    }
    out[length > 0 ? length : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
}

void smi_bus(int card, int device, char out[16])
{
    struct dcmi_pcie_info bus = {0};

    dcmi_get_device_pcie_info(card, device, &bus);
    snprintf(out, 16, "%04X:%02X:%02X.%X", bus.bdf_busid >> 8 & 0xffff,
             bus.bdf_busid & 0xff, bus.bdf_deviceid & 0xff, bus.bdf_funcid & 0xf);
}

static bool read_number(const char *text, int *out)
{
    char *end;
    long number = text ? strtol(text, &end, 10) : -1;

    if (number < 0 || number > 1 << 24 || end == text || *end)
        return false;
    *out = (int)number;
    return true;
}

static bool read_options(char **args, struct smi_options *out)
{
    *out = (struct smi_options){.card = -1, .chip = -1, .physical = -1};
    for (; *args; args++) {
        if (!strcmp(*args, "-l"))
            out->list = true;
        else if (!strcmp(*args, "-m"))
            out->mapping = true;
        else if (!strcmp(*args, "-t") && args[1])
            out->type = *++args;
        else if (!strcmp(*args, "-i") && read_number(args[1], &out->card))
            args++;
        else if (!strcmp(*args, "-c") && read_number(args[1], &out->chip))
            args++;
        else if (!strcmp(*args, "-p") && read_number(args[1], &out->physical))
            args++;
        else
            return false;
    }
    return out->list + out->mapping + (out->type != NULL) <= 1;
}

static int info(char **args)
{
    struct smi_options options;

    if (!read_options(args, &options)) {
        fputs(usage, stderr);
        return 2;
    }
    if (options.type)
        return smi_print_type(&options);
    if (options.list)
        smi_print_list();
    else if (options.mapping)
        smi_print_mapping();
    else
        smi_print_table();
    return 0;
}

int main(int argc, char **argv)
{
    char version[64] = "";
    int status = 2;

    dcmi_init();
    if (argc == 2 && !strcmp(argv[1], "-v")) {
        dcmi_get_driver_version(version, sizeof(version));
        status = printf("npu-smi version: %s\n", version) < 0;
    } else if (argc >= 2 && !strcmp(argv[1], "info")) {
        status = info(argv + 2);
    } else {
        bool is_help =
            argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"));

        fputs(usage, is_help ? stdout : stderr);
        status = is_help ? 0 : 2;
    }
    return fflush(stdout) || ferror(stdout) ? 1 : status;
}

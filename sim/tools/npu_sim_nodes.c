/* npu_sim_nodes.c - creates the device nodes and the network file of a host with cards
 *
 * npu-sim-nodes DIR [PHYSICAL-ID...] creates DIR/dev with the nodes of all cards of the
 * host, or of the named ones, for NPU_SIM_DEV_DIR. It also writes DIR/etc/hccn.conf
 * with the addresses of the network cards. */
#include <ascend_hal.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/card/card.h"
#include "sim/fleet/links.h"

#define ADDRESSES 250 /* per network */

static const char *directory;

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...)
{
    va_list list;

    fputs("npu-sim-nodes: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(1);
}

static void path_of(char *out, size_t size, const char *name)
{
    if (snprintf(out, size, "%s/%s", directory, name) >= (int)size)
        die("the name of the directory is too long");
}

static void make_folder(const char *name)
{
    char path[4096];

    path_of(path, sizeof(path), name);
    if (mkdir(path, 0750) && errno != EEXIST)
        die("%s: %s", path, strerror(errno));
}

static FILE *make_file(const char *name)
{
    char path[4096];
    FILE *file;

    path_of(path, sizeof(path), name);
    file = fopen(path, "we");
    if (!file)
        die("%s: %s", path, strerror(errno));
    return file;
}

static void finish(FILE *file)
{
    if (ferror(file) || fclose(file))
        die("writing in %s: %s", directory, strerror(errno));
}

static void make_node(uint32_t physical)
{
    char name[32];

    snprintf(name, sizeof(name), "dev/davinci%u", physical);
    finish(make_file(name));
}

static void write_network(void)
{
    FILE *file = make_file("etc/hccn.conf");
    uint32_t host = npu_sim_host_index() % 256, physical;

    for (uint32_t i = 0; i < npu_sim_card_count(); i++) {
        drvDeviceGetPhyIdByIndex(i, &physical);
        fprintf(file,
                "address_%u=10.%u.%u.%u\nnetmask_%u=255.255.0.0\n"
                "netdetect_%u=10.%u.255.254\n",
                physical, host, physical / ADDRESSES % 256, physical % ADDRESSES + 1,
                physical, physical, host);
    }
    finish(file);
}

static bool read_number(const char *text, uint32_t *out)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);

    *out = (uint32_t)number;
    return *text >= '0' && *text <= '9' && *end == '\0' && number <= UINT32_MAX;
}

int main(int argc, char **argv)
{
    uint32_t physical, logical;

    if (argc < 2 || argv[1][0] == '-') {
        fputs("usage: npu-sim-nodes DIR [PHYSICAL-ID...]\n", stderr);
        return 2;
    }
    if (npu_sim_card_count() == 0)
        die("the host has no cards; check NPU_SIM_FLEET and NPU_SIM_CARDS");
    directory = argv[1];
    make_folder("");
    make_folder("dev");
    make_folder("etc");
    finish(make_file("dev/davinci_manager"));
    finish(make_file("dev/devmm_svm"));
    finish(make_file("dev/hisi_hdc"));
    for (int i = 2; i < argc; i++) {
        if (!read_number(argv[i], &physical) ||
            drvDeviceGetIndexByPhyId(physical, &logical))
            die("no card has the physical id '%s'", argv[i]);
        make_node(physical);
    }
    for (uint32_t i = 0; argc == 2 && i < npu_sim_card_count(); i++) {
        drvDeviceGetPhyIdByIndex(i, &physical);
        make_node(physical);
    }
    write_network();
    return 0;
}

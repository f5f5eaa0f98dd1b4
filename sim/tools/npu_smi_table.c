/* npu_smi_table.c - the tables of all cards, two rows per chip, and of their processes
 */
#include <dcmi_interface_api.h>
#include <stdio.h>

#include "sim/tools/npu_smi.h"

#define PROCESSES_MAX 64
#define WHOLE         96 /* characters between the outer bars */

static const char line_outer[] = "+----------------------------------------------------"
                                 "------------------------------"
                                 "--------------+\n";
static const char line_thin[] =
    "+---------------------------+---------------+----------------------------------"
    "------------------+\n";
static const char line_thick[] =
    "+===========================+===============+=================================="
    "==================+\n";

static void print_whole(const char *text)
{
    printf("| %-*s|\n", WHOLE - 1, text);
}

static void print_row(const char *left, const char *middle, const char *right)
{
    printf("| %-26s| %-14s| %-51s|\n", left, middle, right);
}

static void print_chip(int card, int device)
{
    struct dcmi_chip_info chip = {0};
    struct dcmi_hbm_info hbm = {0};
    char left[32], right[64], bus[16];
    unsigned health = 0, busy = 0;
    int watts10 = 0, celsius = 0;

    dcmi_get_device_chip_info(card, device, &chip);
    dcmi_get_device_hbm_info(card, device, &hbm);
    dcmi_get_device_health(card, device, &health);
    dcmi_get_device_power_info(card, device, &watts10);
    dcmi_get_device_temperature(card, device, &celsius);
    dcmi_get_device_utilization_rate(card, device, DCMI_UTILIZATION_RATE_AICORE, &busy);
    smi_bus(card, device, bus);

    snprintf(left, sizeof(left), "%-6d%.18s", card, (const char *)chip.chip_name);
    snprintf(right, sizeof(right), "%d.%-9d %-17d %-4d / %-4d", watts10 / 10,
             watts10 % 10, celsius, 0, 0);
    print_row(left, smi_health(health), right);
    snprintf(left, sizeof(left), "%d", device);
    snprintf(right, sizeof(right), "%-11u %-4d / %-10d %-5llu/ %-5llu", busy, 0, 0,
             hbm.memory_usage, hbm.memory_size);
    print_row(left, bus, right);
}

static void print_process_row(int card, int device, const struct dcmi_proc_mem_info *of)
{
    char left[32], name[32], right[64], pid[16];

    smi_process_name(of->proc_id, name, sizeof(name));
    snprintf(left, sizeof(left), "%-8d%d", card, device);
    snprintf(pid, sizeof(pid), "%d", of->proc_id);
    snprintf(right, sizeof(right), "%-25s| %-24lu", name, of->proc_mem_usage >> 20);
    print_row(left, pid, right);
}

static void print_processes(int card)
{
    struct dcmi_proc_mem_info processes[PROCESSES_MAX];
    int devices = smi_devices_of(card), all = 0;
    char text[64];

    for (int device = 0; device < devices; device++) {
        int count = PROCESSES_MAX;

        if (dcmi_get_device_resource_info(card, device, processes, &count))
            continue;
        for (int i = 0; i < count; i++)
            print_process_row(card, device, &processes[i]);
        all += count;
    }
    if (all == 0) {
        snprintf(text, sizeof(text), "No running processes found in NPU %d", card);
        print_whole(text);
    }
    fputs(line_thick, stdout);
}

void smi_print_table(void)
{
    static struct card_list cards;
    char version[64] = "", head[160];

    smi_cards(&cards);
    dcmi_get_driver_version(version, sizeof(version));
    snprintf(head, sizeof(head), "npu-smi %-24s Version: %s", MUSTER_VERSION, version);
    fputs(line_outer, stdout);
    print_whole(head);
    fputs(line_thin, stdout);
    print_row("NPU   Name", "Health",
              "Power(W)    Temp(C)           Hugepages-Usage(page)");
    print_row("Chip", "Bus-Id", "AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)");
    fputs(line_thick, stdout);
    for (int i = 0; i < cards.count; i++) {
        for (int device = 0; device < smi_devices_of(cards.id[i]); device++)
            print_chip(cards.id[i], device);
        fputs(line_thick, stdout);
    }
    fputs(line_thin, stdout);
    print_row("NPU     Chip", "Process id",
              "Process name             | Process memory(MB)");
    fputs(line_thick, stdout);
    for (int i = 0; i < cards.count; i++)
        print_processes(cards.id[i]);
}

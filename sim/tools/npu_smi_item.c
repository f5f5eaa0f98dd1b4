/* npu_smi_item.c - npu-smi info -l, -m and -t: lists, and one kind of data of a card */
#include <dcmi_interface_api.h>
#include <stdio.h>
#include <string.h>

#include "sim/tools/npu_smi.h"

#define PROCESSES_MAX 64

static void text(const char *key, const char *value)
{
    printf("\t%-30s : %s\n", key, value);
}

static void number(const char *key, unsigned long long value)
{
    printf("\t%-30s : %llu\n", key, value);
}

void smi_print_list(void)
{
    static struct card_list cards;

    smi_cards(&cards);
    number("Total Count", (unsigned)cards.count);
    for (int i = 0; i < cards.count; i++) {
        putchar('\n');
        number("NPU ID", (unsigned)cards.id[i]);
        number("Chip Count", (unsigned)smi_devices_of(cards.id[i]));
    }
}

static void name_chip(int card, int device, char *out, size_t size)
{
    struct dcmi_chip_info chip = {0};

    dcmi_get_device_chip_info(card, device, &chip);
    snprintf(out, size, "%s %.31s", (const char *)chip.chip_type,
             (const char *)chip.chip_name);
}

void smi_print_mapping(void)
{
    static struct card_list cards;
    char name[80];

    smi_cards(&cards);
    printf("\t%-30s %-30s %-30s %-30s %s\n", "NPU ID", "Chip ID", "Chip Logic ID",
           "Chip Phy-ID", "Chip Name");
    for (int i = 0; i < cards.count; i++) {
        int devices = smi_devices_of(cards.id[i]);

        for (int device = 0; device < devices; device++) {
            unsigned physical = 0;
            int logical = 0;

            dcmi_get_device_logic_id(&logical, cards.id[i], device);
            dcmi_get_device_phyid_from_logicid((unsigned)logical, &physical);
            name_chip(cards.id[i], device, name, sizeof(name));
            printf("\t%-30d %-30d %-30d %-30u %s\n", cards.id[i], device, logical,
                   physical, name);
        }
        printf("\t%-30d %-30d %-30s %-30s %s\n", cards.id[i], devices, "-", "-", "Mcu");
    }
}

/* ---- -t TYPE: data of each chip of a card ---- */

static void common(int card, int device)
{
    unsigned rate = 0, now = 0, most = 0;
    struct dcmi_chip_info chip = {0};
    int celsius = 0, watts10 = 0;

    dcmi_get_device_utilization_rate(card, device, DCMI_UTILIZATION_RATE_DDR, &rate);
    number("Memory Usage Rate(%)", rate);
    dcmi_get_device_utilization_rate(card, device, DCMI_UTILIZATION_RATE_HBM, &rate);
    number("HBM Usage Rate(%)", rate);
    dcmi_get_device_utilization_rate(card, device, DCMI_UTILIZATION_RATE_AICORE, &rate);
    number("Aicore Usage Rate(%)", rate);
    dcmi_get_device_frequency(card, device, DCMI_FREQ_AICORE_MAX, &most);
    dcmi_get_device_frequency(card, device, DCMI_FREQ_AICORE_CURRENT, &now);
    dcmi_get_device_chip_info(card, device, &chip);
    number("Aicore Freq(MHZ)", most);
    number("Aicore curFreq(MHZ)", now);
    number("Aicore Count", chip.aicore_cnt);
    dcmi_get_device_temperature(card, device, &celsius);
    number("Temperature(C)", (unsigned)celsius);
    dcmi_get_device_power_info(card, device, &watts10);
    printf("\t%-30s : %d.%d\n", "NPU Real-time Power(W)", watts10 / 10, watts10 % 10);
}

static void health(int card, int device)
{
    unsigned value = 0;

    dcmi_get_device_health(card, device, &value);
    text("Health", smi_health(value));
}

static void temperature(int card, int device)
{
    int celsius = 0;

    dcmi_get_device_temperature(card, device, &celsius);
    number("NPU Temperature (C)", (unsigned)celsius);
}

static void power(int card, int device)
{
    int watts10 = 0;

    dcmi_get_device_power_info(card, device, &watts10);
    printf("\t%-30s : %d.%d\n", "Power Dissipation(W)", watts10 / 10, watts10 % 10);
}

static void usages(int card, int device)
{
    struct dcmi_hbm_info hbm = {0};
    unsigned rate = 0;

    dcmi_get_device_hbm_info(card, device, &hbm);
    number("HBM Capacity(MB)", hbm.memory_size);
    dcmi_get_device_utilization_rate(card, device, DCMI_UTILIZATION_RATE_HBM, &rate);
    number("HBM Usage Rate(%)", rate);
    dcmi_get_device_utilization_rate(card, device, DCMI_UTILIZATION_RATE_AICORE, &rate);
    number("Aicore Usage Rate(%)", rate);
}

static void memory(int card, int device)
{
    struct dcmi_hbm_product_info product = {0};
    struct dcmi_hbm_info hbm = {0};

    dcmi_get_device_hbm_info(card, device, &hbm);
    number("HBM Capacity(MB)", hbm.memory_size);
    number("HBM Clock Speed(MHz)", hbm.freq);
    number("HBM Temperature(C)", (unsigned)hbm.temp);
    dcmi_get_device_hbm_product_info(card, device, &product);
    number("HBM Manufacturer ID", product.manufacturer_id);
}

static void ecc(int card, int device)
{
    struct dcmi_ecc_info info = {0};

    dcmi_get_device_ecc_info(card, device, 0, &info);
    number("HBM Single Bit Error Count", info.total_single_bit_error_cnt);
    number("HBM Double Bit Error Count", info.total_double_bit_error_cnt);
}

static void board(int card, int device)
{
    char version[64] = "", bus[16], name[80];

    dcmi_get_driver_version(version, sizeof(version));
    smi_bus(card, device, bus);
    name_chip(card, device, name, sizeof(name));
    text("Product Name", name);
    text("Manufacturer", "none: simulated");
    text("Software Version", version);
    text("PCIe Bus Info", bus);
}

static void processes(int card, int device)
{
    struct dcmi_proc_mem_info of[PROCESSES_MAX];
    int count = PROCESSES_MAX;
    char name[32];

    if (dcmi_get_device_resource_info(card, device, of, &count))
        count = 0;
    for (int i = 0; i < count; i++) {
        smi_process_name(of[i].proc_id, name, sizeof(name));
        printf("\tProcess id:%d    Process name:%s    Process memory(MB):%lu\n",
               of[i].proc_id, name, of[i].proc_mem_usage >> 20);
    }
    if (count == 0)
        printf("\tNo running processes found in NPU %d\n", card);
}

static void super_pod(int card, int device)
{
    struct dcmi_spod_info info = {0};

    if (dcmi_get_spod_info(card, device, &info)) {
        text("SDID", "NA");
        return;
    }
    number("SDID", info.sdid);
    number("Super Pod ID", info.super_pod_id);
    number("Server Index", info.server_id);
}

static const struct kind {
    const char *name;
    void (*print)(int card, int device);
    bool chip_count; /* print the number of chips first */
} kinds[] = {
    {"common", common, true},      {"board", board, true},
    {"health", health, false},     {"temp", temperature, false},
    {"power", power, false},       {"usages", usages, true},
    {"memory", memory, true},      {"ecc", ecc, true},
    {"proc-mem", processes, true}, {"spod-info", super_pod, false},
};

static void print_card(const struct kind *kind, int card, int chip)
{
    int devices = smi_devices_of(card);

    number("NPU ID", (unsigned)card);
    if (kind->chip_count)
        number("Chip Count", (unsigned)devices);
    for (int device = 0; device < devices; device++) {
        if (chip >= 0 && device != chip)
            continue;
        putchar('\n');
        number("Chip ID", (unsigned)device);
        kind->print(card, device);
    }
}

/* ---- -t topo ---- */

static const char *tie(int card_a, int card_b)
{
    static const char *const names[] = {
        [DCMI_TOPO_TYPE_SELF] = "X",  [DCMI_TOPO_TYPE_SYS] = "SYS",
        [DCMI_TOPO_TYPE_PHB] = "PHB", [DCMI_TOPO_TYPE_HCCS] = "HCCS",
        [DCMI_TOPO_TYPE_PXB] = "PXB", [DCMI_TOPO_TYPE_PIX] = "PIX",
        [DCMI_TOPO_TYPE_SIO] = "SIO", [DCMI_TOPO_TYPE_HCCS_SW] = "HCCS_SW",
        [DCMI_TOPO_TYPE_UB] = "UB",
    };
    int type;

    if (dcmi_get_topo_info_by_device_id(card_a / CARDS_LISTED, card_a % CARDS_LISTED,
                                        card_b / CARDS_LISTED, card_b % CARDS_LISTED,
                                        &type))
        return "NA";
    return names[type];
}

static void print_topology(void)
{
    static struct card_list cards;
    static int chips[CARDS_LISTED]; /* card and device, packed into one number */
    int count = 0;

    smi_cards(&cards);
    for (int i = 0; i < cards.count; i++)
        for (int device = 0; device < smi_devices_of(cards.id[i]); device++)
            if (count < CARDS_LISTED)
                chips[count++] = cards.id[i] * CARDS_LISTED + device;
    printf("\t%-10s", "");
    for (int i = 0; i < count; i++)
        printf(" NPU%-7d", i);
    printf(" CPU Affinity\n");
    for (int i = 0; i < count; i++) {
        printf("\tNPU%-7d", i);
        for (int j = 0; j < count; j++)
            printf(" %-10s", tie(chips[i], chips[j]));
        printf(" NA\n");
    }
    fputs("\nLegend:\n\n"
          "  X       = Self\n"
          "  SYS     = Path traversing PCIe and NUMA nodes\n"
          "  PHB     = Path traversing PCIe and the PCIe host bridge of a CPU\n"
          "  PIX     = Path traversing a single PCIe switch\n"
          "  PXB     = Path traversing multiple PCIe switches\n"
          "  HCCS    = Connection traversing HCCS\n"
          "  HCCS_SW = Connection traversing HCCS and a switch\n"
          "  SIO     = Connection of the dies of a package\n"
          "  UB      = Connection traversing UB\n"
          "  NA      = Unknown relationship\n",
          stdout);
}

/* ---- -t: choice of the type ---- */

static int print_physical(int physical)
{
    int card, device, logical = 0;

    if (physical < 0 ||
        dcmi_get_card_id_device_id_from_phyid(&card, &device, (unsigned)physical)) {
        fprintf(stderr, "npu-smi: -p needs the physical id of a card\n");
        return 1;
    }
    dcmi_get_device_logic_id(&logical, card, device);
    number("NPU ID", (unsigned)card);
    number("Chip ID", (unsigned)device);
    number("Chip Logic ID", (unsigned)logical);
    number("Chip Phy-ID", (unsigned)physical);
    return 0;
}

int smi_print_type(const struct smi_options *options)
{
    static struct card_list cards;

    smi_cards(&cards);
    if (!strcmp(options->type, "phyid-remap"))
        return print_physical(options->physical);
    if (!strcmp(options->type, "topo")) {
        print_topology();
        return 0;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(options->type, kinds[i].name) != 0)
            continue;
        if (options->card < 0 || smi_devices_of(options->card) == 0 ||
            options->chip >= smi_devices_of(options->card)) {
            fprintf(stderr, "npu-smi: -i needs the id of a card, -c a chip of it\n");
            return 1;
        }
        print_card(&kinds[i], options->card, options->chip);
        return 0;
    }
    fprintf(stderr, "npu-smi: unknown type '%s'\n", options->type);
    return 2;
}

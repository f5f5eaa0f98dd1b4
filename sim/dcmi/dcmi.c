/* dcmi.c - the management library, based on the driver library of the simulator */
#include <ascend_hal.h>
#include <dcmi_interface_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sim/card/card.h"
#include "sim/card/state.h"
#include "sim/fleet/links.h"

#define VERSION   "npu_sim " MUSTER_VERSION /* of this library */
#define BUS_CARDS 8
#define VENDOR    0x19e5
#define MIB       (1u << 20)

static bool ready;

int dcmi_init(void)
{
    __atomic_store_n(&ready, true, __ATOMIC_RELEASE);
    return npu_sim_card_count() > 0 ? DCMI_OK : DCMI_ERR_CODE_DEVICE_NOT_EXIST;
}

static int check(const void *out)
{
    if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        return DCMI_ERR_CODE_NOT_REDAY;
    return out ? DCMI_OK : DCMI_ERR_CODE_INVALID_PARAMETER;
}

/* ---- numbers ---- */

static uint32_t physical_of(uint32_t logical)
{
    uint32_t physical = 0;

    drvDeviceGetPhyIdByIndex(logical, &physical);
    return physical;
}

static int split(uint32_t logical, int *card, int *device)
{
    int64_t dies = npu_sim_card_dies(logical);
    uint32_t physical = physical_of(logical);

    *card = (int)(physical / dies);
    *device = (int)(physical % dies);
    return DCMI_OK;
}

/* Finds the logical card of a card and device id. Fails when `out` is NULL. */
static int find(int card, int device, const void *out, uint32_t *logical)
{
    int failed = check(out);
    uint32_t dies;

    if (failed)
        return failed;
    if (card < 0 || device < 0 || npu_sim_card_count() == 0)
        return DCMI_ERR_CODE_INVALID_DEVICE_ID;
    dies = npu_sim_card_dies(0); /* equal for all cards of a host */
    if ((uint32_t)device >= dies || (uint32_t)card > UINT32_MAX / dies - 1 ||
        drvDeviceGetIndexByPhyId((uint32_t)card * dies + (uint32_t)device, logical))
        return DCMI_ERR_CODE_INVALID_DEVICE_ID;
    return DCMI_OK;
}

static int
state_of(int card, int device, const void *out, struct npu_sim_card_state *state)
{
    uint32_t logical;
    int failed = find(card, device, out, &logical);

    if (!failed)
        npu_sim_card_state(logical, state);
    return failed;
}

int dcmi_get_card_list(int *card_num, int *card_list, int list_len)
{
    int failed = check(card_num), last = -1;

    if (failed)
        return failed;
    if (!card_list || list_len <= 0)
        return DCMI_ERR_CODE_INVALID_PARAMETER;
    *card_num = 0;
    for (uint32_t i = 0; i < npu_sim_card_count(); i++) {
        int card, device;

        split(i, &card, &device);
        if (card == last)
            continue; /* another die of the same package */
        last = card;
        if (*card_num < list_len)
            card_list[*card_num] = card;
        ++*card_num;
    }
    return *card_num <= list_len ? DCMI_OK : DCMI_ERR_CODE_INVALID_PARAMETER;
}

int dcmi_get_card_num_list(int *card_num, int *card_list, int list_len)
{
    return dcmi_get_card_list(card_num, card_list, list_len);
}

int dcmi_get_device_num_in_card(int card_id, int *device_num)
{
    int failed = check(device_num);

    if (failed)
        return failed;
    *device_num = 0;
    for (uint32_t i = 0; i < npu_sim_card_count(); i++) {
        int card, device;

        split(i, &card, &device);
        *device_num += card == card_id;
    }
    return *device_num > 0 ? DCMI_OK : DCMI_ERR_CODE_INVALID_DEVICE_ID;
}

int dcmi_get_device_logic_id(int *device_logic_id, int card_id, int device_id)
{
    uint32_t logical;
    int failed = find(card_id, device_id, device_logic_id, &logical);

    if (!failed)
        *device_logic_id = (int)logical;
    return failed;
}

int dcmi_get_device_phyid_from_logicid(unsigned int logicid, unsigned int *phyid)
{
    int failed = check(phyid);

    if (failed)
        return failed;
    return drvDeviceGetPhyIdByIndex(logicid, phyid) ? DCMI_ERR_CODE_INVALID_DEVICE_ID
                                                    : DCMI_OK;
}

int dcmi_get_device_logicid_from_phyid(unsigned int phyid, unsigned int *logicid)
{
    int failed = check(logicid);

    if (failed)
        return failed;
    return drvDeviceGetIndexByPhyId(phyid, logicid) ? DCMI_ERR_CODE_INVALID_DEVICE_ID
                                                    : DCMI_OK;
}

int dcmi_get_card_id_device_id_from_logicid(int *card_id,
                                            int *device_id,
                                            unsigned int device_logic_id)
{
    int failed = check(card_id);

    if (failed)
        return failed;
    if (!device_id)
        return DCMI_ERR_CODE_INVALID_PARAMETER;
    if (device_logic_id >= npu_sim_card_count())
        return DCMI_ERR_CODE_INVALID_DEVICE_ID;
    return split(device_logic_id, card_id, device_id);
}

int dcmi_get_card_id_device_id_from_phyid(int *card_id,
                                          int *device_id,
                                          unsigned int device_phy_id)
{
    unsigned int logical;
    int failed = dcmi_get_device_logicid_from_phyid(device_phy_id, &logical);

    return failed
               ? failed
               : dcmi_get_card_id_device_id_from_logicid(card_id, device_id, logical);
}

int dcmiv2_get_all_device_count(int *all_device_count)
{
    int failed = check(all_device_count);

    if (!failed)
        *all_device_count = (int)npu_sim_card_count();
    return failed;
}

int dcmiv2_get_device_list(int *device_list, int *device_count, int list_len)
{
    int failed = check(device_count);

    if (failed)
        return failed;
    *device_count = (int)npu_sim_card_count();
    if (!device_list || list_len < *device_count)
        return DCMI_ERR_CODE_INVALID_PARAMETER;
    for (int i = 0; i < *device_count; i++)
        device_list[i] = i;
    return DCMI_OK;
}

/* ---- properties of a card ---- */

static int put_version(char *out, unsigned int len, const char *version)
{
    int failed = check(out);

    if (failed)
        return failed;
    if (len <= strlen(version))
        return DCMI_ERR_CODE_INVALID_PARAMETER;
    strcpy(out, version);
    return DCMI_OK;
}

int dcmi_get_dcmi_version(char *dcmi_ver, unsigned int len)
{
    return put_version(dcmi_ver, len, VERSION);
}

int dcmi_get_driver_version(char *driver_ver, unsigned int len)
{
    return put_version(driver_ver, len, npu_sim_host_driver());
}

/* A simulated card has one component, whose version is that of the firmware. */
int dcmi_get_device_component_list(int card_id,
                                   int device_id,
                                   enum dcmi_component_type *component_table,
                                   unsigned int component_count)
{
    uint32_t logical;
    int failed = find(card_id, device_id, component_table, &logical);

    if (failed)
        return failed;
    if (component_count == 0)
        return DCMI_ERR_CODE_INVALID_PARAMETER;
    component_table[0] = DCMI_COMPONENT_TYPE_NVE;
    return DCMI_OK;
}

int dcmi_get_device_component_static_version(int card_id,
                                             int device_id,
                                             enum dcmi_component_type component_type,
                                             unsigned char *version_str,
                                             unsigned int len)
{
    uint32_t logical;
    int failed = find(card_id, device_id, version_str, &logical);

    if (failed)
        return failed;
    if (component_type != DCMI_COMPONENT_TYPE_NVE)
        return DCMI_ERR_CODE_NOT_SUPPORT;
    return put_version((char *)version_str, len, npu_sim_host_firmware());
}

int dcmi_get_device_chip_info(int card_id,
                              int device_id,
                              struct dcmi_chip_info *chip_info)
{
    struct npu_sim_card_state state;
    int failed = state_of(card_id, device_id, chip_info, &state);

    if (failed)
        return failed;
    memset(chip_info, 0, sizeof(*chip_info));
    strcpy((char *)chip_info->chip_type, "Ascend");
    snprintf((char *)chip_info->chip_name, sizeof(chip_info->chip_name), "%s",
             state.soc + strlen("Ascend"));
    strcpy((char *)chip_info->chip_ver, "V1");
    chip_info->aicore_cnt = state.cores;
    return DCMI_OK;
}

/* The real library writes NA for what is not known, and refuses a 310P. */
int dcmi_get_device_elabel_info(int card_id,
                                int device_id,
                                struct dcmi_elabel_info *elabel_info)
{
    struct npu_sim_card_state state;
    int failed = state_of(card_id, device_id, elabel_info, &state);

    if (failed)
        return failed;
    if (strncmp(state.soc, "Ascend310P", strlen("Ascend310P")) == 0)
        return DCMI_ERR_CODE_NOT_SUPPORT;
    memset(elabel_info, 0, sizeof(*elabel_info));
    snprintf(elabel_info->product_name, MAX_LENTH, "npu_sim");
    snprintf(elabel_info->model, MAX_LENTH, "%s", state.soc);
    snprintf(elabel_info->manufacturer, MAX_LENTH, "NA");
    snprintf(elabel_info->manufacturer_date, MAX_LENTH, "NA");
    snprintf(elabel_info->serial_number, MAX_LENTH, "%s",
             *state.serial ? state.serial : "NA");
    return DCMI_OK;
}

int dcmi_get_device_hbm_product_info(int card_id,
                                     int device_id,
                                     struct dcmi_hbm_product_info *info)
{
    struct npu_sim_card_state state;
    int failed = state_of(card_id, device_id, info, &state);

    if (failed)
        return failed;
    memset(info, 0, sizeof(*info));
    info->manufacturer_id = (unsigned short)state.hbm_maker;
    return DCMI_OK;
}

/* Eight cards per PCI domain, with the bus numbers of a common server. */
int dcmi_get_device_pcie_info(int card_id,
                              int device_id,
                              struct dcmi_pcie_info *pcie_info)
{
    static const unsigned int buses[BUS_CARDS] = {0xc1, 0xc2, 0x81, 0x82,
                                                  0x01, 0x02, 0x41, 0x42};
    uint32_t logical, physical;
    int failed = find(card_id, device_id, pcie_info, &logical);

    if (failed)
        return failed;
    physical = physical_of(logical);
    *pcie_info = (struct dcmi_pcie_info){
        .venderid = VENDOR,
        .deviceid = 0xd802,
        .subvenderid = VENDOR,
        .bdf_busid = physical / BUS_CARDS << 8 | buses[physical % BUS_CARDS],
    };
    return DCMI_OK;
}

int dcmi_get_topo_info_by_device_id(int card_id1,
                                    int device_id1,
                                    int card_id2,
                                    int device_id2,
                                    int *topo_type)
{
    uint32_t a, b;
    int failed = find(card_id1, device_id1, topo_type, &a);

    if (!failed)
        failed = find(card_id2, device_id2, topo_type, &b);
    if (failed)
        return failed;
    switch (npu_sim_link_of(npu_sim_card_place(a), npu_sim_card_place(b))) {
    case NPU_SIM_LINK_SELF:
        *topo_type = DCMI_TOPO_TYPE_SELF;
        return DCMI_OK;
    case NPU_SIM_LINK_HCCS:
        *topo_type = DCMI_TOPO_TYPE_HCCS;
        return DCMI_OK;
    case NPU_SIM_LINK_PIX:
        *topo_type = DCMI_TOPO_TYPE_PIX;
        return DCMI_OK;
    case NPU_SIM_LINK_PHB:
        *topo_type = DCMI_TOPO_TYPE_PHB;
        return DCMI_OK;
    case NPU_SIM_LINK_SIO:
        *topo_type = DCMI_TOPO_TYPE_SIO;
        return DCMI_OK;
    case NPU_SIM_LINK_HCCS_SW:
        *topo_type = DCMI_TOPO_TYPE_HCCS_SW;
        return DCMI_OK;
    case NPU_SIM_LINK_SYS:
    case NPU_SIM_LINK_NET:
        break;
    }
    *topo_type = DCMI_TOPO_TYPE_SYS;
    return DCMI_OK;
}

/* The fleet is one super pod; its hosts are the servers. */
int dcmi_get_spod_info(int card_id, int device_id, struct dcmi_spod_info *spod_info)
{
    uint32_t logical;
    int failed = find(card_id, device_id, spod_info, &logical);

    if (failed)
        return failed;
    if (npu_sim_card_dies(logical) < 2)
        return DCMI_ERR_CODE_NOT_SUPPORT;
    memset(spod_info, 0, sizeof(*spod_info));
    spod_info->server_id = npu_sim_host_index();
    spod_info->sdid = spod_info->server_id << 22 | physical_of(logical);
    return DCMI_OK;
}

/* ---- current state ---- */

int dcmi_get_device_health(int card_id, int device_id, unsigned int *health)
{
    struct npu_sim_card_state state;
    int failed = state_of(card_id, device_id, health, &state);

    if (!failed)
        *health = state.health;
    return failed;
}

int dcmi_get_device_hbm_info(int card_id, int device_id, struct dcmi_hbm_info *hbm_info)
{
    struct npu_sim_card_state state;
    int failed = state_of(card_id, device_id, hbm_info, &state);

    if (failed)
        return failed;
    *hbm_info = (struct dcmi_hbm_info){
        .memory_size = state.memory_total / MIB,
        .freq = 1600,
        .memory_usage = state.memory_used / MIB,
        .temp = (int)(state.celsius + 0.5),
    };
    return DCMI_OK;
}

int dcmi_get_device_temperature(int card_id, int device_id, int *temperature)
{
    struct npu_sim_card_state state;
    int failed = state_of(card_id, device_id, temperature, &state);

    if (!failed)
        *temperature = (int)(state.celsius + 0.5);
    return failed;
}

int dcmi_get_device_power_info(int card_id, int device_id, int *power)
{
    struct npu_sim_card_state state;
    int failed = state_of(card_id, device_id, power, &state);

    if (!failed)
        *power = (int)(state.watts * 10 + 0.5);
    return failed;
}

int dcmi_get_device_frequency(int card_id,
                              int device_id,
                              enum dcmi_freq_type input_type,
                              unsigned int *frequency)
{
    struct npu_sim_card_state state;
    int failed = state_of(card_id, device_id, frequency, &state);

    if (failed)
        return failed;
    if (input_type == DCMI_FREQ_AICORE_CURRENT)
        *frequency = state.mhz;
    else if (input_type == DCMI_FREQ_AICORE_MAX)
        *frequency = state.rated_mhz;
    else
        return DCMI_ERR_CODE_NOT_SUPPORT;
    return DCMI_OK;
}

int dcmi_get_device_utilization_rate(int card_id,
                                     int device_id,
                                     int input_type,
                                     unsigned int *utilization_rate)
{
    struct npu_sim_card_state state;
    int failed = state_of(card_id, device_id, utilization_rate, &state);

    if (failed)
        return failed;
    if (input_type == DCMI_UTILIZATION_RATE_AICORE)
        *utilization_rate = state.busy_percent;
    else if (input_type == DCMI_UTILIZATION_RATE_HBM)
        *utilization_rate =
            (unsigned int)(state.memory_used * 100 / state.memory_total);
    else if (input_type == DCMI_UTILIZATION_RATE_DDR ||
             input_type == DCMI_UTILIZATION_RATE_AICPU)
        *utilization_rate = 0;
    else
        return DCMI_ERR_CODE_NOT_SUPPORT;
    return DCMI_OK;
}

int dcmi_get_device_ecc_info(int card_id,
                             int device_id,
                             int input_type,
                             struct dcmi_ecc_info *ecc_info)
{
    struct npu_sim_card_state state;
    int failed = state_of(card_id, device_id, ecc_info, &state);

    (void)input_type; /* all cards have one kind of memory */
    if (failed)
        return failed;
    *ecc_info = (struct dcmi_ecc_info){
        .enable_flag = 1,
        .single_bit_error_cnt = state.ecc_single,
        .double_bit_error_cnt = state.ecc_multi,
        .total_single_bit_error_cnt = state.ecc_single,
        .total_double_bit_error_cnt = state.ecc_multi,
    };
    return DCMI_OK;
}

int dcmi_get_device_resource_info(int card_id,
                                  int device_id,
                                  struct dcmi_proc_mem_info *proc_info,
                                  int *proc_num)
{
    struct npu_sim_process processes[64];
    uint32_t logical;
    int failed = find(card_id, device_id, proc_num, &logical);
    size_t count, room = sizeof(processes) / sizeof(processes[0]);

    if (failed)
        return failed;
    if (!proc_info || *proc_num < 0)
        return DCMI_ERR_CODE_INVALID_PARAMETER;
    if (room > (size_t)*proc_num)
        room = (size_t)*proc_num;
    count = npu_sim_card_processes(logical, processes, room);
    for (size_t i = 0; i < count && i < room; i++)
        proc_info[i] = (struct dcmi_proc_mem_info){(int)processes[i].pid,
                                                   processes[i].memory_bytes};
    *proc_num = (int)(count < room ? count : room);
    return DCMI_OK;
}

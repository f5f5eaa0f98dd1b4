/* dcmi_interface_api.h - the management library: what cards are in the machine and how
 * they are
 *
 * A card is a board or package, a device a chip of it: two of them on A3, else one.
 * Call dcmi_init() first. Device numbers do not follow ASCEND_RT_VISIBLE_DEVICES. */
#ifndef DCMI_INTERFACE_API_H
#define DCMI_INTERFACE_API_H

#ifdef __cplusplus
extern "C" {
#endif

#define DCMI_OK                         0
#define DCMI_ERR_CODE_INVALID_PARAMETER (-8001)
#define DCMI_ERR_CODE_INVALID_DEVICE_ID (-8007)
#define DCMI_ERR_CODE_DEVICE_NOT_EXIST  (-8008)
#define DCMI_ERR_CODE_NOT_REDAY         (-8012) /* dcmi_init() was not called */
#define DCMI_ERR_CODE_NOT_SUPPORT       (-8255)

/* dcmi_get_device_health */
#define DCMI_HEALTH_OK       0
#define DCMI_HEALTH_WARNING  1
#define DCMI_HEALTH_ALARM    2
#define DCMI_HEALTH_CRITICAL 3

/* dcmi_get_device_utilization_rate */
#define DCMI_UTILIZATION_RATE_DDR    1
#define DCMI_UTILIZATION_RATE_AICORE 2
#define DCMI_UTILIZATION_RATE_AICPU  3
#define DCMI_UTILIZATION_RATE_HBM    6

/* dcmi_get_topo_info_by_device_id; from 6 on the simulator's own numbers */
enum dcmi_topo_type {
    DCMI_TOPO_TYPE_SELF = 0,
    DCMI_TOPO_TYPE_SYS = 1,
    DCMI_TOPO_TYPE_PHB = 2,
    DCMI_TOPO_TYPE_HCCS = 3,
    DCMI_TOPO_TYPE_PXB = 4,
    DCMI_TOPO_TYPE_PIX = 5,
    DCMI_TOPO_TYPE_SIO = 6,
    DCMI_TOPO_TYPE_HCCS_SW = 7,
    DCMI_TOPO_TYPE_UB = 8,
};

enum dcmi_freq_type {
    DCMI_FREQ_AICORE_CURRENT = 7,
    DCMI_FREQ_AICORE_MAX = 9,
};

struct dcmi_hbm_info {
    unsigned long long memory_size; /* MiB */
    unsigned int freq;
    unsigned long long memory_usage; /* MiB */
    int temp;
    unsigned int bandwith_util_rate;
};

struct dcmi_hbm_product_info {
    unsigned short manufacturer_id;
    unsigned char reserved[62];
};

struct dcmi_chip_info {
    unsigned char chip_type[32];
    unsigned char chip_name[32];
    unsigned char chip_ver[32];
    unsigned int aicore_cnt;
};

#define MAX_LENTH 256 /* the name is spelled as in the real header */

struct dcmi_elabel_info {
    char product_name[MAX_LENTH];
    char model[MAX_LENTH];
    char manufacturer[MAX_LENTH];
    char manufacturer_date[MAX_LENTH];
    char serial_number[MAX_LENTH];
};

struct dcmi_ecc_info {
    int enable_flag;
    unsigned int single_bit_error_cnt;
    unsigned int double_bit_error_cnt;
    unsigned int total_single_bit_error_cnt;
    unsigned int total_double_bit_error_cnt;
    unsigned int single_bit_isolated_pages_cnt;
    unsigned int double_bit_isolated_pages_cnt;
};

struct dcmi_proc_mem_info {
    int proc_id;
    unsigned long proc_mem_usage; /* bytes */
};

struct dcmi_pcie_info {
    unsigned int deviceid;
    unsigned int venderid;
    unsigned int subvenderid;
    unsigned int subdeviceid;
    unsigned int bdf_deviceid;
    unsigned int bdf_busid;
    unsigned int bdf_funcid;
};

struct dcmi_spod_info {
    unsigned int sdid;
    unsigned int scale_type;
    unsigned int super_pod_id;
    unsigned int server_id;
    unsigned int reserve[8];
};

/* one flash component of a card; the real list is longer */
enum dcmi_component_type { DCMI_COMPONENT_TYPE_NVE };

int dcmi_init(void);
int dcmi_get_dcmi_version(char *dcmi_ver, unsigned int len);
int dcmi_get_driver_version(char *driver_ver, unsigned int len);
int dcmi_get_device_component_list(int card_id,
                                   int device_id,
                                   enum dcmi_component_type *component_table,
                                   unsigned int component_count);
int dcmi_get_device_component_static_version(int card_id,
                                             int device_id,
                                             enum dcmi_component_type component_type,
                                             unsigned char *version_str,
                                             unsigned int len);
int dcmi_get_card_list(int *card_num, int *card_list, int list_len);
int dcmi_get_card_num_list(int *card_num, int *card_list, int list_len);
int dcmi_get_device_num_in_card(int card_id, int *device_num);
int dcmi_get_device_logic_id(int *device_logic_id, int card_id, int device_id);
int dcmi_get_device_phyid_from_logicid(unsigned int logicid, unsigned int *phyid);
int dcmi_get_device_logicid_from_phyid(unsigned int phyid, unsigned int *logicid);
int dcmi_get_card_id_device_id_from_logicid(int *card_id,
                                            int *device_id,
                                            unsigned int device_logic_id);
int dcmi_get_card_id_device_id_from_phyid(int *card_id,
                                          int *device_id,
                                          unsigned int device_phy_id);
int dcmi_get_device_health(int card_id, int device_id, unsigned int *health);
int dcmi_get_device_chip_info(int card_id,
                              int device_id,
                              struct dcmi_chip_info *chip_info);
int dcmi_get_device_elabel_info(int card_id,
                                int device_id,
                                struct dcmi_elabel_info *elabel_info);
int dcmi_get_device_hbm_info(int card_id,
                             int device_id,
                             struct dcmi_hbm_info *hbm_info);
int dcmi_get_device_hbm_product_info(int card_id,
                                     int device_id,
                                     struct dcmi_hbm_product_info *info);
int dcmi_get_device_temperature(int card_id, int device_id, int *temperature);
int dcmi_get_device_power_info(int card_id, int device_id, int *power); /* 0.1 W */
int dcmi_get_device_frequency(int card_id,
                              int device_id,
                              enum dcmi_freq_type input_type,
                              unsigned int *frequency);
int dcmi_get_device_utilization_rate(int card_id,
                                     int device_id,
                                     int input_type,
                                     unsigned int *utilization_rate);
int dcmi_get_device_ecc_info(int card_id,
                             int device_id,
                             int input_type,
                             struct dcmi_ecc_info *ecc_info);
int dcmi_get_device_pcie_info(int card_id,
                              int device_id,
                              struct dcmi_pcie_info *pcie_info);
int dcmi_get_topo_info_by_device_id(int card_id1,
                                    int device_id1,
                                    int card_id2,
                                    int device_id2,
                                    int *topo_type);
/* *proc_num: the room, then how many were filled; at most 64. */
int dcmi_get_device_resource_info(int card_id,
                                  int device_id,
                                  struct dcmi_proc_mem_info *proc_info,
                                  int *proc_num);
int dcmi_get_spod_info(int card_id, int device_id, struct dcmi_spod_info *spod_info);
int dcmiv2_get_all_device_count(int *all_device_count);
int dcmiv2_get_device_list(int *device_list, int *device_count, int list_len);

#ifdef __cplusplus
}
#endif

#endif

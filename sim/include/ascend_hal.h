/* ascend_hal.h - the driver: what cards there are, and their profiling channels
 *
 * Device numbers here are logical ones: not what ASCEND_RT_VISIBLE_DEVICES made of
 * them. */
#ifndef ASCEND_HAL_H
#define ASCEND_HAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tagDrvError {
    DRV_ERROR_NONE = 0,
    DRV_ERROR_NO_DEVICE = 1,
    DRV_ERROR_INVALID_DEVICE = 2,
    DRV_ERROR_INVALID_VALUE = 3,
    DRV_ERROR_NOT_SUPPORT = 0xfffe,
} drvError_t;

typedef enum {
    MODULE_TYPE_SYSTEM = 0,
    MODULE_TYPE_AICPU = 1,
    MODULE_TYPE_CCPU = 2,
    MODULE_TYPE_DCPU = 3,
    MODULE_TYPE_AICORE = 4,
    MODULE_TYPE_TSCPU = 5,
    MODULE_TYPE_PCIE = 6,
    MODULE_TYPE_VECTOR_CORE = 7,
    MODULE_TYPE_HOST_AICPU = 8,
    MODULE_TYPE_QOS = 9,
    MODULE_TYPE_MEMORY = 10,
} DEV_MODULE_TYPE;

typedef enum {
    INFO_TYPE_ENV = 0,
    INFO_TYPE_VERSION = 1,
    INFO_TYPE_MASTERID = 2,
    INFO_TYPE_CORE_NUM = 3,
    INFO_TYPE_FREQUE = 4,
    INFO_TYPE_OS_SCHED = 5,
    INFO_TYPE_IN_USED = 6,
    INFO_TYPE_ID = 9,
    INFO_TYPE_SYS_COUNT = 13,
    INFO_TYPE_MONOTONIC_RAW = 14,
    INFO_TYPE_PHY_CHIP_ID = 18,
    INFO_TYPE_PHY_DIE_ID = 19,
    INFO_TYPE_HOST_OSC_FREQUE = 24,
    INFO_TYPE_DEV_OSC_FREQUE = 25,
    INFO_TYPE_CURRENT_FREQ = 32,
} DEV_INFO_TYPE;

typedef enum { DRV_STATUS_INITING = 0, DRV_STATUS_WORK = 1 } drvStatus_t;

typedef struct hal_chip_info {
    unsigned char type[32];
    unsigned char name[32];
    unsigned char version[32];
} halChipInfo;

drvError_t drvGetDevNum(uint32_t *num_dev);
drvError_t drvGetDevIDs(uint32_t *devices, uint32_t len);
drvError_t drvDeviceGetPhyIdByIndex(uint32_t devIndex, uint32_t *phyId);
drvError_t drvDeviceGetIndexByPhyId(uint32_t phyId, uint32_t *devIndex);
drvError_t drvDeviceStatus(uint32_t devId, drvStatus_t *status);
drvError_t drvGetPlatformInfo(uint32_t *info);
drvError_t
halGetDeviceInfo(uint32_t devId, int32_t moduleType, int32_t infoType, int64_t *value);
drvError_t halGetDeviceInfoByBuff(uint32_t devId,
                                  int32_t moduleType,
                                  int32_t infoType,
                                  void *buf,
                                  int32_t *size);
drvError_t halGetAPIVersion(int *halAPIVersion);
drvError_t halGetChipInfo(unsigned int devId, halChipInfo *chipInfo);
drvError_t halGetHostID(uint32_t *hostId);
drvError_t halGetSocVersion(uint32_t devId, char *socVersion, uint32_t len);

#define PROF_OK                   0
#define PROF_ERROR                (-1)
#define PROF_TIMEOUT              (-2)
#define PROF_STARTED_ALREADY      (-3)
#define PROF_STOPPED_ALREADY      (-4)
#define PROF_ERESTARTSYS          (-5)
#define PROF_NOT_READABLE         (-6)
#define PROF_NOT_SUPPORT          (-7)
#define PROF_BUSY                 (-8)
#define PROF_NOT_ENOUGH_BUF       (-9)
#define PROF_DATA_LOST            0x916 /* prof_stop: records were dropped */
#define PROF_USER_DATA_MAX        128
#define PROF_CHANNEL_NUM_MAX      160
#define PROF_CHANNEL_NAME_LEN     32
#define CHANNEL_CORE_FIRST        11 /* 950: cube, vector 0, vector 1 of each of six cores */
#define CHANNEL_CORE_LAST         28
#define CHANNEL_AICORE            43
#define CHANNEL_HWTS_LOG          45
#define CHANNEL_TSFW_L2           47
#define CHANNEL_STARS_SOC_LOG     50
#define CHANNEL_FFTS_PROFILE_TASK 53
#define CHANNEL_AICPU             143

typedef enum prof_channel_type { PROF_TS_TYPE, PROF_PERIPHERAL_TYPE } PROF_CHANNEL_TYPE;

typedef struct prof_start_para {
    PROF_CHANNEL_TYPE channel_type;
    unsigned int sample_period;
    unsigned int real_time;
    void *user_data;
    unsigned int user_data_size;
} prof_start_para_t;

typedef struct prof_poll_info {
    unsigned int device_id;
    unsigned int channel_id;
} prof_poll_info_t;

typedef struct channel_info {
    char channel_name[PROF_CHANNEL_NAME_LEN];
    unsigned int channel_type;
    unsigned int channel_id;
} channel_info_t;

typedef struct channel_list {
    unsigned int chip_type;
    unsigned int channel_num;
    channel_info_t channel[PROF_CHANNEL_NUM_MAX];
} channel_list_t;

/* the settings with which channel 53 is started on A2 and A3 */
typedef struct prof_ffts_core_config {
    uint32_t type; /* bit 0 task, 1 sample, 2 block, 3 sub-task */
    uint32_t period;
    uint32_t core_mask;
    uint32_t event_num;
    uint16_t event[8];
} prof_ffts_core_config_t;

typedef struct prof_ffts_config {
    uint32_t cfg_mode; /* 1 aic, 2 aiv, 3 both */
    prof_ffts_core_config_t core[2];
    uint16_t tag;
    uint16_t aic_scale;
} prof_ffts_config_t;

/* bits of prof_ffts_core_config.type */
#define PROF_FFTS_TASK     1u
#define PROF_FFTS_SAMPLE   2u
#define PROF_FFTS_BLOCK    4u
#define PROF_FFTS_SUB_TASK 8u

/* channel 53 on the 950 */
typedef struct prof_ffts_core_config_a5 {
    uint32_t type;
    uint32_t period;
    uint32_t core_mask;
    uint32_t event_num;
    uint16_t event[10];
} prof_ffts_core_config_a5_t;

typedef struct prof_ffts_config_a5 {
    uint32_t cfg_mode;
    prof_ffts_core_config_a5_t core[2];
    uint32_t tag;
    uint32_t block_shrink; /* 1 = on, 2 = off */
    uint32_t aic_scale;
} prof_ffts_config_a5_t;

/* channel 43 */
typedef struct prof_aicore_config {
    uint32_t type;
    uint32_t almost_full_threshold;
    uint32_t period;
    uint32_t core_mask;
    uint32_t event_num;
    uint32_t event[8];
    uint32_t tag;
} prof_aicore_config_t;

/* channels 11 to 28 of the 950; newer drivers read one byte more */
typedef struct prof_core_config {
    uint32_t period; /* cycles between two samples */
    uint32_t mode;   /* 0: instructions, 1: samples of the program counter */
    uint32_t group_type;
    uint32_t group_no;
} prof_core_config_t;

/* channel 47 */
typedef struct prof_l2_config {
    uint32_t event_num;
    uint32_t event[8];
} prof_l2_config_t;

/* channel 50; 1 = on, 2 = off */
typedef struct prof_stars_log_config {
    uint32_t acsq_task;
    uint32_t acc_pmu;
    uint32_t cdqm_reg;
    uint32_t dvpp_vpc;
    uint32_t dvpp_jpegd;
    uint32_t dvpp_jpege;
    uint32_t ffts_context_task;
    uint32_t ffts_block;
    uint32_t sdma_dmu;
} prof_stars_log_config_t;

int prof_drv_get_channels(unsigned int device_id, channel_list_t *channels);
int prof_drv_start(unsigned int device_id,
                   unsigned int channel_id,
                   struct prof_start_para *start_para);
int prof_channel_poll(struct prof_poll_info *out_buf, int num, int timeout);
int prof_channel_read(unsigned int device_id,
                      unsigned int channel_id,
                      char *out_buf,
                      unsigned int buf_size);
int prof_stop(unsigned int device_id, unsigned int channel_id);
int halProfDataFlush(unsigned int device_id,
                     unsigned int channel_id,
                     unsigned int *data_len);
int halProfQueryAvailBufLen(unsigned int device_id,
                            unsigned int channel_id,
                            unsigned int *buff_avail_len);

#ifdef __cplusplus
}
#endif

#endif

/* acl_prof.h - switching on what reports about the program in the program
 *
 * Start and stop reach everything that registered itself with the profiling library;
 * no files are written here. */
#ifndef ACL_PROF_H
#define ACL_PROF_H

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_PROF_ACL_API        0x0001ULL
#define ACL_PROF_TASK_TIME      0x0002ULL
#define ACL_PROF_AICORE_METRICS 0x0004ULL
#define ACL_PROF_AICPU          0x0008ULL
#define ACL_PROF_L2CACHE        0x0010ULL
#define ACL_PROF_HCCL_TRACE     0x0020ULL
#define ACL_PROF_TRAINING_TRACE 0x0040ULL
#define ACL_PROF_MSPROFTX       0x0080ULL
#define ACL_PROF_RUNTIME_API    0x0100ULL
#define ACL_PROF_TASK_TIME_L0   0x0800ULL
#define ACL_PROF_TASK_MEMORY    0x1000ULL
#define ACL_PROF_TASK_TIME_L2   0x2000ULL
#define ACL_PROF_OP_ATTR        0x4000ULL

#define ACL_PROF_MAX_DEVICES 64

typedef enum aclprofAicoreMetrics {
    ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
    ACL_AICORE_PIPE_UTILIZATION = 1,
    ACL_AICORE_MEMORY_BANDWIDTH = 2,
    ACL_AICORE_L0B_AND_WIDTH = 3,
    ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
    ACL_AICORE_MEMORY_UB = 5,
    ACL_AICORE_L2_CACHE = 6,
    ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
    ACL_AICORE_MEMORY_ACCESS = 8,
    ACL_AICORE_NONE = 0xFF,
} aclprofAicoreMetrics;

typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofAicoreEvents aclprofAicoreEvents; /* NULL in practice */

aclError aclprofInit(const char *profilerResultPath, size_t length);
aclError aclprofFinalize(void);
aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList,
                                   uint32_t deviceNums,
                                   aclprofAicoreMetrics aicoreMetrics,
                                   const aclprofAicoreEvents *aicoreEvents,
                                   uint64_t dataTypeConfig);
aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig);
aclError aclprofStart(const aclprofConfig *profilerConfig);
aclError aclprofStop(const aclprofConfig *profilerConfig);

#ifdef __cplusplus
}
#endif

#endif

/* acl_base.h - types, handles and error codes that all of acl shares */
#ifndef ACL_BASE_H
#define ACL_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "error_codes/rt_error_codes.h"

typedef int aclError;
typedef uint16_t aclFloat16;

typedef void *aclrtStream;
typedef void *aclrtEvent;
typedef void *aclrtContext;
typedef void *aclrtNotify;
typedef void *aclrtCntNotify;
typedef void *aclrtBinary;
typedef void *aclrtBinHandle;
typedef void *aclrtFuncHandle;
typedef void *aclrtArgsHandle;
typedef void *aclrtParamHandle;
typedef void *aclrtDrvMemHandle;
typedef void *aclmdlRI;
typedef void *aclmdlRITask;
typedef void *aclrtTaskGrp;
typedef struct aclDataBuffer aclDataBuffer;

#define ACL_ERROR_NONE                     0
#define ACL_SUCCESS                        0
#define ACL_ERROR_INVALID_PARAM            100000
#define ACL_ERROR_UNINITIALIZE             100001
#define ACL_ERROR_REPEAT_INITIALIZE        100002
#define ACL_ERROR_INVALID_FILE             100003
#define ACL_ERROR_WRITE_FILE               100004
#define ACL_ERROR_INVALID_FILE_SIZE        100005
#define ACL_ERROR_PARSE_FILE               100006
#define ACL_ERROR_FILE_MISSING_ATTR        100007
#define ACL_ERROR_FILE_ATTR_INVALID        100008
#define ACL_ERROR_INVALID_DUMP_CONFIG      100009
#define ACL_ERROR_INVALID_PROFILING_CONFIG 100010
#define ACL_ERROR_INVALID_QUEUE_ID         100032
#define ACL_ERROR_REPEAT_SUBSCRIBE         100033
#define ACL_ERROR_STREAM_NOT_SUBSCRIBE     100034
#define ACL_ERROR_THREAD_NOT_SUBSCRIBE     100035
#define ACL_ERROR_WAIT_CALLBACK_TIMEOUT    100036
#define ACL_ERROR_REPEAT_FINALIZE          100037
#define ACL_ERROR_COMPILING_STUB_MODE      100039
#define ACL_ERROR_PROF_ALREADY_RUN         100042
#define ACL_ERROR_PROF_NOT_RUN             100043
#define ACL_ERROR_PROF_REPEAT_SUBSCRIBE    148046
#define ACL_ERROR_PROF_API_CONFLICT        148047
#define ACL_ERROR_BAD_ALLOC                200000
#define ACL_ERROR_API_NOT_SUPPORT          200001
#define ACL_ERROR_INVALID_DEVICE           200002
#define ACL_ERROR_MEMORY_ADDRESS_UNALIGNED 200003
#define ACL_ERROR_RESOURCE_NOT_MATCH       200004
#define ACL_ERROR_INVALID_RESOURCE_HANDLE  200005
#define ACL_ERROR_FEATURE_UNSUPPORTED      200006
#define ACL_ERROR_PROF_MODULES_UNSUPPORTED 200007
#define ACL_ERROR_STORAGE_OVER_LIMIT       300000
#define ACL_ERROR_INTERNAL_ERROR           500000
#define ACL_ERROR_FAILURE                  500001
#define ACL_ERROR_GE_FAILURE               500002
#define ACL_ERROR_RT_FAILURE               500003
#define ACL_ERROR_DRV_FAILURE              500004
#define ACL_ERROR_PROFILING_FAILURE        500005

typedef enum aclDataType {
    ACL_DT_UNDEFINED = -1,
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT16 = 6,
    ACL_UINT16 = 7,
    ACL_UINT32 = 8,
    ACL_INT64 = 9,
    ACL_UINT64 = 10,
    ACL_DOUBLE = 11,
    ACL_BOOL = 12,
    ACL_STRING = 13,
    ACL_COMPLEX64 = 16,
    ACL_COMPLEX128 = 17,
    ACL_BF16 = 27,
    ACL_INT4 = 29,
    ACL_UINT1 = 30,
    ACL_COMPLEX32 = 33,
    ACL_HIFLOAT8 = 34,
    ACL_FLOAT8_E5M2 = 35,
    ACL_FLOAT8_E4M3FN = 36,
    ACL_FLOAT8_E8M0 = 37,
    ACL_FLOAT6_E3M2 = 38,
    ACL_FLOAT6_E2M3 = 39,
    ACL_FLOAT4_E2M1 = 40,
    ACL_FLOAT4_E1M2 = 41,
} aclDataType;

typedef enum aclFormat {
    ACL_FORMAT_UNDEFINED = -1,
    ACL_FORMAT_NCHW = 0,
    ACL_FORMAT_NHWC = 1,
    ACL_FORMAT_ND = 2,
    ACL_FORMAT_NC1HWC0 = 3,
    ACL_FORMAT_FRACTAL_Z = 4,
    ACL_FORMAT_NC1HWC0_C04 = 12,
    ACL_FORMAT_HWCN = 16,
    ACL_FORMAT_NDHWC = 27,
    ACL_FORMAT_FRACTAL_NZ = 29,
    ACL_FORMAT_NCDHW = 30,
    ACL_FORMAT_NDC1HWC0 = 32,
    ACL_FORMAT_FRACTAL_Z_3D = 33,
    ACL_FORMAT_NC = 35,
    ACL_FORMAT_NCL = 47,
    ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
    ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
    ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
    ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
    ACL_FORMAT_FRACTAL_NZ_C0_8 = 54,
} aclFormat;

typedef enum aclMemType {
    ACL_MEMTYPE_DEVICE = 0,
    ACL_MEMTYPE_HOST = 1,
    ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2,
} aclMemType;

#endif

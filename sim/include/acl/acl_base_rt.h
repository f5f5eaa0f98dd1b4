/* acl_base_rt.h - handles and error codes of the runtime */
#ifndef ACL_BASE_RT_H
#define ACL_BASE_RT_H

#include <stddef.h>
#include <stdint.h>

#include "error_codes/ge_error_codes.h"
#include "error_codes/rt_error_codes.h"

typedef int aclError;

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

#endif

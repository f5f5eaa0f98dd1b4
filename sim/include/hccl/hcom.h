/* hcom.h - communicators by the names of their groups */
#ifndef HCOM_H
#define HCOM_H

#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the current device: threads with other cards have other handles of the group. */
HcclResult HcomGetCommHandleByGroup(const char *group, HcclComm *commHandle);

#ifdef __cplusplus
}
#endif

#endif

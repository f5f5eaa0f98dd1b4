/* hccl_launch.h - included by hccl_comm.h as the vendor's is; nothing of it is here */
#ifndef HCCL_LAUNCH_H
#define HCCL_LAUNCH_H

#include "hccl_types.h"

#endif

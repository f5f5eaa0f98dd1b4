/* acl_base.h - types, handles and error codes that all of acl shares */
#ifndef ACL_BASE_H
#define ACL_BASE_H

#include "acl_base_mdl.h"
#include "acl_base_rt.h"

#endif

/* acl_mdl.h - types of models from files
 *
 * They need the vendor's graph engine: only the types are here. Models that are
 * captured from a stream stand in acl_rt.h. */
#ifndef ACL_MDL_H
#define ACL_MDL_H

#include "acl_base.h"

typedef struct aclmdlDesc aclmdlDesc;
typedef struct aclmdlDataset aclmdlDataset;
typedef struct aclmdlAIPP aclmdlAIPP;
typedef struct aclmdlConfigHandle aclmdlConfigHandle;

#endif

/* acl_dump.h - pieces of a dump, as a program would be given them; none are made here
 */
#ifndef ACL_DUMP_H
#define ACL_DUMP_H

#include "acl_base.h"

#define ACL_DUMP_MAX_FILE_PATH_LENGTH 4096

typedef struct acldumpChunk {
    char fileName[ACL_DUMP_MAX_FILE_PATH_LENGTH];
    uint32_t bufLen;
    uint32_t isLastChunk;
    int64_t offset;
    int32_t flag;
    uint8_t dataBuf[1]; /* bufLen bytes */
} acldumpChunk;

#endif

/* adump.cpp - the dump queries of generated launch code, with C++ names
 *
 * Dumps cannot be enabled, and printed text of kernels is not collected: workspaces
 * contain neither text nor time stamps. Time stamps go to the profiling library. */
#include <cstddef>
#include <cstdint>
#include <toolchain/prof_api.h>
#include <vector>

namespace Adx
{

enum class DumpType : int32_t {
    OPERATOR = 0x01,
    EXCEPTION = 0x02,
    ARGS_EXCEPTION = 0x03,
    OP_OVERFLOW = 0x04,
};

bool AdumpIsDumpEnable(const DumpType dumpType);
bool AdumpIsDumpEnable(const DumpType dumpType, uint64_t &dumpSwitch);
void AdumpPrintWorkSpace(const void *workSpaceAddr,
                         const size_t dumpWorkSpaceSize,
                         void *stream,
                         const char *opType);
void AdumpPrintWorkSpace(const void *workSpaceAddr,
                         const size_t dumpWorkSpaceSize,
                         void *stream,
                         const char *opType,
                         bool enableSync);
void AdumpPrintAndGetTimeStampInfo(const void *workSpaceAddr,
                                   const size_t dumpWorkSpaceSize,
                                   void *stream,
                                   const char *opType,
                                   std::vector<MsprofAicTimeStampInfo> &timeStampInfo);

bool AdumpIsDumpEnable(const DumpType)
{
    return false;
}

bool AdumpIsDumpEnable(const DumpType, uint64_t &dumpSwitch)
{
    dumpSwitch = 0;
    return false;
}

void AdumpPrintWorkSpace(const void *, const size_t, void *, const char *)
{
}

void AdumpPrintWorkSpace(const void *, const size_t, void *, const char *, bool)
{
}

void AdumpPrintAndGetTimeStampInfo(const void *,
                                   const size_t,
                                   void *,
                                   const char *,
                                   std::vector<MsprofAicTimeStampInfo> &timeStampInfo)
{
    timeStampInfo.clear();
}

} // namespace Adx

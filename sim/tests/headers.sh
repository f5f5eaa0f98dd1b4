#!/usr/bin/env bash
# headers.sh - each header compiles alone as C and C++, with the layouts of the ABI
set -euo pipefail
cd sim/include
while read -r header; do
    "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I. -fsyntax-only -x c "$header"
    "${CXX:-c++}" -std=c++14 -Wall -Wextra -Werror -I. -fsyntax-only -x c++ "$header"
done < <(find . -name '*.h')
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I. -fsyntax-only -x c ../tests/layout.h
"${CXX:-c++}" -std=c++14 -Wall -Wextra -Werror -I. -fsyntax-only -x c++ ../tests/layout.h
# the short names in C++ call the long functions
"${CXX:-c++}" -std=c++14 -Wall -Wextra -Werror -I. -fsyntax-only -x c++ - <<'CXX'
#include <acl/acl_rt_api.h>
aclError use(aclrtStream stream, aclrtEvent event)
{
    float *memory = nullptr;
    return aclrtMalloc(&memory, 64) + aclrtCreateEvent(&event, ACL_EVENT_SYNC) + aclrtSynchronizeStream(stream, 10) +
           aclrtMemAllocManaged(&memory, 64) + aclrtSynchronizeStream(stream);
}
CXX

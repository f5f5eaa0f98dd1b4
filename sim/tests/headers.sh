#!/usr/bin/env bash
# headers.sh - each header compiles alone as C and C++, with the layouts of the ABI
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd sim/include
while read -r header; do
    "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I. -fsyntax-only -x c "$header"
    "${CXX:-c++}" -std=c++14 -Wall -Wextra -Werror -I. -fsyntax-only -x c++ "$header"
done < <(find . -name '*.h')
# programs include many headers of operators at once
find aclnnop -name '*.h' -printf '#include <%p>\n' | sort >"$work/all.cpp"
for standard in c++14 c++17; do
    "${CXX:-c++}" -std=$standard -Wall -Wextra -Werror -I. -fsyntax-only "$work/all.cpp"
done
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
# the 16-bit floats of host code have the right bits
"${CXX:-c++}" -std=c++17 -Wall -Wextra -Werror -I. -o "$work/fp16" ../tests/fp16.cpp
"$work/fp16"

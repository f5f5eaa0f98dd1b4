#!/usr/bin/env bash
# headers.sh - the headers compile as C and as C++, each alone, with the layouts of the ABI
set -euo pipefail
cd sim/include
for header in $(find . -name '*.h'); do
    "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I. -fsyntax-only -x c "$header"
    "${CXX:-c++}" -std=c++14 -Wall -Wextra -Werror -I. -fsyntax-only -x c++ "$header"
done
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I. -fsyntax-only -x c ../tests/layout.h
"${CXX:-c++}" -std=c++14 -Wall -Wextra -Werror -I. -fsyntax-only -x c++ ../tests/layout.h

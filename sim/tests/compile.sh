#!/usr/bin/env bash
# compile.sh - the samples compile as C and C++ with the vendor's link line and give equal results
set -euo pipefail
home="$MUSTER_BUILD/lib/muster/sim"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
complain() {
    echo "$1" >&2
    bad=1
}
unset LD_LIBRARY_PATH NPU_SIM_FAULTS ASCEND_RT_VISIBLE_DEVICES
export NPU_SIM_CARDS=4
link=(-L"$home/lib64" -lascendcl -lnnopbase -lopapi -lop_common -lpthread -lhccl -lm "-Wl,-rpath,$home/lib64")

mkdir -p "$folder/c/bin" "$folder/cxx/bin"
ln -s "$home/kernels" "$folder/c/kernels"
ln -s "$home/kernels" "$folder/cxx/kernels"
for source in matrix program ranks; do
    "${CC:-cc}" -x c -std=gnu11 -Wall -Wextra -Werror -I"$home/include" -c -o "$folder/c/$source.o" "sim/ops/$source.c"
    "${CXX:-c++}" -x c++ -std=gnu++14 -Wall -Wextra -Werror -I"$home/include" -c -o "$folder/cxx/$source.o" "sim/ops/$source.c"
done
mapfile -t sources < <(grep -l 'return ranks_main(' sim/ops/*.c)
[ ${#sources[@]} -gt 0 ] || complain 'no sample program calls ranks_main()'
for source in "${sources[@]}"; do
    name=$(basename "$source" .c)
    "${CC:-cc}" -x c -std=gnu11 -Wall -Wextra -Werror -I"$home/include" -o "$folder/c/bin/$name" "$source" \
        -x none "$folder"/c/*.o "${link[@]}" || complain "$name as C"
    "${CXX:-c++}" -x c++ -std=gnu++14 -Wall -Wextra -Werror -I"$home/include" -o "$folder/cxx/bin/$name" "$source" \
        -x none "$folder"/cxx/*.o "${link[@]}" || complain "$name as C++"
    for standard in gnu++14 gnu++17; do
        "${CXX:-c++}" -x c++ -std=$standard -Wall -Wextra -Werror -I"$home/include" -fsyntax-only "$source" ||
            complain "$name as $standard"
    done
    soc=Ascend910B2
    case $name in # an A2 does not have their operators
    attention_ffn | expert_products | sharded_experts) soc=Ascend910_9391 ;;
    quant_reduce) soc=Ascend950PR_9589 ;;
    esac
    export NPU_SIM_SOC=$soc
    c=$("$folder/c/bin/$name" --threads 4) || complain "$name as C: exit $?"
    cxx=$("$folder/cxx/bin/$name" --ranks 4) || complain "$name as C++: exit $?"
    [ "$c" = "$cxx" ] && [ "$c" = "$("$home/bin/$name" --threads 4)" ] || complain "$name: as C $c, as C++ $cxx"
done
exit $bad

#!/usr/bin/env bash
# abi.sh - the libraries export exactly the listed symbols, and call each other as in the real release
set -euo pipefail
home="$MUSTER_BUILD/lib/muster/sim"
list=sim/tests/symbols.txt
bad=0
complain() {
    echo "$1" >&2
    bad=1
}
exported() { nm -D --defined-only "$1" | awk '{print $3}' | LC_ALL=C sort -u; }

# "acl" in the list stands for three libraries: aclX in two, aclXImpl in the third
wanted() {
    awk -v n="$1" '/^#/ || $1 == "-" {next}
        $1 == n || ($1 == "acl" && (n == "ascendcl" || n == "acl_rt")) {print $3}
        $1 == "acl" && n == "runtime" {print $3 "Impl"}' $list | LC_ALL=C sort -u
}
compare() { # NAME FILE: both ways
    local missing more
    missing=$(LC_ALL=C comm -13 <(exported "$2") <(wanted "$1") | tr '\n' ' ')
    more=$(LC_ALL=C comm -23 <(exported "$2") <(wanted "$1") | tr '\n' ' ')
    [ -z "$missing" ] || complain "$2 lacks: $missing"
    [ -z "$more" ] || complain "$2 exports symbols that $list does not list: $more"
    readelf -d "$2" | grep -q "SONAME.*\[$(basename "$2")\]" || complain "$2 has another soname"
}

for file in "$home"/lib64/lib*.so; do
    name=$(basename "$file" .so)
    compare "${name#lib}" "$file"
    other=$home/lib64-hidden/$name.so
    [ -e "$other" ] || complain "$other is missing"
    [ "$name" = libruntime ] || [ "$file" -ef "$other" ] || complain "$other is not a link to $file"
done
compare runtime "$home/lib64-hidden/libruntime.so"
while read -r name; do
    [ -e "$home/lib64/lib$name.so" ] || complain "$list lists a missing library: $name"
done < <(awk '!/^#/ && $1 != "acl" && $1 != "-" {print $1}' "$list" | sort -u)

# of the two builds of the runtime, only the usual one allows hooks on its inner calls
readelf -d "$home/lib64-hidden/libruntime.so" | grep -qE 'SYMBOLIC' || complain "the hidden runtime is not bound to itself"
! readelf -d "$home/lib64/libruntime.so" | grep -qE 'SYMBOLIC' || complain "the usual runtime is bound to itself"
# each function of the public library only calls its inner function through the linkage table
undefined=$(nm -D --undefined-only "$home/lib64/libascendcl.so" | awk '{print $2}')
for symbol in $(exported "$home/lib64/libascendcl.so"); do
    grep -qx "${symbol}Impl" <<<"$undefined" || complain "$symbol does not call ${symbol}Impl"
done
exit $bad

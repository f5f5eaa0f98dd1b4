#!/usr/bin/env bash
# package.sh - the content of the Debian packages: what is in which of them, with which
# owner and rights. `make package-test` installs them in a bare Debian
. "$(dirname "$0")/fleet.sh"
cd "$work"
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || {
    echo 'SKIPPED: dpkg-dev is not installed; to run it: use Debian'
    exit 77
}
MUSTER_PACKAGE_COMPRESSION=none "$root/deploy/package.sh" "$B" packages >build.txt 2>&1 || fail "package.sh: $(cat build.txt)"
version=$(muster version | sed -n 's/^muster //p')
arch=$(dpkg --print-architecture)
packages='muster muster-simulator muster-dbgsym muster-simulator-dbgsym'
[ "$(find packages -type f | wc -l)" -eq 4 ] || fail "packages: $(find packages)"
for package in $packages; do
    deb=packages/${package}_$version-1_$arch.deb
    [ -f "$deb" ] || fail "$package is missing: $(ls packages)"
    dpkg-deb -c "$deb" | awk '{ print $1, $2, $6 }' >"$package.list"
    dpkg-deb -x "$deb" "$package.tree"
    dpkg-deb -e "$deb" "$package.control"
    (cd "$package.tree" && md5sum --quiet -c "../$package.control/md5sums") || fail "$package: wrong checksums"
    [ -z "$(find "$package.control" -type f ! -name control ! -name md5sums)" ] || fail "$package has scripts: $(find "$package.control")"
    if grep -vE '^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x|lrwxrwxrwx) root/root \./(usr/|$)' "$package.list"; then fail "$package: wrong owner, rights or place"; fi
    [ -s "$package.tree/usr/share/doc/$package/copyright" ] || fail "$package has no copyright"
    [ -s "$package.tree/usr/share/doc/$package/changelog.Debian.gz" ] || fail "$package has no changelog"
done
field() { dpkg-deb -f "packages/$1_$version-1_$arch.deb" "$2"; }

say 'each program, its manual page, its completion'
for program in muster muster-coordinator muster-worker muster-parser muster-serve; do
    [ -x "muster.tree/usr/bin/$program" ] || fail "$program is missing"
    gzip -t "muster.tree/usr/share/man/man1/$program.1.gz" || fail "$program has no manual page"
done
for command in $(muster help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    [ -f "muster.tree/usr/share/man/man1/muster-$command.1.gz" ] || fail "muster-$command.1.gz is missing"
done
while read -r path; do
    [ -s "muster.tree/usr/$path" ] || fail "muster lacks $path"
done <<LIST
lib/muster/libmuster_inject.so
lib/muster/muster-runner
lib/muster/muster-probe
include/muster/operator.h
share/man/man5/muster-job.5.gz
lib/systemd/system/muster-coordinator.service
lib/systemd/system/muster-worker@.service
lib/systemd/system/muster-nightly@.timer
share/bash-completion/completions/muster
share/bash-completion/completions/muster-worker
share/zsh/vendor-completions/_muster
share/fish/vendor_completions.d/muster.fish
share/muster/job.schema.json
share/muster/examples/quickstart.yaml
share/muster/examples/matmul-allreduce.yaml
share/muster/fleets/example.yaml
share/muster/kubernetes/coordinator.yaml
share/muster/kubernetes/metrics.yaml
share/doc/muster/README.md
share/doc/muster/docs/quickstart.md
share/doc/muster/docs/admin/install.md
share/doc/muster/changelog.gz
LIST
grep -q "ExecStart=/usr/bin/muster-coordinator " muster.tree/usr/lib/systemd/system/muster-coordinator.service || fail 'the unit has another program'
[ "$(grep -c "image: muster:$version$" muster.tree/usr/share/muster/kubernetes/coordinator.yaml)" -eq 2 ] || fail 'the manifest has another version'
for path in lib64/libascendcl.so lib64/libruntime.so bin/add_custom kernels/add_custom.o include; do
    [ -e "muster-simulator.tree/usr/lib/muster/sim/$path" ] || fail "muster-simulator lacks $path"
done

say 'no file is in two packages; symbols are in their own'
for package in $packages; do (cd "$package.tree" && find . -type f -o -type l); done | sort | uniq -d | grep . && fail 'files in two packages'
for package in muster muster-simulator; do
    (cd $package.tree && find usr -type f -size +3 ! -path '*/kernels/*' ! -path '*/share/*') | while read -r file; do
        [ "$(head -c 4 "$package.tree/$file" | tail -c 3)" = ELF ] || continue
        if readelf -SW "$package.tree/$file" | grep -q '\.debug_info'; then fail "$file has debug symbols"; fi
        id=$(readelf -n "$package.tree/$file" | sed -n 's/.*Build ID: //p')
        [ -s "$package-dbgsym.tree/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ] || fail "$file: no symbols"
    done
done

say 'the libraries that the packages need'
for library in libzmq5 libmsgpackc2 libyaml-0-2 libsqlite3-0 libzstd1 libdw1 libc6; do
    [[ "$(field muster Depends), " == *"$library"[\ ,]* ]] || fail "muster does not depend on $library: $(field muster Depends)"
done
[[ "$(field muster-simulator Depends)" == *libc6* ]] || fail "muster-simulator: $(field muster-simulator Depends)"
[ "$(field muster Recommends)" = "muster-simulator (= $version-1)" ] || fail "$(field muster Recommends)"
[ "$(field muster-dbgsym Depends)" = "muster (= $version-1)" ] || fail "$(field muster-dbgsym Depends)"

say 'the container file copies packages that exist'
read -ra copied < <(sed -n 's/^COPY \(.*\) [^ ]*$/\1/p' "$root/deploy/Containerfile")
[ "${#copied[@]}" -eq 2 ] || fail "COPY: ${copied[*]}"
for pattern in "${copied[@]}"; do
    [ "$(find packages -name "$pattern" | wc -l)" -eq 1 ] || fail "$pattern is not one package"
done

say 'the unpacked programs run a job'
for package in muster muster-simulator; do cp -a $package.tree/. whole/; done
job packaged '[1024]' 1 >job.yaml
PATH=$work/whole/usr/bin:/usr/bin:/bin MUSTER_COORDINATOR='' muster run --out "$work/out" job.yaml >run.txt 2>run.err || fail "exit $?: $(cat run.err)"
grep -q 'complete, 2 of 2' "$(tail -n 1 run.txt)" || fail 'the report is not complete'

#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs into an empty folder and builds the examples against what arrived there, through
# pkg-config and nothing else. Prints TAP.
#
# usage: test_install.sh BUILD_FOLDER SOURCE_FOLDER
set -u
export LC_ALL=C
build=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
number=0 failed=0

# check NAME COMMAND...
check() {
	name=$1
	shift
	number=$((number + 1))
	if "$@" >"$folder/output" 2>&1; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		sed 's/^/# /' "$folder/output"
		failed=1
	fi
}

option() {
	meson introspect "$build" --buildoptions | python3 -c 'import json, sys
print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == sys.argv[1]))' "$1"
}

has_all() {
	for file; do
		[ -e "$file" ] || { echo "missing: $file"; return 1; }
	done
}

only_headers_of_ours() {
	find "$root/include" -type f | sed "s|$root/include/||" | sort >"$folder/found"
	(cd "$source/include" && ls pinhole/*.h) | diff - "$folder/found"
}

build_examples() {
	cp -r "$source/examples" "$folder/examples" && make -C "$folder/examples" clean all
}

# The example runs, and says how to use it.
usage_is_printed() {
	"$folder/examples/01_lit_shared" 2>&1 | grep -q '^usage:'
}

nobody_answers() {
	"$folder/examples/01_lit_shared" "$folder/nobody" x.ppm 2>&1 | grep -q 'is a server running'
}

check 'meson installs into a prefix of its own' \
	meson install -C "$build" --no-rebuild --destdir "$folder/destdir"
root=$folder/destdir$(option prefix)
lib=$root/$(option libdir)

check 'libraries, headers, pkg-config files and the program arrive' \
	has_all "$root/bin/pinhole" "$lib/libpinhole.so.0" "$lib/libpinhole-server.so.0" \
	"$lib/pkgconfig/pinhole.pc" "$lib/pkgconfig/pinhole-server.pc"
check 'the public headers arrive and no others' only_headers_of_ours

export PKG_CONFIG_SYSROOT_DIR="$folder/destdir" PKG_CONFIG_PATH="$lib/pkgconfig"
export LD_LIBRARY_PATH="$lib"
check 'the examples build through pkg-config alone' build_examples
check 'an example runs' usage_is_printed
check 'an example reports that nobody answers' nobody_answers
check 'the installed program runs' "$root/bin/pinhole" version
echo "1..$number"
exit $failed

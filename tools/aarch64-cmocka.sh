#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetches Debian's cmocka for arm64 into a folder, so that the unit tests can run under qemu, without
# making the whole system multiarch: apt works with lists of its own. Writes FOLDER/cmocka.cross,
# for meson behind tools/aarch64.cross.
#
# usage: tools/aarch64-cmocka.sh FOLDER
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ -e "$folder/cmocka.cross" ] && exit 0

arm64_apt() {
	apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
		-o Dir::State::Lists="$folder/lists" -o Dir::State::Status=/dev/null \
		-o Dir::Cache="$folder/cache" -o Acquire::Languages=none "$@"
}

mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
arm64_apt update
(cd "$folder" && arm64_apt download libcmocka0 libcmocka-dev 2>"$folder/apt.log") ||
	{ cat "$folder/apt.log" >&2; exit 1; }
for package in "$folder"/*.deb; do
	dpkg-deb -x "$package" "$folder"
done
rm -rf "$folder/lists" "$folder/cache"

cat >"$folder/cmocka.cross" <<END
[binaries]
exe_wrapper = ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu',
  '-E', 'LD_LIBRARY_PATH=$folder/usr/lib/aarch64-linux-gnu']

[properties]
pkg_config_libdir = '$folder/usr/lib/aarch64-linux-gnu/pkgconfig'
sys_root = '$folder'
END

#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what building and testing need on Debian 12 or Ubuntu 22.04 and later. Does nothing, fast,
# when all is there.
#
# usage: tools/setup-debian.sh [--check] [build | all]
#
#   build    what the libraries and the program need; all (the default) also what the tests need
#   --check  only say what is missing; exit status 1 if anything is
set -eu

# Package          why
BUILD='
build-essential    compiler, linker, make
meson              the build
ninja-build        the build
pkg-config         finds the libraries below
python3            checks and small generators in the build
libepoxy-dev       OpenGL functions (rendering)
libegl-dev         a GL context without a display (rendering)
libegl1            the same at run time
libgl1-mesa-dri    the drivers, among them the software renderer
libspng-dev        PNG pictures
libjansson-dev     lists of views as JSON
'
TEST='
libcmocka-dev          assertions
python3-venv           stock UnrealCV clients, in an environment of their own
clang                  second compiler, fuzzers
clang-format           format of new code
clang-tidy             make lint
libclang-rt-14-dev     sanitizers and fuzzers of clang
gcc-aarch64-linux-gnu  make cross
libc6-dev-arm64-cross  make cross
qemu-user              runs what make cross has built
spin                   checks the models of the protocols
iproute2               slow networks for tests
locales                builds a locale with a decimal comma for a test
'

check=no
part=all
for argument; do
	case $argument in
	--check) check=yes ;;
	build | all) part=$argument ;;
	*)
		sed -n '3,10s/^# \{0,1\}//p' "$0"
		exit 2
		;;
	esac
done

names() {
	printf '%s' "$1" | sed -n 's/^\([a-z0-9.+-]*\) .*/\1/p'
}

if ! command -v dpkg-query >/dev/null; then
	echo 'setup: no Debian packages here; install what README.md lists by other means' >&2
	exit 0
fi

wanted=$(names "$BUILD")
[ "$part" = build ] || wanted="$wanted
$(names "$TEST")"
# shellcheck disable=SC2086 # one argument a package
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
	sed -n 's/^installed //p')
missing=$(printf '%s\n' "$wanted" | grep -vxF "$installed" || true)
[ -n "$missing" ] || exit 0

missing=$(echo "$missing" | tr '\n' ' ')
if [ $check = yes ]; then
	echo "setup: missing packages: $missing" >&2
	echo "setup: install them with tools/setup-debian.sh $part" >&2
	exit 1
fi

as_root=
if [ "$(id -u)" != 0 ]; then
	as_root='sudo'
	echo "setup: asks for your password: sudo installs $missing" >&2
else
	echo "setup: installs $missing" >&2
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get -qq update
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 install -y \
	--no-install-recommends $missing </dev/null

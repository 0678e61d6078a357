#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the Promela models of protocol/models exhaustively, and that each variant that was broken on purpose
# is found out: a model that cannot fail proves nothing.
#     check_models.sh MODELS_FOLDER PATTERN     (in a folder of its own; CC compiles the verifier)
command -v spin >/dev/null || { echo "spin is not installed (apt install spin)"; exit 77; }
models=$1
pattern=${2:-*}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0

# expect good|broken MODEL FLAGS...
expect() {
	wanted=$1 model=$2
	shift 2
	case $model in $pattern) ;; *) return ;; esac
	rm -f pan* ./*.trail
	if ! { spin -a "$@" "$models/$model.pml" >spin.out 2>&1 &&
		${CC:-cc} -O1 -w -DSAFETY -DCOLLAPSE -DVECTORSZ=4096 -o pan pan.c >cc.out 2>&1; }; then
		echo "not ok - $model $*: does not build"
		cat spin.out cc.out
		bad=1
		return
	fi
	(ulimit -v 4000000; exec ./pan -m200000 -w22 >pan.out 2>&1)
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.out)
	if grep -q 'errors: 0' pan.out && ! grep -Eq 'max search depth too small|out of memory' pan.out; then
		found=good
	elif grep -Eq 'errors: [1-9]' pan.out; then
		found=broken
	else
		found='not checked'
	fi
	if [ "$found" = "$wanted" ]; then
		echo "ok - $model $*: $found, $states states"
	else
		echo "not ok - $model $*: $found, should be $wanted"
		cat pan.out
		bad=1
	fi
}

expect good latest
for variant in NOVALIDATE NORFENCE NOPFENCE SMALLPOOL NOLATEST EARLYREAP NOGRACE; do
	expect broken latest -D$variant
done
expect good latest_wake
for variant in NOKICK NOOWNER NOPASS LATEORDER LATEOWNER UNLOCK NOCOMPARE; do
	expect broken latest_wake -D$variant
done
expect good latest_resize
for variant in BYSHOWN NOEPOCH OLDSLOTS KEEPWORD; do
	expect broken latest_resize -D$variant
done
exit $bad

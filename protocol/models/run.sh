#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the models, and that each variant that was broken on purpose is found out.
# Needs spin and a C compiler. Some minutes; `run.sh quick` leaves the largest runs out.
cd "$(dirname "$0")" || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0

# check MODEL EXPECTED_ERRORS(0|1) SPIN_OPTIONS...
check() {
	model=$1 expected=$2
	shift 2
	cp "$model.pml" "$folder/"
	result=$(cd "$folder" && spin "$@" -a "$model.pml" >/dev/null &&
		${CC:-gcc} -O2 -DSAFETY -DCOLLAPSE -DVECTORSZ=2048 -w -o pan pan.c &&
		./pan -m2000000 -w25 2>&1 | grep -E 'errors:|stored|max search|out of memory')
	errors=$(echo "$result" | sed -n 's/.*errors: \([0-9]*\).*/\1/p')
	states=$(echo "$result" | sed -n 's/ *\([0-9.e+]*\) states, stored.*/\1/p')
	verdict=ok
	if [ "${errors:-none}" != "$expected" ] || echo "$result" | grep -qE 'max search|out of memory'; then
		verdict="NOT AS EXPECTED"
		failed=1
	fi
	printf '%-7s %-26s errors %s of %s, %s states: %s\n' "$model" "$*" "${errors:-?}" "$expected" \
		"${states:-?}" "$verdict"
}

check ring 0 -DFRAMES=2
[ "$1" = quick ] || check ring 0 -DFRAMES=3
for variant in EARLYMARK EAGER MARKFIRST NODRAIN; do
	check ring 1 -DFRAMES=2 -D$variant
done
for variant in UNORDERED NOTAIL; do
	check ring 1 -DFRAMES=3 -D$variant
done
check tokens 0
check tokens 0 -DMORTAL
for variant in POSTFIRST QUIETCLOSE POSTCLOSE QUIETRELEASE LOOKFIRST; do
	check tokens 1 -D$variant
done
exit $failed

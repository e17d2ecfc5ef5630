#!/bin/sh
# The whole campaign of faults: every point, not a sample. faults.sh [--full] BUILD
#   BUILD: a build directory without sanitizers, or with them (then memory is left to torture_table)
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
full=
[ "${1-}" != --full ] || { full=--full; shift; }
build=${1:?usage: faults.sh [--full] BUILD}
shim=$build/tests/torture/libfault_shim.so
grep -q '^ICE_SANITIZE:STRING=.' "$build/CMakeCache.txt" && sanitized=1 || sanitized=
tests="test_calls test_interrupted_calls test_offsets test_signals"
[ -n "$sanitized" ] || tests="test_allocations $tests"
[ -z "$sanitized" ] || export ICEFSCK_SANITIZED=1
# shellcheck disable=SC2086 # lists of words
python3 -SEB "$here/faults.py" "$build/icefsck" "$shim" "$build/faults/full" $full $tests
python3 -SEB "$here/hostile_files.py" "$build/icefsck" "$shim" "$build/faults/full-files"

#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh PROGRAM EXPECTED [--update] - runs an example in the folder of the example tables, and compares its output with
# the file EXPECTED. The first line of this file contains the arguments, which may use $work, a folder for output files.
set -eu
program=$1 expected=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$(dirname "$0")/../../examples"
arguments=$(head -n 1 "$expected")
{ printf '%s\n' "$arguments"; eval "\"$program\" $arguments"; } >"$work/output" 2>&1 || { cat "$work/output"; exit 1; }
if [ "${3-}" = --update ]; then cp "$work/output" "$expected"; fi
diff -u "$expected" "$work/output"

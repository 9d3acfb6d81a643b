#!/bin/sh
# SPDX-License-Identifier: MIT
# sequence_folds.sh CREDENCE CREDENCE-MPI MPIRUN - folds of sequences that several processes test, as one does.
. "$(dirname "$0")/compare"

awk 'BEGIN {
    print "id,x,word,state,kind"
    for (i = 0; i < 1500; i++) {
        id = i < 300 ? int(i / 7) : i < 1100 ? 99 : int(i / 11)
        state = substr("XYZ", int(i / 5) % 3 + 1, 1)
        printf "s%d,%.2f,%s,%s,%s\n", id, i * 7919 % 101 / 30 + index("XYZ", state), substr("abcd", i * 31 % 17 % 4 + 1, 1), state,
            (id % 3 ? "u" : "v")
    }
}' >rows.csv

# Folds: as many as processes, fewer, and a holdout.
same '1 2 3' evaluate rows.csv --sequence id --target state --ignore kind --cross-validate 3 --format json
same '8' evaluate rows.csv --sequence id --target state --ignore kind --cross-validate 5 --write-folds result
same '2' evaluate rows.csv --sequence id --target state --ignore kind --holdout 30% --decoding posterior --format json
same '2 3' evaluate rows.csv --sequence id --states 2 --ignore state --ignore kind --em-starts 3 --cross-validate 3 --format json
same '3' evaluate rows.csv --sequence id --states 2 --ignore state --ignore kind --em-starts 3 --holdout 20%
same '2 3' evaluate rows.csv --sequence id --states 2 --ignore state --target kind --em-starts 2 --cross-validate 3 --format json
same '2' evaluate rows.csv --sequence id --states 2 --ignore state --target kind --em-starts 2 --holdout 20%
same '2' evaluate rows.csv --method sequence --target state --cross-validate 3
# Each process has all rows, which are not counted once per process for the cut points.
"$credence" example iris | awk -F, '{ print (NR == 1 ? "id" : "s" int((NR - 2) / 5)) "," $0 }' >iris.csv
same '2 3' evaluate iris.csv --sequence id --target species --cross-validate 3 --discretize '*=mdl' --format json
same '3' evaluate iris.csv --sequence id --target species --holdout 30% --discretize '*=mdl' --format json
exit $status

#!/bin/sh
# SPDX-License-Identifier: MIT
# fits.sh CREDENCE CREDENCE-MPI MPIRUN - what is found in all rows at once by several processes is what one finds: structures, tables of
# networks by EM, latent classes, classes of unlabeled rows, states of sequences.
. "$(dirname "$0")/compare"

# a and b depend on a hidden class, c on both; cells are missing, weights are not whole, and only the last rows have words in w.
awk 'BEGIN {
    srand(3)
    print "a,b,c,x,label,weight,w,id"
    for (i = 0; i < 3000; i++) {
        k = int(3 * rand())
        a = rand() < 0.8 ? k : int(3 * rand())
        b = rand() < 0.8 ? k : int(3 * rand())
        printf "%s,%s,%s,%.1f,%s,%.3f,%s,s%d\n", (rand() < 0.1 ? "" : "a" a), "b" b, (rand() < 0.1 ? "" : a == b ? "yes" : "no"),
            2 * k + rand() + rand(), (rand() < 0.5 ? "" : "k" k), rand(), (i < 2990 ? i % 5 : "word"), i / 40
    }
}' >rows.csv
network='--ignore x --ignore weight --ignore w --ignore id --ignore label'
same '2 8' train rows.csv --search hill-climb --ignore x --ignore id --ignore weight -o result
same '3' train rows.csv --search tabu --weight weight --ignore x --ignore id -o result
same '2' train rows.csv --search pc $network -o result
same '3' train rows.csv --search exact $network -o result
same '2' train rows.csv --search hill-climb --bootstrap 5 $network -o result
same '3' train rows.csv --method tan --target label --ignore id -o result
same '1 3' train rows.csv --method network --arcs 'a->c,b->c' --estimator em $network -o result
same '2' train rows.csv --method network --arcs 'h->a,h->b,a->c' --latent-nodes h:2 --em-starts 4 $network -o result
same '3' train rows.csv --latent-class k:3 --weight weight --ignore id --ignore label -o result
same '2' train rows.csv --target label --unlabeled use --ignore id -o result
same '2 8' train rows.csv --sequence id --states 2 --ignore label --ignore w -o result
same '3' train rows.csv --sequence id --target label --unlabeled drop -o result
same '2' train rows.csv --sequence id --target label --ignore w -o result

# A word that the second process meets first in a column of numbers, in the middle of a file.
printf 'c,y\n0,r\n1,p' >first.csv
printf 'c,y\n7,q\nno number,q\nno number,p\n' >second.csv
printf 'c,y\n' >third.csv
same '2 3' train first.csv second.csv third.csv --latent-class k:2 -o result
same '2' train first.csv second.csv third.csv --search hill-climb -o result
same '2' train first.csv second.csv third.csv --target y --unlabeled use -o result

# Failures: no rows, fewer rows than classes, a row that is none.
head -n 1 rows.csv >none.csv
same '2' train none.csv --search hill-climb -o result
head -n 2 rows.csv >one.csv
same '3' train one.csv --latent-class k:2 -o result
sed '2500s/$/,more/' rows.csv >bad.csv
same '3' train bad.csv --search hill-climb -o result
same '3' train bad.csv --latent-class k:2 --bad-rows skip --ignore id -o result
same '3' train bad.csv --sequence id --states 2 -o result
exit $status

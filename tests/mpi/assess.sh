#!/bin/sh
# SPDX-License-Identifier: MIT
# assess.sh CREDENCE CREDENCE-MPI MPIRUN - rows left out one by one, columns permuted and methods compared by several processes have the
# bytes of one.
. "$(dirname "$0")/compare"

awk 'BEGIN {
    print "x,z,colour,weight,fold,kind"
    for (i = 0; i < 700; i++) {
        k = (i * 7919) % 101
        printf "%.2f,%d,%s,%d,%s,%s\n", k % 13 + i % 7 / 3, i * 31 % 17, substr("rgbw", i % 4 + 1, 1), i % 3, substr("ABC", i % 3 + 1, 1),
            (i % 37 == 5 ? "?" : k > 50 ? "plum" : k % 5 ? "fig" : "pear")
    }
}' >rows.csv
head -n 6 rows.csv >few.csv
sed 's/[^,]*$/fig/; 1s/fig/kind/' rows.csv >one.csv
# Texts of many lines, and a column that is a number but for one row of the last part.
sed '690s/^[^,]*,/"some\nlines, ""quoted""",/' rows.csv >lines.csv
(head -n 600 rows.csv && echo 'too,few' && tail -n 50 rows.csv && echo 'fewer') >bad.csv
gzip -k rows.csv

# Each leaves out the rows of its part.
columns='--target kind --ignore fold,weight'
same '1 2 3 8' evaluate rows.csv $columns --leave-one-out --format json
same '3' evaluate rows.csv few.csv $columns --leave-one-out --per-row --format csv
same '3' evaluate rows.csv $columns --leave-one-out --per-row --reject 0.6
same '2 8' evaluate few.csv $columns --leave-one-out
same '2' evaluate one.csv $columns --leave-one-out
same '2 3' evaluate lines.csv $columns --leave-one-out --format json
same '3' evaluate bad.csv $columns --leave-one-out
same '2 3' evaluate bad.csv $columns --leave-one-out --bad-rows result
same '3' evaluate bad.csv $columns --leave-one-out --bad-rows skip
same '3' evaluate bad.csv $columns --leave-one-out --bad-rows skip:1
same '2' evaluate rows.csv.gz rows.csv $columns --leave-one-out --per-row --format csv
same '2' evaluate rows.csv --target kind --weight weight --leave-one-out
same '2' evaluate rows.csv $columns --leave-one-out --method tan
same '2' evaluate rows.csv $columns --leave-one-out --discretize '*=width:4'

# Each has all rows, which are not counted once per process: neither for cut points, nor for what columns are.
"$credence" example iris >iris.csv
iris='--target species --discretize *=mdl'
set -f
same '2 3' evaluate iris.csv $iris --cross-validate 5 --format json
same '3' evaluate iris.csv $iris --holdout 30% --format json
same '2' evaluate iris.csv $iris --leave-one-out --format json
same '3' evaluate iris.csv $iris --cross-validate 3 --importance 2 --format json
same '3' evaluate iris.csv $iris --cross-validate 3 --search tan
sed '5s/^/x,/' iris.csv >bad_iris.csv
same '3' evaluate bad_iris.csv $iris --cross-validate 3 --bad-rows skip
same '2' evaluate bad_iris.csv $iris --cross-validate 3 --bad-rows result
seconds='s/"seconds": [0-9.e+-]*//'
same '3' evaluate iris.csv $iris --cross-validate 3 --compare --format json
seconds=
same '3' train iris.csv $iris --method auto -o result
same '3' predict iris.csv iris.csv $iris --method auto
set +f
printf 'a,b,y\n1,4,p\n2,0,p\n3,7,p\n4,4,p\n5,2,q\n6,9,q\n7,1,q\n8,5,q\n' >numbers.csv
same '2 3' evaluate numbers.csv --target y --cross-validate 2 --search hill-climb
same '3' evaluate numbers.csv --target y --holdout 50% --search hill-climb

# Each permutes cells of the rows that it has judged: those of its part, or of its folds.
"$credence" train rows.csv $columns -o kind.model --quiet
"$credence" train rows.csv --target kind --weight weight --ignore fold -o weighted.model --quiet
same '1 2 3 8' evaluate kind.model lines.csv --importance --format json
same '3' evaluate weighted.model rows.csv few.csv --importance 3 --seed 7
same '2' evaluate weighted.model bad.csv --importance 2 --bad-rows skip
same '3' evaluate kind.model bad.csv --importance
same '8' evaluate kind.model few.csv --importance
same '2' evaluate kind.model one.csv --importance --threshold-curves --format json
same '2 3 8' evaluate rows.csv $columns --cross-validate 5 --importance --format json
same '3' evaluate rows.csv --target kind --weight weight --folds fold --importance --calibration platt
same '2' evaluate rows.csv $columns --holdout 30% --importance --format csv
# Of many rows some are kept.
(cat rows.csv && for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    tail -n +$((i + 1)) rows.csv
done) >many.csv
same '3' evaluate kind.model many.csv --importance 1 --format json
same '2' evaluate many.csv $columns --cross-validate 3 --importance 1 --format json
same '2' evaluate many.csv $columns --holdout 99% --importance 1 --format json

# Each answers some folds of each candidate. How long that took is left out.
awk 'BEGIN {
    print "shape,colour,weight,fold,kind"
    for (i = 0; i < 90; i++) {
        k = (i * 7919) % 101
        printf "%s,%s,%d,%s,%s\n", substr("abcd", k / 26 + 1, 1), substr("rgbw", i % 4 + 1, 1), i % 3, substr("ABC", i % 3 + 1, 1),
            (i % 37 == 5 ? "?" : k > 50 ? "plum" : k % 5 ? "fig" : "pear")
    }
}' >shapes.csv
head -n 7 shapes.csv >few.csv
sed 's/[^,]*$/fig/; 1s/fig/kind/' shapes.csv >one.csv
(head -n 60 shapes.csv && echo 'too,few' && tail -n 20 shapes.csv) >bad.csv
sed 's/a,r,/,,/' shapes.csv >gaps.csv
# Every row is there often, so that some are tried before the others.
(cat shapes.csv && for i in 1 2 3 4 5 6 7 8 9 10 11 12; do tail -n +2 shapes.csv; done) >often.csv
seconds='s/"seconds": [0-9.e+-]*//'
same '2 3 8' evaluate shapes.csv $columns --compare --format json
same '12' evaluate shapes.csv --target kind --weight weight --folds fold --compare --write-folds result --format json
same '3' evaluate shapes.csv $columns --holdout 30% --compare --format json
same '3' evaluate often.csv gaps.csv $columns --cross-validate 4 --compare --format json
same '2' evaluate few.csv $columns --compare --format json
same '2' evaluate one.csv $columns --compare --format json
same '3' evaluate bad.csv $columns --compare
same '2' evaluate bad.csv $columns --compare --bad-rows result --format json
same '2' evaluate shapes.csv --target kind --prior nonsense=1 --compare
same '2' evaluate shapes.csv $columns --compare --method tan
seconds=
same '1 2 8' train shapes.csv $columns --method auto -o result
same '3' train gaps.csv shapes.csv --target kind --weight weight --ignore fold --method auto --keep-statistics pair-counts -o result
same '2' train bad.csv $columns --method auto -o result
same '2' train bad.csv $columns --method auto --bad-rows skip -o result
same '2' train shapes.csv $columns --method auto --family kernel -o result
# Each attribute follows the one before it, in another way under each class.
awk 'function draw(n) { seed = (seed * 1103 + 12345) % 65536; return int(seed / 65536 * n) }
BEGIN {
    seed = 5
    print "a,b,c,d,e,f,kind"
    for (i = 0; i < 300; i++) {
        k = draw(2)
        line = v = draw(3)
        for (j = 0; j < 5; j++) line = line "," (v = draw(100) < 85 ? (v + (k + 1) * (j % 2 + 1)) % 3 : draw(3))
        print line "," (k ? "p" : "q")
    }
}' | sed 's/[0-2]/v&/g' >chain.csv
same '3' train chain.csv --target kind --method auto -o result
grep -q 'chose tan' one.err || { echo "auto chooses no structure"; status=1; }
same '3' predict gaps.csv shapes.csv $columns --method auto
same '2' evaluate shapes.csv gaps.csv $columns --method auto --format json
exit $status

#!/bin/sh
# SPDX-License-Identifier: MIT
# train.sh CREDENCE CREDENCE-MPI MPIRUN - models and schemas by several processes have the bytes of one, and so have messages.
. "$(dirname "$0")/compare"

# Missing cells, dates, amounts, weights; words in the last rows of a column of numbers, and a class that only these have.
awk 'BEGIN {
    print "x,n,colour,late,day,weight,price,kind"
    for (i = 0; i < 2000; i++) {
        k = (i * 7919) % 1009
        printf "%s,%d,%s,%s,2024-%02d-%02d,%s,\"%d,%03d.%02d\",%s\n", (k % 11 == 3 ? "" : k / 16), k % 7, substr("rgb?", k % 4 + 1, 1),
            (i < 1990 ? k % 50 : "word" i), k % 12 + 1, k % 28 + 1, k % 3 * 0.5, k % 8 + 1, k, k % 100,
            (i > 1980 ? "late" : k % 40 == 7 ? "" : k > 600 ? "plum" : "fig")
    }
}' >rows.csv
same '1 2 3 8' train rows.csv --target kind -o result
same '3' train rows.csv --target kind --weight weight --keep-statistics all -o result
same '2' train rows.csv --target kind --keep-statistics joint-counts,cross-products,pair-counts,rows,grouped-moments -o result
same '3' train rows.csv --target kind --joint all=gaussian -o result
same '2' train rows.csv --target kind --numeric n --categorical late --column-format day=weekday -o result
same '3' train rows.csv --target kind --discretize 'x=quantile:4' --ignore late -o result
same '2' train rows.csv --method network --arcs 'colour->kind,n->kind' -o result
"$credence" schema rows.csv --target kind -o rows.schema
same '2' train rows.csv --schema rows.schema -o result

same '3' schema rows.csv
same '2 8' schema rows.csv --target kind -o result
same '3' schema rows.csv --values -o result

# Cells of several lines: no process knows from its own rows whether it begins between quotes.
awk 'BEGIN {
    print "x,words,kind"
    for (i = 0; i < 800; i++) printf "%d,\"line %d\nof \"\"some\"\", text%d,\nwith more\",%s\n", i % 17, i, i % 5, i % 3 ? "u" : "v"
}' >lines.csv
same '2 3 8' train lines.csv --target kind --text words -o result

# One class in each part; several files, of which some are compressed, some have their columns in another order, and one has no rows.
awk 'BEGIN { print "x,c,kind"; for (i = 0; i < 900; i++) printf "%d.5,v%d,k%d\n", i * 37 % 101, i % 4, i / 300 }' >classes.csv
same '3' train classes.csv --target kind -o result
awk 'BEGIN { print "kind,x,c"; for (i = 0; i < 300; i++) printf "k%d,%d,only%d\n", i % 2, i * 31 % 89, i % 3 }' >other.csv
head -n 1 other.csv >none.csv
gzip -k classes.csv
same '3' train classes.csv.gz other.csv none.csv classes.csv --target kind -o result
head -n 4 classes.csv >few.csv
same '8' train few.csv --target kind --quiet -o result

# Keys that only some rows have; declared values that no row has; an infinite cell in a column of which another part has words.
awk 'BEGIN { for (i = 0; i < 900; i++) printf "{\"x\": %d, %s\"kind\": \"%s\"}\n", i * 7 % 31, (i > 700 ? "\"late\": \"p" i % 2 "\", " : ""), i % 3 ? "u" : "v" }' >rows.jsonl
same '3' train rows.jsonl --target kind -o result
same '3' schema rows.jsonl --values -o result
{
    printf '@relation r\n@attribute x numeric\n@attribute c {red,green,never}\n@attribute kind {u,v,w}\n@data\n'
    awk 'BEGIN { for (i = 0; i < 900; i++) printf "%d,%s,%s\n", i * 7 % 31, i % 2 ? "red" : "green", i % 3 ? "u" : "v" }'
} >rows.arff
same '3' train rows.arff --target kind -o result
awk 'BEGIN { print "x,kind"; for (i = 0; i < 900; i++) printf "%s,%s\n", (i == 10 ? "inf" : i == 880 ? "word" : i * 7 % 31), i % 3 ? "u" : "v" }' >infinite.csv
same '3' train infinite.csv --target kind -o result
printf 'c,kind\nred,u\nred,v\nblue,u\nNone,v\n' >words.csv # a word that is taken for missing is noted, whosever row has it
same '2 3' train words.csv --target kind -o result

# Failures: one message, with its place in the file, and nothing written.
sed '881s/word/5/' infinite.csv >number.csv
same '3' train number.csv --target kind -o result
awk 'BEGIN { print "id,kind"; for (i = 0; i < 90; i++) printf "v%d,%s\n", i, i % 3 ? "u" : "v" }' >ids.csv
several 3 train ids.csv --target kind --max-categories 80 -o result
grep -q 'more than 80 different values' several.err && [ ! -e result ] || { echo "too many values are taken"; status=1; }
printf 'g,kind\na,u\nb,v\na,u\nb,v\nc,\nc,\n' >unlabeled.csv # values of rows that are not learned do not count
same '2' train unlabeled.csv --target kind --max-categories 2 -o result
sed '700s/$/,more/; 860s/$/,more/' classes.csv >bad.csv
same '3' train bad.csv --target kind -o result
same '3' train bad.csv --target kind --bad-rows skip -o result
same '2' train bad.csv --target kind --bad-rows skip:1 -o result
same '2' train bad.csv --target kind --bad-rows left.csv -o kind.model
[ "$(wc -l <left.csv)" = 3 ] || { echo "not all rows that were left out are listed"; status=1; }
same '2' train absent.csv --target kind -o result
same '2' train classes.csv --target absent -o result
same '2' train few.csv --target kind -o absent/result
several 2 update kind.model few.csv
grep -q 'run credence update' several.err || { echo "a verb for one process is not refused"; status=1; }
several 2 train - --target kind -o result <few.csv
grep -q 'standard input' several.err || { echo "standard input is not refused"; status=1; }
exit $status

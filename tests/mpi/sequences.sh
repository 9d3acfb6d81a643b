#!/bin/sh
# SPDX-License-Identifier: MIT
# sequences.sh CREDENCE CREDENCE-MPI MPIRUN - sequences that several processes answer for, as one does.
. "$(dirname "$0")/compare"

# Sequences of different lengths, of which one is longer than any part; a word that training has not seen, and a cell of two lines.
awk 'BEGIN {
    print "id,x,word,state,kind"
    for (i = 0; i < 1500; i++) {
        id = i < 300 ? int(i / 7) : i < 1100 ? 99 : int(i / 11)
        state = substr("XYZ", int(i / 5) % 3 + 1, 1)
        printf "s%d,%.2f,%s,%s,%s\n", id, i * 7919 % 101 / 30 + index("XYZ", state), substr("abcd", i * 31 % 17 % 4 + 1, 1), state,
            (id % 3 ? "u" : "v")
    }
}' >rows.csv
sed '40s/,[abcd],/,new,/; 1300s/,[abcd],/,"new, in\ntwo lines",/; 1310s/,[0-9.]*,/,,/' rows.csv >other.csv

"$credence" train rows.csv --sequence id --target state --ignore kind -o states.model --quiet
"$credence" train rows.csv --sequence id --states 2 --em-starts 2 --target kind --ignore state -o kinds.model --quiet

same '1 2 3 8' predict states.model other.csv
same '2 8' predict states.model other.csv --decoding posterior --with-input --format json -o result
same '3' predict states.model other.csv --format table --reject 0.6
same '2' predict states.model other.csv --format markdown --with-input
same '3 8' predict states.model other.csv --n-best 2
same '2' predict states.model other.csv --n-best 3 --format table --with-input
same '3' predict states.model other.csv --n-best 2 --format json -o result
same '2' predict states.model other.csv --cost 'X:Y=2,Y:X=1'
same '2' predict states.model other.csv --plot result
same '2' predict states.model other.csv --stream --lag 2
same '3 8' predict kinds.model other.csv
same '2' predict kinds.model other.csv --format table

# Ids that go on in the next file, a file without rows, files of which each is one sequence, and files that cannot be entered in the middle.
head -n 700 other.csv >first.csv
(head -n 1 other.csv && tail -n +701 other.csv) >second.csv
head -n 1 other.csv >none.csv
gzip -k second.csv
same '2 3 8' predict states.model first.csv none.csv second.csv
same '3 8' predict states.model first.csv second.csv.gz --with-input
same '3' predict states.model second.csv.gz
sed 's/^s[0-9]*,//; 1s/^id,//' first.csv >lacks.csv
same '3 8' predict states.model lacks.csv none.csv lacks.csv lacks.csv --decoding posterior
same '2' predict states.model lacks.csv lacks.csv --n-best 1 --with-input

# Sequences between empty lines, which have numbers for names; some of probability zero, the first of them in a late part.
awk 'BEGIN {
    for (i = 0; i < 1200; i++) {
        if (i % 13 == 5 || i % 170 == 3) print ""
        printf "w%d %s\n", i * 31 % 17 % 5, substr("NVA", int(i / 4) % 3 + 1, 1)
    }
}' >tagged.txt
sed '900s/w[0-9]/odd/; 1100s/w[0-9]/strange/' tagged.txt >odd.txt
"$credence" train tagged.txt --sequence-break empty-line --target last -o tags.model --quiet
same '1 2 3 8' predict tags.model tagged.txt
same '3' predict tags.model odd.txt tagged.txt --format json --with-input
same '3' predict tags.model odd.txt --n-best 2
same '2 8' predict tags.model odd.txt --smoothing 0 --unseen-words off
same '3' predict tags.model odd.txt --format table --decoding posterior

# Rows that times sort, wherever they stand; with steps between them.
awk 'BEGIN {
    print "id,t,x,state"
    for (i = 0; i < 900; i++) {
        k = i * 389 % 900
        printf "s%d,%d,%.2f,%s\n", k % 23, k * 3 + (k % 2 ? 0 : 1), k * 7 % 31 / 9, substr("XY", int(k / 50) % 2 + 1, 1)
    }
}' >times.csv
(head -n 1 times.csv && tail -n +2 times.csv | sort -t, -k1,1 -k2,2n) >sorted.csv
"$credence" train times.csv --sequence id --time t --target state -o times.model --quiet
same '1 2 3 8' predict times.model times.csv
same '3' predict times.model times.csv --with-input --format json -o result
same '3' predict times.model times.csv --format table
same '3' predict times.model times.csv --n-best 2 --format table
same '2 8' predict times.model sorted.csv --step 69
same '3' predict times.model times.csv --step 69
gzip -k times.csv
same '2' predict times.model times.csv.gz sorted.csv --sequence x --time t

# Failures, and rows that are left out: messages of the first in the order of rows, and no file.
sed '400s/$/,more/; 1200s/$/,more/' other.csv >bad.csv
same '2 3' predict states.model bad.csv -o result
same '3' predict states.model bad.csv --bad-rows result
same '2' predict states.model bad.csv --bad-rows skip
sed '500s/,[0-9]*,/,word,/' times.csv >bad.csv
same '3' predict times.model bad.csv -o result
same '3' predict states.model absent.csv

# Ids that come back in the parts of others, farther away than a process looks back.
awk 'BEGIN {
    print "id,x,word,state,kind"
    for (i = 0; i < 40000; i++) {
        id = i == 31000 ? 7 : i == 38000 || i == 25000 ? 11 : i == 25001 ? 2004 : int(i / 10)
        printf "s%d,%.2f,%s,%s,u\n", id, i * 7919 % 101 / 30, substr("abcd", i * 31 % 17 % 4 + 1, 1), substr("XYZ", int(i / 5) % 3 + 1, 1)
    }
}' >back.csv
head -n 20000 back.csv >first.csv
(head -n 1 back.csv && tail -n +20001 back.csv) >second.csv
same '2 3 8' predict states.model back.csv -o result
same '3' predict states.model first.csv second.csv --n-best 1 -o result
same '2' predict kinds.model first.csv second.csv -o result
sed '33000s/$/,more/' back.csv >late.csv
same '3' predict states.model late.csv -o result
sed '21000s/$/,more/' back.csv >early.csv
same '3 8' predict states.model early.csv -o result
same '3' train early.csv --sequence id --target state --ignore kind -o result
same '2 8' train first.csv second.csv --sequence id --target state --ignore kind -o result
printf 'id,t,x,y\na,1,1,u\na,1,2,v\nb,1,1,u\nb,1,2,v\nc,1,1,u\nc,1,1,v\nd,2,2,u\nd,2,1,v\n' >twice.csv
same '2 3' train twice.csv --sequence id --time t --target y -o result # of several faults the first, whosever sequence it is in

# A file for each process: all of them are the whole.
"$credence" predict states.model other.csv --with-input -o whole.csv --quiet
several 3 predict states.model other.csv --with-input -o part.csv --file-per-rank
(cat part-1-of-3.csv && tail -n +2 part-2-of-3.csv && tail -n +2 part-3-of-3.csv) | cmp - whole.csv || status=1
"$credence" predict tags.model tagged.txt --n-best 2 -o whole.csv --quiet
several 3 predict tags.model tagged.txt --n-best 2 -o part.csv --file-per-rank
(cat part-1-of-3.csv && tail -n +2 part-2-of-3.csv && tail -n +2 part-3-of-3.csv) | cmp - whole.csv || status=1
"$credence" predict times.model times.csv --with-input | sort >whole.csv
several 3 predict times.model times.csv --with-input -o part.csv --file-per-rank
(cat part-1-of-3.csv && tail -n +2 part-2-of-3.csv && tail -n +2 part-3-of-3.csv) | sort | cmp - whole.csv || status=1
exit $status

#!/bin/sh
# SPDX-License-Identifier: MIT
# answers.sh CREDENCE CREDENCE-MPI MPIRUN - predictions and evaluations by several processes have the bytes of one.
. "$(dirname "$0")/compare"

awk 'BEGIN {
    print "x,colour,weight,fold,kind"
    for (i = 0; i < 900; i++) {
        k = (i * 7919) % 101
        printf "%.2f,%s,%d,%s,%s\n", k % 13 + i % 7 / 3, substr("rgbw", i % 4 + 1, 1), i % 3, substr("ABC", i % 3 + 1, 1),
            (i % 37 == 5 ? "?" : k > 50 ? "plum" : k % 5 ? "fig" : "pear")
    }
}' >rows.csv
sed '5s/,[rgbw],/,"new, and quoted",/; 700s/pear\|fig\|plum/kiwi/' rows.csv >other.csv
(head -n 600 other.csv && echo 'too,few' && tail -n 200 other.csv) >bad.csv
awk 'BEGIN {
    print "id,word,state"
    for (i = 0; i < 300; i++) printf "s%d,%s,%s\n", i / 7, substr("abcd", i * 7919 % 31 % 4 + 1, 1), substr("XY", i % 5 / 3 + 1, 1)
}' >sequences.csv
"$credence" train sequences.csv --method sequence --sequence id --target state -o states.model --quiet
"$credence" train rows.csv --target kind --ignore fold -o kind.model --quiet
"$credence" train rows.csv --target kind --ignore fold --weight weight -o weighted.model --quiet

same '1 2 8' predict kind.model other.csv
same '3' predict kind.model rows.csv other.csv --format json --with-input --typicality -o result
same '2' predict weighted.model other.csv --format table --with-input --reject 0.6
same '3' predict kind.model bad.csv
same '3' predict kind.model bad.csv --bad-rows result
same '2 8' evaluate kind.model other.csv --format json
same '3' evaluate weighted.model other.csv --per-row --reject 0.6
same '2' evaluate kind.model other.csv --true-labels fold
same '3' evaluate kind.model bad.csv
same '2' evaluate states.model sequences.csv --format json
same '3' predict states.model sequences.csv
same '3' evaluate rows.csv --target kind --ignore fold --cross-validate 5 --per-row --write-folds result

# Rows of files that cannot be entered in the middle stay in order, too.
(cat other.csv && for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    tail -n +$((i + 1)) rows.csv
done) >many.csv
gzip -kf many.csv
sed '9000s/.*/too,few/; 20000s/.*/fewer/' many.csv | gzip >bad.csv.gz
same '3' predict kind.model many.csv.gz rows.csv many.csv.gz --with-input
same '2' evaluate kind.model many.csv.gz --per-row
same '2' train bad.csv.gz --target kind --ignore fold --bad-rows result -o bad.model
if command -v iconv >/dev/null; then
    iconv -f UTF-8 -t UTF-16 many.csv >wide.csv
    same '2' predict kind.model wide.csv --with-input
fi
rm many.csv*

# A file for each process, complete with its heading.
"$credence" predict kind.model other.csv -o whole.csv --quiet
several 3 predict kind.model other.csv -o part.csv --file-per-rank
(cat part-1-of-3.csv && tail -n +2 part-2-of-3.csv && tail -n +2 part-3-of-3.csv) | cmp - whole.csv || status=1
rm part-*
several 3 predict kind.model bad.csv -o part.csv --file-per-rank
if [ "$ended" -eq 0 ] || ls part* 2>/dev/null; then
    echo "files are left of processes that failed"
    status=1
fi
# None of these files may be an input.
cp rows.csv rows-2-of-3.csv
several 3 predict kind.model rows-2-of-3.csv -o rows.csv --file-per-rank
if [ "$ended" -ne 2 ] || ! grep -q 'would overwrite the input rows-2-of-3.csv' several.err || ! cmp rows.csv rows-2-of-3.csv; then
    echo "a file for each process overwrites an input"
    status=1
fi
rm rows-*
# A machine with an old copy of a file, and one without it.
mkdir old
head -n 500 rows.csv >old/rows.csv
cp kind.model old
cat >elsewhere <<'end'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" != 1 ] || cd old
exec "$@"
end
chmod +x elsewhere
for copy in 'has [0-9]* bytes on' 'is absent on'; do
    "$mpirun" --oversubscribe -n 3 ./elsewhere "$credence_mpi" predict kind.model rows.csv -o result >elsewhere.out 2>&1 && ended=0 || ended=$?
    if [ "$ended" -ne 1 ] || ! grep -q "rows.csv: $copy .* (rank 1)" elsewhere.out || ls result* 2>/dev/null; then
        echo "another file at one process is not found:"
        cat elsewhere.out
        status=1
    fi
    rm -f old/rows.csv
done

exit $status

#!/bin/sh
# SPDX-License-Identifier: MIT
# killed.sh CREDENCE CREDENCE-MPI MPIRUN - a process that dies ends the job, and leaves the model that was there, and no other file.
. "$(dirname "$0")/compare"

awk 'BEGIN { print "x,c,kind"; for (i = 0; i < 20000; i++) printf "%d.5,v%d,k%d\n", i * 37 % 101, i % 4, i % 3 }' >some.csv
tail -n +2 some.csv >body.csv
for i in 1 2 3 4 5; do
    cat body.csv body.csv >twice.csv
    mv twice.csv body.csv
done
cat body.csv >>some.csv
rm body.csv
"$credence" train some.csv --target kind -o complete --quiet
"$credence" predict complete some.csv -o answers --quiet
"$credence" train some.csv --target kind --keep-statistics histogram -o before --quiet

# The processes of the job, once there are three.
processes() {
    tries=0
    while [ $tries -lt 200 ]; do
        found=$(pgrep -P "$1" -f credence-mpi) || :
        [ "$(echo "$found" | wc -w)" -lt 3 ] || break
        sleep 0.01
        tries=$((tries + 1))
    done
    echo "$found"
}

# ends HOW SIGNAL WHOM VERB ...: a process of a job is stopped, so that the others wait for it, and then comes the signal.
ends() {
    how=$1 signal=$2 whom=$3
    shift 3
    cp before result
    "$mpirun" --oversubscribe -n 3 "$credence_mpi" "$@" -o result >job.out 2>&1 &
    job=$!
    last=$(processes $job | tail -n 1)
    # Answers are written beside their place from the beginning.
    tries=0
    while [ "$1" = predict ] && [ ! -e result.writing-0 ] && [ $tries -lt 500 ]; do
        sleep 0.01
        tries=$((tries + 1))
    done
    kill -STOP "$last" || { echo "$how: the job was over at once"; status=1; }
    sleep 0.3
    if [ "$whom" = one ]; then kill -"$signal" "$last"; else kill -"$signal" $job; fi
    begun=$(date +%s)
    wait $job && ended=0 || ended=$?
    [ "$ended" -ne 0 ] || { echo "$how: the job ends well"; status=1; }
    [ $(($(date +%s) - begun)) -le 20 ] || { echo "$how: the job goes on"; status=1; }
    [ "$whom" = job ] || [ -s job.out ] || { echo "$how: there is no message"; status=1; }
    rm -f job.out
    ls >files.after
    # A job that has read all rows when it is interrupted may write its result, as the command does.
    cmp -s result before || { [ "$whom" = job ] && { cmp -s result complete || cmp -s result answers; }; } || { echo "$how: the file is another"; status=1; }
    sed -i '/^files.after$/d' files.after
    cmp -s files.before files.after || { echo "$how: files are left:"; cat files.after; status=1; }
    rm -f files.after
}

cp before result
touch files.before
ls >files.before
ends 'a process killed' KILL one train some.csv --target kind
ends 'a process killed while others wait for its answers' KILL one predict complete some.csv
ends 'a process killed while others have judged their rows' KILL one evaluate complete some.csv --format csv
ends 'mpirun interrupted' INT job train some.csv --target kind
ends 'mpirun interrupted while predicting' INT job predict complete some.csv

# A disk that is full: files of the first process, and those without a name of the others, may have some MiB, of which MPI needs a few.
cat >small <<'end'
#!/bin/sh
ulimit -f 16384
trap '' XFSZ
exec "$@"
end
chmod +x small
rm -f result
for verb in predict evaluate; do
    each=
    [ $verb = predict ] || each=--per-row
    "$mpirun" --oversubscribe -n 2 ./small "$credence_mpi" $verb complete some.csv $each -o result >several.all 2>&1 && ended=0 || ended=$?
    if [ "$ended" -eq 0 ] || ! grep -q '^credence.* cannot be written: File too large' several.all; then
        echo "$verb: a full disk is not reported:"
        cat several.all
        status=1
    fi
    if ls | grep result; then
        echo "$verb: files are left of a full disk"
        status=1
    fi
done
exit $status

#!/bin/sh
# run.sh CREDENCE FILE.test - runs a script of command lines and compares what they write.
#
# In a script, text at the margin is prose. What is indented by two blanks is the test:
#
#   $ command            a command line, run by sh in a folder of its own
#   > more               and further lines of it
#   text                 exactly this line on standard output
#   ~ text*              a line on standard output that this pattern of the shell matches
#   ...                  any lines on standard output, to its end
#   ! text               exactly this line on standard error
#   !~ text*             a line on standard error that this pattern matches
#   ! ...                any lines on standard error, to its end
#   [2]                  the exit code; 0 where none is stated
#   ? command            the script is skipped (exit 77) unless this succeeds
#
# An empty line between two lines of output is an empty line of output; what ends in empty lines is written with "...".
set -u
# Under nohup, or in the background of a script, interrupts are ignored, and no shell can undo that; scripts that send them need the default.
if [ -z "${CREDENCE_SIGNALS_RESET:-}" ] && env --default-signal=INT true 2>/dev/null; then
    CREDENCE_SIGNALS_RESET=1 exec env --default-signal=INT,QUIT,TERM,PIPE sh "$0" "$@"
fi
LC_ALL=C
export LC_ALL
unset COLUMNS NO_COLOR 2>/dev/null

credence=$1
script=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
PATH=$(cd "$(dirname "$credence")" && pwd):$PATH
export PATH
results=$folder/results
mkdir "$results" "$folder/work"

failures=0
steps=0
at=0
command_at=0
have_command=no
code=0
blanks=0

# matches PATTERNS ACTUAL: line by line, the patterns being "=text", "~pattern" or "..."
matches() {
    exec 3<"$1" 4<"$2"
    while :; do
        if IFS= read -r pattern <&3; then
            case $pattern in
            ...) return 0 ;;
            esac
            IFS= read -r line <&4 || { test -n "$line" || return 1; }
            case $pattern in
            =*) test "x$line" = "x${pattern#=}" || return 1 ;;
            ~*)
                glob=${pattern#\~}
                # shellcheck disable=SC2254 # it is a pattern
                case $line in
                $glob) ;;
                *) return 1 ;;
                esac
                ;;
            esac
        else
            if IFS= read -r line <&4 || test -n "$line"; then return 1; fi
            return 0
        fi
    done
}

# shown NAME PART: what a part of the output should have been, and what it was.
shown() {
    echo "  standard $1"
    sed 's/^=/    expected  /; s/^~/    pattern   /; s/^\.\.\.$/    ...       /' "$results/want.$2"
    sed 's/^/    found     /' "$results/$2"
}

complain() {
    failures=$((failures + 1))
    echo "$script:$command_at: $1"
    sed 's/^/    $ /' "$results/command"
    shown output out
    shown error err
}

finish() {
    test $have_command = yes || return 0
    have_command=no
    steps=$((steps + 1))
    (cd "$folder/work" && exec sh "$results/command") >"$results/out" 2>"$results/all" </dev/null
    got=$?
    # Lines of progress depend on how long a command takes.
    sed '/^credence: progress: /d' "$results/all" >"$results/err"
    if test $got -ne "$code"; then
        complain "ended with $got, not with $code"
    elif ! matches "$results/want.out" "$results/out"; then
        complain "standard output differs"
    elif ! matches "$results/want.err" "$results/err"; then
        complain "standard error differs"
    fi
}

begin() {
    finish
    have_command=yes
    command_at=$at
    code=0
    blanks=0
    printf '%s\n' "$1" >"$results/command"
    : >"$results/want.out"
    : >"$results/want.err"
}

want_out() {
    while test $blanks -gt 0; do
        echo = >>"$results/want.out"
        blanks=$((blanks - 1))
    done
    printf '%s\n' "$1" >>"$results/want.out"
}

while IFS= read -r text || test -n "$text"; do
    at=$((at + 1))
    case $text in
    '') blanks=$((blanks + 1)) ;;
    '  $ '*) begin "${text#????}" ;;
    '  > '*) printf '%s\n' "${text#????}" >>"$results/command" ;;
    '  >') echo >>"$results/command" ;;
    '  ? '*) sh -c "${text#????}" >/dev/null 2>&1 </dev/null || { echo "$script:$at: skipped"; exit 77; } ;;
    '  ! ...') echo ... >>"$results/want.err" ;;
    '  !') echo = >>"$results/want.err" ;;
    '  ! '*) printf '=%s\n' "${text#????}" >>"$results/want.err" ;;
    '  !~ '*) printf '~%s\n' "${text#?????}" >>"$results/want.err" ;;
    '  ~ '*) want_out "~${text#????}" ;;
    '  ...') want_out ... ;;
    '  ['[0-9]*']')
        code=${text#???}
        code=${code%]}
        ;;
    '  '*) want_out "=${text#??}" ;;
    *) blanks=0 ;;
    esac
    case $text in
    '' | '  '[!\$\>]*) ;;
    *) blanks=0 ;;
    esac
done <"$script"
finish

echo "$script: $steps commands, $failures failed"
test $failures -eq 0 && test $steps -gt 0

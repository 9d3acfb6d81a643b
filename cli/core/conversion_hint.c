/* SPDX-License-Identifier: MIT */
/* conversion_hint.c - see conversion_hint.h. */
#include "core/conversion_hint.h"

#include "core/messages.h"

#include <string.h>

static int word_count;
static char **words;

void conversion_hint_command(int argc, char **argv) {
    word_count = argc;
    words = argv;
}

/* Adds a word, with shell quoting if necessary. */
static void conversion_hint_add_word(string *target_string, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,%@";
    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        string_add(target_string, word, strlen(word));
        return;
    }
    string_add_char(target_string, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'') string_add(target_string, "'\\''", 4);
        else string_add_char(target_string, *word);
    }
    string_add_char(target_string, '\'');
}

/* Adds a path that is inside single quotes of SQL and inside double quotes of the shell. */
static void add_sql_path(string *target_string, const char *path) {
    for (; *path != '\0'; path++) {
        if (*path == '\'') string_add_char(target_string, '\'');
        if (strchr("\"\\$`", *path) != NULL) string_add_char(target_string, '\\');
        string_add_char(target_string, *path);
    }
}

static void add_parquet(string *target_string, const char *path) {
    string_format(target_string, "duckdb -c \"COPY (FROM '");
    add_sql_path(target_string, path);
    string_format(target_string, "') TO '/dev/stdout' (FORMAT csv)\"");
}

static void conversion_hint_add_arrow(string *target_string, const char *path) {
    string_format(target_string,
                  "python3 -c 'import sys, pyarrow as a, pyarrow.csv as c; s = open(sys.argv[1], \"rb\"); "
                  "f = a.ipc.open_file if s.read(6) == b\"ARROW1\" else a.ipc.open_stream; s.seek(0); "
                  "c.write_csv(f(s).read_all(), sys.stdout.buffer)' ");
    conversion_hint_add_word(target_string, path);
}

static void add_xz(string *target_string, const char *path) {
    string_format(target_string, "xzcat ");
    conversion_hint_add_word(target_string, path);
}

static void add_bzip2(string *target_string, const char *path) {
    string_format(target_string, "bzcat ");
    conversion_hint_add_word(target_string, path);
}

static void add_lz4(string *target_string, const char *path) {
    string_format(target_string, "lz4cat ");
    conversion_hint_add_word(target_string, path);
}

static void add_zip(string *target_string, const char *path) {
    string_format(target_string, "unzip -p ");
    conversion_hint_add_word(target_string, path);
}

static void add_7zip(string *target_string, const char *path) {
    string_format(target_string, "7z x -so ");
    conversion_hint_add_word(target_string, path);
}

static void add_line_ends(string *target_string, const char *path) {
    string_format(target_string, "tr '\\r' '\\n' < ");
    conversion_hint_add_word(target_string, path);
}

/* Adds the typed command, with standard input ("-") instead of the file. */
static void conversion_hint_add_command(string *target_string, const char *path) {
    string_format(target_string, " | credence");
    for (int i = 0; i < word_count; i++) {
        string_add_char(target_string, ' ');
        conversion_hint_add_word(target_string, i > 0 && strcmp(words[i], path) == 0 ? "-" : words[i]);
    }
}

bool conversion_hint(const crd_error *error) {
    static const struct {
        const char *format;
        void (*add)(string *target_string, const char *path);
    } CONVERTERS[] = {{"Parquet", add_parquet}, {"Arrow", conversion_hint_add_arrow},
                      {"xz", add_xz},           {"bzip2", add_bzip2},
                      {"lz4", add_lz4},         {"ZIP", add_zip},
                      {"7-Zip", add_7zip},      {"CR", add_line_ends}};
    for (size_t i = 0; i < sizeof CONVERTERS / sizeof CONVERTERS[0]; i++) {
        bool is_of_file = error->status == CRD_ERROR_SYNTAX && error->line == 0;
        if (!is_of_file || strcmp(error->subject, CONVERTERS[i].format) != 0) continue;
        bool is_pipe = strcmp(error->place, "standard input") == 0;
        string hint = {0};
        CONVERTERS[i].add(&hint, is_pipe ? "FILE" : error->place);
        conversion_hint_add_command(&hint, error->place);
        message_hint("%s%s", is_pipe ? "save it to FILE, then " : "", string_text(&hint));
        string_free(&hint);
        return true;
    }
    return false;
}

/* SPDX-License-Identifier: MIT */
/* help_text.c - see help_text.h. */
#include "verbs/help/help_text.h"

#include "core/string_buffer.h"

#include <string.h>

const char help_purpose[] =
    "credence: Bayesian classification of tables, with posterior probabilities and explanations.";
const char help_operands[] =
    "DATA is a file, several, or - for standard input: separated by commas, semicolons, tabs or spaces, with or "
    "without a header; .gz and .zst files are decompressed. You can use a table with --target instead of MODEL, except "
    "with update and forget. Select columns by name, number from 1, range (2-5), glob (petal*), first or last; a "
    "model's columns are numbered without its target.";
const char help_lists[] =
    "Lists (--ignore, --missing, --prior, --given) are separated by commas; put an item that contains a comma, or "
    "spaces that matter, in double quotes: --ignore '\"a,b\",c' --given '\"a,b= x\",c=1'.";
const char help_endings[] = "Exit codes: 0 success; 1 the data or the operation failed; 2 the command line is invalid.";

enum { WIDEST = 80, HELP_AT = 24 };

void help_print_words(FILE *stream, const char *words, size_t indent, size_t used) {
    bool is_first = true;
    while (*words != '\0') {
        size_t length = strcspn(words, " \n");
        /* A list of alternatives that is wider than a line continues on the next line. */
        if (indent + length > WIDEST) {
            size_t fitting = 0, next = 0;
            while ((next = fitting + strcspn(words + fitting, "|") + 1) < length && indent + next <= WIDEST)
                fitting = next;
            if (fitting > 0) length = fitting;
        }
        bool fits = !is_first && used + 1 + length <= WIDEST;
        if (is_first) fprintf(stream, "%*s", used < indent ? (int)(indent - used) : 0, "");
        else fputs(fits ? " " : "\n", stream);
        if (!is_first && !fits) fprintf(stream, "%*s", (int)indent, "");
        used = fits ? used + 1 + length : indent + length;
        fprintf(stream, "%.*s", (int)length, words);
        words += length;
        while (*words == ' ') words++;
        is_first = false;
    }
    fputc('\n', stream);
}

/* Prints the name and value of an option, indented by two columns. A list of values that is wider than the line
 * continues below its beginning. */
static void help_print_left(FILE *stream, const char *left) {
    const size_t indent = 2 + strcspn(left, " ") + 1;
    size_t used = 2;
    fputs("  ", stream);
    while (*left != '\0') {
        size_t length = strcspn(left, "|");
        if (left[length] == '|') length++;
        if (used + length > WIDEST && used > indent) {
            fprintf(stream, "\n%*s", (int)indent, "");
            used = indent;
        }
        fprintf(stream, "%.*s", (int)length, left);
        used += length;
        left += length;
    }
}

void help_print_entry(FILE *stream, const char *left, const char *help) {
    size_t used = 2 + strlen(left);
    help_print_left(stream, left);
    if (used + 2 > HELP_AT) {
        fputc('\n', stream);
        used = 0;
    }
    help_print_words(stream, help, HELP_AT, used);
}

void help_print_names(FILE *stream, const char *group, const char *names) {
    enum { NAMES_AT = 14 };
    fprintf(stream, "  %s", group);
    help_print_words(stream, names, NAMES_AT, 2 + strlen(group));
}

void help_print_paragraphs(const char *text, FILE *stream, bool is_whole) {
    while (*text != '\0') {
        const char *end = strstr(text, "\n\n");
        size_t length = end == NULL ? strlen(text) : (size_t)(end - text);
        string paragraph = {0};
        string_add(&paragraph, text, length);
        fputc('\n', stream);
        help_print_words(stream, string_text(&paragraph), 0, 0);
        string_free(&paragraph);
        text += length + (end == NULL ? 0 : 2);
        if (!is_whole) break;
    }
}

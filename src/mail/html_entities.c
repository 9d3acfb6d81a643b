/* SPDX-License-Identifier: MIT */
/* html_entities.c - see html_entities.h. The names are the HTML 4 names of letters, punctuation and currencies. */
#include "mail/html_entities.h"

#include "mail/mail_decode.h"

#include <string.h>

enum { LONGEST_NAME = 8, MOST_DIGITS = 8 };

/* Names of the characters from U+00A0 on, in order. */
static const char latin_1[96][LONGEST_NAME] = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",    "copy",   "ordf",
    "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",   "acute",  "micro",
    "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave",
    "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",
    "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",
    "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",  "szlig",  "agrave", "aacute",
    "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave",
    "iacute", "icirc",  "iuml",   "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide",
    "oslash", "ugrave", "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};

static const struct {
    char name[LONGEST_NAME];
    uint16_t character;
} others[] = {{"quot", '"'},     {"amp", '&'},       {"lt", '<'},        {"gt", '>'},        {"apos", '\''},
              {"euro", 0x20ac},  {"ndash", 0x2013},  {"mdash", 0x2014},  {"lsquo", 0x2018},  {"rsquo", 0x2019},
              {"sbquo", 0x201a}, {"ldquo", 0x201c},  {"rdquo", 0x201d},  {"bdquo", 0x201e},  {"dagger", 0x2020},
              {"bull", 0x2022},  {"hellip", 0x2026}, {"permil", 0x2030}, {"lsaquo", 0x2039}, {"rsaquo", 0x203a},
              {"trade", 0x2122}, {"OElig", 0x152},   {"oelig", 0x153},   {"Scaron", 0x160},  {"scaron", 0x161},
              {"Yuml", 0x178},   {"ensp", ' '},      {"emsp", ' '},      {"thinsp", ' '},    {"zwnj", 0x200c},
              {"zwj", 0x200d},   {"fnof", 0x192},    {"larr", 0x2190},   {"rarr", 0x2192}};

static bool is_digit_of(unsigned char byte, unsigned base) {
    const int digit = crd_i_hex_digit(byte);
    return digit >= 0 && digit < (int)base;
}

/* Reads a numeric reference such as "&#8364;" or "&#x20ac;". Returns its length without the semicolon, or 0 if there is
 * none. */
static size_t read_reference(crd_text text, uint32_t *character) {
    const bool is_hex = text.length > 2 && (text.bytes[2] | 0x20) == 'x';
    const size_t first = is_hex ? 3 : 2;
    size_t i = first;
    for (; i < text.length && i - first < MOST_DIGITS && is_digit_of((unsigned char)text.bytes[i], is_hex ? 16 : 10);
         i++)
        *character = *character * (is_hex ? 16 : 10) + (uint32_t)crd_i_hex_digit((unsigned char)text.bytes[i]);
    return i > first ? i : 0;
}

/* Returns the character with an entity name, or 0 if the name is unknown. */
static uint32_t html_entities_find_name(crd_text name) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].name) == name.length && memcmp(others[i].name, name.bytes, name.length) == 0)
            return others[i].character;
    for (size_t i = 0; i < sizeof latin_1 / sizeof *latin_1; i++)
        if (strlen(latin_1[i]) == name.length && memcmp(latin_1[i], name.bytes, name.length) == 0)
            return (uint32_t)(0xa0 + i);
    return 0;
}

size_t crd_i_html_entity(crd_text text, char bytes[4], size_t *written) {
    uint32_t character = 0;
    size_t taken = 0;
    *written = 0;
    if (text.length > 1 && text.bytes[1] == '#') {
        taken = read_reference(text, &character);
    } else {
        size_t length = 0;
        while (length < LONGEST_NAME - 1 && length + 1 < text.length &&
               (is_digit_of((unsigned char)text.bytes[length + 1], 10) ||
                ((text.bytes[length + 1] | 0x20) >= 'a' && (text.bytes[length + 1] | 0x20) <= 'z')))
            length++;
        character = html_entities_find_name((crd_text){text.bytes + 1, length});
        taken = character != 0 ? length + 1 : 0;
    }
    if (taken == 0) return 0;
    if (taken < text.length && text.bytes[taken] == ';') taken++;
    if (character == 0xad || (character >= 0x200b && character <= 0x200f) || character == 0x2060 || character == 0xfeff)
        return taken;
    *written = crd_i_utf8_write(character == 0xa0 ? ' ' : character, bytes);
    if (*written == 0) bytes[(*written)++] = ' ';
    return taken;
}

/* SPDX-License-Identifier: MIT */
/* amount.c - see column_format.h.
 *
 *   amount   = "(" unsigned ")" | signs unsigned
 *   signs    = a sign and a currency in any order, each at most once, with spaces between them
 *   unsigned = [currency] number ["%" | currency]
 *   number   = groups [point digits] | digits [point digits] [exponent] | point digits
 *   groups   = one to three digits, not beginning with 0, then groups of three, all after the same separator
 *
 * Groups are joined, and crd_i_decimal_parse parses the result. So a number has the same bits however it is written. */
#include "table/values/column_format.h"

#include "math/decimal/decimal.h"

#include <string.h>

/* Limit that exceeds any realistic amount. */
enum { MOST_CHARACTERS = 64, CODE_DIGITS = 17 };

typedef struct currency_sign {
    const char *text;
    int number;
} currency_sign;

/* Longer texts precede their prefixes. */
static const currency_sign CURRENCIES[] = {
    {"US$", 1},  {"USD", 1},  {"A$", 2},   {"AU$", 2},  {"AUD", 2},  {"C$", 3},   {"CA$", 3},  {"CAD", 3},  {"NZ$", 4},
    {"NZD", 4},  {"HK$", 5},  {"HKD", 5},  {"R$", 6},   {"BRL", 6},  {"S$", 7},   {"SGD", 7},  {"MX$", 8},  {"MXN", 8},
    {"$", 1},    {"€", 9},    {"EUR", 9},  {"£", 10},   {"GBP", 10}, {"¥", 11},   {"JPY", 11}, {"CNY", 12}, {"RMB", 12},
    {"CHF", 13}, {"Fr.", 13}, {"₹", 14},   {"INR", 14}, {"₽", 15}, {"RUB", 15}, {"₩", 16},   {"KRW", 16}, {"₺", 17},
    {"TRY", 17}, {"₪", 18},   {"ILS", 18}, {"SEK", 19}, {"NOK", 20}, {"DKK", 21}, {"kr", 22},  {"zł", 23},  {"PLN", 23},
    {"Kč", 24},  {"CZK", 24}, {"HUF", 25}, {"Ft", 25},  {"ZAR", 26}, {"₫", 27},   {"VND", 27}, {"฿", 28},   {"THB", 28},
    {"IDR", 29}, {"MYR", 30}, {"PHP", 31}, {"₱", 31},   {"₴", 32},   {"UAH", 32}, {"₦", 33},   {"NGN", 33}, {"RON", 34},
    {"BGN", 35}, {"AED", 36}, {"SAR", 37}, {"TWD", 38}, {"ARS", 39}, {"CLP", 40}, {"COP", 41}, {"EGP", 42}, {"KZT", 43},
};

static const char *const MINUS[] = {"-", "\xE2\x88\x92"};
static const char *const BLANKS[] = {" ", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool amount_starts(crd_text text, const char *with) {
    size_t length = strlen(with);
    return text.length >= length && memcmp(text.bytes, with, length) == 0;
}

static void amount_drop(crd_text *text, size_t count) {
    text->bytes += count;
    text->length -= count;
}

static bool amount_take(crd_text *text, const char *expected) {
    if (!amount_starts(*text, expected)) return false;
    amount_drop(text, strlen(expected));
    return true;
}

static bool take_any(crd_text *text, const char *const *expected, size_t count) {
    size_t i = 0;
    while (i < count && !amount_take(text, expected[i])) i++;
    return i < count;
}

static void take_blanks(crd_text *text) {
    while (take_any(text, BLANKS, COUNT(BLANKS))) continue;
}

static bool amount_is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

static bool amount_is_letter(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static int take_currency(crd_text *text) {
    /* Nearly every cell has none. */
    if (text->length == 0 || amount_is_digit(text->bytes[0])) return 0;
    for (size_t i = 0; i < COUNT(CURRENCIES); i++) {
        crd_text view = *text;
        if (!amount_take(&view, CURRENCIES[i].text)) continue;
        /* Further letters belong to another word. */
        if (amount_is_letter(view.bytes[-1]) && view.length > 0 && amount_is_letter(view.bytes[0])) continue;
        *text = view;
        return CURRENCIES[i].number;
    }
    return 0;
}

/* ---- Digits ---- */

typedef struct amount_numeral {
    char bytes[MOST_CHARACTERS + 4];
    size_t length;
} amount_numeral;

static size_t amount_count_digits(crd_text text) {
    size_t count = 0;
    while (count < text.length && amount_is_digit(text.bytes[count])) count++;
    return count;
}

static void add_digits(amount_numeral *numeral, crd_text *text, size_t count) {
    memcpy(numeral->bytes + numeral->length, text->bytes, count);
    numeral->length += count;
    amount_drop(text, count);
}

/* Returns the group separator if a separator and three digits follow; NULL: none. */
static const char *find_separator(crd_text text, char point) {
    static const char *const SEPARATORS[] = {" ", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89", "'", "\xE2\x80\x99"};
    const char *other = point == '.' ? "," : ".";
    for (size_t i = 0; i <= COUNT(SEPARATORS); i++) {
        const char *separator = i == 0 ? other : SEPARATORS[i - 1];
        crd_text view = text;
        if (amount_take(&view, separator) && amount_count_digits(view) == 3) return separator;
    }
    return NULL;
}

/* Parses the groups after the first. */
static bool take_groups(crd_text *text, char point, amount_numeral *numeral) {
    const char *separator = find_separator(*text, point);
    if (separator == NULL) return false;
    crd_text view = *text;
    while (amount_take(&view, separator)) {
        if (amount_count_digits(view) != 3) break;
        add_digits(numeral, &view, 3);
        *text = view;
    }
    return true;
}

static bool take_fraction(crd_text *text, char point, amount_numeral *numeral) {
    if (text->length == 0 || text->bytes[0] != point) return false;
    amount_drop(text, 1);
    numeral->bytes[numeral->length++] = '.';
    add_digits(numeral, text, amount_count_digits(*text));
    return true;
}

static void take_exponent(crd_text *text, amount_numeral *numeral) {
    crd_text view = *text;
    if (view.length == 0 || (view.bytes[0] | 0x20) != 'e') return;
    size_t head = view.length > 1 && (view.bytes[1] == '-' || view.bytes[1] == '+') ? 2 : 1;
    crd_text next_text = view;
    amount_drop(&next_text, head);
    size_t digits = amount_count_digits(next_text);
    if (digits > 0) add_digits(numeral, text, head + digits);
}

static bool amount_take_number(crd_text *text, char point, crd_i_amount *amount) {
    amount_numeral digits = {.length = 0};
    size_t whole = amount_count_digits(*text);
    bool has_zero = whole > 1 && text->bytes[0] == '0';
    crd_text first = {text->bytes, whole};
    if (has_zero || crd_i_is_code(first)) return false;
    add_digits(&digits, text, whole);
    bool can_group = whole > 0 && whole <= 3 && first.bytes[0] != '0';
    bool is_grouped = can_group && take_groups(text, point, &digits);
    (void)take_fraction(text, point, &digits);
    if (!is_grouped) take_exponent(text, &digits);
    amount->class = crd_i_decimal_parse((crd_text){digits.bytes, digits.length}, '.', &amount->number);
    return amount->class != CRD_NUMBER_NONE;
}

/* ---- Amounts ---- */

typedef struct amount_marks {
    bool has_sign, is_negative;
    int currency;
} amount_marks;

/* Parses a sign and a currency before the number. */
static void take_signs(crd_text *text, amount_marks *marks) {
    for (;;) {
        take_blanks(text);
        bool is_negative = !marks->has_sign && take_any(text, MINUS, COUNT(MINUS));
        if (is_negative || (!marks->has_sign && amount_take(text, "+"))) {
            marks->has_sign = true;
            marks->is_negative = is_negative;
            continue;
        }
        int currency = marks->currency == 0 ? take_currency(text) : 0;
        if (currency == 0) return;
        marks->currency = currency;
    }
}

static bool take_end(crd_text *text, amount_marks *marks, crd_i_amount *amount) {
    take_blanks(text);
    amount->is_percent = amount_take(text, "%");
    if (amount->is_percent && marks->currency > 0) return false;
    if (!amount->is_percent && marks->currency == 0) marks->currency = take_currency(text);
    take_blanks(text);
    return true;
}

crd_i_amount crd_i_amount_parse(crd_text text, char point) {
    const crd_i_amount none = {.class = CRD_NUMBER_NONE};
    crd_i_amount amount = none;
    amount_marks marks = {.has_sign = false};
    if (text.length == 0 || text.length > MOST_CHARACTERS) return none;
    bool has_parentheses = text.bytes[0] == '(' && text.bytes[text.length - 1] == ')';
    if (has_parentheses) text = (crd_text){text.bytes + 1, text.length - 2};
    take_signs(&text, &marks);
    if (has_parentheses && marks.has_sign) return none;
    if (!amount_take_number(&text, point, &amount) || !take_end(&text, &marks, &amount)) return none;
    /* 1,234.50 EUR) and (5)% are not amounts. */
    if (text.length > 0) return none;
    if (has_parentheses || marks.is_negative) amount.number = -amount.number;
    amount.currency = marks.currency;
    return amount;
}

bool crd_i_is_code(crd_text text) {
    if (text.length < 2 || !amount_is_digit(text.bytes[0])) return false;
    if (text.bytes[0] != '0' && text.length < CODE_DIGITS) return false;
    return amount_count_digits(text) == text.length;
}

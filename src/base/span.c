/* SPDX-License-Identifier: MIT */
#include "base/span.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "base/locale.h"

enum { DIGITS_MAX = 15 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t skip_digits(struct ph__span span, size_t at)
{
	while (at < span.length && is_digit(span.at[at]))
		at++;
	return at;
}

struct decimal {
	uint64_t digits; /* meaningless when there are more than DIGITS_MAX */
	size_t digit_count, fraction_count;
	bool has_exponent;
};

/* Moves over digits; returns how many there were. */
static size_t take_digits(struct ph__span span, size_t *at, struct decimal *decimal)
{
	size_t begin = *at;

	for (; *at < span.length && is_digit(span.at[*at]); (*at)++)
		decimal->digits = decimal->digits * 10 + (uint64_t)(span.at[*at] - '0');
	decimal->digit_count += *at - begin;
	return *at - begin;
}

/* [eE] [+-]? digits */
static bool is_exponent(struct ph__span span, size_t at)
{
	at++;
	at += at < span.length && (span.at[at] == '+' || span.at[at] == '-');
	return at < span.length && skip_digits(span, at) == span.length;
}

/* [+-]? (digits [. digits?] | . digits) exponent? and nothing more */
static bool read_decimal(struct ph__span span, struct decimal *decimal)
{
	size_t at = span.length > 0 && (span.at[0] == '+' || span.at[0] == '-');

	*decimal = (struct decimal){0};
	take_digits(span, &at, decimal);
	if (at < span.length && span.at[at] == '.') {
		at++;
		decimal->fraction_count = take_digits(span, &at, decimal);
	}
	if (decimal->digit_count == 0)
		return false;
	if (at == span.length)
		return true;
	decimal->has_exponent = true;
	return (span.at[at] == 'e' || span.at[at] == 'E') && is_exponent(span, at);
}

/* Most numbers are short: up to 15 digits and 10^22 are doubles exactly, so that one division of
 * them is rounded as the C library rounds (W. Clinger, 1990), in a fraction of its time. */
static bool divide_exactly(struct ph__span span, const struct decimal *decimal, double *value)
{
	static const double powers[DIGITS_MAX + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
						      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

	if (decimal->digit_count > DIGITS_MAX || decimal->has_exponent)
		return false;
	double number = (double)decimal->digits / powers[decimal->fraction_count];
	*value = span.at[0] == '-' ? -number : number;
	return true;
}

bool ph__span_double(struct ph__span span, double *value)
{
	struct decimal decimal;
	char text[64];

	*value = 0;
	if (span.length >= sizeof(text) || !read_decimal(span, &decimal))
		return false;
	if (divide_exactly(span, &decimal, value))
		return true;
	memcpy(text, span.at, span.length);
	text[span.length] = '\0';
	double number = strtod_l(text, NULL, ph__c_locale());
	if (!isfinite(number))
		return false;
	*value = number;
	return true;
}

bool ph__span_u64(struct ph__span span, uint64_t limit, uint64_t *value)
{
	uint64_t number = 0;

	*value = 0;
	if (span.length == 0 || skip_digits(span, 0) != span.length)
		return false;
	for (size_t i = 0; i < span.length; i++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(span.at[i] - '0'), &number))
			return false;
	if (number > limit)
		return false;
	*value = number;
	return true;
}

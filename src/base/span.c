/* SPDX-License-Identifier: MIT */
#include "base/span.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "base/locale.h"

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

/* [+-]? (digits [. digits?] | . digits) ([eE] [+-]? digits)? and nothing more */
static bool is_decimal(struct ph__span span)
{
	size_t at = span.length > 0 && (span.at[0] == '+' || span.at[0] == '-');
	size_t whole_end = skip_digits(span, at);
	size_t digit_count = whole_end - at;

	at = whole_end;
	if (at < span.length && span.at[at] == '.') {
		size_t part_end = skip_digits(span, at + 1);
		digit_count += part_end - (at + 1);
		at = part_end;
	}
	if (digit_count == 0)
		return false;
	if (at < span.length && (span.at[at] == 'e' || span.at[at] == 'E')) {
		at++;
		at += at < span.length && (span.at[at] == '+' || span.at[at] == '-');
		size_t end = skip_digits(span, at);
		if (end == at)
			return false;
		at = end;
	}
	return at == span.length;
}

bool ph__span_double(struct ph__span span, double *value)
{
	char text[64];

	*value = 0;
	if (span.length >= sizeof(text) || !is_decimal(span))
		return false;
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

/* SPDX-License-Identifier: MIT */
#include "client/json.h"

struct reader {
	const char *start, *at, *end;
};

static ph_status fail(const struct reader *reader, const char *expected)
{
	return ph__fail(PH_EFORMAT, "the descriptor is no valid JSON: %s expected at byte %td",
			expected, reader->at - reader->start);
}

static char peek(const struct reader *reader)
{
	if (reader->at == reader->end)
		return '\0';
	return *reader->at;
}

static void skip_blanks(struct reader *reader)
{
	while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t' ||
					    *reader->at == '\n' || *reader->at == '\r'))
		reader->at++;
}

/* Takes the next character, blanks before it skipped, if it is `wanted`. */
static bool take(struct reader *reader, char wanted)
{
	skip_blanks(reader);
	if (peek(reader) != wanted || reader->at == reader->end)
		return false;
	reader->at++;
	return true;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool take_escape(struct reader *reader)
{
	char kind = peek(reader);

	if (kind == '\0' || !strchr("\"\\/bfnrtu", kind))
		return false;
	reader->at++;
	for (int i = 0; kind == 'u' && i < 4; i++, reader->at++)
		if (!is_hex(peek(reader)))
			return false;
	return true;
}

/* The text between the quotes; `plain` when it has no escapes. */
static ph_status read_string(struct reader *reader, struct ph__span *text, bool *plain)
{
	*plain = true;
	if (!take(reader, '"'))
		return fail(reader, "a string");
	text->at = reader->at;
	while (peek(reader) != '"') {
		if ((unsigned char)peek(reader) < 0x20)
			return fail(reader, "the end of a string");
		if (*reader->at++ == '\\') {
			*plain = false;
			if (!take_escape(reader))
				return fail(reader, "an escape");
		}
	}
	text->length = (size_t)(reader->at++ - text->at);
	return PH_OK;
}

static size_t take_digits(struct reader *reader)
{
	const char *start = reader->at;

	while (peek(reader) >= '0' && peek(reader) <= '9')
		reader->at++;
	return (size_t)(reader->at - start);
}

/* -? (0 | [1-9] digits) (. digits)? ([eE] [+-]? digits)? */
static ph_status read_number(struct reader *reader, struct ph__span *text)
{
	skip_blanks(reader);
	text->at = reader->at;
	reader->at += peek(reader) == '-';
	bool zero = peek(reader) == '0';
	size_t digit_count = take_digits(reader);
	if (digit_count == 0 || (zero && digit_count > 1))
		return fail(reader, "a number");
	if (peek(reader) == '.') {
		reader->at++;
		if (take_digits(reader) == 0)
			return fail(reader, "a digit");
	}
	if (peek(reader) == 'e' || peek(reader) == 'E') {
		reader->at++;
		reader->at += peek(reader) == '+' || peek(reader) == '-';
		if (take_digits(reader) == 0)
			return fail(reader, "an exponent");
	}
	text->length = (size_t)(reader->at - text->at);
	return PH_OK;
}

static bool take_word(struct reader *reader)
{
	static const char *const words[] = {"true", "false", "null"};
	struct ph__span rest = {reader->at, (size_t)(reader->end - reader->at)};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (ph__span_starts(rest, words[i])) {
			reader->at += strlen(words[i]);
			return true;
		}
	return false;
}

static ph_status skip_scalar(struct reader *reader)
{
	struct ph__span text;
	bool plain;

	if (peek(reader) == '"')
		return read_string(reader, &text, &plain);
	if (take_word(reader))
		return PH_OK;
	return read_number(reader, &text);
}

static ph_status skip_value(struct reader *reader, int depth);

static ph_status skip_members(struct reader *reader, int depth)
{
	struct ph__span key = {0};
	bool plain;

	if (take(reader, '}'))
		return PH_OK;
	do {
		ph_status status = read_string(reader, &key, &plain);
		if (status == PH_OK && !take(reader, ':'))
			status = fail(reader, "':'");
		if (status == PH_OK)
			status = skip_value(reader, depth);
		if (status < 0)
			return status;
	} while (take(reader, ','));
	return take(reader, '}') ? PH_OK : fail(reader, "',' or '}'");
}

static ph_status skip_items(struct reader *reader, int depth)
{
	if (take(reader, ']'))
		return PH_OK;
	do {
		ph_status status = skip_value(reader, depth);
		if (status < 0)
			return status;
	} while (take(reader, ','));
	return take(reader, ']') ? PH_OK : fail(reader, "',' or ']'");
}

/* A value that nobody asked for. The depth bounds the stack. */
static ph_status skip_value(struct reader *reader, int depth)
{
	skip_blanks(reader);
	if (depth == PH__JSON_DEPTH_MAX)
		return ph__fail(PH_EFORMAT, "the descriptor nests deeper than %d",
				PH__JSON_DEPTH_MAX);
	if (take(reader, '{'))
		return skip_members(reader, depth + 1);
	if (take(reader, '['))
		return skip_items(reader, depth + 1);
	return skip_scalar(reader);
}

static ph_status read_count(struct reader *reader, const char *key, uint64_t *value)
{
	struct ph__span text = {0};

	ph_status status = read_number(reader, &text);
	if (status < 0)
		return status;
	if (!ph__span_u64(text, INT64_MAX, value))
		return ph__fail(PH_EFORMAT, "the descriptor's %s is '%.*s', not a count", key,
				PH__SHOWN(text));
	return PH_OK;
}

static ph_status read_double(struct reader *reader, const char *key, double *value)
{
	struct ph__span text = {0};

	ph_status status = read_number(reader, &text);
	if (status < 0)
		return status;
	if (!ph__span_double(text, value))
		return ph__fail(PH_EFORMAT, "the descriptor's %s is '%.*s', not a finite number",
				key, PH__SHOWN(text));
	return PH_OK;
}

static ph_status read_counts(struct reader *reader, const char *key, struct ph__json_counts *counts)
{
	counts->count = 0;
	if (!take(reader, '['))
		return fail(reader, "an array");
	if (take(reader, ']'))
		return PH_OK;
	do {
		if (counts->count == PH__JSON_COUNTS_MAX)
			return ph__fail(PH_EFORMAT, "the descriptor's %s has more than %d numbers",
					key, PH__JSON_COUNTS_MAX);
		ph_status status = read_count(reader, key, &counts->values[counts->count++]);
		if (status < 0)
			return status;
	} while (take(reader, ','));
	return take(reader, ']') ? PH_OK : fail(reader, "',' or ']'");
}

static ph_status read_plain(struct reader *reader, const char *key, struct ph__span *text)
{
	bool plain;

	ph_status status = read_string(reader, text, &plain);
	if (status == PH_OK && !plain)
		return ph__fail(PH_EFORMAT, "the descriptor's %s has an escape in it", key);
	return status;
}

static ph_status read_object(struct reader *reader, const struct ph__json_field *fields,
			     void *into);

static ph_status read_field(struct reader *reader, const struct ph__json_field *field, void *into)
{
	void *value = (char *)into + field->value_offset;
	bool *given = (bool *)((char *)into + field->given_offset);

	if (*given)
		return ph__fail(PH_EFORMAT, "the descriptor has the key '%s' twice", field->key);
	*given = true;
	switch (field->kind) {
	case PH__JSON_STRING: return read_plain(reader, field->key, value);
	case PH__JSON_COUNT:  return read_count(reader, field->key, value);
	case PH__JSON_NUMBER: return read_double(reader, field->key, value);
	case PH__JSON_COUNTS: return read_counts(reader, field->key, value);
	case PH__JSON_OBJECT: return read_object(reader, field->fields, into);
	default:              return skip_value(reader, 1);
	}
}

static const struct ph__json_field *find(const struct ph__json_field *fields, struct ph__span key)
{
	for (; fields->kind != PH__JSON_END; fields++)
		if (ph__span_is(key, fields->key))
			return fields;
	return NULL;
}

static ph_status read_member(struct reader *reader, const struct ph__json_field *fields, void *into)
{
	struct ph__span key = {0};
	bool plain;

	ph_status status = read_string(reader, &key, &plain);
	if (status < 0)
		return status;
	if (!take(reader, ':'))
		return fail(reader, "':'");
	const struct ph__json_field *field = find(fields, key);
	return field ? read_field(reader, field, into) : skip_value(reader, 1);
}

static ph_status read_object(struct reader *reader, const struct ph__json_field *fields, void *into)
{
	if (!take(reader, '{'))
		return fail(reader, "an object");
	if (take(reader, '}'))
		return PH_OK;
	do {
		ph_status status = read_member(reader, fields, into);
		if (status < 0)
			return status;
	} while (take(reader, ','));
	return take(reader, '}') ? PH_OK : fail(reader, "',' or '}'");
}

ph_status ph__json_read(struct ph__span text, const struct ph__json_field *fields, void *into)
{
	struct reader reader = {text.at, text.at, text.at + text.length};

	ph_status status = read_object(&reader, fields, into);
	if (status < 0)
		return status;
	skip_blanks(&reader);
	return reader.at == reader.end ? PH_OK : fail(&reader, "the end");
}

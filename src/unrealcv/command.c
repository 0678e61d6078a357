/* SPDX-License-Identifier: MIT */
/* Finds the template that a command matches.
 *
 * Three literal pieces pick the candidates: the verb and the first and last segment of the path
 * ("vget", "camera", "lit"). Few templates share all three, and only these are compared byte by
 * byte. A path that ends in a placeholder has no last piece; those are tried after the others, so
 * that a wildcard never hides a literal. */
#include "unrealcv/unrealcv.h"

#include <assert.h>
#include <math.h>
#include <strings.h>

/* Beyond it positions and sizes, multiplied, would not be finite any more. */
#define FLOAT_LIMIT 1e15

enum {
	BUCKET_BITS = 9,
	UINT_DIGITS_MAX = 19, /* whatever they are, they fit uint64_t */
	HASH_SEED = 5381,
	NO_SEGMENT = 0,
};

static struct ph__span next_word(struct ph__span *rest)
{
	const char *at = rest->at, *end = at + rest->length;

	while (at < end && *at == ' ')
		at++;
	const char *begin = at;
	while (at < end && *at != ' ')
		at++;
	*rest = (struct ph__span){at, (size_t)(end - at)};
	return (struct ph__span){begin, (size_t)(at - begin)};
}

/* "vbatch6" is "vbatch 6": of all verbs only this one may have its argument stuck to it. */
static struct ph__span take_verb(struct ph__span *text)
{
	static const char batch[] = "vbatch";
	enum { LENGTH = sizeof(batch) - 1 };
	struct ph__span verb = next_word(text);

	if (verb.length <= LENGTH || strncasecmp(verb.at, batch, LENGTH) != 0)
		return verb;
	text->length += verb.length - LENGTH;
	text->at = verb.at + LENGTH;
	return (struct ph__span){verb.at, LENGTH};
}

static struct ph__words split(struct ph__span text)
{
	struct ph__words words;

	words.verb = take_verb(&text);
	words.path = next_word(&text);
	words.rest = text;
	return words;
}

/* Verbs are compared in any case of their ASCII letters. */
static unsigned char fold(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

static uint32_t mix(uint32_t hash, unsigned char c)
{
	return hash * 33 + c;
}

static uint32_t hash_verb(struct ph__span verb)
{
	uint32_t hash = HASH_SEED;

	for (size_t i = 0; i < verb.length; i++)
		hash = mix(hash, fold(verb.at[i]));
	return hash;
}

struct segments {
	uint32_t first, last;
};

/* A second word that is no path has no segments. */
static struct segments hash_path(struct ph__span path)
{
	struct segments found = {NO_SEGMENT, NO_SEGMENT};
	uint32_t hash = HASH_SEED;

	if (path.length == 0 || path.at[0] != '/')
		return found;
	for (size_t i = 1; i < path.length; i++) {
		if (path.at[i] != '/') {
			hash = mix(hash, (unsigned char)path.at[i]);
			continue;
		}
		if (found.first == NO_SEGMENT)
			found.first = hash;
		hash = HASH_SEED;
	}
	if (found.first == NO_SEGMENT)
		found.first = hash;
	found.last = hash;
	return found;
}

static uint32_t key_of(uint32_t verb, uint32_t first, uint32_t last)
{
	return (verb + first * 3 + last * 5) * 2654435769u; /* Fibonacci hashing, after Knuth */
}

static uint32_t bucket_of(uint32_t key)
{
	return key >> (32 - BUCKET_BITS);
}

static bool ends_open(struct ph__span path)
{
	return path.length > 0 && path.at[path.length - 1] == ']';
}

void ph__command_index_add(struct ph__command_index *index, const char *template_text)
{
	uint32_t number = index->count++;
	struct ph__words words = split(ph__span_of(template_text));
	struct segments segments = hash_path(words.path);

	assert(number < PH__TEMPLATES_MAX);
	if (ends_open(words.path))
		segments.last = NO_SEGMENT;
	index->templates[number] = words;
	index->keys[number] = key_of(hash_verb(words.verb), segments.first, segments.last);
	uint16_t *link = &index->buckets[bucket_of(index->keys[number])];
	while (*link)
		link = &index->next[*link - 1];
	*link = (uint16_t)(number + 1);
}

/* Camera ids are echoed in names, so an empty one (0 in the original server) is written as such. */
static bool read_uint(struct ph__arg *arg)
{
	uint64_t value;

	if (arg->text.length == 0)
		arg->text = ph__span_of("0");
	if (arg->text.length > UINT_DIGITS_MAX || !ph__span_u64(arg->text, UINT32_MAX, &value))
		return false;
	arg->number = (double)value;
	return true;
}

/* true, false, or a number that is 0 or not. */
static bool read_bool(struct ph__arg *arg)
{
	static const char *const words[] = {"false", "true"};

	for (int i = 0; i < 2; i++)
		if (arg->text.length == strlen(words[i]) &&
		    strncasecmp(arg->text.at, words[i], arg->text.length) == 0) {
			arg->number = i;
			return true;
		}
	uint64_t value;
	bool good = ph__span_u64(arg->text, UINT32_MAX, &value);
	arg->number = value != 0;
	return good;
}

/* `kind` is the placeholder's first letter. False: the text is not of this kind. */
static bool take_argument(char kind, struct ph__span text, bool in_path,
			  struct ph__command *command)
{
	struct ph__arg *arg = &command->args[command->arg_count++];

	*arg = (struct ph__arg){.text = text};
	if (kind == 'u' && in_path && ph__span_starts(text, "CID-")) {
		arg->number = PH__NO_NUMBER;
		return true;
	}
	switch (kind) {
	case 'u': return read_uint(arg);
	case 'f': return ph__span_double(text, &arg->number) && fabs(arg->number) <= FLOAT_LIMIT;
	case 'b': return read_bool(arg);
	default: return true;
	}
}

/* How much of `text` a placeholder takes when the template's word goes on with `suffix_length`
 * further bytes: a [str] all but these, slashes included, a number up to the next slash. */
static size_t argument_length(char kind, struct ph__span text, size_t suffix_length)
{
	if (suffix_length == 0)
		return text.length;
	if (kind == 's')
		return text.length > suffix_length ? text.length - suffix_length : 0;
	const char *slash = memchr(text.at, '/', text.length);
	return slash ? (size_t)(slash - text.at) : text.length;
}

/* One word of a template against one of a command. False: a literal differs. `*fits` becomes false
 * when an argument is not of its kind. */
static bool match_word(struct ph__span want, struct ph__span word, struct ph__command *command,
		       bool *fits)
{
	const char *at = want.at, *end = want.at + want.length;

	while (at < end) {
		size_t length = 1;
		if (*at == '[') {
			char kind = at[1];
			at = (const char *)memchr(at, ']', (size_t)(end - at)) + 1;
			length = argument_length(kind, word, (size_t)(end - at));
			struct ph__span text = {word.at, length};
			if (!take_argument(kind, text, at < end, command))
				*fits = false;
		} else if (word.length == 0 || *word.at != *at++) {
			return false;
		}
		word.at += length;
		word.length -= length;
	}
	return word.length == 0;
}

static bool same_verb(struct ph__span a, struct ph__span b)
{
	if (a.length != b.length)
		return false;
	for (size_t i = 0; i < a.length; i++)
		if (fold(a.at[i]) != fold(b.at[i]))
			return false;
	return true;
}

/* [Anything]: what is there, without the blanks around it. */
static void take_anything(struct ph__span text, struct ph__command *command)
{
	while (text.length > 0 && text.at[0] == ' ')
		text = (struct ph__span){text.at + 1, text.length - 1};
	while (text.length > 0 && text.at[text.length - 1] == ' ')
		text.length--;
	take_argument('A', text, false, command);
}

/* The words after the path. Blanks at the end make a last [str] that is not there an empty one, as
 * in the original server; any other word that is missing or too many does not fit. */
static enum ph__parse_result match_rest(struct ph__span want_rest, struct ph__span rest,
					struct ph__command *command, bool fits)
{
	bool ends_blank = rest.length > 0 && rest.at[rest.length - 1] == ' ';

	for (;;) {
		struct ph__span want = next_word(&want_rest), before = rest;
		struct ph__span word = next_word(&rest);
		if (want.length == 0)
			return fits && word.length == 0 ? PH__PARSE_OK : PH__PARSE_BAD_ARGUMENTS;
		bool literal = want.at[0] != '[';
		bool may_be_empty = ends_blank && want.at[1] == 's' && want_rest.length == 0;
		if (!literal && want.at[1] == 'A') {
			take_anything(before, command);
			return fits ? PH__PARSE_OK : PH__PARSE_BAD_ARGUMENTS;
		}
		if (word.length == 0 && !literal && !may_be_empty)
			fits = false;
		else if (!match_word(want, word, command, &fits))
			return PH__PARSE_UNKNOWN;
	}
}

static enum ph__parse_result match(const struct ph__words *template, const struct ph__words *words,
				   struct ph__command *command)
{
	bool fits = true;

	command->arg_count = 0;
	if (!same_verb(template->verb, words->verb))
		return PH__PARSE_UNKNOWN;
	if (ph__span_is(template->path, "[Anything]")) {
		const char *end = words->rest.at + words->rest.length;
		take_anything((struct ph__span){words->path.at, (size_t)(end - words->path.at)},
			      command);
		return PH__PARSE_OK;
	}
	if (!match_word(template->path, words->path, command, &fits))
		return PH__PARSE_UNKNOWN;
	return match_rest(template->rest, words->rest, command, fits);
}

/* The first template of this key that fits, in the order of their adding. */
static enum ph__parse_result match_key(const struct ph__command_index *index, uint32_t key,
				       const struct ph__words *words, struct ph__command *command)
{
	enum ph__parse_result best = PH__PARSE_UNKNOWN;
	uint32_t entry = index->buckets[bucket_of(key)];

	for (; entry; entry = index->next[entry - 1]) {
		if (index->keys[entry - 1] != key)
			continue;
		enum ph__parse_result result = match(&index->templates[entry - 1], words, command);
		command->number = entry - 1;
		if (result == PH__PARSE_OK)
			return result;
		if (result == PH__PARSE_BAD_ARGUMENTS)
			best = result;
	}
	return best;
}

enum ph__parse_result ph__command_parse(const struct ph__command_index *index, struct ph__span text,
					struct ph__command *command)
{
	struct ph__words words = split(text);
	uint32_t verb = hash_verb(words.verb);
	struct segments path = hash_path(words.path);
	const uint32_t keys[] = {
		key_of(verb, path.first, path.last),
		key_of(verb, path.first, NO_SEGMENT),
		key_of(verb, NO_SEGMENT, NO_SEGMENT), /* "vrun [Anything]", whatever looks like a path */
	};
	enum ph__parse_result best = PH__PARSE_UNKNOWN;

	for (int i = 0; i < 3; i++) {
		enum ph__parse_result result = match_key(index, keys[i], &words, command);
		if (result == PH__PARSE_OK)
			return result;
		if (result == PH__PARSE_BAD_ARGUMENTS)
			best = result;
	}
	*command = (struct ph__command){0};
	return best;
}

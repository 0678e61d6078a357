/* SPDX-License-Identifier: MIT */
/* Finds the template that a command matches.
 *
 * Three literal pieces pick the candidates: the verb and the first and last segment of the path
 * ("vget", "camera", "lit"). Few templates share all three, and only these are compared byte by
 * byte. A path that ends in a placeholder has no last piece; those are tried after the others, so
 * that a wildcard never hides a literal. */
#include "unrealcv/unrealcv.h"

#include <pthread.h>

enum {
	BUCKET_BITS = 9,
	UINT_DIGITS_MAX = 19, /* whatever they are, they fit uint64_t */
	HASH_SEED = 5381,
	NO_SEGMENT = 0,
};

struct words {
	struct ph__span verb, path, rest;
};

/* Written once, by build_index(), and only read from then on. An entry is an id + 1; 0 ends. */
static struct words patterns[PH__COMMAND_COUNT];
static uint32_t keys[PH__COMMAND_COUNT];
static uint16_t first_in_bucket[1 << BUCKET_BITS];
static uint16_t next_in_bucket[PH__COMMAND_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

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

static struct words split(struct ph__span text)
{
	struct words words;

	words.verb = next_word(&text);
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

static void build_index(void)
{
	/* From the last to the first: each goes in front of its bucket. */
	for (unsigned id = PH__COMMAND_COUNT; id-- > 0;) {
		struct words pattern = split(ph__span_of(ph__command_spec(id)->template_text));
		struct segments segments = hash_path(pattern.path);
		bool open_end = pattern.path.length > 0 &&
				pattern.path.at[pattern.path.length - 1] == ']';
		uint32_t key = key_of(hash_verb(pattern.verb), segments.first,
				      open_end ? NO_SEGMENT : segments.last);
		uint32_t bucket = bucket_of(key);
		patterns[id] = pattern;
		keys[id] = key;
		next_in_bucket[id] = first_in_bucket[bucket];
		first_in_bucket[bucket] = (uint16_t)(id + 1);
	}
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

/* `kind` is the placeholder's first letter. False: the text is not of this kind. */
static bool take_argument(char kind, struct ph__span text, struct ph__command *command)
{
	struct ph__arg *arg = &command->args[command->arg_count++];

	*arg = (struct ph__arg){.text = text};
	if (kind == 'u')
		return read_uint(arg);
	if (kind == 'f')
		return ph__span_double(text, &arg->number);
	return true;
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
			if (!take_argument(kind, (struct ph__span){word.at, length}, command))
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

/* The words after the path. Blanks at the end make a last [str] that is not there an empty one, as
 * in the original server; any other word that is missing or too many does not fit. */
static enum ph__parse_result match_rest(struct ph__span want_rest, struct ph__span rest,
					struct ph__command *command, bool fits)
{
	bool ends_blank = rest.length > 0 && rest.at[rest.length - 1] == ' ';

	for (;;) {
		struct ph__span want = next_word(&want_rest);
		struct ph__span word = next_word(&rest);
		if (want.length == 0)
			return fits && word.length == 0 ? PH__PARSE_OK : PH__PARSE_BAD_ARGUMENTS;
		bool literal = want.at[0] != '[';
		bool may_be_empty = ends_blank && want.at[1] == 's' && want_rest.length == 0;
		if (word.length == 0 && !literal && !may_be_empty)
			fits = false;
		else if (!match_word(want, word, command, &fits))
			return PH__PARSE_UNKNOWN;
	}
}

static enum ph__parse_result match(const struct words *pattern, const struct words *words,
				   struct ph__command *command)
{
	bool fits = true;

	command->arg_count = 0;
	if (!same_verb(pattern->verb, words->verb) ||
	    !match_word(pattern->path, words->path, command, &fits))
		return PH__PARSE_UNKNOWN;
	return match_rest(pattern->rest, words->rest, command, fits);
}

/* The first pattern of this key that fits, in the order of the table. */
static enum ph__parse_result match_key(uint32_t key, const struct words *words,
				       struct ph__command *command)
{
	enum ph__parse_result best = PH__PARSE_UNKNOWN;
	uint32_t entry = first_in_bucket[bucket_of(key)];

	for (; entry; entry = next_in_bucket[entry - 1]) {
		if (keys[entry - 1] != key)
			continue;
		enum ph__parse_result result = match(&patterns[entry - 1], words, command);
		command->id = entry - 1;
		if (result == PH__PARSE_OK)
			return result;
		if (result == PH__PARSE_BAD_ARGUMENTS)
			best = result;
	}
	return best;
}

enum ph__parse_result ph__command_parse(struct ph__span text, struct ph__command *command)
{
	pthread_once(&once, build_index);
	struct words words = split(text);
	uint32_t verb = hash_verb(words.verb);
	struct segments path = hash_path(words.path);

	enum ph__parse_result closed, open;
	closed = match_key(key_of(verb, path.first, path.last), &words, command);
	if (closed == PH__PARSE_OK)
		return closed;
	open = match_key(key_of(verb, path.first, NO_SEGMENT), &words, command);
	if (open == PH__PARSE_OK)
		return open;
	*command = (struct ph__command){0};
	return closed == PH__PARSE_BAD_ARGUMENTS ? closed : open;
}

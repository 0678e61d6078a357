/* SPDX-License-Identifier: MIT */
#include "client/address.h"

#include <string.h>

#include "base/span.h"

enum { PORT_MAX = 65535 };

static ph_status fail(const char *text, const char *why)
{
	return ph__fail(
		PH_EINVAL,
		"the address '%.200s' %s: write HOST:PORT, :PORT, [IPV6]:PORT, unix:PATH or a "
		"path with a slash",
		text, why);
}

static bool copy(struct ph__span from, char *to, size_t room)
{
	if (from.length == 0 || from.length >= room)
		return false;
	memcpy(to, from.at, from.length);
	to[from.length] = '\0';
	return true;
}

static ph_status parse_path(const char *text, const char *path, struct ph__address *address)
{
	address->is_path = true;
	if (!copy(ph__span_of(path), address->path, sizeof(address->path)))
		return fail(text, *path ? "has a path longer than 107 bytes" : "has an empty path");
	return PH_OK;
}

/* The host in front of the last colon; an IPv6 address has colons of its own, hence brackets. */
static bool parse_host(struct ph__span host, struct ph__address *address)
{
	bool bracketed =
		host.length > 1 && host.at[0] == '[' && host.at[host.length - 1] == ']';

	if (host.length == 0)
		host = ph__span_of("127.0.0.1");
	if (bracketed)
		host = (struct ph__span){host.at + 1, host.length - 2};
	else if (memchr(host.at, ':', host.length))
		return false;
	if (memchr(host.at, '[', host.length) || memchr(host.at, ']', host.length))
		return false;
	return copy(host, address->host, sizeof(address->host));
}

ph_status ph__address_parse(const char *text, struct ph__address *address)
{
	uint64_t port;

	*address = (struct ph__address){0};
	if (strncmp(text, "unix:", 5) == 0)
		return parse_path(text, text + 5, address);
	if (strchr(text, '/'))
		return parse_path(text, text, address);
	const char *colon = strrchr(text, ':');
	if (!colon)
		return fail(text, "has no port");
	struct ph__span digits = ph__span_of(colon + 1);
	if (!ph__span_u64(digits, PORT_MAX, &port) || port == 0 ||
	    !copy(digits, address->port, sizeof(address->port)))
		return fail(text, "has no port from 1 to 65535");
	if (!parse_host((struct ph__span){text, (size_t)(colon - text)}, address))
		return fail(text, "has no valid host");
	return PH_OK;
}

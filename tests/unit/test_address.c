/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "client/address.h"

static struct ph__address parse(const char *text)
{
	struct ph__address address;
	assert_int_equal(ph__address_parse(text, &address), PH_OK);
	return address;
}

static void assert_refused(const char *text, const char *why)
{
	struct ph__address address;

	assert_int_equal(ph__address_parse(text, &address), PH_EINVAL);
	if (!strstr(ph_last_error(), why))
		fail_msg("'%s': \"%s\" does not say \"%s\"", text, ph_last_error(), why);
}

TEST(a_host_and_a_port_are_split_at_the_last_colon)
{
	struct ph__address address = parse("camera.example:9000");
	assert_false(address.is_path);
	assert_string_equal(address.host, "camera.example");
	assert_string_equal(address.port, "9000");
}

TEST(a_port_alone_means_the_loopback_address)
{
	struct ph__address address = parse(":1");
	assert_string_equal(address.host, "127.0.0.1");
	assert_string_equal(address.port, "1");
}

TEST(an_ipv6_address_loses_its_brackets)
{
	struct ph__address address = parse("[fe80::1%lo]:65535");
	assert_string_equal(address.host, "fe80::1%lo");
	assert_string_equal(address.port, "65535");
}

TEST(a_path_is_one_with_a_slash_or_behind_unix)
{
	assert_string_equal(parse("unix:camera.socket").path, "camera.socket");
	assert_string_equal(parse("unix:/tmp/a:9000").path, "/tmp/a:9000");
	assert_string_equal(parse("./camera:9000").path, "./camera:9000");
	assert_true(parse("/tmp/a").is_path);
}

TEST(the_longest_path_fits_and_one_byte_more_is_refused)
{
	char text[128] = "/";

	memset(text + 1, 'a', 107);
	text[107] = '\0';
	assert_int_equal(strlen(parse(text).path), 107);
	text[107] = 'a';
	assert_refused(text, "107 bytes");
}

TEST(an_address_that_is_none_is_refused_with_the_forms_that_are)
{
	assert_refused("", "HOST:PORT");
	assert_refused("localhost", "no port");
	assert_refused("localhost:", "no port from");
	assert_refused("localhost:0", "no port from");
	assert_refused("localhost:65536", "no port from");
	assert_refused("localhost:+9", "no port from");
	assert_refused("localhost:00000000000000000000009000", "no port from");
	assert_refused("::1:9000", "[IPV6]");
	assert_refused("[]:9000", "no valid host");
	assert_refused("[:9000", "no valid host");
	assert_refused("unix:", "empty path");
}

TEST(a_host_of_any_length_is_handled)
{
	char text[600];

	for (size_t length = 1; length < 590; length++) {
		struct ph__address address;
		memset(text, 'h', length);
		strcpy(text + length, ":9000");
		assert_int_equal(ph__address_parse(text, &address),
				 length < PH__HOST_BYTES_MAX ? PH_OK : PH_EINVAL);
	}
}

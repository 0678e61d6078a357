/* SPDX-License-Identifier: MIT */
/* Saves what a camera sees as a PPM picture, straight from the server's memory.
 *
 *     pinhole serve &
 *     ./01_lit_shared 127.0.0.1:9000 lit.ppm
 */
#include <stdio.h>
#include <stdlib.h>

#include <pinhole/client.h>

static int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, ph_last_error());
	return EXIT_FAILURE;
}

/* BGRA rows become RGB rows. */
static int save_ppm(const ph_frame *frame, const char *path)
{
	FILE *file = fopen(path, "wb");
	if (!file) {
		perror(path);
		return EXIT_FAILURE;
	}
	fprintf(file, "P6 %u %u 255\n", frame->width_px, frame->height_px);
	for (uint32_t y = 0; y < frame->height_px; y++) {
		const unsigned char *pixel = (const unsigned char *)frame->bytes +
					     y * frame->planes[0].stride_bytes;
		for (uint32_t x = 0; x < frame->width_px; x++, pixel += 4) {
			putc(pixel[2], file);
			putc(pixel[1], file);
			putc(pixel[0], file);
		}
	}
	return fclose(file) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	ph_client *client;
	ph_reply reply;
	int result;

	if (argc != 3) {
		fprintf(stderr, "usage: %s ADDRESS FILE.ppm\n", argv[0]);
		return 2;
	}
	if (ph_client_connect(argv[1], NULL, &client) != PH_OK)
		return fail("connect");
	if (ph_client_request(client, "vget /camera/0/lit_shared", &reply) != PH_OK)
		result = fail("lit_shared");
	else
		result = save_ppm(&reply.frame, argv[2]);
	ph_client_close(&client);
	return result;
}

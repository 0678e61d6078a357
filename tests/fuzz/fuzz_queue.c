/* SPDX-License-Identifier: MIT */
/* A hostile segment: the first 128 bytes, the metadata and the ring hold what the fuzzer says; both
 * sides are then used on it. Nothing may crash, hang, or touch a byte outside of the mapping.
 *
 * Input: 128 bytes of header, then bytes laid over metadata and ring; what is missing stays as a
 * good queue has it. */
#include <pinhole/queue.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channel/queue.h"

enum { METADATA_BYTES = 256, RING_BYTES = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void lay_over(void *base, size_t capacity, const uint8_t **data, size_t *size)
{
	size_t length = *size < capacity ? *size : capacity;

	memcpy(base, *data, length);
	*data += length;
	*size -= length;
}

static void read_some(ph_queue_reader *reader)
{
	ph_frame frames[4];
	unsigned char buffer[METADATA_BYTES];
	uint64_t length;
	volatile unsigned char sum = 0;

	ph_queue_read_metadata(reader, buffer, sizeof(buffer), &length);
	for (int i = 0; i < 4; i++) {
		if (ph_queue_acquire(reader, 0, &frames[i]) < 0) {
			frames[i].bytes = NULL;
			continue;
		}
		for (uint64_t k = 0; k < frames[i].length_bytes; k++)
			sum += ((const unsigned char *)frames[i].bytes)[k];
	}
	for (int i = 3; i >= 0; i--)
		if (frames[i].bytes)
			ph_queue_release(reader, &frames[i]);
	(void)sum;
}

static void write_some(const char *name)
{
	ph_queue_writer *writer;
	void *bytes;

	if (ph_queue_writer_open(name, NULL, &writer) < 0)
		return;
	ph_queue_write_metadata(writer, "metadata", 8);
	for (int i = 0; i < 4; i++)
		if (ph_queue_claim(writer, 1 + (uint64_t)i * 111, 0, &bytes) == PH_OK) {
			memset(bytes, i, 1 + (size_t)i * 111);
			ph_queue_publish(writer, 1 + (uint64_t)i * 111, NULL);
		}
	ph_queue_writer_close(&writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char name[32];
	ph_queue_reader *reader;

	snprintf(name, sizeof(name), "ph-fuzz-%d", (int)getpid());
	if (ph_queue_reader_create(name,
				   PH_QUEUE_READER_OPTIONS(.metadata_bytes = METADATA_BYTES,
							   .ring_bytes = RING_BYTES,
							   .held_frames = 4),
				   &reader) < 0)
		abort();
	lay_over(reader->segment.header, QUEUE_HEADER_BYTES, &data, &size);
	lay_over(reader->segment.metadata, METADATA_BYTES, &data, &size);
	lay_over(reader->segment.ring, RING_BYTES, &data, &size);
	for (size_t i = 0; i < size % 4; i++)
		ph__semaphore_post(&reader->segment.data);
	read_some(reader);
	write_some(name);
	read_some(reader);
	ph_queue_reader_close(&reader);
	return 0;
}

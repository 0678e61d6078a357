/* SPDX-License-Identifier: MIT */
#include <pinhole/client.h>

#include <string.h>

#include "base/options.h"
#include "base/sys.h"
#include "client/connection.h"
#include "client/descriptor.h"
#include "client/regions.h"
#include "client/reply.h"

static const int64_t default_timeout_ns = 60000000000;
static const uint64_t default_limit_bytes = 1 << 30;

struct ph_client {
	struct ph__connection connection;
	struct ph__regions regions;
	char *scene;
};

static ph_status keep_scene(ph_client *client, struct ph__span scene)
{
	client->scene = ph__sys->calloc(1, scene.length + 1);
	if (!client->scene)
		return ph__fail(PH_ENOSPC, "no memory for the name of the scene");
	memcpy(client->scene, scene.at, scene.length);
	return PH_OK;
}

ph_status ph_client_connect(const char *address, const ph_client_options *options,
			    ph_client **client)
{
	ph_client_options given;
	struct ph__address parsed;
	struct ph__span scene;

	*client = NULL;
	if (!ph__options_read(&given, sizeof(given), options))
		return ph__fail(PH_EINVAL, "ph_client_options: size is %zu; set it to sizeof(it)",
				options->size);
	ph_status status = ph__address_parse(address, &parsed);
	if (status < 0)
		return status;
	ph_client *made = ph__sys->calloc(1, sizeof(*made));
	if (!made)
		return ph__fail(PH_ENOSPC, "no memory for a client");
	status = ph__connection_open(
		&made->connection, &parsed,
		given.timeout_ns ? given.timeout_ns : default_timeout_ns,
		given.reply_bytes_limit ? given.reply_bytes_limit : default_limit_bytes, &scene);
	if (status == PH_OK)
		status = keep_scene(made, scene);
	if (status < 0)
		ph_client_close(&made);
	*client = made;
	return status;
}

const char *ph_client_scene(const ph_client *client)
{
	return client->scene;
}

/* "vget /camera/0/lit_shared", "vget /camera/0/panoramic_shared 640 480" */
static bool asks_for_shared(const char *command)
{
	if (strncmp(command, "vget ", 5) != 0)
		return false;
	const char *route = command + 5;
	return memmem(route, strcspn(route, " "), "_shared", strlen("_shared"));
}

/* Turns the descriptor in `text` into the frame that it describes. */
static ph_status open_shared(ph_client *client, struct ph__span text, ph_reply *reply)
{
	struct ph__descriptor descriptor;
	const void *bytes;

	ph_status status = ph__descriptor_read(text, &descriptor);
	if (status < 0 || descriptor.is_list)
		return status;
	status = ph__regions_find(&client->regions, descriptor.name,
				  descriptor.offset_bytes + descriptor.frame.length_bytes, &bytes);
	if (status < 0)
		return status;
	reply->kind = PH_REPLY_FRAME;
	reply->frame = descriptor.frame;
	reply->frame.bytes = (const char *)bytes + descriptor.offset_bytes;
	reply->frame_is_shared = 1;
	return PH_OK;
}

ph_status ph_client_request(ph_client *client, const char *command, ph_reply *reply)
{
	struct ph__span body;

	*reply = (ph_reply){0};
	ph_status status = ph__connection_ask(&client->connection, command, &body);
	if (status < 0)
		return status;
	ph__reply_read(body, reply);
	if (reply->kind != PH_REPLY_TEXT)
		return PH_OK;
	if (ph__span_starts(body, "error"))
		return ph__fail(PH_EINVAL, "%s", reply->text);
	if (!ph__span_starts(body, "{") || !asks_for_shared(command))
		return PH_OK;
	status = open_shared(client, body, reply);
	if (status < 0)
		*reply = (ph_reply){0};
	return status;
}

void ph_client_close(ph_client **client)
{
	if (!*client)
		return;
	ph__connection_close(&(*client)->connection);
	ph__regions_finish(&(*client)->regions);
	ph__sys->free((*client)->scene);
	ph__sys->free(*client);
	*client = NULL;
}

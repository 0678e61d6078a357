/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/status.h"
#include "base/sys.h"
#include "render/device.h"

enum { DEVICES_MAX = 32, SOFTWARE_THREADS_MAX = 16, TRIED_BYTES = 384 };

/* What has been tried so far, for the sentence of a failure. */
struct attempts {
	char text[TRIED_BYTES];
	size_t length;
};

static void note(struct attempts *tried, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct attempts *tried, const char *format, ...)
{
	size_t room = sizeof(tried->text) - tried->length;
	va_list args;

	va_start(args, format);
	int length = vsnprintf(tried->text + tried->length, room, format, args);
	va_end(args);
	if (length > 0)
		tried->length += (size_t)length < room ? (size_t)length : room - 1;
}

/* llvmpipe takes a thread for each processor of the machine; this process may use fewer. With none
 * it draws in the thread that asks. (Vectors wider than 256 bits crash Mesa 22's compiler:
 * LP_NATIVE_VECTOR_WIDTH stays alone.) */
static void limit_software_threads(void)
{
	cpu_set_t set;
	char text[16];

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return;
	int count = CPU_COUNT(&set);
	if (count > SOFTWARE_THREADS_MAX)
		count = SOFTWARE_THREADS_MAX;
	snprintf(text, sizeof(text), "%d", count > 1 ? count : 0);
	setenv("LP_NUM_THREADS", text, 0);
}

/* A display is one per process, however often it is asked for, and the first eglTerminate() would
 * end it for every device that was opened on it. So they are counted. */
static pthread_mutex_t displays_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	EGLDisplay display;
	uint32_t users;
} displays[DEVICES_MAX];

static bool retain_display(EGLDisplay display)
{
	uint32_t at = DEVICES_MAX;
	bool ok = false;

	pthread_mutex_lock(&displays_lock);
	for (uint32_t i = DEVICES_MAX; i-- > 0;)
		if (displays[i].users == 0 ? at == DEVICES_MAX || displays[at].users == 0
					   : displays[i].display == display)
			at = i;
	if (at < DEVICES_MAX && eglInitialize(display, NULL, NULL)) {
		displays[at].display = display;
		displays[at].users++;
		ok = true;
	}
	pthread_mutex_unlock(&displays_lock);
	return ok;
}

static void release_display(EGLDisplay display)
{
	pthread_mutex_lock(&displays_lock);
	for (uint32_t i = 0; i < DEVICES_MAX; i++)
		if (displays[i].users > 0 && displays[i].display == display &&
		    --displays[i].users == 0)
			eglTerminate(display);
	pthread_mutex_unlock(&displays_lock);
}

static EGLContext create_context(EGLDisplay display)
{
	static const EGLint attributes[] = {
		EGL_CONTEXT_MAJOR_VERSION, 4,
		EGL_CONTEXT_MINOR_VERSION, 5,
		EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
		EGL_CONTEXT_OPENGL_DEBUG, PH_POINTS, /* tests hear of every error */
		EGL_NONE,
	};

	if (!epoxy_has_egl_extension(display, "EGL_KHR_no_config_context") &&
	    !epoxy_has_egl_extension(display, "EGL_MESA_configless_context"))
		return EGL_NO_CONTEXT;
	if (!epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context"))
		return EGL_NO_CONTEXT;
	if (!eglBindAPI(EGL_OPENGL_API))
		return EGL_NO_CONTEXT;
	return eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
}

static void drop_context(struct ph__device *device)
{
	eglMakeCurrent(device->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	eglDestroyContext(device->display, device->context);
	eglReleaseThread();
	release_display(device->display);
}

static void keep_text(char *kept, size_t size, GLenum name)
{
	const GLubyte *text = glGetString(name);
	snprintf(kept, size, "%s", text ? (const char *)text : "?");
}

static bool is_software_name(const char *renderer)
{
	return strstr(renderer, "llvmpipe") || strstr(renderer, "softpipe") ||
	       strstr(renderer, "swrast") || strstr(renderer, "SWR");
}

/* Opens a context on a display and makes it current; `software` says which kind is wanted of it.
 * epoxy aborts when GL is called without a context: no gl call before eglMakeCurrent() has said
 * yes. */
static bool open_display(struct ph__device *device, EGLDisplay display, bool software,
			 const char *what, struct attempts *tried)
{
	if (display == EGL_NO_DISPLAY || !retain_display(display)) {
		note(tried, "%s does not start; ", what);
		return false;
	}
	device->display = display;
	device->context = create_context(display);
	if (device->context == EGL_NO_CONTEXT) {
		note(tried, "%s has no OpenGL 4.5 core without a surface; ", what);
		release_display(display);
		return false;
	}
	if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, device->context)) {
		note(tried, "%s refuses to make a context current; ", what);
		drop_context(device);
		return false;
	}
	keep_text(device->renderer, sizeof(device->renderer), GL_RENDERER);
	keep_text(device->gl_version, sizeof(device->gl_version), GL_VERSION);
	device->is_software = is_software_name(device->renderer);
	if (epoxy_gl_version() >= 45 && device->is_software == software)
		return true;
	note(tried, "%s is %s, OpenGL %s; ", what, device->renderer, device->gl_version);
	drop_context(device);
	return false;
}

static bool is_software_device(EGLDeviceEXT egl_device)
{
	const char *extensions = eglQueryDeviceStringEXT(egl_device, EGL_EXTENSIONS);
	return extensions && strstr(extensions, "EGL_MESA_device_software");
}

struct listing {
	EGLDeviceEXT devices[DEVICES_MAX];
	EGLint count;
};

/* The devices of EGL's device platform. */
static struct listing list_devices(struct attempts *tried)
{
	struct listing listing = {.count = 0};

	if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") ||
	    !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration") ||
	    !eglQueryDevicesEXT(DEVICES_MAX, listing.devices, &listing.count))
		listing.count = 0;
	if (listing.count == 0)
		note(tried, "EGL lists no devices; ");
	return listing;
}

/* The first device that works of those in software, or of the others. */
static bool open_listed(struct ph__device *device, const struct listing *listing, bool software,
			struct attempts *tried)
{
	int candidates = 0;
	char what[32];

	for (EGLint i = 0; i < listing->count; i++) {
		if (is_software_device(listing->devices[i]) != software)
			continue;
		candidates++;
		snprintf(what, sizeof(what), "EGL device %d", i);
		EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT,
							      listing->devices[i], NULL);
		if (open_display(device, display, software, what, tried))
			return true;
	}
	if (listing->count > 0 && candidates == 0)
		note(tried, "no %s among the %d EGL devices; ",
		     software ? "software device" : "GPU", listing->count);
	return false;
}

/* Mesa alone, before it had the device platform. It takes a GPU where it finds one: when software
 * is wanted, open_display() looks at what it got. */
static bool open_surfaceless(struct ph__device *device, struct attempts *tried)
{
	static const char what[] = "Mesa's surfaceless platform";

	if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
		note(tried, "%s is not there; ", what);
		return false;
	}
	EGLDisplay display =
		eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	return open_display(device, display, true, what, tried);
}

/* epoxy loads libGL at the first gl call and ends the program when it is missing. */
static bool has_gl_library(void)
{
	static const char *const names[] = {"libOpenGL.so.0", "libGL.so.1"};

	for (int i = 0; i < 2; i++) {
		void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
		if (!library)
			continue;
		dlclose(library);
		return true;
	}
	return false;
}

static bool open_any(ph_renderer_kind kind, struct ph__device *device, struct attempts *tried)
{
	static pthread_once_t limited = PTHREAD_ONCE_INIT;

	pthread_once(&limited, limit_software_threads);
	struct listing listing = list_devices(tried);
	if (kind != PH_RENDERER_SOFTWARE && open_listed(device, &listing, false, tried))
		return true;
	if (kind == PH_RENDERER_GPU)
		return false;
	return open_listed(device, &listing, true, tried) || open_surfaceless(device, tried);
}

static ph_status fail_with_attempts(ph_renderer_kind kind, const struct attempts *tried)
{
	if (kind == PH_RENDERER_GPU)
		return ph__fail(PH_ENOENT,
				"no GPU that gives OpenGL 4.5; tried: %sdraw in software, or "
				"install the GPU's driver with EGL",
				tried->text);
	return ph__fail(PH_ESYS, "no device that gives OpenGL 4.5; tried: %sinstall libegl1 and "
				 "libgl1-mesa-dri", tried->text);
}

ph_status ph__device_open(ph_renderer_kind kind, struct ph__device **device)
{
	struct attempts tried = {.length = 0};

	*device = NULL;
	if (!has_gl_library())
		return ph__fail(PH_ESYS,
				"no OpenGL library (libOpenGL.so.0 or libGL.so.1): install "
				"libopengl0 or libgl1");
	struct ph__device *opened = ph__sys->calloc(1, sizeof(*opened));
	if (!opened)
		return ph__fail(PH_ENOSPC, "no memory for a device");
	if (!open_any(kind, opened, &tried)) {
		ph__sys->free(opened);
		return fail_with_attempts(kind, &tried);
	}
	ph__gl_watch(opened);
	ph__log(PH_LOG_INFO, "%srenderer: %s, OpenGL %s", tried.text, opened->renderer,
		opened->gl_version);
	*device = opened;
	return PH_OK;
}

void ph__device_close(struct ph__device **device)
{
	if (!*device)
		return;
	drop_context(*device);
	ph__sys->free(*device);
	*device = NULL;
}

const char *ph__device_renderer(const struct ph__device *device)
{
	return device->renderer;
}

const char *ph__device_gl_version(const struct ph__device *device)
{
	return device->gl_version;
}

bool ph__device_is_software(const struct ph__device *device)
{
	return device->is_software;
}

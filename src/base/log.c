/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Atomic int log_level = PH_LOG_WARNING;
static _Atomic int64_t first_ns;

void ph_log_set_level(ph_log_level level)
{
	atomic_store_explicit(&log_level, (int)level, memory_order_relaxed);
}

static double seconds_since_first(void)
{
	int64_t now = ph_now_ns(), none = 0;

	atomic_compare_exchange_strong(&first_ns, &none, now);
	return (double)(now - atomic_load(&first_ns)) / 1e9;
}

void ph__log(ph_log_level level, const char *format, ...)
{
	static const char *const names[] = {"error", "warning", "info", "debug"};
	int kept = errno;
	char line[1024];
	va_list args;

	if ((int)level > atomic_load_explicit(&log_level, memory_order_relaxed))
		return;
	int start = snprintf(line, sizeof(line), "pinhole %9.3f %s: ", seconds_since_first(),
			     names[level]);
	va_start(args, format);
	int more = vsnprintf(line + start, sizeof(line) - (size_t)start, format, args);
	va_end(args);
	size_t length = more < 0 ? (size_t)start : (size_t)(start + more);
	if (length > sizeof(line) - 2)
		length = sizeof(line) - 2;
	line[length++] = '\n';
	ssize_t ignored = write(STDERR_FILENO, line, length); /* one call: lines do not mix */
	(void)ignored;
	errno = kept;
}

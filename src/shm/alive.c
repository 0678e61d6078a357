/* SPDX-License-Identifier: MIT */
#include "shm/alive.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sys.h"

/* All leases of this process, so that a forked child can close its copies of the descriptors. */
static struct ph__lease *leases;
static pthread_mutex_t leases_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_handlers = PTHREAD_ONCE_INIT;
static _Atomic unsigned generation;

static void before_fork(void)
{
	pthread_mutex_lock(&leases_lock);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&leases_lock);
}

static void after_fork_in_child(void)
{
	atomic_fetch_add(&generation, 1);
	while (leases) {
		struct ph__lease *lease = leases;
		leases = lease->next;
		close(lease->fd);
		*lease = (struct ph__lease){.fd = -1};
	}
	pthread_mutex_unlock(&leases_lock);
}

static void install_fork_handlers(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

unsigned ph__fork_generation(void)
{
	return atomic_load_explicit(&generation, memory_order_relaxed);
}

void ph__lease_adopt(struct ph__lease *lease, int fd)
{
	pthread_once(&fork_handlers, install_fork_handlers);
	pthread_mutex_lock(&leases_lock);
	*lease = (struct ph__lease){.fd = fd, .next = leases, .link = &leases};
	if (leases)
		leases->link = &lease->next;
	leases = lease;
	pthread_mutex_unlock(&leases_lock);
}

static struct flock lock_of(off_t byte)
{
	return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
}

ph_status ph__lease_take(struct ph__lease *lease, int fd, off_t byte)
{
	struct flock lock = lock_of(byte), hint = lock_of(byte + 1);

	*lease = (struct ph__lease){.fd = -1};
	if (ph__sys->lock(fd, F_OFD_SETLK, &lock) != 0) {
		if (errno == EAGAIN || errno == EACCES)
			return ph__fail(PH_EEXIST, "another process holds the lease");
		return ph__fail_errno("cannot lock byte %lld of the segment", (long long)byte);
	}
	ph__sys->lock(fd, F_SETLK, &hint);
	ph__lease_adopt(lease, fd);
	return PH_OK;
}

void ph__lease_drop(struct ph__lease *lease)
{
	pthread_mutex_lock(&leases_lock);
	if (lease->link) {
		*lease->link = lease->next;
		if (lease->next)
			lease->next->link = lease->link;
		close(lease->fd);
	}
	*lease = (struct ph__lease){.fd = -1};
	pthread_mutex_unlock(&leases_lock);
}

bool ph__lease_is_held(const struct ph__lease *lease, off_t byte)
{
	struct flock lock = lock_of(byte);

	return ph__sys->lock(lease->fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

/* What /proc knows of a process. */
struct process_facts {
	char state;
	unsigned flags;
	long thread_count;
	unsigned long long start_time;
};

/* False when /proc has no such process, or does not show it (hidepid). */
static bool read_facts(uint64_t pid, struct process_facts *facts)
{
	char path[48], text[1024];

	snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	/* The name of the program may hold spaces and parentheses: the last one closes it. */
	const char *rest = strrchr(text, ')');
	return rest &&
	       sscanf(rest + 1,
		      " %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
		      "%ld %*d %llu",
		      &facts->state, &facts->flags, &facts->thread_count, &facts->start_time) == 4;
}

/* A leader that is a zombie, or that has begun to exit, while no other thread is left will never
 * run a line of its program again. (A leader may exit before its threads: they count.) */
static bool has_ended(const struct process_facts *facts)
{
	enum { IS_EXITING = 0x4 }; /* PF_EXITING in the kernel's linux/sched.h */
	bool leader_has = facts->state == 'Z' || facts->state == 'X' || facts->flags & IS_EXITING;

	return leader_has && facts->thread_count <= 1;
}

bool ph__lease_is_ending(const struct ph__lease *lease, off_t byte)
{
	struct flock hint = lock_of(byte + 1);
	struct process_facts facts;

	/* l_pid is 0 for a process of a namespace that is not ours to see. */
	return ph__sys->lock(lease->fd, F_GETLK, &hint) == 0 && hint.l_type != F_UNLCK &&
	       hint.l_pid > 0 && read_facts((uint64_t)hint.l_pid, &facts) && has_ended(&facts);
}

void ph__watch_start(struct ph__watch *watch, uint64_t pid)
{
	struct process_facts facts;

	if (watch->pid == pid)
		return;
	*watch = (struct ph__watch){.pid = pid};
	if (pid != 0 && read_facts(pid, &facts) && !has_ended(&facts))
		watch->start_time = facts.start_time;
}

bool ph__watch_is_gone(const struct ph__watch *watch)
{
	struct process_facts facts;

	if (watch->pid == 0 || watch->is_foreign)
		return false;
	if (watch->pid > INT32_MAX)
		return true; /* no kernel hands out such a PID */
	if (!read_facts(watch->pid, &facts))
		return kill((pid_t)watch->pid, 0) != 0 && errno == ESRCH;
	return has_ended(&facts) ||
	       (watch->start_time != 0 && facts.start_time != watch->start_time);
}

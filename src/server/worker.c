/* SPDX-License-Identifier: MIT */
#include "server/worker.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/locale.h"
#include "base/status.h"

static void append(struct ph__job_list *list, struct ph__job *job)
{
	job->next = NULL;
	if (list->last)
		list->last->next = job;
	else
		list->first = job;
	list->last = job;
}

static struct ph__job *take_first(struct ph__job_list *list)
{
	struct ph__job *job = list->first;

	if (!job)
		return NULL;
	list->first = job->next;
	if (!list->first)
		list->last = NULL;
	return job;
}

static ph_status begin(struct ph__worker *worker)
{
	ph_status status = worker->life->begin ? worker->life->begin(worker->context) : PH_OK;

	pthread_mutex_lock(&worker->mutex);
	worker->status = status;
	worker->begun = true;
	snprintf(worker->error, sizeof(worker->error), "%s", status < 0 ? ph_last_error() : "");
	pthread_cond_broadcast(&worker->changed);
	pthread_mutex_unlock(&worker->mutex);
	return status;
}

/* The next job; NULL when the worker is to end and nothing is left. */
static struct ph__job *wait_for_job(struct ph__worker *worker)
{
	pthread_mutex_lock(&worker->mutex);
	while (!worker->jobs.first && !worker->ending)
		pthread_cond_wait(&worker->changed, &worker->mutex);
	struct ph__job *job = take_first(&worker->jobs);
	pthread_mutex_unlock(&worker->mutex);
	return job;
}

static void *run(void *argument)
{
	struct ph__worker *worker = argument;

	uselocale(ph__c_locale()); /* numbers in replies and files have a point */
	pthread_setname_np(pthread_self(), worker->life->name);
	if (begin(worker) == PH_OK) {
		for (struct ph__job *job; (job = wait_for_job(worker));)
			job->run(job);
		if (worker->life->end)
			worker->life->end(worker->context);
	}
	uselocale(LC_GLOBAL_LOCALE);
	return NULL;
}

/* Signals are the caller's: the new thread, and those that a driver starts from it, block all. */
static int create_thread(struct ph__worker *worker)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&worker->thread, NULL, run, worker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

ph_status ph__worker_start(struct ph__worker *worker, const struct ph__worker_life *life,
			   void *context)
{
	*worker = (struct ph__worker){.life = life, .context = context};
	pthread_mutex_init(&worker->mutex, NULL);
	pthread_cond_init(&worker->changed, NULL);
	int error = create_thread(worker);
	if (error) {
		errno = error;
		return ph__fail_errno("cannot start the thread %s", life->name);
	}
	worker->running = true;
	pthread_mutex_lock(&worker->mutex);
	while (!worker->begun)
		pthread_cond_wait(&worker->changed, &worker->mutex);
	pthread_mutex_unlock(&worker->mutex);
	return worker->status < 0 ? ph__fail(worker->status, "%s", worker->error) : PH_OK;
}

void ph__worker_push(struct ph__worker *worker, struct ph__job *job)
{
	pthread_mutex_lock(&worker->mutex);
	append(&worker->jobs, job);
	pthread_cond_signal(&worker->changed);
	pthread_mutex_unlock(&worker->mutex);
}

void ph__worker_stop(struct ph__worker *worker)
{
	if (!worker->running)
		return;
	pthread_mutex_lock(&worker->mutex);
	worker->ending = true;
	pthread_cond_broadcast(&worker->changed);
	pthread_mutex_unlock(&worker->mutex);
	pthread_join(worker->thread, NULL);
	pthread_cond_destroy(&worker->changed);
	pthread_mutex_destroy(&worker->mutex);
	worker->running = false;
}

ph_status ph__mailbox_init(struct ph__mailbox *mailbox)
{
	*mailbox = (struct ph__mailbox){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	pthread_mutex_init(&mailbox->mutex, NULL);
	return mailbox->fd < 0 ? ph__fail_errno("cannot make an eventfd") : PH_OK;
}

void ph__mailbox_finish(struct ph__mailbox *mailbox)
{
	if (mailbox->fd > 0) {
		close(mailbox->fd);
		pthread_mutex_destroy(&mailbox->mutex);
	}
	mailbox->fd = -1;
}

void ph__mailbox_post(struct ph__mailbox *mailbox, struct ph__job *job)
{
	pthread_mutex_lock(&mailbox->mutex);
	append(&mailbox->jobs, job);
	pthread_mutex_unlock(&mailbox->mutex);
	eventfd_write(mailbox->fd, 1);
}

struct ph__job *ph__mailbox_take(struct ph__mailbox *mailbox)
{
	pthread_mutex_lock(&mailbox->mutex);
	struct ph__job *job = take_first(&mailbox->jobs);
	if (!job) {
		eventfd_t posts;
		eventfd_read(mailbox->fd,
			     &posts); /* empty box, quiet bell: posts after this ring anew */
	}
	pthread_mutex_unlock(&mailbox->mutex);
	return job;
}

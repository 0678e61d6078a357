/* SPDX-License-Identifier: MIT */
/* Sleeping and waking over the two semaphores, between two Pinholes. Tokens are hints: one too many
 * is swallowed, one too few must not leave anybody asleep for ever. One place in the ring, so that
 * both sides have to wait; the writer sends, closes, and the reader must learn of the end. Then once
 * more with a writer that is killed at any step: a reader's slice of sleep ends by itself when there
 * is nobody left to wake it (a slice is not allowed to help while the writer lives).
 *
 *   spin -a tokens.pml && gcc -O2 -o pan pan.c && ./pan
 *
 * Variants that must fail, with an invalid end state (somebody sleeps for ever) or an assertion:
 *   -DPOSTFIRST    the token is posted before the mark is stored
 *   -DQUIETCLOSE   closing posts no token
 *   -DPOSTCLOSE    closing posts before it clears the PID
 *   -DQUIETRELEASE releasing posts no token
 *   -DLOOKFIRST    the reader looks for a frame before it looks whether the writer has ended */
#ifndef FRAMES
#define FRAMES 3
#endif
byte wmark = 0, rmark = 0;     /* numbers of the last frame published, released */
byte data = 0, space = 0;      /* tokens */
bool attached = true;          /* writer_pid */
bool dead = false;             /* and what a look at its lease tells */
byte got = 0;

#define post(sem) atomic { sem < 8 -> sem++ }

proctype writer()
{
	byte n = 1;
	{
	do
	:: n <= FRAMES ->
		if :: atomic { space > 0 -> space-- } :: space == 0 fi;   /* one token per claim */
		do
		:: rmark == n - 1 -> break
		:: rmark != n - 1 -> atomic { space > 0 -> space-- }      /* sleep */
		od;
#ifdef POSTFIRST
		post(data);
		wmark = n;
#else
		wmark = n;
		post(data);
#endif
		n++
	:: else -> break
	od;
#ifdef POSTCLOSE
	post(data);
	attached = false
#else
	attached = false;
#ifndef QUIETCLOSE
	post(data)
#endif
#endif
	} unless { dead }
}

active proctype supervisor()
{
	run writer();
#ifdef MORTAL
	if
	:: attached -> dead = true
	:: true
	fi
#endif
}

active proctype reader()
{
	bool token = false, ended;
	do
	:: true ->
		if :: atomic { data > 0 -> data--; token = true } :: data == 0 -> token = false fi;
again:
#ifdef LOOKFIRST
		if
		:: wmark != got -> goto take
		:: wmark == got -> ended = !attached
		fi;
#else
		ended = !attached || dead;
		if
		:: wmark != got -> goto take
		:: wmark == got
		fi;
#endif
		if
		:: token -> token = false;                             /* one too many */
			if :: atomic { data > 0 -> data--; token = true } :: data == 0 fi;
			goto again
		:: !token && ended -> break
		:: !token && !ended ->
			if
			:: atomic { data > 0 -> data--; token = true }  /* sleep, and be woken */
			:: dead                                         /* the slice is over */
			fi;
			goto again
		fi;
take:		got++;
		assert(got <= wmark);
		rmark = got;
#ifndef QUIETRELEASE
		post(space)
#endif
	od;
	/* The end was told: nothing that was published may be left. */
	assert(got == wmark);
	assert(dead || got == FRAMES)
}

/* SPDX-License-Identifier: MIT */
/* Sections 6 and 7 of latest-v1.md: how sleepers learn of a frame, of the end and of a death. Two
 * readers, a writer that tries to wake one of them and leaves more to its helper (DIRECT is 0 here), and that
 * closes, is killed at any step, or just stops publishing. The timeouts of one second are left out: nobody
 * may depend on them. A system call is a full barrier and the kernel compares under its lock, so steps are
 * sequentially consistent.
 *
 * Each of these must produce an error:
 *   NOKICK     the helper is not asked although the wake-up found more than DIRECT
 *   NOOWNER    sleepers do not watch the owner word
 *   NOPASS     who is woken by the owner word does not wake the others
 *   LATEORDER  `state` and owner are read after `latest`: the last frame can be lost
 *   LATEOWNER  the owner word's expected value is read again just before sleep
 *   UNLOCK     a closing writer unlocks the owner word and then wakes: killed in between, it leaves sleepers
 *   NOCOMPARE  the kernel did not compare before sleep (any scheme without a re-check) */
#define READERS 2
#define DIRECT 0
#ifndef FRAMES
#define FRAMES 2
#endif
#define ALIVE 1
#define DIED 2

byte latest = 0;
byte owner = ALIVE;
bool closed = false;
bool asleep[READERS];
bool ended[READERS];
byte last[READERS];
byte kicks = 0;
byte guess = 0;   /* sleepers that the last frame found */
bool stopped = false; /* the writer process is gone, by close or by kill */

inline wake_one(n)
{
	if
	:: asleep[0] -> asleep[0] = false; n++
	:: asleep[1] -> asleep[1] = false; n++
	:: !asleep[0] && !asleep[1]
	fi
}

inline wake_all(n)
{
	d_step {
		n = n + asleep[0] + asleep[1];
		asleep[0] = false; asleep[1] = false
	}
}

active proctype writer()
{
	byte n = 0, frame = 0;
	{
	do
	:: frame < FRAMES ->
		frame++;
		latest = frame;
		n = 0;
		if
		:: guess <= DIRECT ->
			atomic { wake_one(n); guess = n }; /* FUTEX_WAKE(DIRECT + 1) */
#ifndef NOKICK
			if :: n > DIRECT -> kicks++ :: else fi
#endif
		:: else -> kicks++
		fi
	:: frame == FRAMES -> break
	od;
	if
	:: true -> /* closes */
		closed = true;
#ifdef UNLOCK
		owner = 0;
		n = 0;
		wake_all(n);
		stopped = true
#else
		atomic { owner = DIED; n = 0; wake_one(n); stopped = true } /* its service thread ends */
#endif
	:: true -> /* lives on without a frame */
end:		false
	fi
	} unless {
		stopped
	}
}

active proctype helper()
{
	byte seen = 0, n;
	{
end:	do
	:: kicks != seen ->
		seen = kicks;
		wake_all(n);
		atomic { guess = n; n = 0 }
	od
	} unless {
		stopped
	}
}

active proctype killer()
{
	byte n = 0;
	if
	:: atomic { /* the kernel, on behalf of the dead thread: it wakes one */
		!stopped -> stopped = true;
		if :: owner == ALIVE -> owner = DIED; wake_one(n) :: else fi
	   }
	:: skip
	fi
}

proctype reader(byte i)
{
	byte l, o, n;
	bool c;

	do
	:: true ->
#ifdef LATEORDER
		l = latest; o = owner; c = closed;
#else
		o = owner; c = closed; l = latest;
#endif
		if
		:: l > last[i] -> atomic { last[i] = l; l = 0; o = 0; c = false }
		:: else ->
			if
			:: c -> assert(last[i] == FRAMES); break /* the last frame was seen */
			:: !c && o == DIED -> break
			:: else
			fi;
#ifdef LATEOWNER
			o = owner;
#endif
			atomic {
#if defined(NOCOMPARE)
				asleep[i] = true
#elif defined(NOOWNER)
				if :: latest == l -> asleep[i] = true :: else fi
#else
				if :: latest == l && owner == o -> asleep[i] = true :: else fi
#endif
			};
end:			atomic { !asleep[i]; l = 0; c = false };
#ifndef NOPASS
			if :: owner != o -> wake_all(n); n = 0 :: else fi;
#endif
			o = 0
		fi
	od;
	atomic { ended[i] = true; last[i] = 0; l = 0; o = 0; c = false }
}

/* When nothing can move any more: who sleeps has seen all and the writer lives. */
active proctype monitor()
{
end:	timeout;
	assert(ended[0] || (last[0] == latest && owner == ALIVE));
	assert(ended[1] || (last[1] == latest && owner == ALIVE))
}

init
{
	atomic { run reader(0); run reader(1) }
}

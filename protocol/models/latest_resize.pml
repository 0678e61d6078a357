/* SPDX-License-Identifier: MIT */
/* Section 8 of latest-v1.md, resize: the writer makes a payload of the next epoch beside the old one, the first
 * frame published into it moves `latest`, the reader follows through the service thread. One reader that holds
 * one frame, 3 slots a payload, up to 2 resizes at any moment between frames. Sequentially consistent:
 * latest.pml is about the orders.
 *
 * Each of these must produce an error:
 *   BYSHOWN   FOLLOW is answered by what the writer has noted as shown, not by what `latest` says: the reader can be
 *             faster than the note, and looks as if it asked twice
 *   NOEPOCH   the reader takes the slot of `latest` without looking at the epoch
 *   OLDSLOTS  the writer goes on in the old payload with the free list of before, and drops it as if it had not
 *   KEEPWORD  the hazard word counts in every payload as if it were of this one, with a slot too few to spare */
#ifndef MAXSEQ
#define MAXSEQ 4
#endif
#define EPOCHS 3
#define M 3
#define NONE 255
#define PACK(e, q, s) ((e) * 32 + (q) * 4 + (s))
#define EPOCH(x) ((x) / 32)
#define SEQ(x) (((x) / 4) % 8)
#define SLOT(x) ((x) % 4)
#define AT(e, s) (((e) - 1) * M + (s))

byte latest = 0;
byte hazard = 0;
byte data_[EPOCHS * M];
byte reading = NONE;      /* AT() of the frame in the reader's hands */
byte newest = 1, shown = 1;
byte sent = 1;            /* the epoch that the service thread sent last */
bool cut_off = false;
chan follow = [1] of { byte };
chan payload = [1] of { byte };

active proctype writer()
{
	byte seq = 0, pick, free = 0, at;
	byte s;

	do
	:: seq < MAXSEQ && newest < EPOCHS ->
		newest++;                         /* resize, under the lock */
#ifndef OLDSLOTS
		free = 0;
#endif
		if :: latest == 0 -> shown = newest :: else fi
	:: seq < MAXSEQ ->
		if
		:: free == 0 ->                   /* scan */
			free = 7;
			if :: EPOCH(latest) == newest -> free = free & ~(1 << SLOT(latest)) :: else fi;
			s = hazard;
#ifdef KEEPWORD
			if :: s != 0 -> free = free & ~(1 << SLOT(s)) & ~(1 << ((SLOT(s) + 1) % 3)) :: else fi;
#else
			if :: EPOCH(s) == newest -> free = free & ~(1 << SLOT(s)) :: else fi;
#endif
			assert(free != 0)
		:: else
		fi;
		pick = (free & 1 -> 0 : (free & 2 -> 1 : 2));
		free = free & ~(1 << pick);
#ifdef OLDSLOTS
		at = AT(shown, pick);
#else
		at = AT(newest, pick);
#endif
		assert(reading != at);
		data_[at] = NONE;
		data_[at] = seq + 1;
		seq++;
		latest = PACK(newest, seq, pick);
		shown = newest                    /* under the lock, a step later */
	:: seq == MAXSEQ -> break
	od
}

active proctype service()
{
	byte from, answer;
end:	do
	:: follow ? from ->
		atomic {                          /* under the lock */
#ifdef BYSHOWN
			answer = shown
#else
			answer = (EPOCH(latest) == newest -> newest : shown)
#endif
		};
		if
		:: answer == sent -> cut_off = true; assert(false)
		:: else -> sent = answer; payload ! answer
		fi
	od
}

active proctype reader()
{
	byte mapped = 1, last = 0, l, m;

	do
	:: last == MAXSEQ -> break
	:: SEQ(latest) > last ->
		l = latest;
again:
#ifndef NOEPOCH
		if
		:: EPOCH(l) != mapped ->
			hazard = 0;
			follow ! mapped;
			payload ? mapped;
			goto next
		:: else
		fi;
#endif
		hazard = l;
		m = latest;
		if :: m != l -> l = m; goto again :: else fi;
		reading = AT(mapped, SLOT(l));
		assert(data_[AT(mapped, SLOT(l))] == SEQ(l));
		assert(SEQ(l) > last);
		last = SEQ(l);
		if /* holds it a while, or not */
		:: true -> assert(data_[reading] == last)
		:: true -> skip
		fi;
		reading = NONE;
		hazard = 0;
next:		skip
	od
}

/* SPDX-License-Identifier: MIT */
/* Section 5 of latest-v1.md: claim, publish, acquire, release, and a reader that is killed at any step
 * and succeeded by another. Every store to another process's eyes goes through a store buffer of
 * one entry (TSO). One frame held by each reader, one reader admitted at a time, N + 2 = 3 slots, a free
 * list that is filled by a scan only when it is empty.
 *
 * Each of these must produce an error:
 *   NOVALIDATE  the reader does not read `latest` again after it has set its hazard word
 *   NORFENCE    no fence between the hazard store and that read (R1, R2)
 *   NOPFENCE    no fence between the store of `latest` and the scan (W1, W2)
 *   SMALLPOOL   one slot too few
 *   NOLATEST    the scan does not leave out the newest slot
 *   EARLYREAP   a hint of death, not the hang-up, ends a reader's claims: its other threads still run
 *   NOGRACE     the dead reader's page is unmapped without waiting for the scan that is under way */
#ifndef MAXSEQ
#define MAXSEQ 5
#endif
#ifdef SMALLPOOL
#define M 2
#else
#define M 3
#endif
#define PAGES 2 /* of the first reader and of its successor */
#define NONE 255
#define PACK(q, s) ((q) * 4 + (s))
#define SLOT(x) ((x) % 4)
#define SEQ(x) ((x) / 4)

byte latest = 0;
byte hazard[PAGES];
byte data_[M];            /* the payload: must be the frame's sequence while it is read */
byte writing = NONE;
byte reading[PAGES];      /* slot + 1 */
bool dead[PAGES];         /* killed */
bool unmapped[PAGES];
byte roster = 1;          /* bit p: page p; one pointer store in C */
bool scanning;
byte hb_v[PAGES]; bool hb_p[PAGES]; /* store buffers */
byte lb_v; bool lb_p;

#define HSTORE(i, v) atomic { !hb_p[i]; hb_v[i] = v; hb_p[i] = true }
#define HFENCE(i)    !hb_p[i]
#define LSTORE(v)    atomic { !lb_p; lb_v = v; lb_p = true }
#define LFENCE()     !lb_p

active proctype flusher()
{
end:	do
	:: atomic { lb_p -> latest = lb_v; lb_p = false }
	:: atomic { hb_p[0] -> hazard[0] = hb_v[0]; hb_p[0] = false }
	:: atomic { hb_p[1] -> hazard[1] = hb_v[1]; hb_p[1] = false }
	od
}

active proctype writer()
{
	byte seq = 0, i, pick, h, mine = NONE, seen;
	bool busy[M], free[M];

	do
	:: seq < MAXSEQ ->
		pick = 0;
		do :: pick < M && !free[pick] -> pick++ :: else -> break od;
		if :: pick < M -> free[pick] = false; goto have :: else fi;
		for (i : 0 .. M - 1) { busy[i] = false }
#ifndef NOLATEST
		if :: mine != NONE -> busy[mine] = true :: else fi;
#endif
		scanning = true;
		seen = roster;
		i = 0;
		do
		:: i < PAGES ->
			if
			:: seen & (1 << i) ->
				atomic { assert(!unmapped[i]); h = hazard[i] };
				if :: h != 0 -> busy[SLOT(h)] = true :: else fi
			:: else
			fi;
			i++
		:: else -> break
		od;
		scanning = false;
		pick = 0;
		do :: pick < M && busy[pick] -> pick++ :: else -> break od;
		assert(pick < M); /* L4 */
		for (i : 0 .. M - 1) { free[i] = i != pick && !busy[i] };
have:		writing = pick;
		assert(reading[0] != pick + 1 && reading[1] != pick + 1); /* L1, L2 */
		data_[pick] = NONE;
		data_[pick] = seq + 1;
		writing = NONE;
		seq++;
		LSTORE(PACK(seq, pick));
		mine = pick;
#ifndef NOPFENCE
		LFENCE();
#endif
	:: else -> break
	od
}

proctype reader(byte i)
{
	byte l, l2, last = 0;
	{
end:	do
	:: SEQ(latest) > last ->
		l = latest;
again:		HSTORE(i, l);
#ifndef NORFENCE
		HFENCE(i);
#endif
#ifndef NOVALIDATE
		l2 = latest;
		if :: l2 != l -> l = l2; goto again :: else fi;
#endif
		atomic { reading[i] = SLOT(l) + 1; assert(writing != SLOT(l)) };
		assert(data_[SLOT(l)] == SEQ(l));
		assert(data_[SLOT(l)] == SEQ(l));
		assert(SEQ(l) > last); /* L6 */
		last = SEQ(l);
		reading[i] = 0;
		HSTORE(i, 0)
	:: SEQ(latest) == MAXSEQ && last == MAXSEQ -> break
	od
	} unless {
#ifdef EARLYREAP
		dead[i] -> reading[i] = 0 /* some time after the hint */
#else
		dead[i]                   /* reading[] was cleared with it: nothing runs after the hang-up */
#endif
	}
}

active proctype service()
{
end:	dead[0];
	roster = 0;
#ifndef NOGRACE
	!scanning;
#endif
	atomic { unmapped[0] = true; hazard[0] = 0; hb_p[0] = false };
	roster = 2;
	run reader(1)
}

active proctype killer()
{
	if
#ifdef EARLYREAP
	:: dead[0] = true
#else
	:: atomic { dead[0] = true; reading[0] = 0 }
#endif
	:: skip
	fi
}

init
{
	run reader(0)
}

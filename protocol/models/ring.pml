/* SPDX-License-Identifier: MIT */
/* The ring between two Pinholes: publication by the writer's mark, release in order by the reader's
 * mark, and the ring begun anew when it is drained; the writer is killed at any step and followed by
 * another, which goes on from the marks alone. x86 store order (TSO) for the writer: its stores
 * wait in a first-in-first-out buffer.
 *
 *   spin -a ring.pml && gcc -O2 -DSAFETY -o pan pan.c && ./pan -m100000
 *
 * A unit of the ring is one header's worth. The header of a frame is its first unit: `len` there is
 * the frame's length in units, 0 for a wrap marker; `val` of every unit is the frame's number.
 *
 * Variants that must fail:
 *   -DEARLYMARK   the mark is stored before the frame
 *   -DEAGER       the ring is begun anew when all is read, not when all is released
 *   -DMARKFIRST   the reader stores its mark before it gives the room back
 *   -DUNORDERED   the reader's mark follows the last release instead of the first held frame
 *   -DNODRAIN     it does not wait for the drain after a death in the midst of publishing
 *   -DNOTAIL      the room behind a marker is not counted */
#ifndef S
#define S 3           /* units in the ring */
#endif
#ifndef FRAMES
#define FRAMES 4
#endif
#ifndef KILLS
#define KILLS 1
#endif
#define MARK(seq, pos) ((seq) * 8 + (pos))
#define SEQ(mark) ((mark) / 8)
#define POS(mark) ((mark) % 8)

byte size[S], val[S];                  /* the ring */
byte wmark = 0, rmark = 0;            /* the two marks, one word each */
byte rpos = 0, wpos = 0;              /* stock words */
byte last = 0;                        /* last_sequence: stored before room is taken */
byte room = S;                        /* free_bytes: both sides change it, atomically */
byte kills = 0;
bool done = false;

/* The writer's store buffer: which word, which unit, what. */
mtype = { LAST, LEN, VAL, WMARK, RMARK, RPOS, WPOS };
chan stores = [6] of { mtype, byte, byte };
inline drain() { empty(stores) }

active proctype hardware()
{
	mtype word; byte at, what;
end:	do
	:: atomic { stores ? word, at, what ->
		if
		:: word == LAST -> last = what
		:: word == LEN -> size[at] = what
		:: word == VAL -> val[at] = what
		:: word == WMARK -> wmark = what
		:: word == RMARK -> rmark = what
		:: word == RPOS -> rpos = what
		:: word == WPOS -> wpos = what
		fi; at = 0; what = 0 }
	od
}

proctype writer(byte first; byte start; bool is_mortal)
{
	byte n = first, p = start, t, k, tail, jump, at, r, used, free;
	bool must_drain = false;
	{
#ifndef NODRAIN
	must_drain = last != n - 1;           /* a predecessor died while it published */
#endif
	do
	:: n <= FRAMES ->
		if
		:: t = 1
		:: t = 2
		:: t = S
		fi;
		do                            /* until there is room */
		:: atomic { r = rmark;
			used = (p + S - POS(r)) % S;
			free = (used == 0 -> 0 : S - used);
			jump = 0; at = p; tail = S - p };
			if
#ifdef EAGER
			:: SEQ(r) == n - 1 || rpos == p ->
#else
			:: SEQ(r) == n - 1 ->     /* drained: all position words are ours */
#endif
				if
				:: p != 0 || room != S || must_drain ->
					stores ! RPOS, 0, 0;
					stores ! WPOS, 0, 0;
					drain(); room = S;
					stores ! RMARK, 0, MARK(n - 1, 0);
					stores ! WMARK, 0, MARK(n - 1, 0);
					stores ! LAST, 0, n - 1;
					must_drain = false
				:: else
				fi;
				p = 0; at = 0; break
			:: else ->
				if
				:: !must_drain && t <= tail && t <= free -> break
#ifdef NOTAIL
				:: !must_drain && t > tail && t <= free -> jump = tail; at = 0; break
#else
				:: !must_drain && t > tail && tail + t <= free -> jump = tail; at = 0; break
#endif
				:: else -> rmark != r     /* wait for a release */
				fi
			fi
		od;
#ifdef EARLYMARK
		stores ! WMARK, 0, MARK(n, (at + t) % S);
#endif
		k = 0;
		do
		:: k < t -> stores ! VAL, at + k, n; k++
		:: else -> break
		od;
		stores ! LEN, at, t;
		if
		:: jump > 0 -> stores ! LEN, p, 0
		:: else
		fi;
		stores ! LAST, 0, n;
		atomic { drain(); room = room - jump - t }; /* a locked instruction */
		stores ! WPOS, 0, (at + t) % S;
#ifndef EARLYMARK
		stores ! WMARK, 0, MARK(n, (at + t) % S);
#endif
		p = (at + t) % S;
		n++; k = 0; jump = 0
	:: else -> break
	od;
	drain(); done = true
	} unless { kills > 0 && is_mortal }
}

/* Kills the first writer at any moment. What it has stored reaches memory all the same; then the
 * next one goes on. */
active proctype supervisor()
{
	atomic { run writer(1, 0, true) };
	if
	:: KILLS > 0 && !done -> atomic { kills++ };
		drain();
		atomic {
			assert(room <= S);
			run writer(SEQ(wmark) + 1, POS(wmark), false)
		}
	:: true
	fi
}

active proctype reader()
{
	byte mine = 0, expect = 0, w, p, k, l;
	byte h_at[2], h_len[2], h_all[2], h_seq[2], h_end[2]; /* held, oldest first */
	bool h_free[2];
	byte held = 0, pick;

	do
	:: held < 2 ->                        /* take the next one */
		w = wmark;
		if
		:: SEQ(w) == mine -> 
			if
			:: mine == FRAMES && held == 0 -> break
			:: held > 0 -> goto release
			:: else -> wmark != w
			fi
		:: else ->
			p = rpos;
			assert(p == expect || (p == 0 && held == 0));
			l = 0;
			if
			:: size[p] == 0 -> l = S - p; p = 0
			:: else
			fi;
			assert(size[p] > 0 && p + size[p] <= S);
			k = 0;
			do
			:: k < size[p] -> assert(val[p + k] == mine + 1); k++
			:: else -> break
			od;
			mine++;
			atomic {
				h_at[held] = p; h_len[held] = size[p]; h_all[held] = l + size[p];
				h_seq[held] = mine; h_end[held] = (p + size[p]) % S; h_free[held] = false;
				expect = h_end[held]; held++; k = 0; l = 0; p = 0 };
			rpos = expect
		fi
	:: held > 0 ->
release:	if                            /* any of those not released yet */
		:: pick = 0
		:: held == 2 -> pick = 1
		fi;
		if
		:: !h_free[pick] ->
			k = 0;                /* nobody wrote over it while it was held */
			do
			:: k < h_len[pick] -> assert(val[h_at[pick] + k] == h_seq[pick]); k++
			:: else -> break
			od;
			k = 0;
			h_free[pick] = true
		:: else
		fi;
#ifdef UNORDERED
		if
		:: h_free[1] && held == 2 && !h_free[0] -> rmark = MARK(h_seq[1], h_end[1])
		:: else
		fi;
#endif
		do
		:: held > 0 && h_free[0] ->
#ifdef MARKFIRST
			rmark = MARK(h_seq[0], h_end[0]);
			room = room + h_all[0];
#else
			room = room + h_all[0];   /* one locked instruction */
			rmark = MARK(h_seq[0], h_end[0]);
#endif
			assert(room <= S);
			atomic {
				h_at[0] = h_at[1]; h_len[0] = h_len[1]; h_all[0] = h_all[1];
				h_seq[0] = h_seq[1]; h_end[0] = h_end[1]; h_free[0] = h_free[1];
				h_free[1] = false; held-- }
		:: else -> break
		od
	od
}

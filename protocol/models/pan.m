#define rand	pan_rand
#define pthread_equal(a,b)	((a)==(b))
#if defined(HAS_CODE) && defined(VERBOSE)
	#ifdef BFS_PAR
		bfs_printf("Pr: %d Tr: %d\n", II, t->forw);
	#else
		cpu_printf("Pr: %d Tr: %d\n", II, t->forw);
	#endif
#endif
	switch (t->forw) {
	default: Uerror("bad forward move");
	case 0:	/* if without executable clauses */
		continue;
	case 1: /* generic 'goto' or 'skip' */
		IfNotBlocked
		_m = 3; goto P999;
	case 2: /* generic 'else' */
		IfNotBlocked
		if (trpt->o_pm&1) continue;
		_m = 3; goto P999;

		 /* PROC reader */
	case 3: // STATE 1 - ring.pml:168 - [((held<2))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][1] = 1;
		if (!((((int)((P3 *)_this)->held)<2)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 4: // STATE 2 - ring.pml:169 - [w = wmark] (0:0:1 - 1)
		IfNotBlocked
		reached[3][2] = 1;
		(trpt+1)->bup.oval = ((int)((P3 *)_this)->w);
		((P3 *)_this)->w = ((int)now.wmark);
#ifdef VAR_RANGES
		logval("reader:w", ((int)((P3 *)_this)->w));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 5: // STATE 3 - ring.pml:171 - [(((w/8)==mine))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][3] = 1;
		if (!(((((int)((P3 *)_this)->w)/8)==((int)((P3 *)_this)->mine))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 6: // STATE 4 - ring.pml:173 - [(((mine==3)&&(held==0)))] (0:0:2 - 1)
		IfNotBlocked
		reached[3][4] = 1;
		if (!(((((int)((P3 *)_this)->mine)==3)&&(((int)((P3 *)_this)->held)==0))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: mine */  (trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((P3 *)_this)->mine;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P3 *)_this)->mine = 0;
		if (TstOnly) return 1; /* TT */
		/* dead 1: held */  (trpt+1)->bup.ovals[1] = ((P3 *)_this)->held;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P3 *)_this)->held = 0;
		_m = 3; goto P999; /* 0 */
	case 7: // STATE 6 - ring.pml:174 - [((held>0))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][6] = 1;
		if (!((((int)((P3 *)_this)->held)>0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 8: // STATE 9 - ring.pml:175 - [((wmark!=w))] (0:0:1 - 1)
		IfNotBlocked
		reached[3][9] = 1;
		if (!((((int)now.wmark)!=((int)((P3 *)_this)->w))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: w */  (trpt+1)->bup.oval = ((P3 *)_this)->w;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P3 *)_this)->w = 0;
		_m = 3; goto P999; /* 0 */
	case 9: // STATE 13 - ring.pml:178 - [p = rpos] (0:0:1 - 1)
		IfNotBlocked
		reached[3][13] = 1;
		(trpt+1)->bup.oval = ((int)((P3 *)_this)->p);
		((P3 *)_this)->p = ((int)now.rpos);
#ifdef VAR_RANGES
		logval("reader:p", ((int)((P3 *)_this)->p));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 10: // STATE 14 - ring.pml:179 - [assert(((p==expect)||((p==0)&&(held==0))))] (0:20:1 - 1)
		IfNotBlocked
		reached[3][14] = 1;
		spin_assert(((((int)((P3 *)_this)->p)==((int)((P3 *)_this)->expect))||((((int)((P3 *)_this)->p)==0)&&(((int)((P3 *)_this)->held)==0))), "((p==expect)||((p==0)&&(held==0)))", II, tt, t);
		/* merge: l = 0(20, 15, 20) */
		reached[3][15] = 1;
		(trpt+1)->bup.oval = ((int)((P3 *)_this)->l);
		((P3 *)_this)->l = 0;
#ifdef VAR_RANGES
		logval("reader:l", ((int)((P3 *)_this)->l));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 11: // STATE 16 - ring.pml:182 - [((size[p]==0))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][16] = 1;
		if (!((((int)now.size[ Index(((int)((P3 *)_this)->p), 3) ])==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 12: // STATE 17 - ring.pml:182 - [l = (3-p)] (0:22:2 - 1)
		IfNotBlocked
		reached[3][17] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P3 *)_this)->l);
		((P3 *)_this)->l = (3-((int)((P3 *)_this)->p));
#ifdef VAR_RANGES
		logval("reader:l", ((int)((P3 *)_this)->l));
#endif
		;
		/* merge: p = 0(22, 18, 22) */
		reached[3][18] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P3 *)_this)->p);
		((P3 *)_this)->p = 0;
#ifdef VAR_RANGES
		logval("reader:p", ((int)((P3 *)_this)->p));
#endif
		;
		/* merge: .(goto)(0, 21, 22) */
		reached[3][21] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 13: // STATE 22 - ring.pml:185 - [assert(((size[p]>0)&&((p+size[p])<=3)))] (0:0:0 - 3)
		IfNotBlocked
		reached[3][22] = 1;
		spin_assert(((((int)now.size[ Index(((int)((P3 *)_this)->p), 3) ])>0)&&((((int)((P3 *)_this)->p)+((int)now.size[ Index(((int)((P3 *)_this)->p), 3) ]))<=3)), "((size[p]>0)&&((p+size[p])<=3))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 14: // STATE 23 - ring.pml:186 - [k = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[3][23] = 1;
		(trpt+1)->bup.oval = ((int)((P3 *)_this)->k);
		((P3 *)_this)->k = 0;
#ifdef VAR_RANGES
		logval("reader:k", ((int)((P3 *)_this)->k));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 15: // STATE 24 - ring.pml:188 - [((k<size[p]))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][24] = 1;
		if (!((((int)((P3 *)_this)->k)<((int)now.size[ Index(((int)((P3 *)_this)->p), 3) ]))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 16: // STATE 25 - ring.pml:188 - [assert((val[(p+k)]==(mine+1)))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][25] = 1;
		spin_assert((((int)now.val[ Index((((int)((P3 *)_this)->p)+((int)((P3 *)_this)->k)), 3) ])==(((int)((P3 *)_this)->mine)+1)), "(val[(p+k)]==(mine+1))", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 17: // STATE 26 - ring.pml:188 - [k = (k+1)] (0:0:1 - 1)
		IfNotBlocked
		reached[3][26] = 1;
		(trpt+1)->bup.oval = ((int)((P3 *)_this)->k);
		((P3 *)_this)->k = (((int)((P3 *)_this)->k)+1);
#ifdef VAR_RANGES
		logval("reader:k", ((int)((P3 *)_this)->k));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 18: // STATE 32 - ring.pml:191 - [mine = (mine+1)] (0:44:1 - 3)
		IfNotBlocked
		reached[3][32] = 1;
		(trpt+1)->bup.oval = ((int)((P3 *)_this)->mine);
		((P3 *)_this)->mine = (((int)((P3 *)_this)->mine)+1);
#ifdef VAR_RANGES
		logval("reader:mine", ((int)((P3 *)_this)->mine));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 19: // STATE 33 - ring.pml:193 - [h_at[held] = p] (0:45:11 - 1)
		IfNotBlocked
		reached[3][33] = 1;
		(trpt+1)->bup.ovals = grab_ints(11);
		(trpt+1)->bup.ovals[0] = ((int)((P3 *)_this)->h_at[ Index(((int)((P3 *)_this)->held), 2) ]);
		((P3 *)_this)->h_at[ Index(((P3 *)_this)->held, 2) ] = ((int)((P3 *)_this)->p);
#ifdef VAR_RANGES
		logval("reader:h_at[reader:held]", ((int)((P3 *)_this)->h_at[ Index(((int)((P3 *)_this)->held), 2) ]));
#endif
		;
		/* merge: h_len[held] = size[p](45, 34, 45) */
		reached[3][34] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P3 *)_this)->h_len[ Index(((int)((P3 *)_this)->held), 2) ]);
		((P3 *)_this)->h_len[ Index(((P3 *)_this)->held, 2) ] = ((int)now.size[ Index(((int)((P3 *)_this)->p), 3) ]);
#ifdef VAR_RANGES
		logval("reader:h_len[reader:held]", ((int)((P3 *)_this)->h_len[ Index(((int)((P3 *)_this)->held), 2) ]));
#endif
		;
		/* merge: h_all[held] = (l+size[p])(45, 35, 45) */
		reached[3][35] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P3 *)_this)->h_all[ Index(((int)((P3 *)_this)->held), 2) ]);
		((P3 *)_this)->h_all[ Index(((P3 *)_this)->held, 2) ] = (((int)((P3 *)_this)->l)+((int)now.size[ Index(((int)((P3 *)_this)->p), 3) ]));
#ifdef VAR_RANGES
		logval("reader:h_all[reader:held]", ((int)((P3 *)_this)->h_all[ Index(((int)((P3 *)_this)->held), 2) ]));
#endif
		;
		/* merge: h_seq[held] = mine(45, 36, 45) */
		reached[3][36] = 1;
		(trpt+1)->bup.ovals[3] = ((int)((P3 *)_this)->h_seq[ Index(((int)((P3 *)_this)->held), 2) ]);
		((P3 *)_this)->h_seq[ Index(((P3 *)_this)->held, 2) ] = ((int)((P3 *)_this)->mine);
#ifdef VAR_RANGES
		logval("reader:h_seq[reader:held]", ((int)((P3 *)_this)->h_seq[ Index(((int)((P3 *)_this)->held), 2) ]));
#endif
		;
		/* merge: h_end[held] = ((p+size[p])%3)(45, 37, 45) */
		reached[3][37] = 1;
		(trpt+1)->bup.ovals[4] = ((int)((P3 *)_this)->h_end[ Index(((int)((P3 *)_this)->held), 2) ]);
		((P3 *)_this)->h_end[ Index(((P3 *)_this)->held, 2) ] = ((((int)((P3 *)_this)->p)+((int)now.size[ Index(((int)((P3 *)_this)->p), 3) ]))%3);
#ifdef VAR_RANGES
		logval("reader:h_end[reader:held]", ((int)((P3 *)_this)->h_end[ Index(((int)((P3 *)_this)->held), 2) ]));
#endif
		;
		/* merge: h_free[held] = 0(45, 38, 45) */
		reached[3][38] = 1;
		(trpt+1)->bup.ovals[5] = ((int)((P3 *)_this)->h_free[ Index(((int)((P3 *)_this)->held), 2) ]);
		((P3 *)_this)->h_free[ Index(((P3 *)_this)->held, 2) ] = 0;
#ifdef VAR_RANGES
		logval("reader:h_free[reader:held]", ((int)((P3 *)_this)->h_free[ Index(((int)((P3 *)_this)->held), 2) ]));
#endif
		;
		/* merge: expect = h_end[held](45, 39, 45) */
		reached[3][39] = 1;
		(trpt+1)->bup.ovals[6] = ((int)((P3 *)_this)->expect);
		((P3 *)_this)->expect = ((int)((P3 *)_this)->h_end[ Index(((int)((P3 *)_this)->held), 2) ]);
#ifdef VAR_RANGES
		logval("reader:expect", ((int)((P3 *)_this)->expect));
#endif
		;
		/* merge: held = (held+1)(45, 40, 45) */
		reached[3][40] = 1;
		(trpt+1)->bup.ovals[7] = ((int)((P3 *)_this)->held);
		((P3 *)_this)->held = (((int)((P3 *)_this)->held)+1);
#ifdef VAR_RANGES
		logval("reader:held", ((int)((P3 *)_this)->held));
#endif
		;
		/* merge: k = 0(45, 41, 45) */
		reached[3][41] = 1;
		(trpt+1)->bup.ovals[8] = ((int)((P3 *)_this)->k);
		((P3 *)_this)->k = 0;
#ifdef VAR_RANGES
		logval("reader:k", ((int)((P3 *)_this)->k));
#endif
		;
		/* merge: l = 0(45, 42, 45) */
		reached[3][42] = 1;
		(trpt+1)->bup.ovals[9] = ((int)((P3 *)_this)->l);
		((P3 *)_this)->l = 0;
#ifdef VAR_RANGES
		logval("reader:l", ((int)((P3 *)_this)->l));
#endif
		;
		/* merge: p = 0(45, 43, 45) */
		reached[3][43] = 1;
		(trpt+1)->bup.ovals[10] = ((int)((P3 *)_this)->p);
		((P3 *)_this)->p = 0;
#ifdef VAR_RANGES
		logval("reader:p", ((int)((P3 *)_this)->p));
#endif
		;
		_m = 3; goto P999; /* 10 */
	case 20: // STATE 45 - ring.pml:196 - [rpos = expect] (0:0:1 - 1)
		IfNotBlocked
		reached[3][45] = 1;
		(trpt+1)->bup.oval = ((int)now.rpos);
		now.rpos = ((int)((P3 *)_this)->expect);
#ifdef VAR_RANGES
		logval("rpos", ((int)now.rpos));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 21: // STATE 48 - ring.pml:198 - [((held>0))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][48] = 1;
		if (!((((int)((P3 *)_this)->held)>0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 22: // STATE 49 - ring.pml:200 - [pick = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[3][49] = 1;
		(trpt+1)->bup.oval = ((int)((P3 *)_this)->pick);
		((P3 *)_this)->pick = 0;
#ifdef VAR_RANGES
		logval("reader:pick", ((int)((P3 *)_this)->pick));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 23: // STATE 50 - ring.pml:201 - [((held==2))] (67:0:1 - 1)
		IfNotBlocked
		reached[3][50] = 1;
		if (!((((int)((P3 *)_this)->held)==2)))
			continue;
		/* merge: pick = 1(0, 51, 67) */
		reached[3][51] = 1;
		(trpt+1)->bup.oval = ((int)((P3 *)_this)->pick);
		((P3 *)_this)->pick = 1;
#ifdef VAR_RANGES
		logval("reader:pick", ((int)((P3 *)_this)->pick));
#endif
		;
		/* merge: .(goto)(0, 53, 67) */
		reached[3][53] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 24: // STATE 54 - ring.pml:204 - [(!(h_free[pick]))] (61:0:1 - 1)
		IfNotBlocked
		reached[3][54] = 1;
		if (!( !(((int)((P3 *)_this)->h_free[ Index(((int)((P3 *)_this)->pick), 2) ]))))
			continue;
		/* merge: k = 0(0, 55, 61) */
		reached[3][55] = 1;
		(trpt+1)->bup.oval = ((int)((P3 *)_this)->k);
		((P3 *)_this)->k = 0;
#ifdef VAR_RANGES
		logval("reader:k", ((int)((P3 *)_this)->k));
#endif
		;
		/* merge: .(goto)(0, 62, 61) */
		reached[3][62] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 25: // STATE 56 - ring.pml:207 - [((k<h_len[pick]))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][56] = 1;
		if (!((((int)((P3 *)_this)->k)<((int)((P3 *)_this)->h_len[ Index(((int)((P3 *)_this)->pick), 2) ]))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 26: // STATE 57 - ring.pml:207 - [assert((val[(h_at[pick]+k)]==h_seq[pick]))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][57] = 1;
		spin_assert((((int)now.val[ Index((((int)((P3 *)_this)->h_at[ Index(((int)((P3 *)_this)->pick), 2) ])+((int)((P3 *)_this)->k)), 3) ])==((int)((P3 *)_this)->h_seq[ Index(((int)((P3 *)_this)->pick), 2) ])), "(val[(h_at[pick]+k)]==h_seq[pick])", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 27: // STATE 58 - ring.pml:207 - [k = (k+1)] (0:0:1 - 1)
		IfNotBlocked
		reached[3][58] = 1;
		(trpt+1)->bup.oval = ((int)((P3 *)_this)->k);
		((P3 *)_this)->k = (((int)((P3 *)_this)->k)+1);
#ifdef VAR_RANGES
		logval("reader:k", ((int)((P3 *)_this)->k));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 28: // STATE 64 - ring.pml:210 - [k = 0] (0:84:2 - 3)
		IfNotBlocked
		reached[3][64] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P3 *)_this)->k);
		((P3 *)_this)->k = 0;
#ifdef VAR_RANGES
		logval("reader:k", ((int)((P3 *)_this)->k));
#endif
		;
		/* merge: h_free[pick] = 1(84, 65, 84) */
		reached[3][65] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P3 *)_this)->h_free[ Index(((int)((P3 *)_this)->pick), 2) ]);
		((P3 *)_this)->h_free[ Index(((P3 *)_this)->pick, 2) ] = 1;
#ifdef VAR_RANGES
		logval("reader:h_free[reader:pick]", ((int)((P3 *)_this)->h_free[ Index(((int)((P3 *)_this)->pick), 2) ]));
#endif
		;
		/* merge: .(goto)(0, 68, 84) */
		reached[3][68] = 1;
		;
		/* merge: .(goto)(0, 85, 84) */
		reached[3][85] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 29: // STATE 69 - ring.pml:221 - [(((held>0)&&h_free[0]))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][69] = 1;
		if (!(((((int)((P3 *)_this)->held)>0)&&((int)((P3 *)_this)->h_free[0]))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 30: // STATE 70 - ring.pml:226 - [room = (room+h_all[0])] (0:0:1 - 1)
		IfNotBlocked
		reached[3][70] = 1;
		(trpt+1)->bup.oval = ((int)now.room);
		now.room = (((int)now.room)+((int)((P3 *)_this)->h_all[0]));
#ifdef VAR_RANGES
		logval("room", ((int)now.room));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 31: // STATE 71 - ring.pml:227 - [rmark = ((h_seq[0]*8)+h_end[0])] (0:0:1 - 1)
		IfNotBlocked
		reached[3][71] = 1;
		(trpt+1)->bup.oval = ((int)now.rmark);
		now.rmark = ((((int)((P3 *)_this)->h_seq[0])*8)+((int)((P3 *)_this)->h_end[0]));
#ifdef VAR_RANGES
		logval("rmark", ((int)now.rmark));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 32: // STATE 72 - ring.pml:229 - [assert((room<=3))] (0:0:0 - 1)
		IfNotBlocked
		reached[3][72] = 1;
		spin_assert((((int)now.room)<=3), "(room<=3)", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 33: // STATE 73 - ring.pml:231 - [h_at[0] = h_at[1]] (0:84:8 - 1)
		IfNotBlocked
		reached[3][73] = 1;
		(trpt+1)->bup.ovals = grab_ints(8);
		(trpt+1)->bup.ovals[0] = ((int)((P3 *)_this)->h_at[0]);
		((P3 *)_this)->h_at[0] = ((int)((P3 *)_this)->h_at[1]);
#ifdef VAR_RANGES
		logval("reader:h_at[0]", ((int)((P3 *)_this)->h_at[0]));
#endif
		;
		/* merge: h_len[0] = h_len[1](84, 74, 84) */
		reached[3][74] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P3 *)_this)->h_len[0]);
		((P3 *)_this)->h_len[0] = ((int)((P3 *)_this)->h_len[1]);
#ifdef VAR_RANGES
		logval("reader:h_len[0]", ((int)((P3 *)_this)->h_len[0]));
#endif
		;
		/* merge: h_all[0] = h_all[1](84, 75, 84) */
		reached[3][75] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P3 *)_this)->h_all[0]);
		((P3 *)_this)->h_all[0] = ((int)((P3 *)_this)->h_all[1]);
#ifdef VAR_RANGES
		logval("reader:h_all[0]", ((int)((P3 *)_this)->h_all[0]));
#endif
		;
		/* merge: h_seq[0] = h_seq[1](84, 76, 84) */
		reached[3][76] = 1;
		(trpt+1)->bup.ovals[3] = ((int)((P3 *)_this)->h_seq[0]);
		((P3 *)_this)->h_seq[0] = ((int)((P3 *)_this)->h_seq[1]);
#ifdef VAR_RANGES
		logval("reader:h_seq[0]", ((int)((P3 *)_this)->h_seq[0]));
#endif
		;
		/* merge: h_end[0] = h_end[1](84, 77, 84) */
		reached[3][77] = 1;
		(trpt+1)->bup.ovals[4] = ((int)((P3 *)_this)->h_end[0]);
		((P3 *)_this)->h_end[0] = ((int)((P3 *)_this)->h_end[1]);
#ifdef VAR_RANGES
		logval("reader:h_end[0]", ((int)((P3 *)_this)->h_end[0]));
#endif
		;
		/* merge: h_free[0] = h_free[1](84, 78, 84) */
		reached[3][78] = 1;
		(trpt+1)->bup.ovals[5] = ((int)((P3 *)_this)->h_free[0]);
		((P3 *)_this)->h_free[0] = ((int)((P3 *)_this)->h_free[1]);
#ifdef VAR_RANGES
		logval("reader:h_free[0]", ((int)((P3 *)_this)->h_free[0]));
#endif
		;
		/* merge: h_free[1] = 0(84, 79, 84) */
		reached[3][79] = 1;
		(trpt+1)->bup.ovals[6] = ((int)((P3 *)_this)->h_free[1]);
		((P3 *)_this)->h_free[1] = 0;
#ifdef VAR_RANGES
		logval("reader:h_free[1]", ((int)((P3 *)_this)->h_free[1]));
#endif
		;
		/* merge: held = (held-1)(84, 80, 84) */
		reached[3][80] = 1;
		(trpt+1)->bup.ovals[7] = ((int)((P3 *)_this)->held);
		((P3 *)_this)->held = (((int)((P3 *)_this)->held)-1);
#ifdef VAR_RANGES
		logval("reader:held", ((int)((P3 *)_this)->held));
#endif
		;
		/* merge: .(goto)(0, 85, 84) */
		reached[3][85] = 1;
		;
		_m = 3; goto P999; /* 8 */
	case 34: // STATE 90 - ring.pml:237 - [-end-] (0:0:0 - 3)
		IfNotBlocked
		reached[3][90] = 1;
		if (!delproc(1, II)) continue;
		_m = 3; goto P999; /* 0 */

		 /* PROC supervisor */
	case 35: // STATE 1 - ring.pml:144 - [(run writer(1,0,1))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][1] = 1;
		if (!(addproc(II, 1, 1, 1, 0, 1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 36: // STATE 3 - ring.pml:146 - [(((1>0)&&!(done)))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][3] = 1;
		if (!(((1>0)&& !(((int)now.done)))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 37: // STATE 4 - ring.pml:146 - [kills = (kills+1)] (0:0:1 - 1)
		IfNotBlocked
		reached[2][4] = 1;
		(trpt+1)->bup.oval = ((int)now.kills);
		now.kills = (((int)now.kills)+1);
#ifdef VAR_RANGES
		logval("kills", ((int)now.kills));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 38: // STATE 6 - ring.pml:44 - [(empty(stores))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][6] = 1;
		if (!((q_len(now.stores)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 39: // STATE 8 - ring.pml:149 - [assert((room<=3))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][8] = 1;
		spin_assert((((int)now.room)<=3), "(room<=3)", II, tt, t);
		_m = 3; goto P999; /* 0 */
	case 40: // STATE 9 - ring.pml:153 - [(run writer(((wmark/8)+1),(wmark%8),0))] (0:0:0 - 1)
		IfNotBlocked
		reached[2][9] = 1;
		if (!(addproc(II, 1, 1, ((((int)now.wmark)/8)+1), (((int)now.wmark)%8), 0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 41: // STATE 14 - ring.pml:158 - [-end-] (0:0:0 - 3)
		IfNotBlocked
		reached[2][14] = 1;
		if (!delproc(1, II)) continue;
		_m = 3; goto P999; /* 0 */

		 /* PROC writer */
	case 42: // STATE 1 - ring.pml:69 - [must_drain = (last!=(n-1))] (0:0:1 - 1)
		IfNotBlocked
		reached[1][1] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->must_drain);
		((P1 *)_this)->must_drain = (((int)now.last)!=(((int)((P1 *)_this)->n)-1));
#ifdef VAR_RANGES
		logval("writer:must_drain", ((int)((P1 *)_this)->must_drain));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 43: // STATE 82 - ring.pml:137 - [(((kills>0)&&is_mortal))] (0:0:1 - 55)
		IfNotBlocked
		reached[1][82] = 1;
		if (!(((((int)now.kills)>0)&&((int)((P1 *)_this)->is_mortal))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: is_mortal */  (trpt+1)->bup.oval = ((P1 *)_this)->is_mortal;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P1 *)_this)->is_mortal = 0;
		_m = 3; goto P999; /* 0 */
	case 44: // STATE 2 - ring.pml:72 - [((n<=3))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][2] = 1;
		if (!((((int)((P1 *)_this)->n)<=3)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 45: // STATE 3 - ring.pml:74 - [t = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[1][3] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->t);
		((P1 *)_this)->t = 1;
#ifdef VAR_RANGES
		logval("writer:t", ((int)((P1 *)_this)->t));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 46: // STATE 4 - ring.pml:75 - [t = 2] (0:0:1 - 1)
		IfNotBlocked
		reached[1][4] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->t);
		((P1 *)_this)->t = 2;
#ifdef VAR_RANGES
		logval("writer:t", ((int)((P1 *)_this)->t));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 47: // STATE 5 - ring.pml:76 - [t = 3] (0:0:1 - 1)
		IfNotBlocked
		reached[1][5] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->t);
		((P1 *)_this)->t = 3;
#ifdef VAR_RANGES
		logval("writer:t", ((int)((P1 *)_this)->t));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 48: // STATE 8 - ring.pml:79 - [r = rmark] (0:0:1 - 1)
		IfNotBlocked
		reached[1][8] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->r);
		((P1 *)_this)->r = ((int)now.rmark);
#ifdef VAR_RANGES
		logval("writer:r", ((int)((P1 *)_this)->r));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 49: // STATE 9 - ring.pml:80 - [used = (((p+3)-(r%8))%3)] (0:0:1 - 1)
		IfNotBlocked
		reached[1][9] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->used);
		((P1 *)_this)->used = (((((int)((P1 *)_this)->p)+3)-(((int)((P1 *)_this)->r)%8))%3);
#ifdef VAR_RANGES
		logval("writer:used", ((int)((P1 *)_this)->used));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 50: // STATE 10 - ring.pml:81 - [free = ( ((used==0)) -> (0) : ((3-used)) )] (0:0:1 - 1)
		IfNotBlocked
		reached[1][10] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->free);
		((P1 *)_this)->free = ( ((((int)((P1 *)_this)->used)==0)) ? (0) : ((3-((int)((P1 *)_this)->used))) );
#ifdef VAR_RANGES
		logval("writer:free", ((int)((P1 *)_this)->free));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 51: // STATE 11 - ring.pml:82 - [jump = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][11] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->jump);
		((P1 *)_this)->jump = 0;
#ifdef VAR_RANGES
		logval("writer:jump", ((int)((P1 *)_this)->jump));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 52: // STATE 12 - ring.pml:82 - [at = p] (0:0:1 - 1)
		IfNotBlocked
		reached[1][12] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->at);
		((P1 *)_this)->at = ((int)((P1 *)_this)->p);
#ifdef VAR_RANGES
		logval("writer:at", ((int)((P1 *)_this)->at));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 53: // STATE 13 - ring.pml:82 - [tail = (3-p)] (0:0:1 - 1)
		IfNotBlocked
		reached[1][13] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->tail);
		((P1 *)_this)->tail = (3-((int)((P1 *)_this)->p));
#ifdef VAR_RANGES
		logval("writer:tail", ((int)((P1 *)_this)->tail));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 54: // STATE 15 - ring.pml:87 - [(((r/8)==(n-1)))] (0:0:1 - 1)
		IfNotBlocked
		reached[1][15] = 1;
		if (!(((((int)((P1 *)_this)->r)/8)==(((int)((P1 *)_this)->n)-1))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: r */  (trpt+1)->bup.oval = ((P1 *)_this)->r;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P1 *)_this)->r = 0;
		_m = 3; goto P999; /* 0 */
	case 55: // STATE 16 - ring.pml:90 - [((((p!=0)||(room!=3))||must_drain))] (0:0:2 - 1)
		IfNotBlocked
		reached[1][16] = 1;
		if (!((((((int)((P1 *)_this)->p)!=0)||(((int)now.room)!=3))||((int)((P1 *)_this)->must_drain))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: p */  (trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((P1 *)_this)->p;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P1 *)_this)->p = 0;
		if (TstOnly) return 1; /* TT */
		/* dead 1: must_drain */  (trpt+1)->bup.ovals[1] = ((P1 *)_this)->must_drain;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P1 *)_this)->must_drain = 0;
		_m = 3; goto P999; /* 0 */
	case 56: // STATE 17 - ring.pml:91 - [stores!RPOS,0,0] (0:0:0 - 1)
		IfNotBlocked
		reached[1][17] = 1;
		if (q_full(now.stores))
			continue;
#ifdef HAS_CODE
		if (readtrail && gui) {
			char simtmp[64];
			sprintf(simvals, "%d!", now.stores);
		sprintf(simtmp, "%d", 2); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", 0); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", 0); strcat(simvals, simtmp);		}
#endif
		
		qsend(now.stores, 0, 2, 0, 0, 3);
		_m = 2; goto P999; /* 0 */
	case 57: // STATE 18 - ring.pml:92 - [stores!WPOS,0,0] (0:0:0 - 1)
		IfNotBlocked
		reached[1][18] = 1;
		if (q_full(now.stores))
			continue;
#ifdef HAS_CODE
		if (readtrail && gui) {
			char simtmp[64];
			sprintf(simvals, "%d!", now.stores);
		sprintf(simtmp, "%d", 1); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", 0); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", 0); strcat(simvals, simtmp);		}
#endif
		
		qsend(now.stores, 0, 1, 0, 0, 3);
		_m = 2; goto P999; /* 0 */
	case 58: // STATE 19 - ring.pml:44 - [(empty(stores))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][19] = 1;
		if (!((q_len(now.stores)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 59: // STATE 21 - ring.pml:93 - [room = 3] (0:0:1 - 1)
		IfNotBlocked
		reached[1][21] = 1;
		(trpt+1)->bup.oval = ((int)now.room);
		now.room = 3;
#ifdef VAR_RANGES
		logval("room", ((int)now.room));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 60: // STATE 22 - ring.pml:94 - [stores!RMARK,0,(((n-1)*8)+0)] (0:0:0 - 1)
		IfNotBlocked
		reached[1][22] = 1;
		if (q_full(now.stores))
			continue;
#ifdef HAS_CODE
		if (readtrail && gui) {
			char simtmp[64];
			sprintf(simvals, "%d!", now.stores);
		sprintf(simtmp, "%d", 3); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", 0); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", (((((int)((P1 *)_this)->n)-1)*8)+0)); strcat(simvals, simtmp);		}
#endif
		
		qsend(now.stores, 0, 3, 0, (((((int)((P1 *)_this)->n)-1)*8)+0), 3);
		_m = 2; goto P999; /* 0 */
	case 61: // STATE 23 - ring.pml:95 - [stores!WMARK,0,(((n-1)*8)+0)] (0:0:0 - 1)
		IfNotBlocked
		reached[1][23] = 1;
		if (q_full(now.stores))
			continue;
#ifdef HAS_CODE
		if (readtrail && gui) {
			char simtmp[64];
			sprintf(simvals, "%d!", now.stores);
		sprintf(simtmp, "%d", 4); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", 0); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", (((((int)((P1 *)_this)->n)-1)*8)+0)); strcat(simvals, simtmp);		}
#endif
		
		qsend(now.stores, 0, 4, 0, (((((int)((P1 *)_this)->n)-1)*8)+0), 3);
		_m = 2; goto P999; /* 0 */
	case 62: // STATE 24 - ring.pml:96 - [stores!LAST,0,(n-1)] (0:0:0 - 1)
		IfNotBlocked
		reached[1][24] = 1;
		if (q_full(now.stores))
			continue;
#ifdef HAS_CODE
		if (readtrail && gui) {
			char simtmp[64];
			sprintf(simvals, "%d!", now.stores);
		sprintf(simtmp, "%d", 7); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", 0); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", (((int)((P1 *)_this)->n)-1)); strcat(simvals, simtmp);		}
#endif
		
		qsend(now.stores, 0, 7, 0, (((int)((P1 *)_this)->n)-1), 3);
		_m = 2; goto P999; /* 0 */
	case 63: // STATE 25 - ring.pml:97 - [must_drain = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][25] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->must_drain);
		((P1 *)_this)->must_drain = 0;
#ifdef VAR_RANGES
		logval("writer:must_drain", ((int)((P1 *)_this)->must_drain));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 64: // STATE 29 - ring.pml:100 - [p = 0] (0:0:1 - 3)
		IfNotBlocked
		reached[1][29] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->p);
		((P1 *)_this)->p = 0;
#ifdef VAR_RANGES
		logval("writer:p", ((int)((P1 *)_this)->p));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 65: // STATE 30 - ring.pml:100 - [at = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][30] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->at);
		((P1 *)_this)->at = 0;
#ifdef VAR_RANGES
		logval("writer:at", ((int)((P1 *)_this)->at));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 66: // STATE 33 - ring.pml:103 - [(((!(must_drain)&&(t<=tail))&&(t<=free)))] (0:0:2 - 1)
		IfNotBlocked
		reached[1][33] = 1;
		if (!((( !(((int)((P1 *)_this)->must_drain))&&(((int)((P1 *)_this)->t)<=((int)((P1 *)_this)->tail)))&&(((int)((P1 *)_this)->t)<=((int)((P1 *)_this)->free)))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: tail */  (trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((P1 *)_this)->tail;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P1 *)_this)->tail = 0;
		if (TstOnly) return 1; /* TT */
		/* dead 1: free */  (trpt+1)->bup.ovals[1] = ((P1 *)_this)->free;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P1 *)_this)->free = 0;
		_m = 3; goto P999; /* 0 */
	case 67: // STATE 35 - ring.pml:105 - [(((!(must_drain)&&(t>tail))&&(t<=free)))] (0:0:1 - 1)
		IfNotBlocked
		reached[1][35] = 1;
		if (!((( !(((int)((P1 *)_this)->must_drain))&&(((int)((P1 *)_this)->t)>((int)((P1 *)_this)->tail)))&&(((int)((P1 *)_this)->t)<=((int)((P1 *)_this)->free)))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: free */  (trpt+1)->bup.oval = ((P1 *)_this)->free;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P1 *)_this)->free = 0;
		_m = 3; goto P999; /* 0 */
	case 68: // STATE 36 - ring.pml:105 - [jump = tail] (0:0:1 - 1)
		IfNotBlocked
		reached[1][36] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->jump);
		((P1 *)_this)->jump = ((int)((P1 *)_this)->tail);
#ifdef VAR_RANGES
		logval("writer:jump", ((int)((P1 *)_this)->jump));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 69: // STATE 37 - ring.pml:105 - [at = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][37] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->at);
		((P1 *)_this)->at = 0;
#ifdef VAR_RANGES
		logval("writer:at", ((int)((P1 *)_this)->at));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 70: // STATE 40 - ring.pml:109 - [((rmark!=r))] (0:0:1 - 1)
		IfNotBlocked
		reached[1][40] = 1;
		if (!((((int)now.rmark)!=((int)((P1 *)_this)->r))))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: r */  (trpt+1)->bup.oval = ((P1 *)_this)->r;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P1 *)_this)->r = 0;
		_m = 3; goto P999; /* 0 */
	case 71: // STATE 48 - ring.pml:116 - [k = 0] (0:0:1 - 7)
		IfNotBlocked
		reached[1][48] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->k);
		((P1 *)_this)->k = 0;
#ifdef VAR_RANGES
		logval("writer:k", ((int)((P1 *)_this)->k));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 72: // STATE 49 - ring.pml:118 - [((k<t))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][49] = 1;
		if (!((((int)((P1 *)_this)->k)<((int)((P1 *)_this)->t))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 73: // STATE 50 - ring.pml:118 - [stores!VAL,(at+k),n] (0:0:0 - 1)
		IfNotBlocked
		reached[1][50] = 1;
		if (q_full(now.stores))
			continue;
#ifdef HAS_CODE
		if (readtrail && gui) {
			char simtmp[64];
			sprintf(simvals, "%d!", now.stores);
		sprintf(simtmp, "%d", 5); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", (((int)((P1 *)_this)->at)+((int)((P1 *)_this)->k))); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", ((int)((P1 *)_this)->n)); strcat(simvals, simtmp);		}
#endif
		
		qsend(now.stores, 0, 5, (((int)((P1 *)_this)->at)+((int)((P1 *)_this)->k)), ((int)((P1 *)_this)->n), 3);
		_m = 2; goto P999; /* 0 */
	case 74: // STATE 51 - ring.pml:118 - [k = (k+1)] (0:0:1 - 1)
		IfNotBlocked
		reached[1][51] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->k);
		((P1 *)_this)->k = (((int)((P1 *)_this)->k)+1);
#ifdef VAR_RANGES
		logval("writer:k", ((int)((P1 *)_this)->k));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 75: // STATE 57 - ring.pml:121 - [stores!LEN,at,t] (0:0:0 - 3)
		IfNotBlocked
		reached[1][57] = 1;
		if (q_full(now.stores))
			continue;
#ifdef HAS_CODE
		if (readtrail && gui) {
			char simtmp[64];
			sprintf(simvals, "%d!", now.stores);
		sprintf(simtmp, "%d", 6); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", ((int)((P1 *)_this)->at)); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", ((int)((P1 *)_this)->t)); strcat(simvals, simtmp);		}
#endif
		
		qsend(now.stores, 0, 6, ((int)((P1 *)_this)->at), ((int)((P1 *)_this)->t), 3);
		_m = 2; goto P999; /* 0 */
	case 76: // STATE 58 - ring.pml:123 - [((jump>0))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][58] = 1;
		if (!((((int)((P1 *)_this)->jump)>0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 77: // STATE 59 - ring.pml:123 - [stores!LEN,p,0] (0:0:0 - 1)
		IfNotBlocked
		reached[1][59] = 1;
		if (q_full(now.stores))
			continue;
#ifdef HAS_CODE
		if (readtrail && gui) {
			char simtmp[64];
			sprintf(simvals, "%d!", now.stores);
		sprintf(simtmp, "%d", 6); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", ((int)((P1 *)_this)->p)); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", 0); strcat(simvals, simtmp);		}
#endif
		
		qsend(now.stores, 0, 6, ((int)((P1 *)_this)->p), 0, 3);
		_m = 2; goto P999; /* 0 */
	case 78: // STATE 63 - ring.pml:126 - [stores!LAST,0,n] (0:0:0 - 3)
		IfNotBlocked
		reached[1][63] = 1;
		if (q_full(now.stores))
			continue;
#ifdef HAS_CODE
		if (readtrail && gui) {
			char simtmp[64];
			sprintf(simvals, "%d!", now.stores);
		sprintf(simtmp, "%d", 7); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", 0); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", ((int)((P1 *)_this)->n)); strcat(simvals, simtmp);		}
#endif
		
		qsend(now.stores, 0, 7, 0, ((int)((P1 *)_this)->n), 3);
		_m = 2; goto P999; /* 0 */
	case 79: // STATE 64 - ring.pml:44 - [(empty(stores))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][64] = 1;
		if (!((q_len(now.stores)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 80: // STATE 66 - ring.pml:127 - [room = ((room-jump)-t)] (0:0:1 - 1)
		IfNotBlocked
		reached[1][66] = 1;
		(trpt+1)->bup.oval = ((int)now.room);
		now.room = ((((int)now.room)-((int)((P1 *)_this)->jump))-((int)((P1 *)_this)->t));
#ifdef VAR_RANGES
		logval("room", ((int)now.room));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 81: // STATE 68 - ring.pml:129 - [stores!WMARK,0,((n*8)+((at+t)%3))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][68] = 1;
		if (q_full(now.stores))
			continue;
#ifdef HAS_CODE
		if (readtrail && gui) {
			char simtmp[64];
			sprintf(simvals, "%d!", now.stores);
		sprintf(simtmp, "%d", 4); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", 0); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", ((((int)((P1 *)_this)->n)*8)+((((int)((P1 *)_this)->at)+((int)((P1 *)_this)->t))%3))); strcat(simvals, simtmp);		}
#endif
		
		qsend(now.stores, 0, 4, 0, ((((int)((P1 *)_this)->n)*8)+((((int)((P1 *)_this)->at)+((int)((P1 *)_this)->t))%3)), 3);
		_m = 2; goto P999; /* 0 */
	case 82: // STATE 69 - ring.pml:131 - [stores!WPOS,0,((at+t)%3)] (0:0:0 - 1)
		IfNotBlocked
		reached[1][69] = 1;
		if (q_full(now.stores))
			continue;
#ifdef HAS_CODE
		if (readtrail && gui) {
			char simtmp[64];
			sprintf(simvals, "%d!", now.stores);
		sprintf(simtmp, "%d", 1); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", 0); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", ((((int)((P1 *)_this)->at)+((int)((P1 *)_this)->t))%3)); strcat(simvals, simtmp);		}
#endif
		
		qsend(now.stores, 0, 1, 0, ((((int)((P1 *)_this)->at)+((int)((P1 *)_this)->t))%3), 3);
		_m = 2; goto P999; /* 0 */
	case 83: // STATE 70 - ring.pml:132 - [p = ((at+t)%3)] (0:0:1 - 1)
		IfNotBlocked
		reached[1][70] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->p);
		((P1 *)_this)->p = ((((int)((P1 *)_this)->at)+((int)((P1 *)_this)->t))%3);
#ifdef VAR_RANGES
		logval("writer:p", ((int)((P1 *)_this)->p));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 84: // STATE 71 - ring.pml:133 - [n = (n+1)] (0:0:1 - 1)
		IfNotBlocked
		reached[1][71] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->n);
		((P1 *)_this)->n = (((int)((P1 *)_this)->n)+1);
#ifdef VAR_RANGES
		logval("writer:n", ((int)((P1 *)_this)->n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 85: // STATE 72 - ring.pml:133 - [k = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][72] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->k);
		((P1 *)_this)->k = 0;
#ifdef VAR_RANGES
		logval("writer:k", ((int)((P1 *)_this)->k));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 86: // STATE 73 - ring.pml:133 - [jump = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[1][73] = 1;
		(trpt+1)->bup.oval = ((int)((P1 *)_this)->jump);
		((P1 *)_this)->jump = 0;
#ifdef VAR_RANGES
		logval("writer:jump", ((int)((P1 *)_this)->jump));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 87: // STATE 79 - ring.pml:44 - [(empty(stores))] (0:0:0 - 1)
		IfNotBlocked
		reached[1][79] = 1;
		if (!((q_len(now.stores)==0)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 88: // STATE 81 - ring.pml:136 - [done = 1] (0:0:1 - 1)
		IfNotBlocked
		reached[1][81] = 1;
		(trpt+1)->bup.oval = ((int)now.done);
		now.done = 1;
#ifdef VAR_RANGES
		logval("done", ((int)now.done));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 89: // STATE 85 - ring.pml:138 - [-end-] (0:0:0 - 3)
		IfNotBlocked
		reached[1][85] = 1;
		if (!delproc(1, II)) continue;
		_m = 3; goto P999; /* 0 */

		 /* PROC hardware */
	case 90: // STATE 1 - ring.pml:50 - [stores?word,at,what] (0:0:3 - 1)
		reached[0][1] = 1;
		if (q_len(now.stores) == 0) continue;

		XX=1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((P0 *)_this)->word;
		(trpt+1)->bup.ovals[1] = ((int)((P0 *)_this)->at);
		(trpt+1)->bup.ovals[2] = ((int)((P0 *)_this)->what);
		;
		((P0 *)_this)->word = qrecv(now.stores, XX-1, 0, 0);
#ifdef VAR_RANGES
		logval("hardware:word", ((P0 *)_this)->word);
#endif
		;
		((P0 *)_this)->at = qrecv(now.stores, XX-1, 1, 0);
#ifdef VAR_RANGES
		logval("hardware:at", ((int)((P0 *)_this)->at));
#endif
		;
		((P0 *)_this)->what = qrecv(now.stores, XX-1, 2, 1);
#ifdef VAR_RANGES
		logval("hardware:what", ((int)((P0 *)_this)->what));
#endif
		;
		
#ifdef HAS_CODE
		if (readtrail && gui) {
			char simtmp[32];
			sprintf(simvals, "%d?", now.stores);
		sprintf(simtmp, "%d", ((P0 *)_this)->word); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", ((int)((P0 *)_this)->at)); strcat(simvals, simtmp);		strcat(simvals, ",");
		sprintf(simtmp, "%d", ((int)((P0 *)_this)->what)); strcat(simvals, simtmp);		}
#endif
		;
		_m = 4; goto P999; /* 0 */
	case 91: // STATE 2 - ring.pml:52 - [((word==LAST))] (21:0:4 - 1)
		IfNotBlocked
		reached[0][2] = 1;
		if (!((((P0 *)_this)->word==7)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: word */  (trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((P0 *)_this)->word;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->word = 0;
		/* merge: last = what(21, 3, 21) */
		reached[0][3] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.last);
		now.last = ((int)((P0 *)_this)->what);
#ifdef VAR_RANGES
		logval("last", ((int)now.last));
#endif
		;
		/* merge: .(goto)(21, 17, 21) */
		reached[0][17] = 1;
		;
		/* merge: at = 0(21, 18, 21) */
		reached[0][18] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P0 *)_this)->at);
		((P0 *)_this)->at = 0;
#ifdef VAR_RANGES
		logval("hardware:at", ((int)((P0 *)_this)->at));
#endif
		;
		/* merge: what = 0(21, 19, 21) */
		reached[0][19] = 1;
		(trpt+1)->bup.ovals[3] = ((int)((P0 *)_this)->what);
		((P0 *)_this)->what = 0;
#ifdef VAR_RANGES
		logval("hardware:what", ((int)((P0 *)_this)->what));
#endif
		;
		/* merge: .(goto)(0, 22, 21) */
		reached[0][22] = 1;
		;
		_m = 3; goto P999; /* 5 */
	case 92: // STATE 4 - ring.pml:53 - [((word==LEN))] (21:0:4 - 1)
		IfNotBlocked
		reached[0][4] = 1;
		if (!((((P0 *)_this)->word==6)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: word */  (trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((P0 *)_this)->word;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->word = 0;
		/* merge: size[at] = what(21, 5, 21) */
		reached[0][5] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.size[ Index(((int)((P0 *)_this)->at), 3) ]);
		now.size[ Index(((P0 *)_this)->at, 3) ] = ((int)((P0 *)_this)->what);
#ifdef VAR_RANGES
		logval("size[hardware:at]", ((int)now.size[ Index(((int)((P0 *)_this)->at), 3) ]));
#endif
		;
		/* merge: .(goto)(21, 17, 21) */
		reached[0][17] = 1;
		;
		/* merge: at = 0(21, 18, 21) */
		reached[0][18] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P0 *)_this)->at);
		((P0 *)_this)->at = 0;
#ifdef VAR_RANGES
		logval("hardware:at", ((int)((P0 *)_this)->at));
#endif
		;
		/* merge: what = 0(21, 19, 21) */
		reached[0][19] = 1;
		(trpt+1)->bup.ovals[3] = ((int)((P0 *)_this)->what);
		((P0 *)_this)->what = 0;
#ifdef VAR_RANGES
		logval("hardware:what", ((int)((P0 *)_this)->what));
#endif
		;
		/* merge: .(goto)(0, 22, 21) */
		reached[0][22] = 1;
		;
		_m = 3; goto P999; /* 5 */
	case 93: // STATE 6 - ring.pml:54 - [((word==VAL))] (21:0:4 - 1)
		IfNotBlocked
		reached[0][6] = 1;
		if (!((((P0 *)_this)->word==5)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: word */  (trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((P0 *)_this)->word;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->word = 0;
		/* merge: val[at] = what(21, 7, 21) */
		reached[0][7] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.val[ Index(((int)((P0 *)_this)->at), 3) ]);
		now.val[ Index(((P0 *)_this)->at, 3) ] = ((int)((P0 *)_this)->what);
#ifdef VAR_RANGES
		logval("val[hardware:at]", ((int)now.val[ Index(((int)((P0 *)_this)->at), 3) ]));
#endif
		;
		/* merge: .(goto)(21, 17, 21) */
		reached[0][17] = 1;
		;
		/* merge: at = 0(21, 18, 21) */
		reached[0][18] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P0 *)_this)->at);
		((P0 *)_this)->at = 0;
#ifdef VAR_RANGES
		logval("hardware:at", ((int)((P0 *)_this)->at));
#endif
		;
		/* merge: what = 0(21, 19, 21) */
		reached[0][19] = 1;
		(trpt+1)->bup.ovals[3] = ((int)((P0 *)_this)->what);
		((P0 *)_this)->what = 0;
#ifdef VAR_RANGES
		logval("hardware:what", ((int)((P0 *)_this)->what));
#endif
		;
		/* merge: .(goto)(0, 22, 21) */
		reached[0][22] = 1;
		;
		_m = 3; goto P999; /* 5 */
	case 94: // STATE 8 - ring.pml:55 - [((word==WMARK))] (21:0:4 - 1)
		IfNotBlocked
		reached[0][8] = 1;
		if (!((((P0 *)_this)->word==4)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: word */  (trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((P0 *)_this)->word;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->word = 0;
		/* merge: wmark = what(21, 9, 21) */
		reached[0][9] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.wmark);
		now.wmark = ((int)((P0 *)_this)->what);
#ifdef VAR_RANGES
		logval("wmark", ((int)now.wmark));
#endif
		;
		/* merge: .(goto)(21, 17, 21) */
		reached[0][17] = 1;
		;
		/* merge: at = 0(21, 18, 21) */
		reached[0][18] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P0 *)_this)->at);
		((P0 *)_this)->at = 0;
#ifdef VAR_RANGES
		logval("hardware:at", ((int)((P0 *)_this)->at));
#endif
		;
		/* merge: what = 0(21, 19, 21) */
		reached[0][19] = 1;
		(trpt+1)->bup.ovals[3] = ((int)((P0 *)_this)->what);
		((P0 *)_this)->what = 0;
#ifdef VAR_RANGES
		logval("hardware:what", ((int)((P0 *)_this)->what));
#endif
		;
		/* merge: .(goto)(0, 22, 21) */
		reached[0][22] = 1;
		;
		_m = 3; goto P999; /* 5 */
	case 95: // STATE 10 - ring.pml:56 - [((word==RMARK))] (21:0:4 - 1)
		IfNotBlocked
		reached[0][10] = 1;
		if (!((((P0 *)_this)->word==3)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: word */  (trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((P0 *)_this)->word;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->word = 0;
		/* merge: rmark = what(21, 11, 21) */
		reached[0][11] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.rmark);
		now.rmark = ((int)((P0 *)_this)->what);
#ifdef VAR_RANGES
		logval("rmark", ((int)now.rmark));
#endif
		;
		/* merge: .(goto)(21, 17, 21) */
		reached[0][17] = 1;
		;
		/* merge: at = 0(21, 18, 21) */
		reached[0][18] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P0 *)_this)->at);
		((P0 *)_this)->at = 0;
#ifdef VAR_RANGES
		logval("hardware:at", ((int)((P0 *)_this)->at));
#endif
		;
		/* merge: what = 0(21, 19, 21) */
		reached[0][19] = 1;
		(trpt+1)->bup.ovals[3] = ((int)((P0 *)_this)->what);
		((P0 *)_this)->what = 0;
#ifdef VAR_RANGES
		logval("hardware:what", ((int)((P0 *)_this)->what));
#endif
		;
		/* merge: .(goto)(0, 22, 21) */
		reached[0][22] = 1;
		;
		_m = 3; goto P999; /* 5 */
	case 96: // STATE 12 - ring.pml:57 - [((word==RPOS))] (21:0:4 - 1)
		IfNotBlocked
		reached[0][12] = 1;
		if (!((((P0 *)_this)->word==2)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: word */  (trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((P0 *)_this)->word;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->word = 0;
		/* merge: rpos = what(21, 13, 21) */
		reached[0][13] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.rpos);
		now.rpos = ((int)((P0 *)_this)->what);
#ifdef VAR_RANGES
		logval("rpos", ((int)now.rpos));
#endif
		;
		/* merge: .(goto)(21, 17, 21) */
		reached[0][17] = 1;
		;
		/* merge: at = 0(21, 18, 21) */
		reached[0][18] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P0 *)_this)->at);
		((P0 *)_this)->at = 0;
#ifdef VAR_RANGES
		logval("hardware:at", ((int)((P0 *)_this)->at));
#endif
		;
		/* merge: what = 0(21, 19, 21) */
		reached[0][19] = 1;
		(trpt+1)->bup.ovals[3] = ((int)((P0 *)_this)->what);
		((P0 *)_this)->what = 0;
#ifdef VAR_RANGES
		logval("hardware:what", ((int)((P0 *)_this)->what));
#endif
		;
		/* merge: .(goto)(0, 22, 21) */
		reached[0][22] = 1;
		;
		_m = 3; goto P999; /* 5 */
	case 97: // STATE 14 - ring.pml:58 - [((word==WPOS))] (21:0:4 - 1)
		IfNotBlocked
		reached[0][14] = 1;
		if (!((((P0 *)_this)->word==1)))
			continue;
		if (TstOnly) return 1; /* TT */
		/* dead 1: word */  (trpt+1)->bup.ovals = grab_ints(4);
		(trpt+1)->bup.ovals[0] = ((P0 *)_this)->word;
#ifdef HAS_CODE
		if (!readtrail)
#endif
			((P0 *)_this)->word = 0;
		/* merge: wpos = what(21, 15, 21) */
		reached[0][15] = 1;
		(trpt+1)->bup.ovals[1] = ((int)wpos);
		wpos = ((int)((P0 *)_this)->what);
#ifdef VAR_RANGES
		logval("wpos", ((int)wpos));
#endif
		;
		/* merge: .(goto)(21, 17, 21) */
		reached[0][17] = 1;
		;
		/* merge: at = 0(21, 18, 21) */
		reached[0][18] = 1;
		(trpt+1)->bup.ovals[2] = ((int)((P0 *)_this)->at);
		((P0 *)_this)->at = 0;
#ifdef VAR_RANGES
		logval("hardware:at", ((int)((P0 *)_this)->at));
#endif
		;
		/* merge: what = 0(21, 19, 21) */
		reached[0][19] = 1;
		(trpt+1)->bup.ovals[3] = ((int)((P0 *)_this)->what);
		((P0 *)_this)->what = 0;
#ifdef VAR_RANGES
		logval("hardware:what", ((int)((P0 *)_this)->what));
#endif
		;
		/* merge: .(goto)(0, 22, 21) */
		reached[0][22] = 1;
		;
		_m = 3; goto P999; /* 5 */
	case 98: // STATE 18 - ring.pml:59 - [at = 0] (0:21:2 - 8)
		IfNotBlocked
		reached[0][18] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)((P0 *)_this)->at);
		((P0 *)_this)->at = 0;
#ifdef VAR_RANGES
		logval("hardware:at", ((int)((P0 *)_this)->at));
#endif
		;
		/* merge: what = 0(21, 19, 21) */
		reached[0][19] = 1;
		(trpt+1)->bup.ovals[1] = ((int)((P0 *)_this)->what);
		((P0 *)_this)->what = 0;
#ifdef VAR_RANGES
		logval("hardware:what", ((int)((P0 *)_this)->what));
#endif
		;
		/* merge: .(goto)(0, 22, 21) */
		reached[0][22] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 99: // STATE 24 - ring.pml:61 - [-end-] (0:0:0 - 1)
		IfNotBlocked
		reached[0][24] = 1;
		if (!delproc(1, II)) continue;
		_m = 3; goto P999; /* 0 */
	case  _T5:	/* np_ */
		if (!((!(trpt->o_pm&4) && !(trpt->tau&128))))
			continue;
		/* else fall through */
	case  _T2:	/* true */
		_m = 3; goto P999;
#undef rand
	}


	switch (t->back) {
	default: Uerror("bad return move");
	case  0: goto R999; /* nothing to undo */

		 /* PROC reader */
;
		;
		
	case 4: // STATE 2
		;
		((P3 *)_this)->w = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 6: // STATE 4
		;
	/* 1 */	((P3 *)_this)->held = trpt->bup.ovals[1];
	/* 0 */	((P3 *)_this)->mine = trpt->bup.ovals[0];
		;
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;
;
		;
		
	case 8: // STATE 9
		;
	/* 0 */	((P3 *)_this)->w = trpt->bup.oval;
		;
		;
		goto R999;

	case 9: // STATE 13
		;
		((P3 *)_this)->p = trpt->bup.oval;
		;
		goto R999;

	case 10: // STATE 15
		;
		((P3 *)_this)->l = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 12: // STATE 18
		;
		((P3 *)_this)->p = trpt->bup.ovals[1];
		((P3 *)_this)->l = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;
;
		;
		
	case 14: // STATE 23
		;
		((P3 *)_this)->k = trpt->bup.oval;
		;
		goto R999;
;
		;
		;
		;
		
	case 17: // STATE 26
		;
		((P3 *)_this)->k = trpt->bup.oval;
		;
		goto R999;

	case 18: // STATE 32
		;
		((P3 *)_this)->mine = trpt->bup.oval;
		;
		goto R999;

	case 19: // STATE 43
		;
		((P3 *)_this)->p = trpt->bup.ovals[10];
		((P3 *)_this)->l = trpt->bup.ovals[9];
		((P3 *)_this)->k = trpt->bup.ovals[8];
		((P3 *)_this)->held = trpt->bup.ovals[7];
		((P3 *)_this)->expect = trpt->bup.ovals[6];
		((P3 *)_this)->h_free[ Index(((P3 *)_this)->held, 2) ] = trpt->bup.ovals[5];
		((P3 *)_this)->h_end[ Index(((P3 *)_this)->held, 2) ] = trpt->bup.ovals[4];
		((P3 *)_this)->h_seq[ Index(((P3 *)_this)->held, 2) ] = trpt->bup.ovals[3];
		((P3 *)_this)->h_all[ Index(((P3 *)_this)->held, 2) ] = trpt->bup.ovals[2];
		((P3 *)_this)->h_len[ Index(((P3 *)_this)->held, 2) ] = trpt->bup.ovals[1];
		((P3 *)_this)->h_at[ Index(((P3 *)_this)->held, 2) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 11);
		goto R999;

	case 20: // STATE 45
		;
		now.rpos = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 22: // STATE 49
		;
		((P3 *)_this)->pick = trpt->bup.oval;
		;
		goto R999;

	case 23: // STATE 51
		;
		((P3 *)_this)->pick = trpt->bup.oval;
		;
		goto R999;

	case 24: // STATE 55
		;
		((P3 *)_this)->k = trpt->bup.oval;
		;
		goto R999;
;
		;
		;
		;
		
	case 27: // STATE 58
		;
		((P3 *)_this)->k = trpt->bup.oval;
		;
		goto R999;

	case 28: // STATE 65
		;
		((P3 *)_this)->h_free[ Index(((P3 *)_this)->pick, 2) ] = trpt->bup.ovals[1];
		((P3 *)_this)->k = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;
;
		;
		
	case 30: // STATE 70
		;
		now.room = trpt->bup.oval;
		;
		goto R999;

	case 31: // STATE 71
		;
		now.rmark = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 33: // STATE 80
		;
		((P3 *)_this)->held = trpt->bup.ovals[7];
		((P3 *)_this)->h_free[1] = trpt->bup.ovals[6];
		((P3 *)_this)->h_free[0] = trpt->bup.ovals[5];
		((P3 *)_this)->h_end[0] = trpt->bup.ovals[4];
		((P3 *)_this)->h_seq[0] = trpt->bup.ovals[3];
		((P3 *)_this)->h_all[0] = trpt->bup.ovals[2];
		((P3 *)_this)->h_len[0] = trpt->bup.ovals[1];
		((P3 *)_this)->h_at[0] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 8);
		goto R999;

	case 34: // STATE 90
		;
		p_restor(II);
		;
		;
		goto R999;

		 /* PROC supervisor */

	case 35: // STATE 1
		;
		;
		delproc(0, now._nr_pr-1);
		;
		goto R999;
;
		;
		
	case 37: // STATE 4
		;
		now.kills = trpt->bup.oval;
		;
		goto R999;
;
		;
		;
		;
		
	case 40: // STATE 9
		;
		;
		delproc(0, now._nr_pr-1);
		;
		goto R999;

	case 41: // STATE 14
		;
		p_restor(II);
		;
		;
		goto R999;

		 /* PROC writer */

	case 42: // STATE 1
		;
		((P1 *)_this)->must_drain = trpt->bup.oval;
		;
		goto R999;

	case 43: // STATE 82
		;
	/* 0 */	((P1 *)_this)->is_mortal = trpt->bup.oval;
		;
		;
		goto R999;
;
		;
		
	case 45: // STATE 3
		;
		((P1 *)_this)->t = trpt->bup.oval;
		;
		goto R999;

	case 46: // STATE 4
		;
		((P1 *)_this)->t = trpt->bup.oval;
		;
		goto R999;

	case 47: // STATE 5
		;
		((P1 *)_this)->t = trpt->bup.oval;
		;
		goto R999;

	case 48: // STATE 8
		;
		((P1 *)_this)->r = trpt->bup.oval;
		;
		goto R999;

	case 49: // STATE 9
		;
		((P1 *)_this)->used = trpt->bup.oval;
		;
		goto R999;

	case 50: // STATE 10
		;
		((P1 *)_this)->free = trpt->bup.oval;
		;
		goto R999;

	case 51: // STATE 11
		;
		((P1 *)_this)->jump = trpt->bup.oval;
		;
		goto R999;

	case 52: // STATE 12
		;
		((P1 *)_this)->at = trpt->bup.oval;
		;
		goto R999;

	case 53: // STATE 13
		;
		((P1 *)_this)->tail = trpt->bup.oval;
		;
		goto R999;

	case 54: // STATE 15
		;
	/* 0 */	((P1 *)_this)->r = trpt->bup.oval;
		;
		;
		goto R999;

	case 55: // STATE 16
		;
	/* 1 */	((P1 *)_this)->must_drain = trpt->bup.ovals[1];
	/* 0 */	((P1 *)_this)->p = trpt->bup.ovals[0];
		;
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 56: // STATE 17
		;
		_m = unsend(now.stores);
		;
		goto R999;

	case 57: // STATE 18
		;
		_m = unsend(now.stores);
		;
		goto R999;
;
		;
		
	case 59: // STATE 21
		;
		now.room = trpt->bup.oval;
		;
		goto R999;

	case 60: // STATE 22
		;
		_m = unsend(now.stores);
		;
		goto R999;

	case 61: // STATE 23
		;
		_m = unsend(now.stores);
		;
		goto R999;

	case 62: // STATE 24
		;
		_m = unsend(now.stores);
		;
		goto R999;

	case 63: // STATE 25
		;
		((P1 *)_this)->must_drain = trpt->bup.oval;
		;
		goto R999;

	case 64: // STATE 29
		;
		((P1 *)_this)->p = trpt->bup.oval;
		;
		goto R999;

	case 65: // STATE 30
		;
		((P1 *)_this)->at = trpt->bup.oval;
		;
		goto R999;

	case 66: // STATE 33
		;
	/* 1 */	((P1 *)_this)->free = trpt->bup.ovals[1];
	/* 0 */	((P1 *)_this)->tail = trpt->bup.ovals[0];
		;
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 67: // STATE 35
		;
	/* 0 */	((P1 *)_this)->free = trpt->bup.oval;
		;
		;
		goto R999;

	case 68: // STATE 36
		;
		((P1 *)_this)->jump = trpt->bup.oval;
		;
		goto R999;

	case 69: // STATE 37
		;
		((P1 *)_this)->at = trpt->bup.oval;
		;
		goto R999;

	case 70: // STATE 40
		;
	/* 0 */	((P1 *)_this)->r = trpt->bup.oval;
		;
		;
		goto R999;

	case 71: // STATE 48
		;
		((P1 *)_this)->k = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 73: // STATE 50
		;
		_m = unsend(now.stores);
		;
		goto R999;

	case 74: // STATE 51
		;
		((P1 *)_this)->k = trpt->bup.oval;
		;
		goto R999;

	case 75: // STATE 57
		;
		_m = unsend(now.stores);
		;
		goto R999;
;
		;
		
	case 77: // STATE 59
		;
		_m = unsend(now.stores);
		;
		goto R999;

	case 78: // STATE 63
		;
		_m = unsend(now.stores);
		;
		goto R999;
;
		;
		
	case 80: // STATE 66
		;
		now.room = trpt->bup.oval;
		;
		goto R999;

	case 81: // STATE 68
		;
		_m = unsend(now.stores);
		;
		goto R999;

	case 82: // STATE 69
		;
		_m = unsend(now.stores);
		;
		goto R999;

	case 83: // STATE 70
		;
		((P1 *)_this)->p = trpt->bup.oval;
		;
		goto R999;

	case 84: // STATE 71
		;
		((P1 *)_this)->n = trpt->bup.oval;
		;
		goto R999;

	case 85: // STATE 72
		;
		((P1 *)_this)->k = trpt->bup.oval;
		;
		goto R999;

	case 86: // STATE 73
		;
		((P1 *)_this)->jump = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 88: // STATE 81
		;
		now.done = trpt->bup.oval;
		;
		goto R999;

	case 89: // STATE 85
		;
		p_restor(II);
		;
		;
		goto R999;

		 /* PROC hardware */

	case 90: // STATE 1
		;
		XX = 1;
		unrecv(now.stores, XX-1, 0, ((P0 *)_this)->word, 1);
		unrecv(now.stores, XX-1, 1, ((int)((P0 *)_this)->at), 0);
		unrecv(now.stores, XX-1, 2, ((int)((P0 *)_this)->what), 0);
		((P0 *)_this)->word = trpt->bup.ovals[0];
		((P0 *)_this)->at = trpt->bup.ovals[1];
		((P0 *)_this)->what = trpt->bup.ovals[2];
		;
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;

	case 91: // STATE 19
		;
		((P0 *)_this)->what = trpt->bup.ovals[3];
		((P0 *)_this)->at = trpt->bup.ovals[2];
		now.last = trpt->bup.ovals[1];
	/* 0 */	((P0 *)_this)->word = trpt->bup.ovals[0];
		;
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 92: // STATE 19
		;
		((P0 *)_this)->what = trpt->bup.ovals[3];
		((P0 *)_this)->at = trpt->bup.ovals[2];
		now.size[ Index(((P0 *)_this)->at, 3) ] = trpt->bup.ovals[1];
	/* 0 */	((P0 *)_this)->word = trpt->bup.ovals[0];
		;
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 93: // STATE 19
		;
		((P0 *)_this)->what = trpt->bup.ovals[3];
		((P0 *)_this)->at = trpt->bup.ovals[2];
		now.val[ Index(((P0 *)_this)->at, 3) ] = trpt->bup.ovals[1];
	/* 0 */	((P0 *)_this)->word = trpt->bup.ovals[0];
		;
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 94: // STATE 19
		;
		((P0 *)_this)->what = trpt->bup.ovals[3];
		((P0 *)_this)->at = trpt->bup.ovals[2];
		now.wmark = trpt->bup.ovals[1];
	/* 0 */	((P0 *)_this)->word = trpt->bup.ovals[0];
		;
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 95: // STATE 19
		;
		((P0 *)_this)->what = trpt->bup.ovals[3];
		((P0 *)_this)->at = trpt->bup.ovals[2];
		now.rmark = trpt->bup.ovals[1];
	/* 0 */	((P0 *)_this)->word = trpt->bup.ovals[0];
		;
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 96: // STATE 19
		;
		((P0 *)_this)->what = trpt->bup.ovals[3];
		((P0 *)_this)->at = trpt->bup.ovals[2];
		now.rpos = trpt->bup.ovals[1];
	/* 0 */	((P0 *)_this)->word = trpt->bup.ovals[0];
		;
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 97: // STATE 19
		;
		((P0 *)_this)->what = trpt->bup.ovals[3];
		((P0 *)_this)->at = trpt->bup.ovals[2];
		wpos = trpt->bup.ovals[1];
	/* 0 */	((P0 *)_this)->word = trpt->bup.ovals[0];
		;
		;
		ungrab_ints(trpt->bup.ovals, 4);
		goto R999;

	case 98: // STATE 19
		;
		((P0 *)_this)->what = trpt->bup.ovals[1];
		((P0 *)_this)->at = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 99: // STATE 24
		;
		p_restor(II);
		;
		;
		goto R999;
	}


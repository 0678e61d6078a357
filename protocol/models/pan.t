#ifdef PEG
struct T_SRC {
	char *fl; int ln;
} T_SRC[NTRANS];

void
tr_2_src(int m, char *file, int ln)
{	T_SRC[m].fl = file;
	T_SRC[m].ln = ln;
}

void
putpeg(int n, int m)
{	printf("%5d	trans %4d ", m, n);
	printf("%s:%d\n",
		T_SRC[n].fl, T_SRC[n].ln);
}
#endif

void
settable(void)
{	Trans *T;
	Trans *settr(int, int, int, int, int, char *, int, int, int);

	trans = (Trans ***) emalloc(5*sizeof(Trans **));

	/* proctype 3: reader */

	trans[3] = (Trans **) emalloc(91*sizeof(Trans *));

	trans[3][88]	= settr(210,0,87,1,0,".(goto)", 0, 2, 0);
	T = trans[3][87] = settr(209,0,0,0,0,"DO", 0, 2, 0);
	T = T->nxt	= settr(209,0,1,0,0,"DO", 0, 2, 0);
	    T->nxt	= settr(209,0,48,0,0,"DO", 0, 2, 0);
	trans[3][1]	= settr(123,0,2,3,0,"((held<2))", 0, 2, 0);
	trans[3][2]	= settr(124,0,46,4,4,"w = wmark", 1, 2, 0);
	T = trans[3][46] = settr(168,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(168,0,3,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(168,0,12,0,0,"IF", 0, 2, 0);
	trans[3][3]	= settr(125,0,10,5,0,"(((w/8)==mine))", 0, 2, 0);
	T = trans[3][10] = settr(132,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(132,0,4,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(132,0,6,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(132,0,8,0,0,"IF", 0, 2, 0);
	trans[3][4]	= settr(126,0,90,6,6,"(((mine==3)&&(held==0)))", 0, 2, 0);
	trans[3][5]	= settr(127,0,90,1,0,"goto :b4", 0, 2, 0);
	trans[3][11]	= settr(133,0,87,1,0,".(goto)", 0, 2, 0);
	trans[3][6]	= settr(128,0,52,7,0,"((held>0))", 0, 2, 0);
	trans[3][7]	= settr(129,0,52,1,0,"goto release", 0, 2, 0);
	trans[3][8]	= settr(130,0,9,2,0,"else", 0, 2, 0);
	trans[3][9]	= settr(131,0,87,8,8,"((wmark!=w))", 1, 2, 0);
	trans[3][47]	= settr(169,0,87,1,0,".(goto)", 0, 2, 0);
	trans[3][12]	= settr(134,0,13,2,0,"else", 0, 2, 0);
	trans[3][13]	= settr(135,0,14,9,9,"p = rpos", 1, 2, 0);
	trans[3][14]	= settr(136,0,20,10,10,"assert(((p==expect)||((p==0)&&(held==0))))", 0, 2, 0); /* m: 15 -> 0,20 */
	reached3[15] = 1;
	trans[3][15]	= settr(0,0,0,0,0,"l = 0",0,0,0);
	T = trans[3][20] = settr(142,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(142,0,16,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(142,0,19,0,0,"IF", 0, 2, 0);
	trans[3][16]	= settr(138,0,17,11,0,"((size[p]==0))", 1, 2, 0);
	trans[3][17]	= settr(139,0,22,12,12,"l = (3-p)", 0, 2, 0); /* m: 18 -> 0,22 */
	reached3[18] = 1;
	trans[3][18]	= settr(0,0,0,0,0,"p = 0",0,0,0);
	trans[3][21]	= settr(143,0,22,1,0,".(goto)", 0, 2, 0);
	trans[3][19]	= settr(141,0,22,2,0,"else", 0, 2, 0);
	trans[3][22]	= settr(144,0,23,13,0,"assert(((size[p]>0)&&((p+size[p])<=3)))", 1, 2, 0);
	trans[3][23]	= settr(145,0,29,14,14,"k = 0", 0, 2, 0);
	trans[3][30]	= settr(152,0,29,1,0,".(goto)", 0, 2, 0);
	T = trans[3][29] = settr(151,0,0,0,0,"DO", 0, 2, 0);
	T = T->nxt	= settr(151,0,24,0,0,"DO", 0, 2, 0);
	    T->nxt	= settr(151,0,27,0,0,"DO", 0, 2, 0);
	trans[3][24]	= settr(146,0,25,15,0,"((k<size[p]))", 1, 2, 0);
	trans[3][25]	= settr(147,0,26,16,0,"assert((val[(p+k)]==(mine+1)))", 1, 2, 0);
	trans[3][26]	= settr(148,0,29,17,17,"k = (k+1)", 0, 2, 0);
	trans[3][27]	= settr(149,0,32,2,0,"else", 0, 2, 0);
	trans[3][28]	= settr(150,0,32,1,0,"goto :b5", 0, 2, 0); /* m: 32 -> 0,44 */
	reached3[32] = 1;
	trans[3][31]	= settr(153,0,32,1,0,"break", 0, 2, 0);
	trans[3][32]	= settr(154,0,44,18,18,"mine = (mine+1)", 0, 2, 0);
	T = trans[ 3][44] = settr(166,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(166,2,33,0,0,"ATOMIC", 1, 2, 0);
	trans[3][33]	= settr(155,4,45,19,19,"h_at[held] = p", 1, 2, 0); /* m: 34 -> 0,45 */
	reached3[34] = 1;
	trans[3][34]	= settr(0,0,0,0,0,"h_len[held] = size[p]",0,0,0);
	trans[3][35]	= settr(0,0,0,0,0,"h_all[held] = (l+size[p])",0,0,0);
	trans[3][36]	= settr(0,0,0,0,0,"h_seq[held] = mine",0,0,0);
	trans[3][37]	= settr(0,0,0,0,0,"h_end[held] = ((p+size[p])%3)",0,0,0);
	trans[3][38]	= settr(0,0,0,0,0,"h_free[held] = 0",0,0,0);
	trans[3][39]	= settr(0,0,0,0,0,"expect = h_end[held]",0,0,0);
	trans[3][40]	= settr(0,0,0,0,0,"held = (held+1)",0,0,0);
	trans[3][41]	= settr(0,0,0,0,0,"k = 0",0,0,0);
	trans[3][42]	= settr(0,0,0,0,0,"l = 0",0,0,0);
	trans[3][43]	= settr(0,0,0,0,0,"p = 0",0,0,0);
	trans[3][45]	= settr(167,0,87,20,20,"rpos = expect", 1, 2, 0);
	trans[3][48]	= settr(170,0,52,21,0,"((held>0))", 0, 2, 0);
	T = trans[3][52] = settr(174,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(174,0,49,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(174,0,50,0,0,"IF", 0, 2, 0);
	trans[3][49]	= settr(171,0,67,22,22,"pick = 0", 0, 2, 0);
	trans[3][53]	= settr(175,0,67,1,0,".(goto)", 0, 2, 0);
	trans[3][50]	= settr(172,0,67,23,23,"((held==2))", 0, 2, 0); /* m: 51 -> 67,0 */
	reached3[51] = 1;
	trans[3][51]	= settr(0,0,0,0,0,"pick = 1",0,0,0);
	T = trans[3][67] = settr(189,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(189,0,54,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(189,0,66,0,0,"IF", 0, 2, 0);
	trans[3][54]	= settr(176,0,61,24,24,"(!(h_free[pick]))", 0, 2, 0); /* m: 55 -> 61,0 */
	reached3[55] = 1;
	trans[3][55]	= settr(0,0,0,0,0,"k = 0",0,0,0);
	trans[3][62]	= settr(184,0,61,1,0,".(goto)", 0, 2, 0);
	T = trans[3][61] = settr(183,0,0,0,0,"DO", 0, 2, 0);
	T = T->nxt	= settr(183,0,56,0,0,"DO", 0, 2, 0);
	    T->nxt	= settr(183,0,59,0,0,"DO", 0, 2, 0);
	trans[3][56]	= settr(178,0,57,25,0,"((k<h_len[pick]))", 0, 2, 0);
	trans[3][57]	= settr(179,0,58,26,0,"assert((val[(h_at[pick]+k)]==h_seq[pick]))", 1, 2, 0);
	trans[3][58]	= settr(180,0,61,27,27,"k = (k+1)", 0, 2, 0);
	trans[3][59]	= settr(181,0,64,2,0,"else", 0, 2, 0);
	trans[3][60]	= settr(182,0,64,1,0,"goto :b6", 0, 2, 0); /* m: 64 -> 0,84 */
	reached3[64] = 1;
	trans[3][63]	= settr(185,0,64,1,0,"break", 0, 2, 0);
	trans[3][64]	= settr(186,0,84,28,28,"k = 0", 0, 2, 0); /* m: 65 -> 0,84 */
	reached3[65] = 1;
	trans[3][65]	= settr(0,0,0,0,0,"h_free[pick] = 1",0,0,0);
	trans[3][68]	= settr(190,0,84,1,0,".(goto)", 0, 2, 0);
	trans[3][66]	= settr(188,0,84,2,0,"else", 0, 2, 0);
	trans[3][85]	= settr(207,0,84,1,0,".(goto)", 0, 2, 0);
	T = trans[3][84] = settr(206,0,0,0,0,"DO", 0, 2, 0);
	T = T->nxt	= settr(206,0,69,0,0,"DO", 0, 2, 0);
	    T->nxt	= settr(206,0,82,0,0,"DO", 0, 2, 0);
	trans[3][69]	= settr(191,0,70,29,0,"(((held>0)&&h_free[0]))", 0, 2, 0);
	trans[3][70]	= settr(192,0,71,30,30,"room = (room+h_all[0])", 1, 2, 0);
	trans[3][71]	= settr(193,0,72,31,31,"rmark = ((h_seq[0]*8)+h_end[0])", 1, 2, 0);
	trans[3][72]	= settr(194,0,81,32,0,"assert((room<=3))", 1, 2, 0);
	T = trans[ 3][81] = settr(203,2,0,0,0,"ATOMIC", 0, 2, 0);
	T->nxt	= settr(203,2,73,0,0,"ATOMIC", 0, 2, 0);
	trans[3][73]	= settr(195,0,84,33,33,"h_at[0] = h_at[1]", 0, 2, 0); /* m: 74 -> 0,84 */
	reached3[74] = 1;
	trans[3][74]	= settr(0,0,0,0,0,"h_len[0] = h_len[1]",0,0,0);
	trans[3][75]	= settr(0,0,0,0,0,"h_all[0] = h_all[1]",0,0,0);
	trans[3][76]	= settr(0,0,0,0,0,"h_seq[0] = h_seq[1]",0,0,0);
	trans[3][77]	= settr(0,0,0,0,0,"h_end[0] = h_end[1]",0,0,0);
	trans[3][78]	= settr(0,0,0,0,0,"h_free[0] = h_free[1]",0,0,0);
	trans[3][79]	= settr(0,0,0,0,0,"h_free[1] = 0",0,0,0);
	trans[3][80]	= settr(0,0,0,0,0,"held = (held-1)",0,0,0);
	trans[3][82]	= settr(204,0,87,2,0,"else", 0, 2, 0);
	trans[3][83]	= settr(205,0,87,1,0,"goto :b7", 0, 2, 0);
	trans[3][86]	= settr(208,0,87,1,0,"break", 0, 2, 0);
	trans[3][89]	= settr(211,0,90,1,0,"break", 0, 2, 0);
	trans[3][90]	= settr(212,0,0,34,34,"-end-", 0, 3500, 0);

	/* proctype 2: supervisor */

	trans[2] = (Trans **) emalloc(15*sizeof(Trans *));

	T = trans[ 2][2] = settr(110,2,0,0,0,"ATOMIC", 0, 2, 0);
	T->nxt	= settr(110,2,1,0,0,"ATOMIC", 0, 2, 0);
	trans[2][1]	= settr(109,0,12,35,35,"(run writer(1,0,1))", 0, 2, 0);
	T = trans[2][12] = settr(120,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(120,0,3,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(120,0,11,0,0,"IF", 0, 2, 0);
	trans[2][3]	= settr(111,0,5,36,0,"(((1>0)&&!(done)))", 1, 2, 0);
	T = trans[ 2][5] = settr(113,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(113,2,4,0,0,"ATOMIC", 1, 2, 0);
	trans[2][4]	= settr(112,0,7,37,37,"kills = (kills+1)", 1, 2, 0);
	T = trans[ 2][7] = settr(115,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(115,0,6,0,0,"sub-sequence", 0, 2, 0);
	trans[2][6]	= settr(114,0,10,38,0,"(empty(stores))", 1, 1003, 0);
	T = trans[ 2][10] = settr(118,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(118,2,8,0,0,"ATOMIC", 1, 2, 0);
	trans[2][8]	= settr(116,2,9,39,0,"assert((room<=3))", 1, 2, 0);
	trans[2][9]	= settr(117,0,14,40,40,"(run writer(((wmark/8)+1),(wmark%8),0))", 1, 2, 0);
	trans[2][13]	= settr(121,0,14,1,0,".(goto)", 0, 2, 0);
	trans[2][11]	= settr(119,0,14,1,0,"(1)", 0, 2, 0);
	trans[2][14]	= settr(122,0,0,41,41,"-end-", 0, 3500, 0);

	/* proctype 1: writer */

	trans[1] = (Trans **) emalloc(86*sizeof(Trans *));

	trans[1][1]	= settr(24,0,76,42,42,"must_drain = (last!=(n-1))", 1, 2, 0);
	trans[1][1]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	trans[1][82]	= settr(105,0,85,43,43,"(((kills>0)&&is_mortal))", 1, 2, 0);
	trans[1][84]	= settr(107,0,85,1,0,".(goto)", 0, 2, 0);
	/* end-escapes */
	trans[1][77]	= settr(100,0,76,1,0,".(goto)", 0, 2, 0);
	T = trans[1][76] = settr(99,0,0,0,0,"DO", 0, 2, 0);
	T = T->nxt	= settr(99,0,2,0,0,"DO", 0, 2, 0);
	    T->nxt	= settr(99,0,74,0,0,"DO", 0, 2, 0);
	trans[1][2]	= settr(25,0,6,44,0,"((n<=3))", 0, 2, 0);
	trans[1][2]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	T = trans[1][6] = settr(29,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(29,0,3,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(29,0,4,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(29,0,5,0,0,"IF", 0, 2, 0);
	trans[1][3]	= settr(26,0,45,45,45,"t = 1", 0, 2, 0);
	trans[1][3]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][7]	= settr(30,0,45,1,0,".(goto)", 0, 2, 0);
	trans[1][4]	= settr(27,0,45,46,46,"t = 2", 0, 2, 0);
	trans[1][4]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][5]	= settr(28,0,45,47,47,"t = 3", 0, 2, 0);
	trans[1][5]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][46]	= settr(69,0,45,1,0,".(goto)", 0, 2, 0);
	T = trans[1][45] = settr(68,0,0,0,0,"DO", 0, 2, 0);
	    T->nxt	= settr(68,0,14,0,0,"DO", 0, 2, 0);
	T = trans[ 1][14] = settr(37,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(37,2,8,0,0,"ATOMIC", 1, 2, 0);
	trans[1][8]	= settr(31,2,9,48,48,"r = rmark", 1, 2, 0);
	trans[1][8]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][9]	= settr(32,2,10,49,49,"used = (((p+3)-(r%8))%3)", 1, 2, 0);
	trans[1][9]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][10]	= settr(33,2,11,50,50,"free = ( ((used==0)) -> (0) : ((3-used)) )", 1, 2, 0);
	trans[1][10]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][11]	= settr(34,2,12,51,51,"jump = 0", 1, 2, 0);
	trans[1][11]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][12]	= settr(35,2,13,52,52,"at = p", 1, 2, 0);
	trans[1][12]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][13]	= settr(36,0,43,53,53,"tail = (3-p)", 1, 2, 0);
	trans[1][13]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	T = trans[1][43] = settr(66,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(66,0,15,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(66,0,32,0,0,"IF", 0, 2, 0);
	trans[1][15]	= settr(38,0,27,54,54,"(((r/8)==(n-1)))", 0, 2, 0);
	trans[1][15]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	T = trans[1][27] = settr(50,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(50,0,16,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(50,0,26,0,0,"IF", 0, 2, 0);
	trans[1][16]	= settr(39,0,17,55,55,"((((p!=0)||(room!=3))||must_drain))", 1, 2, 0);
	trans[1][16]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][17]	= settr(40,0,18,56,56,"stores!RPOS,0,0", 1, 3, 0);
	trans[1][17]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][18]	= settr(41,0,20,57,57,"stores!WPOS,0,0", 1, 3, 0);
	trans[1][18]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	T = trans[ 1][20] = settr(43,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(43,0,19,0,0,"sub-sequence", 0, 2, 0);
	trans[1][19]	= settr(42,0,21,58,0,"(empty(stores))", 1, 1003, 0);
	trans[1][19]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][21]	= settr(44,0,22,59,59,"room = 3", 1, 2, 0);
	trans[1][21]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][22]	= settr(45,0,23,60,60,"stores!RMARK,0,(((n-1)*8)+0)", 1, 3, 0);
	trans[1][22]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][23]	= settr(46,0,24,61,61,"stores!WMARK,0,(((n-1)*8)+0)", 1, 3, 0);
	trans[1][23]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][24]	= settr(47,0,25,62,62,"stores!LAST,0,(n-1)", 1, 3, 0);
	trans[1][24]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][25]	= settr(48,0,29,63,63,"must_drain = 0", 0, 2, 0);
	trans[1][25]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][28]	= settr(51,0,29,1,0,".(goto)", 0, 2, 0);
	trans[1][26]	= settr(49,0,29,2,0,"else", 0, 2, 0);
	trans[1][26]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][29]	= settr(52,0,30,64,64,"p = 0", 0, 2, 0);
	trans[1][29]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][30]	= settr(53,0,48,65,65,"at = 0", 0, 2, 0);
	trans[1][30]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][31]	= settr(54,0,48,1,0,"goto :b2", 0, 2, 0);
	trans[1][31]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][44]	= settr(67,0,45,1,0,".(goto)", 0, 2, 0);
	trans[1][32]	= settr(55,0,41,2,0,"else", 0, 2, 0);
	trans[1][32]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	T = trans[1][41] = settr(64,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(64,0,33,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(64,0,35,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(64,0,39,0,0,"IF", 0, 2, 0);
	trans[1][33]	= settr(56,0,48,66,66,"(((!(must_drain)&&(t<=tail))&&(t<=free)))", 0, 2, 0);
	trans[1][33]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][34]	= settr(57,0,48,1,0,"goto :b2", 0, 2, 0);
	trans[1][34]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][42]	= settr(65,0,45,1,0,".(goto)", 0, 2, 0);
	trans[1][35]	= settr(58,0,36,67,67,"(((!(must_drain)&&(t>tail))&&(t<=free)))", 0, 2, 0);
	trans[1][35]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][36]	= settr(59,0,37,68,68,"jump = tail", 0, 2, 0);
	trans[1][36]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][37]	= settr(60,0,48,69,69,"at = 0", 0, 2, 0);
	trans[1][37]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][38]	= settr(61,0,48,1,0,"goto :b2", 0, 2, 0);
	trans[1][38]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][39]	= settr(62,0,40,2,0,"else", 0, 2, 0);
	trans[1][39]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][40]	= settr(63,0,45,70,70,"((rmark!=r))", 1, 2, 0);
	trans[1][40]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][47]	= settr(70,0,48,1,0,"break", 0, 2, 0);
	trans[1][47]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][48]	= settr(71,0,54,71,71,"k = 0", 0, 2, 0);
	trans[1][48]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][55]	= settr(78,0,54,1,0,".(goto)", 0, 2, 0);
	T = trans[1][54] = settr(77,0,0,0,0,"DO", 0, 2, 0);
	T = T->nxt	= settr(77,0,49,0,0,"DO", 0, 2, 0);
	    T->nxt	= settr(77,0,52,0,0,"DO", 0, 2, 0);
	trans[1][49]	= settr(72,0,50,72,0,"((k<t))", 0, 2, 0);
	trans[1][49]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][50]	= settr(73,0,51,73,73,"stores!VAL,(at+k),n", 1, 3, 0);
	trans[1][50]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][51]	= settr(74,0,54,74,74,"k = (k+1)", 0, 2, 0);
	trans[1][51]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][52]	= settr(75,0,57,2,0,"else", 0, 2, 0);
	trans[1][52]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][53]	= settr(76,0,57,1,0,"goto :b3", 0, 2, 0);
	trans[1][53]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][56]	= settr(79,0,57,1,0,"break", 0, 2, 0);
	trans[1][56]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][57]	= settr(80,0,61,75,75,"stores!LEN,at,t", 1, 3, 0);
	trans[1][57]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	T = trans[1][61] = settr(84,0,0,0,0,"IF", 0, 2, 0);
	T = T->nxt	= settr(84,0,58,0,0,"IF", 0, 2, 0);
	    T->nxt	= settr(84,0,60,0,0,"IF", 0, 2, 0);
	trans[1][58]	= settr(81,0,59,76,0,"((jump>0))", 0, 2, 0);
	trans[1][58]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][59]	= settr(82,0,63,77,77,"stores!LEN,p,0", 1, 3, 0);
	trans[1][59]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][62]	= settr(85,0,63,1,0,".(goto)", 0, 2, 0);
	trans[1][60]	= settr(83,0,63,2,0,"else", 0, 2, 0);
	trans[1][60]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][63]	= settr(86,0,67,78,78,"stores!LAST,0,n", 1, 3, 0);
	trans[1][63]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	T = trans[ 1][67] = settr(90,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(90,2,65,0,0,"ATOMIC", 1, 2, 0);
	T = trans[ 1][65] = settr(88,0,0,0,0,"sub-sequence", 1, 2, 0);
	T->nxt	= settr(88,0,64,0,0,"sub-sequence", 1, 2, 0);
	trans[1][64]	= settr(87,2,66,79,0,"(empty(stores))", 1, 1003, 0);
	trans[1][64]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][66]	= settr(89,0,68,80,80,"room = ((room-jump)-t)", 1, 2, 0);
	trans[1][66]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][68]	= settr(91,0,69,81,81,"stores!WMARK,0,((n*8)+((at+t)%3))", 1, 3, 0);
	trans[1][68]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][69]	= settr(92,0,70,82,82,"stores!WPOS,0,((at+t)%3)", 1, 3, 0);
	trans[1][69]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][70]	= settr(93,0,71,83,83,"p = ((at+t)%3)", 0, 2, 0);
	trans[1][70]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][71]	= settr(94,0,72,84,84,"n = (n+1)", 0, 2, 0);
	trans[1][71]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][72]	= settr(95,0,73,85,85,"k = 0", 0, 2, 0);
	trans[1][72]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][73]	= settr(96,0,76,86,86,"jump = 0", 0, 2, 0);
	trans[1][73]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][74]	= settr(97,0,80,2,0,"else", 0, 2, 0);
	trans[1][74]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][75]	= settr(98,0,80,1,0,"goto :b1", 0, 2, 0);
	trans[1][75]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][78]	= settr(101,0,80,1,0,"break", 0, 2, 0);
	trans[1][78]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	T = trans[ 1][80] = settr(103,0,0,0,0,"sub-sequence", 0, 2, 0);
	T->nxt	= settr(103,0,79,0,0,"sub-sequence", 0, 2, 0);
	trans[1][79]	= settr(102,0,81,87,0,"(empty(stores))", 1, 1003, 0);
	trans[1][79]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][81]	= settr(104,0,85,88,88,"done = 1", 1, 2, 0);
	trans[1][81]->escp[0] = 82;
	reached1[82] = 1;
	/* escape #0: 82 */
	/* end-escapes */
	trans[1][85]	= settr(108,0,0,89,89,"-end-", 0, 3500, 0);

	/* proctype 0: hardware */

	trans[0] = (Trans **) emalloc(25*sizeof(Trans *));

	trans[0][22]	= settr(21,0,21,1,0,".(goto)", 0, 2, 0);
	T = trans[0][21] = settr(20,0,0,0,0,"DO", 0, 2, 0);
	    T->nxt	= settr(20,0,20,0,0,"DO", 0, 2, 0);
	T = trans[ 0][20] = settr(19,2,0,0,0,"ATOMIC", 1, 2, 0);
	T->nxt	= settr(19,2,1,0,0,"ATOMIC", 1, 503, 0);
	trans[0][1]	= settr(0,2,16,90,90,"stores?word,at,what", 1, 503, 0);
	T = trans[0][16] = settr(15,2,0,0,0,"IF", 1, 503, 0);
	T = T->nxt	= settr(15,2,2,0,0,"IF", 1, 503, 0);
	T = T->nxt	= settr(15,2,4,0,0,"IF", 1, 503, 0);
	T = T->nxt	= settr(15,2,6,0,0,"IF", 1, 503, 0);
	T = T->nxt	= settr(15,2,8,0,0,"IF", 1, 503, 0);
	T = T->nxt	= settr(15,2,10,0,0,"IF", 1, 503, 0);
	T = T->nxt	= settr(15,2,12,0,0,"IF", 1, 503, 0);
	    T->nxt	= settr(15,2,14,0,0,"IF", 1, 503, 0);
	trans[0][2]	= settr(1,0,21,91,91,"((word==LAST))", 1, 503, 0); /* m: 3 -> 21,0 */
	reached0[3] = 1;
	trans[0][3]	= settr(0,0,0,0,0,"last = what",0,0,0);
	trans[0][17]	= settr(16,2,18,1,0,".(goto)", 1, 503, 0); /* m: 18 -> 0,21 */
	reached0[18] = 1;
	trans[0][4]	= settr(3,0,21,92,92,"((word==LEN))", 1, 503, 0); /* m: 5 -> 21,0 */
	reached0[5] = 1;
	trans[0][5]	= settr(0,0,0,0,0,"size[at] = what",0,0,0);
	trans[0][6]	= settr(5,0,21,93,93,"((word==VAL))", 1, 503, 0); /* m: 7 -> 21,0 */
	reached0[7] = 1;
	trans[0][7]	= settr(0,0,0,0,0,"val[at] = what",0,0,0);
	trans[0][8]	= settr(7,0,21,94,94,"((word==WMARK))", 1, 503, 0); /* m: 9 -> 21,0 */
	reached0[9] = 1;
	trans[0][9]	= settr(0,0,0,0,0,"wmark = what",0,0,0);
	trans[0][10]	= settr(9,0,21,95,95,"((word==RMARK))", 1, 503, 0); /* m: 11 -> 21,0 */
	reached0[11] = 1;
	trans[0][11]	= settr(0,0,0,0,0,"rmark = what",0,0,0);
	trans[0][12]	= settr(11,0,21,96,96,"((word==RPOS))", 1, 503, 0); /* m: 13 -> 21,0 */
	reached0[13] = 1;
	trans[0][13]	= settr(0,0,0,0,0,"rpos = what",0,0,0);
	trans[0][14]	= settr(13,0,21,97,97,"((word==WPOS))", 1, 503, 0); /* m: 15 -> 21,0 */
	reached0[15] = 1;
	trans[0][15]	= settr(0,0,0,0,0,"wpos = what",0,0,0);
	trans[0][18]	= settr(17,0,21,98,98,"at = 0", 1, 503, 0); /* m: 19 -> 0,21 */
	reached0[19] = 1;
	trans[0][19]	= settr(0,0,0,0,0,"what = 0",0,0,0);
	trans[0][23]	= settr(22,0,24,1,0,"break", 0, 2, 0);
	trans[0][24]	= settr(23,0,0,99,99,"-end-", 0, 3500, 0);
	/* np_ demon: */
	trans[_NP_] = (Trans **) emalloc(3*sizeof(Trans *));
	T = trans[_NP_][0] = settr(9997,0,1,_T5,0,"(np_)", 1,2,0);
	    T->nxt	  = settr(9998,0,0,_T2,0,"(1)",   0,2,0);
	T = trans[_NP_][1] = settr(9999,0,1,_T5,0,"(np_)", 1,2,0);
}

Trans *
settr(	int t_id, int a, int b, int c, int d,
	char *t, int g, int tpe0, int tpe1)
{	Trans *tmp = (Trans *) emalloc(sizeof(Trans));

	tmp->atom  = a&(6|32);	/* only (2|8|32) have meaning */
	if (!g) tmp->atom |= 8;	/* no global references */
	tmp->st    = b;
	tmp->tpe[0] = tpe0;
	tmp->tpe[1] = tpe1;
	tmp->tp    = t;
	tmp->t_id  = t_id;
	tmp->forw  = c;
	tmp->back  = d;
	return tmp;
}

Trans *
cpytr(Trans *a)
{	Trans *tmp = (Trans *) emalloc(sizeof(Trans));

	int i;
	tmp->atom  = a->atom;
	tmp->st    = a->st;
#ifdef HAS_UNLESS
	tmp->e_trans = a->e_trans;
	for (i = 0; i < HAS_UNLESS; i++)
		tmp->escp[i] = a->escp[i];
#endif
	tmp->tpe[0] = a->tpe[0];
	tmp->tpe[1] = a->tpe[1];
	for (i = 0; i < 6; i++)
	{	tmp->qu[i] = a->qu[i];
		tmp->ty[i] = a->ty[i];
	}
	tmp->tp    = (char *) emalloc(strlen(a->tp)+1);
	strcpy(tmp->tp, a->tp);
	tmp->t_id  = a->t_id;
	tmp->forw  = a->forw;
	tmp->back  = a->back;
	return tmp;
}

#ifndef NOREDUCE
int
srinc_set(int n)
{	if (n <= 2) return LOCAL;
	if (n <= 2+  DELTA) return Q_FULL_F; /* 's' or nfull  */
	if (n <= 2+2*DELTA) return Q_EMPT_F; /* 'r' or nempty */
	if (n <= 2+3*DELTA) return Q_EMPT_T; /* empty */
	if (n <= 2+4*DELTA) return Q_FULL_T; /* full  */
	if (n ==   5*DELTA) return GLOBAL;
	if (n ==   6*DELTA) return TIMEOUT_F;
	if (n ==   7*DELTA) return ALPHA_F;
	Uerror("cannot happen srinc_class");
	return BAD;
}
int
srunc(int n, int m)
{	switch(m) {
	case Q_FULL_F: return n-2;
	case Q_EMPT_F: return n-2-DELTA;
	case Q_EMPT_T: return n-2-2*DELTA;
	case Q_FULL_T: return n-2-3*DELTA;
	case ALPHA_F:
	case TIMEOUT_F: return 257; /* non-zero, and > MAXQ */
	}
	Uerror("cannot happen srunc");
	return 0;
}
#endif
int cnt;
#ifdef HAS_UNLESS
int
isthere(Trans *a, int b)
{	Trans *t;
	for (t = a; t; t = t->nxt)
		if (t->t_id == b)
			return 1;
	return 0;
}
#endif
#ifndef NOREDUCE
int
mark_safety(Trans *t) /* for conditional safety */
{	int g = 0, i, j, k;

	if (!t) return 0;
	if (t->qu[0])
		return (t->qu[1])?2:1;	/* marked */

	for (i = 0; i < 2; i++)
	{	j = srinc_set(t->tpe[i]);
		if (j >= GLOBAL && j != ALPHA_F)
			return -1;
		if (j != LOCAL)
		{	k = srunc(t->tpe[i], j);
			if (g == 0
			||  t->qu[0] != k
			||  t->ty[0] != j)
			{	t->qu[g] = k;
				t->ty[g] = j;
				g++;
	}	}	}
	return g;
}
#endif
void
retrans(int n, int m, int is, short srcln[], uchar reach[], uchar lpstate[])
	/* process n, with m states, is=initial state */
{	Trans *T0, *T1, *T2, *T3;
	Trans *T4, *T5; /* t_reverse or has_unless */
	int i;
#if defined(HAS_UNLESS) || !defined(NOREDUCE)
	int k;
#endif
#ifndef NOREDUCE
	int g, h, j, aa;
#endif
#ifdef HAS_UNLESS
	int p;
#endif
	if (state_tables >= 4)
	{	printf("STEP 1 %s\n", 
			procname[n]);
		for (i = 1; i < m; i++)
		for (T0 = trans[n][i]; T0; T0 = T0->nxt)
			crack(n, i, T0, srcln);
		return;
	}
	do {
		for (i = 1, cnt = 0; i < m; i++)
		{	T2 = trans[n][i];
			T1 = T2?T2->nxt:(Trans *)0;
/* prescan: */		for (T0 = T1; T0; T0 = T0->nxt)
/* choice in choice */	{	if (T0->st && trans[n][T0->st]
				&&  trans[n][T0->st]->nxt)
					break;
			}
#if 0
		if (T0)
		printf("\tstate %d / %d: choice in choice\n",
		i, T0->st);
#endif
			if (T0)
			for (T0 = T1; T0; T0 = T0->nxt)
			{	T3 = trans[n][T0->st];
				if (!T3->nxt)
				{	T2->nxt = cpytr(T0);
					T2 = T2->nxt;
					imed(T2, T0->st, n, i);
					continue;
				}
				do {	T3 = T3->nxt;
					T2->nxt = cpytr(T3);
					T2 = T2->nxt;
					imed(T2, T0->st, n, i);
				} while (T3->nxt);
				cnt++;
			}
		}
	} while (cnt);
	if (state_tables >= 3)
	{	printf("STEP 2 %s\n", 
			procname[n]);
		for (i = 1; i < m; i++)
		for (T0 = trans[n][i]; T0; T0 = T0->nxt)
			crack(n, i, T0, srcln);
		return;
	}
	for (i = 1; i < m; i++)
	{	if (trans[n][i] && trans[n][i]->nxt) /* optimize */
		{	T1 = trans[n][i]->nxt;
#if 0
			printf("\t\tpull %d (%d) to %d\n",
			T1->st, T1->forw, i);
#endif
			srcln[i] = srcln[T1->st];	/* Oyvind Teig, 5.2.0 */

			if (!trans[n][T1->st]) continue;
			T0 = cpytr(trans[n][T1->st]);
			trans[n][i] = T0;
			reach[T1->st] = 1;
			imed(T0, T1->st, n, i);
			for (T1 = T1->nxt; T1; T1 = T1->nxt)
			{
#if 0
			printf("\t\tpull %d (%d) to %d\n",
				T1->st, T1->forw, i);
#endif
		/*		srcln[i] = srcln[T1->st];  gh: not useful */
				if (!trans[n][T1->st]) continue;
				T0->nxt = cpytr(trans[n][T1->st]);
				T0 = T0->nxt;
				reach[T1->st] = 1;
				imed(T0, T1->st, n, i);
	}	}	}
	if (state_tables >= 2)
	{	printf("STEP 3 %s\n", 
			procname[n]);
		for (i = 1; i < m; i++)
		for (T0 = trans[n][i]; T0; T0 = T0->nxt)
			crack(n, i, T0, srcln);
		return;
	}
#ifdef HAS_UNLESS
	for (i = 1; i < m; i++)
	{	if (!trans[n][i]) continue;
		/* check for each state i if an
		 * escape to some state p is defined
		 * if so, copy and mark p's transitions
		 * and prepend them to the transition-
		 * list of state i
		 */
	 if (!like_java) /* the default */
	 {	for (T0 = trans[n][i]; T0; T0 = T0->nxt)
		for (k = HAS_UNLESS-1; k >= 0; k--)
		{	if (p = T0->escp[k])
			for (T1 = trans[n][p]; T1; T1 = T1->nxt)
			{	if (isthere(trans[n][i], T1->t_id))
					continue;
				T2 = cpytr(T1);
				T2->e_trans = p;
				T2->nxt = trans[n][i];
				trans[n][i] = T2;
		}	}
	 } else /* outermost unless checked first */
	 {	T4 = T3 = (Trans *) 0;
		for (T0 = trans[n][i]; T0; T0 = T0->nxt)
		for (k = HAS_UNLESS-1; k >= 0; k--)
		{	if (p = T0->escp[k])
			for (T1 = trans[n][p]; T1; T1 = T1->nxt)
			{	if (isthere(trans[n][i], T1->t_id))
					continue;
				T2 = cpytr(T1);
				T2->nxt = (Trans *) 0;
				T2->e_trans = p;
				if (T3)	T3->nxt = T2;
				else	T4 = T2;
				T3 = T2;
		}	}
		if (T4)
		{	T3->nxt = trans[n][i];
			trans[n][i] = T4;
		}
	 }
	}
#endif
#ifndef NOREDUCE
	for (i = 1; i < m; i++)
	{	if (a_cycles)
		{ /* moves through these states are visible */
	#if PROG_LAB>0 && defined(HAS_NP)
			if (progstate[n][i])
				goto degrade;
			for (T1 = trans[n][i]; T1; T1 = T1->nxt)
				if (progstate[n][T1->st])
					goto degrade;
	#endif
			if (accpstate[n][i] || visstate[n][i])
				goto degrade;
			for (T1 = trans[n][i]; T1; T1 = T1->nxt)
				if (accpstate[n][T1->st])
					goto degrade;
		}
		T1 = trans[n][i];
		if (!T1) continue;
		g = mark_safety(T1);	/* V3.3.1 */
		if (g < 0) goto degrade; /* global */
		/* check if mixing of guards preserves reduction */
		if (T1->nxt)
		{	k = 0;
			for (T0 = T1; T0; T0 = T0->nxt)
			{	if (!(T0->atom&8))
					goto degrade;
				for (aa = 0; aa < 2; aa++)
				{	j = srinc_set(T0->tpe[aa]);
					if (j >= GLOBAL && j != ALPHA_F)
						goto degrade;
					if (T0->tpe[aa]
					&&  T0->tpe[aa]
					!=  T1->tpe[0])
						k = 1;
			}	}
			/* g = 0;	V3.3.1 */
			if (k)	/* non-uniform selection */
			for (T0 = T1; T0; T0 = T0->nxt)
			for (aa = 0; aa < 2; aa++)
			{	j = srinc_set(T0->tpe[aa]);
				if (j != LOCAL)
				{	k = srunc(T0->tpe[aa], j);
					for (h = 0; h < 6; h++)
						if (T1->qu[h] == k
						&&  T1->ty[h] == j)
							break;
					if (h >= 6)
					{	T1->qu[g%6] = k;
						T1->ty[g%6] = j;
						g++;
			}	}	}
			if (g > 6)
			{	T1->qu[0] = 0;	/* turn it off */
				printf("pan: warning, line %d, ",
					srcln[i]);
			 	printf("too many stmnt types (%d)",
					g);
			  	printf(" in selection\n");
			  goto degrade;
			}
		}
		/* mark all options global if >=1 is global */
		for (T1 = trans[n][i]; T1; T1 = T1->nxt)
			if (!(T1->atom&8)) break;
		if (T1)
degrade:	for (T1 = trans[n][i]; T1; T1 = T1->nxt)
			T1->atom &= ~8;	/* mark as unsafe */
		/* can only mix 'r's or 's's if on same chan */
		/* and not mixed with other local operations */
		T1 = trans[n][i];
		if (!T1 || T1->qu[0]) continue;
		j = T1->tpe[0];
		if (T1->nxt && T1->atom&8)
		{ if (j == 5*DELTA)
		  {	printf("warning: line %d ", srcln[i]);
			printf("mixed condition ");
			printf("(defeats reduction)\n");
			goto degrade;
		  }
		  for (T0 = T1; T0; T0 = T0->nxt)
		  for (aa = 0; aa < 2; aa++)
		  if  (T0->tpe[aa] && T0->tpe[aa] != j)
		  {	printf("warning: line %d ", srcln[i]);
			printf("[%d-%d] mixed %stion ",
				T0->tpe[aa], j, 
				(j==5*DELTA)?"condi":"selec");
			printf("(defeats reduction)\n");
			printf("	'%s' <-> '%s'\n",
				T1->tp, T0->tp);
			goto degrade;
		} }
	}
#endif
	for (i = 1; i < m; i++)
	{	T2 = trans[n][i];
		if (!T2
		||  T2->nxt
		||  strncmp(T2->tp, ".(goto)", 7)
		||  !stopstate[n][i])
			continue;
		stopstate[n][T2->st] = 1;
	}
	if (state_tables && !verbose)
	{	if (dodot)
		{	char buf[256], *q = buf, *p = procname[n];
			while (*p != '\0')
			{	if (*p != ':')
				{	*q++ = *p;
				}
				p++;
			}
			*q = '\0';
			printf("digraph ");
			switch (Btypes[n]) {
			case I_PROC:  printf("init {\n"); break;
			case N_CLAIM: printf("claim_%s {\n", buf); break;
			case E_TRACE: printf("notrace {\n"); break;
			case N_TRACE: printf("trace {\n"); break;
			default:      printf("p_%s {\n", buf); break;
			}
			printf("size=\"8,10\";\n");
			printf("  GT [shape=box,style=dotted,label=\"%s\"];\n", buf);
			printf("  GT -> S%d;\n", is);
		} else
		{	switch (Btypes[n]) {
			case I_PROC:  printf("init\n"); break;
			case N_CLAIM: printf("claim %s\n", procname[n]); break;
			case E_TRACE: printf("notrace assertion\n"); break;
			case N_TRACE: printf("trace assertion\n"); break;
			default:      printf("proctype %s\n", procname[n]); break;
		}	}
		for (i = 1; i < m; i++)
		{	reach[i] = 1;
		}
		tagtable(n, m, is, srcln, reach);
		if (dodot) printf("}\n");
	} else
	for (i = 1; i < m; i++)
	{	int nrelse;
		if (Btypes[n] != N_CLAIM)
		{	for (T0 = trans[n][i]; T0; T0 = T0->nxt)
			{	if (T0->st == i
				&& strcmp(T0->tp, "(1)") == 0)
				{	printf("error: proctype '%s' ",
						procname[n]);
		  			printf("line %d, state %d: has un",
						srcln[i], i);
					printf("conditional self-loop\n");
					pan_exit(1);
		}	}	}
		nrelse = 0;
		for (T0 = trans[n][i]; T0; T0 = T0->nxt)
		{	if (strcmp(T0->tp, "else") == 0)
				nrelse++;
		}
		if (nrelse > 1)
		{	printf("error: proctype '%s' state",
				procname[n]);
		  	printf(" %d, inherits %d", i, nrelse);
		  	printf(" 'else' stmnts\n");
			pan_exit(1);
	}	}
#if !defined(LOOPSTATE) && !defined(BFS_PAR)
	if (state_tables)
#endif
	do_dfs(n, m, is, srcln, reach, lpstate);

	if (!t_reverse)
	{	return;
	}
	/* process n, with m states, is=initial state -- reverse list */
	if (!state_tables && Btypes[n] != N_CLAIM)
	{	for (i = 1; i < m; i++)
		{	Trans *Tx = (Trans *) 0; /* list of escapes */
			Trans *Ty = (Trans *) 0; /* its tail element */
			T1 = (Trans *) 0; /* reversed list */
			T2 = (Trans *) 0; /* its tail */
			T3 = (Trans *) 0; /* remembers possible 'else' */

			/* find unless-escapes, they should go first */
			T4 = T5 = T0 = trans[n][i];
	#ifdef HAS_UNLESS
			while (T4 && T4->e_trans) /* escapes are first in orig list */
			{	T5 = T4;	  /* remember predecessor */
				T4 = T4->nxt;
			}
	#endif
			/* T4 points to first non-escape, T5 to its parent, T0 to original list */
			if (T4 != T0)		 /* there was at least one escape */
			{	T3 = T5->nxt;		 /* start of non-escapes */
				T5->nxt = (Trans *) 0;	 /* separate */
				Tx = T0;		 /* start of the escapes */
				Ty = T5;		 /* its tail */
				T0 = T3;		 /* the rest, to be reversed */
			}
			/* T0 points to first non-escape, Tx to the list of escapes, Ty to its tail */

			/* first tail-add non-escape transitions, reversed */
			T3 = (Trans *) 0;
			for (T5 = T0; T5; T5 = T4)
			{	T4 = T5->nxt;
	#ifdef HAS_UNLESS
				if (T5->e_trans)
				{	printf("error: cannot happen!\n");
					continue;
				}
	#endif
				if (strcmp(T5->tp, "else") == 0)
				{	T3 = T5;
					T5->nxt = (Trans *) 0;
				} else
				{	T5->nxt = T1;
					if (!T1) { T2 = T5; }
					T1 = T5;
			}	}
			/* T3 points to a possible else, which is removed from the list */
			/* T1 points to the reversed list so far (without escapes) */
			/* T2 points to the tail element -- where the else should go */
			if (T2 && T3)
			{	T2->nxt = T3;	/* add else */
			} else
			{	if (T3) /* there was an else, but there's no tail */
				{	if (!T1)	/* and no reversed list */
					{	T1 = T3; /* odd, but possible */
					} else		/* even stranger */
					{	T1->nxt = T3;
			}	}	}

			/* add in the escapes, to that they appear at the front */
			if (Tx && Ty) { Ty->nxt = T1; T1 = Tx; }

			trans[n][i] = T1;
			/* reversed, with escapes first and else last */
	}	}
	if (state_tables && verbose)
	{	printf("FINAL proctype %s\n", 
			procname[n]);
		for (i = 1; i < m; i++)
		for (T0 = trans[n][i]; T0; T0 = T0->nxt)
			crack(n, i, T0, srcln);
	}
}
void
imed(Trans *T, int v, int n, int j)	/* set intermediate state */
{	progstate[n][T->st] |= progstate[n][v];
	accpstate[n][T->st] |= accpstate[n][v];
	stopstate[n][T->st] |= stopstate[n][v];
	mapstate[n][j] = T->st;
}
void
tagtable(int n, int m, int is, short srcln[], uchar reach[])
{	Trans *z;

	if (is >= m || !trans[n][is]
	||  is <= 0 || reach[is] == 0)
		return;
	reach[is] = 0;
	if (state_tables)
	for (z = trans[n][is]; z; z = z->nxt)
	{	if (dodot)
			dot_crack(n, is, z);
		else
			crack(n, is, z, srcln);
	}

	for (z = trans[n][is]; z; z = z->nxt)
	{
#ifdef HAS_UNLESS
		int i, j;
#endif
		tagtable(n, m, z->st, srcln, reach);
#ifdef HAS_UNLESS
		for (i = 0; i < HAS_UNLESS; i++)
		{	j = trans[n][is]->escp[i];
			if (!j) break;
			tagtable(n, m, j, srcln, reach);
		}
#endif
	}
}

extern Trans *t_id_lkup[];

void
dfs_table(int n, int m, int is, short srcln[], uchar reach[], uchar lpstate[])
{	Trans *z;

	if (is >= m || is <= 0 || !trans[n][is])
		return;
	if ((reach[is] & (4|8|16)) != 0)
	{	if ((reach[is] & (8|16)) == 16)	/* on stack, not yet recorded */
		{	lpstate[is] = 1;
			reach[is] |= 8; /* recorded */
			if (state_tables && verbose)
			{	printf("state %d line %d is a loopstate\n", is, srcln[is]);
		}	}
		return;
	}
	reach[is] |= (4|16);	/* visited | onstack */
	for (z = trans[n][is]; z; z = z->nxt)
	{	t_id_lkup[z->t_id] = z;
#ifdef HAS_UNLESS
		int i, j;
#endif
		dfs_table(n, m, z->st, srcln, reach, lpstate);
#ifdef HAS_UNLESS
		for (i = 0; i < HAS_UNLESS; i++)
		{	j = trans[n][is]->escp[i];
			if (!j) break;
			dfs_table(n, m, j, srcln, reach, lpstate);
		}
#endif
	}
	reach[is] &= ~16; /* no longer on stack */
}
void
do_dfs(int n, int m, int is, short srcln[], uchar reach[], uchar lpstate[])
{	int i;
	dfs_table(n, m, is, srcln, reach, lpstate);
	for (i = 0; i < m; i++)
		reach[i] &= ~(4|8|16);
}
void
crack(int n, int j, Trans *z, short srcln[])
{	int i;

	if (!z) return;
	printf("	state %3d -(tr %3d)-> state %3d  ",
		j, z->forw, z->st);
	printf("[id %3d tp %3d", z->t_id, z->tpe[0]);
	if (z->tpe[1]) printf(",%d", z->tpe[1]);
#ifdef HAS_UNLESS
	if (z->e_trans)
		printf(" org %3d", z->e_trans);
	else if (state_tables >= 2)
	for (i = 0; i < HAS_UNLESS; i++)
	{	if (!z->escp[i]) break;
		printf(" esc %d", z->escp[i]);
	}
#endif
	printf("]");
	printf(" [%s%s%s%s%s] %s:%d => ",
		z->atom&6?"A":z->atom&32?"D":"-",
		accpstate[n][j]?"a" :"-",
		stopstate[n][j]?"e" : "-",
		progstate[n][j]?"p" : "-",
		z->atom & 8 ?"L":"G",
		PanSource, srcln[j]);
	for (i = 0; z->tp[i]; i++)
		if (z->tp[i] == '\n')
			printf("\\n");
		else
			putchar(z->tp[i]);
	if (verbose && z->qu[0])
	{	printf("\t[");
		for (i = 0; i < 6; i++)
			if (z->qu[i])
				printf("(%d,%d)",
				z->qu[i], z->ty[i]);
		printf("]");
	}
	printf("\n");
	fflush(stdout);
}
/* spin -a m.pml; cc -o pan pan.c; ./pan -D | dot -Tps > foo.ps; ps2pdf foo.ps */
void
dot_crack(int n, int j, Trans *z)
{	int i;

	if (!z) return;
	printf("	S%d -> S%d  [color=black", j, z->st);

	if (z->atom&6) printf(",style=dashed");
	else if (z->atom&32) printf(",style=dotted");
	else if (z->atom&8) printf(",style=solid");
	else printf(",style=bold");

	printf(",label=\"");
	for (i = 0; z->tp[i]; i++)
	{	if (z->tp[i] == '\\'
		&&  z->tp[i+1] == 'n')
		{	i++; printf(" ");
		} else
		{	putchar(z->tp[i]);
	}	}
	printf("\"];\n");
	if (accpstate[n][j]) printf("  S%d [color=red,style=bold];\n", j);
	else if (progstate[n][j]) printf("  S%d [color=green,style=bold];\n", j);
	if (stopstate[n][j]) printf("  S%d [color=blue,style=bold,shape=box];\n", j);
}

#ifdef VAR_RANGES
#define BYTESIZE	32	/* 2^8 : 2^3 = 256:8 = 32 */

typedef struct Vr_Ptr {
	char	*nm;
	uchar	vals[BYTESIZE];
	struct Vr_Ptr *nxt;
} Vr_Ptr;
Vr_Ptr *ranges = (Vr_Ptr *) 0;

void
logval(char *s, int v)
{	Vr_Ptr *tmp;

	if (v<0 || v > 255) return;
	for (tmp = ranges; tmp; tmp = tmp->nxt)
		if (!strcmp(tmp->nm, s))
			goto found;
	tmp = (Vr_Ptr *) emalloc(sizeof(Vr_Ptr));
	tmp->nxt = ranges;
	ranges = tmp;
	tmp->nm = s;
found:
	tmp->vals[(v)/8] |= 1<<((v)%8);
}

void
dumpval(uchar X[], int range)
{	int w, x, i, j = -1;

	for (w = i = 0; w < range; w++)
	for (x = 0; x < 8; x++, i++)
	{
from:		if ((X[w] & (1<<x)))
		{	printf("%d", i);
			j = i;
			goto upto;
	}	}
	return;
	for (w = 0; w < range; w++)
	for (x = 0; x < 8; x++, i++)
	{
upto:		if (!(X[w] & (1<<x)))
		{	if (i-1 == j)
				printf(", ");
			else
				printf("-%d, ", i-1);
			goto from;
	}	}
	if (j >= 0 && j != 255)
		printf("-255");
}

void
dumpranges(void)
{	Vr_Ptr *tmp;
	printf("\nValues assigned within ");
	printf("interval [0..255]:\n");
	for (tmp = ranges; tmp; tmp = tmp->nxt)
	{	printf("\t%s\t: ", tmp->nm);
		dumpval(tmp->vals, BYTESIZE);
		printf("\n");
	}
}
#endif

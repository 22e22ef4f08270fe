(** Attention on boxes: if weights fall by half over each 7/(10 b0) of score, as those of softmax at every inverse
    temperature beta >= b0 and of hardmax do, then the mean is in the box that rule A computes, whatever the weights. *)

From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers Softmax Dominance Intervals SoftChecker SoftParts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Delimit Scope Z_scope with z.  (* %Z is taken by mathcomp's int *)

(** ** Means whose weights are steep *)

Section SteepMean.

Variables (R : realFieldType) (d : nat) (b0 : R).
Notation token := 'cV[R]_d.
Implicit Types (f w : token -> R) (s : seq token).

(** m is the mean of s with weights w; over every gap of 7 k/(10 b0) of score they fall 2^k-fold at least. *)
Definition steep_mean f s (m : token) : Prop := exists w,
  [/\ forall y, y \in s -> 0 <= w y, 0 < \sum_(y <- s) w y, m = (\sum_(y <- s) w y)^-1 *: \sum_(y <- s) w y *: y
    & forall r y (k : nat), r \in s -> y \in s -> 7%:R * k%:R <= 10%:R * b0 * (f r - f y) -> 2%:R ^+ k * w y <= w r].

Lemma sum_gt0 s w : s != [::] -> (forall y, y \in s -> 0 <= w y) -> (exists2 y, y \in s & 0 < w y) -> 0 < \sum_(y <- s) w y.
Proof.
move=> _ w0 [y ys wy]; rewrite (big_rem y ys) /=; apply: ltr_paddr => //.
by rewrite big_seq sumr_ge0 // => z zs; apply: w0; exact: mem_rem zs.
Qed.

Lemma soft_is_steep phi f s : steep b0 phi -> s != [::] -> steep_mean f s (weighted_mean phi f s).
Proof.
move=> [pos ratio] s0; exists (fun y => phi (f y)); split=> // [y _||r y k _ _]; [exact: ltW | | exact: ratio].
by apply: sum_gt0 => // [y _|]; [exact: ltW | case: s s0 => // y s _; exists y; rewrite ?mem_head].
Qed.

Lemma hard_is_steep f s : 0 < b0 -> s != [::] -> steep_mean f s (mean (argmax f s)).
Proof.
move=> b00 s0; pose best y := all (fun z => f z <= f y) s; exists (fun y => (best y)%:R).
have [y ys ymax] := exists_max f s0; have by_ : best y by apply/allP.
have E (F : token -> token) : \sum_(y <- s) (best y)%:R *: F y = \sum_(y <- argmax f s) F y.
  rewrite /argmax big_filter [RHS]big_mkcond; apply: eq_bigr => z _; rewrite /best.
  by case: all; rewrite ?scale1r ?scale0r.
split=> [z _ ||| r z k rs zs].
- exact: ler0n.
- by apply: sum_gt0 => // [z _ |]; [exact: ler0n | exists y; rewrite // by_ ltr01].
- rewrite (E id) /mean; congr (_^-1 *: _); rewrite /argmax size_filter -sum1_count natr_sum big_mkcond.
  by apply: eq_bigr => z _; rewrite /best; case: all.
- case: (boolP (best z)) => [/allP zb | _]; last by rewrite mulr0 ler0n.
  case: k => [|k] H; last first.
    have : f r < f r.
      apply: le_lt_trans (zb r rs) _; rewrite -subr_gt0.
      have c0 : 0 < 10%:R * b0 by rewrite mulr_gt0 ?ltr0n.
      by rewrite -(pmulr_rgt0 _ c0); apply: lt_le_trans H; rewrite mulr_gt0 ?ltr0n.
    by rewrite ltxx.
  rewrite expr0 mul1r; have zr : f z <= f r by move: H; rewrite mulr0 pmulr_rge0 ?subr_ge0 // mulr_gt0 ?ltr0n.
  by rewrite (_ : best r = true) //; apply/allP => u us; apply: le_trans zr; exact: zb.
Qed.

End SteepMean.

(** ** Sums over lists *)

Section Lists.

Variables (R : realFieldType) (T : Type).
Implicit Types (L : seq T) (F G : T -> R) (t : pred T).

Lemma ler_sum_In L t F G : (forall p, List.In p L -> t p -> F p <= G p) -> \sum_(p <- L | t p) F p <= \sum_(p <- L | t p) G p.
Proof.
elim: L => [|p L IH] H; first by rewrite !big_nil.
rewrite !big_cons; have {}IH := IH (fun q qL => H q (or_intror qL)); case: ifP => // tp.
by rewrite ler_add // H //; left.
Qed.

Lemma sum_ge0_In L t F : (forall p, List.In p L -> t p -> 0 <= F p) -> 0 <= \sum_(p <- L | t p) F p.
Proof. by move=> H; have := ler_sum_In (F := fun=> 0) H; rewrite big1. Qed.

Lemma term_le L F p : (forall q, List.In q L -> 0 <= F q) -> List.In p L -> F p <= \sum_(q <- L) F q.
Proof.
elim: L => //= q L IH H; rewrite big_cons => -[-> | pL].
  by rewrite ler_addl sum_ge0_In // => p' p'L _; apply: H; right.
by apply: le_trans (IH (fun p' p'L => H p' (or_intror p'L)) pL) _; rewrite ler_addr H //; left.
Qed.

(** n tokens of weight w at v: those in t are at most at b, the others at most at c and have a share of at most eps. *)
Lemma mean_below L (n w v e : T -> R) t (nr wr b c eps : R) :
  (forall p, List.In p L -> [/\ 0 <= n p, 0 <= w p, t p -> v p <= b & ~~ t p -> [/\ v p <= c, 0 <= e p & w p <= e p * wr]]) ->
  0 < nr -> 0 <= wr -> nr * wr <= \sum_(p <- L) n p * w p ->
  eps = Num.min 1 ((\sum_(p <- L | ~~ t p) n p * e p) / nr) ->
  \sum_(p <- L) n p * w p * v p <= (\sum_(p <- L) n p * w p) * (b + Num.max 0 (eps * (c - b))).
Proof.
move=> H nr0 wr0 part Eeps; rewrite (bigID t) /=.
set P := \sum_(p <- L | t p) n p * w p; set S := \sum_(p <- L | ~~ t p) n p * w p.
have tot : \sum_(p <- L) n p * w p = P + S by rewrite (bigID t).
have near : \sum_(p <- L | t p) n p * w p * v p <= P * b.
  by rewrite mulr_suml; apply: ler_sum_In => p /H[n0 w0 vb _] tp; rewrite ler_wpmul2l ?mulr_ge0 ?vb.
have far : \sum_(p <- L | ~~ t p) n p * w p * v p <= S * c.
  by rewrite mulr_suml; apply: ler_sum_In => p /H[n0 w0 _ vc] tp; rewrite ler_wpmul2l ?mulr_ge0 //; case: (vc tp).
have P0 : 0 <= P by apply: sum_ge0_In => p /H[n0 w0 _ _] _; rewrite mulr_ge0.
have S0 : 0 <= S by apply: sum_ge0_In => p /H[n0 w0 _ _] _; rewrite mulr_ge0.
have share : S <= eps * (P + S).
  rewrite Eeps; set q := _ / nr; have q0 : 0 <= q.
    by rewrite divr_ge0 ?(ltW nr0) // sum_ge0_In // => p /H[n0 _ _ vc] tp; rewrite mulr_ge0 //; case: (vc tp).
  have Sq : S <= q * (P + S).
    apply: (@le_trans _ _ (q * nr * wr)); last by rewrite -mulrA ler_wpmul2l // -tot.
    rewrite /q mulfVK ?lt0r_neq0 // mulr_suml; apply: ler_sum_In => p /H[n0 _ _ vc] tp.
    by rewrite -mulrA ler_wpmul2l //; case: (vc tp).
  by case: (leP 1 q) => // _; rewrite mul1r ler_addr.
rewrite tot; apply: le_trans (ler_add near far) _.
have -> : P * b + S * c = (P + S) * b + S * (c - b) by ring.
rewrite [X in _ <= X]mulrDr ler_add2l; have PS : 0 <= P + S by rewrite addr_ge0.
case: (leP 0 (c - b)) => cb.
  apply: (@le_trans _ _ ((P + S) * (eps * (c - b)))); last by rewrite ler_wpmul2l // le_maxr lexx orbT.
  by rewrite mulrA ler_wpmul2r // mulrC.
by apply: (@le_trans _ _ 0); rewrite ?mulr_ge0 ?le_maxr ?lexx // mulr_ge0_le0 // ltW.
Qed.

End Lists.

(** ** Queries, keys, gaps *)

Section Scores.

Variable R : realFieldType.
Notation value := (value R).

Lemma inside_forms h d M (x : 'cV[R]_d) X : in_box x X -> in_box (matrix_of R h d M *m x) (forms (rows_of h d M) X).
Proof.
move=> xX i; rewrite (nth_map [::]) ?size_mkseq // nth_mkseq //.
have -> : (matrix_of R h d M *m x) i 0 = inner (vector R d (mkseq (entry M i) d)) x.
  by rewrite mxE; apply: eq_bigr => j _; rewrite !mxE nth_mkseq.
by apply: inside_on_box; rewrite ?size_mkseq.
Qed.

Lemma size_forms h d M X : size (forms (rows_of h d M) X) = h.
Proof. by rewrite size_map size_mkseq. Qed.

Lemma inside_gap h (u v w : 'cV[R]_h) q k k' : size q = h -> size k = h -> size k' = h ->
  in_box u q -> in_box v k -> in_box w k' -> inside (inner u v - inner u w) (gap q k k').
Proof.
rewrite -innerBr /inner => sq sk sk' uq vk wk'; under eq_bigr do rewrite !mxE.
pose y (t : 'cV[R]_h) i := if insub i is Some j then t j 0 else 0.
have E (t : 'cV[R]_h) (i : 'I_h) : t i 0 = y t i by rewrite /y valK.
have {}F (t : 'cV[R]_h) X : in_box t X -> forall i, (i < h)%N -> inside (y t i) (nth at_zero X i).
  by move=> tX i ih; rewrite -(E t (Ordinal ih)); exact: tX.
under eq_bigr do rewrite !E.
move: {uq vk wk' E F} (y u) (y v) (y w) (F u q uq) (F v k vk) (F w k' wk') => a b c.
elim: h q k k' sq sk sk' a b c {u v w y} => [|h IH] [|q qs] [|k ks] [|k' ks'] //= sq sk sk' a b c H1 H2 H3.
  by rewrite big_ord0 inside_zero.
case: sq sk sk' => sq [sk] [sk']; rewrite big_ord_recl /=; apply: inside_join.
  by apply: inside_times; [exact: (H1 0%N) | apply: inside_minus; [exact: (H2 0%N) | exact: (H3 0%N)]].
exact: (IH qs ks ks' sq sk sk' (fun i => a i.+1) (fun i => b i.+1) (fun i => c i.+1)
  (fun i ih => H1 i.+1 ih) (fun i ih => H2 i.+1 ih) (fun i ih => H3 i.+1 ih)).
Qed.

Lemma inside_hull_all (x : R) a l : List.In a l -> inside x a -> inside x (hull_all l).
Proof.
case: l => //= b l H xa; elim: l H => [|c l IH] /=; first by case=> // ->.
by case=> [E | [-> | al]]; [apply/inside_hullr/IH; left | exact: inside_hull | apply/inside_hullr/IH; right].
Qed.

Lemma In_filter (T : Type) (t : pred T) l a : List.In a l -> t a -> List.In a [seq p <- l | t p].
Proof. by elim: l => //= b l IH [-> ta | al ta]; [rewrite ta; left | case: (t b); rewrite /=; [right | ]; exact: IH]. Qed.

Definition signed (l : seq interval) (q : interval) : interval :=
  if positive_query q then hull_all [seq p <- l | positive_query p]
  else if negative_query q then hull_all [seq p <- l | negative_query p] else q.

Lemma by_signE qs : by_sign qs = [seq [:: signed [seq head at_zero q | q <- qs] (head at_zero q)] | q <- qs].
Proof. by rewrite /by_sign -map_comp. Qed.

Lemma inside_signed x l q : List.In q l -> inside x q -> inside (R := R) x (signed l q).
Proof.
move=> ql xq; rewrite /signed; case: ifP => [up | _]; first by apply: inside_hull_all xq; exact: In_filter.
by case: ifP => // down; apply: inside_hull_all xq; exact: In_filter.
Qed.

Lemma reference_lt q keys : (0 < size keys)%N -> (reference q keys < size keys)%N.
Proof. by move=> k0; rewrite /reference size_map; case: ifP. Qed.

Lemma recallE q known m (f : box -> box) : (forall p, List.In p known -> p.2 = f p.1) -> recall q known = Some m -> m = f q.
Proof.
elim: known => //= p known IH H; case: ifP => [/same_boxE <- [<-] | _ /IH]; first by apply: H; left.
by apply=> p' p'k; apply: H; right.
Qed.

Lemma map_knownE (f : box -> box) qs : map_known f [::] qs = map f qs.
Proof.
suff H known : (forall p, List.In p known -> p.2 = f p.1) -> map_known f known qs = map f qs by exact: H.
elim: qs known => //= q qs IH known H; case E: recall => [m|].
  by rewrite (recallE H E) IH.
by rewrite IH // => p /= [<- | /H].
Qed.

(** ** Halvings *)

Lemma halvingsP (b0 g : Q) bits : ~~ nonpos b0 -> ~~ nonpos g ->
  7%:R * (halvings b0 bits g)%:R <= 10%:R * value b0 * value g.
Proof.
rewrite /nonpos /halvings; set n := Z.mul (Z.mul _ _) _; set e := Z.mul _ _ => b00 g0.
have n0 : (0 <= n)%z by rewrite /n; lia.
have e0 : (0 < e)%z by rewrite /e; lia.
have z0 : (0 <= n / e)%z by exact: Z.div_pos.
set k := if _ then _ else _.
have ke : (Z.of_nat k * e <= n)%z.
  have : (Z.of_nat k <= n / e)%z by rewrite /k; case: Z.leb_spec => H; rewrite ?Z2Nat.id //; lia.
  have := Z.mul_div_le n e e0; nia.
have {ke} : phiZ R (Z.of_nat k) * phiZ R e <= phiZ R n by rewrite -phiZM phiZ_le; apply/Z.leb_le.
have -> : phiZ R (Z.of_nat k) = k%:R by rewrite -(value_nat R) valueZ /= divr1.
rewrite /n /e !phiZM !valueZ.
have -> : phiZ R (Zpos 10) = 10%:R by []. have -> : phiZ R (Zpos 7) = 7%:R by [].
have d1 := den_gt0 R (Qden b0); have d2 := den_gt0 R (Qden g).
move: (phiZ R (Qnum b0)) (phiZ R (Qnum g)) (phiZ R (Zpos (Qden b0))) (phiZ R (Zpos (Qden g))) d1 d2 => x y u v u0 v0 H.
have -> : 10%:R * (x / u) * (y / v) = (10%:R * x * y) / (u * v) by field; rewrite !lt0r_neq0.
rewrite ler_pdivl_mulr ?mulr_gt0 //; apply: le_trans H; rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

End Scores.

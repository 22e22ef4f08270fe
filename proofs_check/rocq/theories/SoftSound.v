(** Interpolation by softmax from a temperature on: what such a certificate says, with the exponential function itself, and
    that the checker of [SoftChecker.v] is sound: rule A, composed over the blocks. *)

From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers CheckerFeedForward Softmax Dominance.
From Exactformer Require Import Intervals SoftChecker SoftParts SoftAttention SoftMean.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Delimit Scope Z_scope with z.  (* %Z is taken by mathcomp's int *)

(** ** What is claimed *)

(** E is exp: over the real numbers exp is the only such function. *)
Definition exponential (R : realFieldType) (E : R -> R) : Prop :=
  (forall x y, E (x + y) = E x * E y) /\ (forall x, 1 + x <= E x).

(** The transformer interpolates with softmax at every inverse temperature beta >= b, and with hardmax. *)
Definition from_temperature_claim (b : Q) (c : certificate) : Prop :=
  shaped c /\ forall R : realFieldType,
  let t := map (block_of R (dim c)) (blocks c) in
  let data := map (sequence_of R (dim c)) (sequences c) in
  [/\ 0 < value R b, interpolates t data
    & forall E, exponential E -> forall beta, value R b <= beta -> soft_interpolates (fun x => E (beta * x)) t data].

(** ** Exponential functions double over 7/10 *)

Section Exponential.

Variables (R : realFieldType) (E : R -> R).
Hypothesis E_exp : exponential E.

Lemma exp_gt0 x : 0 < E x.
Proof.
have [D ge] := E_exp; have E0 : 1 <= E 0 by have := ge 0; rewrite addr0.
have half : E x = E (x / 2%:R) ^+ 2 by rewrite expr2 -D; congr E; field.
rewrite lt_neqAle half sqr_ge0 andbT eq_sym; apply: contraTneq E0 => z.
by rewrite -(subrr x) D half z mul0r -ltNge ltr01.
Qed.

Lemma exp_nat n x : E (n%:R * x) = E x ^+ n.
Proof.
have [D ge] := E_exp; elim: n => [|n IH]; last by rewrite -[n.+1]add1n natrD mulrDl mul1r D IH exprD expr1.
have e0 := exp_gt0 0; apply: (mulfI (lt0r_neq0 e0)).
by rewrite mul0r -D addr0 expr0 mulr1.
Qed.

Lemma exp_le x y : x <= y -> E x <= E y.
Proof.
have [D ge] := E_exp; rewrite -subr_ge0 => H; rewrite -[y](subrK x) addrC D ler_pmulr ?exp_gt0 //.
by apply: le_trans (ge _); rewrite ler_addl.
Qed.

(** exp(7/10) > 2, by exp(7/640) >= 1 + 7/640. *)
Lemma exp_7_10 : 2%:R <= E (7%:R / 10%:R).
Proof.
have -> : 7%:R / 10%:R = 64%:R * (7%:R / 640%:R) :> R by field.
rewrite exp_nat; have q0 : 0 <= 1 + 7%:R / 640%:R :> R by rewrite addr_ge0 ?divr_ge0 ?ler0n ?ler01.
apply: (@le_trans _ _ ((1 + 7%:R / 640%:R) ^+ 64)); last by rewrite ler_expn2r ?nnegrE ?(ltW (exp_gt0 _)) //; case: E_exp.
have -> : 1 + 7%:R / 640%:R = phiZ R 647 / phiZ R 640 :> R.
  rewrite -[phiZ R 640]/(640%:R) (_ : 647%z = (640 + 7)%z) // phiZD -[phiZ R 640]/(640%:R) -[phiZ R 7]/(7%:R).
  by field.
have power n z : phiZ R z ^+ n = phiZ R (Z.pow z (Z.of_nat n)).
  elim: n => [|n IH]; first by rewrite expr0.
  by rewrite exprS IH -phiZM Nat2Z.inj_succ Z.pow_succ_r //; lia.
rewrite expr_div_n !power ler_pdivl_mulr ?phiZ_gt0 //.
by have -> : 2%:R = phiZ R 2 by []; rewrite -phiZM phiZ_le; vm_compute.
Qed.

Lemma exp_steep b beta : 0 < b -> b <= beta -> steep b (fun x => E (beta * x)).
Proof.
move=> b0 bb; split=> [x | s t k H]; first exact: exp_gt0.
have [D _] := E_exp; have -> : beta * t = beta * (t - s) + beta * s by rewrite -mulrDr subrK.
rewrite D ler_wpmul2r ?(ltW (exp_gt0 _)) //.
apply: (@le_trans _ _ (E (7%:R / 10%:R) ^+ k)); first by rewrite ler_expn2r ?nnegrE ?ler0n ?(ltW (exp_gt0 _)) // exp_7_10.
rewrite -exp_nat; apply: exp_le; have ts : 0 <= t - s.
  by rewrite -(pmulr_rge0 _ (_ : 0 < 10%:R * b)) ?mulr_gt0 ?ltr0n //; apply: le_trans H; rewrite mulr_ge0 ?ler0n.
apply: (@le_trans _ _ (b * (t - s))); last by rewrite ler_wpmul2r.
by rewrite mulrA ler_pdivr_mulr ?ltr0n // [k%:R * _]mulrC; apply: le_trans H _; rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

End Exponential.

(** ** Every block, every sequence *)

Section Run.

Variables (R : realFieldType) (d : nat) (b0 : Q) (bits : nat) (grid : positive).
Hypothesis b0_pos : ~~ nonpos b0.
Notation value := (value R).
Notation token := 'cV[R]_d.

(** Any attention whose means are steep. *)
Variable mu : (token -> R) -> seq token -> token.
Hypothesis mu_steep : forall f s, s != [::] -> steep_mean (value b0) f s (mu f s).

Definition apply_mean (a : self_attention R d) (s : seq token) : seq token :=
  [seq sa_rho a *: x + sa_V a *m mu (fun y => inner (sa_Q a *m x) (sa_K a *m y)) s | x <- s].
Definition mean_block (s : seq token) (c : block R d) : seq token :=
  let s' := if block_ff c is Some f then map (apply_ff f) s else s in
  if block_sa c is Some a then apply_mean a s' else s'.

Lemma soft_meanP h Qm Km s l x q m : all_fit l -> perm_eq s (expand l) -> size q = h -> in_box (matrix_of R h d Qm *m x) q ->
  steep_mean (value b0) (fun y => inner (matrix_of R h d Qm *m x) (matrix_of R h d Km *m y)) s m ->
  let mb := soft_mean d b0 bits [seq p.2 | p <- l] [seq forms (rows_of h d Km) t.1 | t <- [seq p.2 | p <- l]] q in
  size mb = d /\ in_box m mb.
Proof.
move=> lf sl sq uq [w [w0 tot E st]] /=; rewrite /soft_mean; case: ifP => zero.
  exact: (uniform_meanP b0_pos lf sl sq uq tot E st zero).
exact: (dominated_meanP bits b0_pos lf sl sq uq w0 tot E st).
Qed.

Definition soft_of (a : sa_literal) : soft_compiled :=
  SoftC (lit_rho a) (rows_of d d (lit_V a)) (rows_of (lit_height a) d (lit_Q a)) (rows_of (lit_height a) d (lit_K a)).

Lemma soft_saP a s st : covers s st -> covers (apply_mean (sa_of R d a) s) (soft_sa d b0 bits grid (soft_of a) st).
Proof.
move=> cs; apply: settleP; rewrite /= size_mkseq; set h := lit_height a.
set qs := [seq forms (rows_of h d (lit_Q a)) t.1 | t <- st].
pose heads := [seq head at_zero q | q <- qs].
pose sg q := if h == 1%N then [:: signed heads (head at_zero q)] else q.
have -> : (if h == 1%N then by_sign qs else qs) = [seq sg (forms (rows_of h d (lit_Q a)) t.1) | t <- st].
  by rewrite /sg; case: (h == 1%N); rewrite ?by_signE // /qs -map_comp.
rewrite map_knownE -map_comp; set F := (X in zip st (map X st)).
have -> : zip st (map F st) = [seq (t, F t) | t <- st] by rewrite zip_map_same map_id.
rewrite -map_comp; apply: (covers_map (g := fun t => moved grid (soft_of a) t.1 (F t)) _ cs) => t x t_st [s1 xt s3].
have [l [E lf sl]] := cs; have uq := inside_forms (h := h) (lit_Q a) xt.
have uq' : in_box (matrix_of R h d (lit_Q a) *m x) (sg (forms (rows_of h d (lit_Q a)) t.1)).
  rewrite /sg; case: eqP => // h1 i; have i0 : (i : nat) = 0%N by case: i => -[|i] //=; rewrite h1.
  rewrite i0; apply: inside_signed; last by have := uq i; rewrite i0 -nth0.
  by rewrite /heads /qs -map_comp; exact: (List.in_map (head at_zero \o (fun t => forms (rows_of h d (lit_Q a)) t.1)) st t).
have s0 : s != [::].
  have : List.In t [seq p.2 | p <- l] by rewrite E.
  move=> /(@List.in_map_iff _ _ snd)[p [_ pl]]; have := mem_expand lf pl; rewrite -(perm_mem sl).
  by case: (s).
have sq : size (sg (forms (rows_of h d (lit_Q a)) t.1)) = h by rewrite /sg; case: eqP => [-> | _] //; rewrite size_forms.
have := soft_meanP lf sl sq uq' (mu_steep (fun y => inner (matrix_of R h d (lit_Q a) *m x) (matrix_of R h d (lit_K a) *m y)) s0).
rewrite E -[soft_mean _ _ _ _ _ _]/(F t) => -[sm mm].
split=> //=; first by rewrite size_map size_zip size_mkseq s1 minnn.
move=> i; rewrite (nth_map (at_zero, [::])) ?size_zip ?size_mkseq ?s1 ?minnn // nth_zip ?size_mkseq //= !mxE.
apply/inside_rounded/inside_join; first exact: inside_stretch.
have := inside_forms (h := d) (lit_V a) mm i; rewrite (nth_map [::]) ?size_mkseq //.
by rewrite !mxE.
Qed.

Lemma soft_blockP c s st : shaped_block d c -> covers s st ->
  covers (mean_block s (block_of R d c)) (soft_block d b0 bits grid st (soft_compile d c)).
Proof.
rewrite /mean_block /soft_block /soft_compile /=; case: c => [[f|] [a|]] //= /andP[fs _] cs.
- by apply: soft_saP; exact: soft_ffP.
- exact: soft_ffP.
- exact: soft_saP.
Qed.

Lemma soft_runP t s st : all (shaped_block d) t -> covers s st ->
  covers (foldl mean_block s (map (block_of R d) t)) (foldl (soft_block d b0 bits grid) st (map (soft_compile d) t)).
Proof. by elim: t s st => //= c t IH s st /andP[cs ts] H; apply: IH => //; exact: soft_blockP. Qed.

Lemma startP l : all (fun x => size x == d) l -> covers (map (vector R d) l) (settle [seq (map at_point x, 1%N) | x <- l]).
Proof.
move=> ld; apply: settleP; exists [seq (vector R d x, (map at_point x, 1%N)) | x <- l]; split.
- by rewrite -map_comp.
- move=> p; elim: l ld => //= x l IH /andP[/eqP xd ld] [<- | /(IH ld)] //; split=> //=; rewrite ?size_map // => i.
  by rewrite (nth_map zero) ?xd // mxE; exact: inside_point.
- by rewrite /expand -map_comp; elim: (l) => //= x l' IH; rewrite perm_cons.
Qed.

Lemma withinP y X : within y X -> in_box (vector R d y) X.
Proof.
move=> yX i; rewrite mxE; elim: y X (i : nat) yX => [|c y IH] [|a X] [|j] //= yX; rewrite ?nth_nil ?inside_zero //.
- by rewrite /inside /= value0 lexx.
- by rewrite /inside /= value0 lexx.
- by case/and3P: yX => lo hi _; rewrite /inside -!(rat_leE R) lo.
- by case/and3P: yX => _ _ /IH.
Qed.

Lemma outputsP s st l : covers s st -> not_refuted st l -> all_points st -> s =i map (vector R d) l.
Proof.
case=> m [E mf sm] /andP[out tar] pts y.
have mst p : List.In p m -> List.In p.2 st by move=> pm; rewrite -E; exact: (List.in_map snd).
have allIn (T : Type) (a : pred T) (u : seq T) t : all a u -> List.In t u -> a t.
  by elim: u => //= t' u IH /andP[at' /IH H] [<- | /H].
have point p z : List.In p m -> within z p.2.1 -> p.1 = vector R d z.
  move=> pm /withinP zX; have [ps pX _] := mf p pm; apply: in_point ps pX zX; exact: (allIn _ _ _ _ pts (mst p pm)).
have hasIn (T : Type) (a : pred T) (u : seq T) : has a u -> exists2 t, List.In t u & a t.
  elim: u => //= t u IH /orP[at_ | /IH[t' tu at']]; first by exists t => //; left.
  by exists t' => //; right.
rewrite (perm_mem sm); apply/idP/idP => [/expand_mem[p pm <-] | ].
  have [z zl zp] := hasIn _ _ _ (allIn _ _ _ _ out (mst p pm)); rewrite (point p z pm zp).
  by elim: (l) zl => //= a l' IH [-> | /IH]; rewrite in_cons ?eqxx // => ->; rewrite orbT.
move=> yl; have [z zl ->] : exists2 z, List.In z l & y = vector R d z.
  elim: (l) yl => //= a l' IH; rewrite in_cons => /orP[/eqP -> | /IH[z zl' ->]]; first by exists a => //; left.
  by exists z => //; right.
have [t tst tz] := hasIn _ _ _ (allIn _ _ _ _ tar zl).
have [p [pt pm]] : exists p, p.2 = t /\ List.In p m by move: tst; rewrite -E => /(@List.in_map_iff _ _ snd).
by rewrite -(point p z pm) ?pt // mem_expand.
Qed.

Lemma soft_sequenceP t s : all (shaped_block d) t -> shaped_points d (tokens s) ->
  soft_sequence d b0 bits grid (map (soft_compile d) t) s = Some true ->
  foldl mean_block (map (vector R d) (tokens s)) (map (block_of R d) t) =i map (vector R d) (targets s).
Proof.
move=> ts /andP[_ sd]; rewrite /soft_sequence; set st := foldl _ _ _.
case: ifP => // out; case: ifP => // pts _; apply: outputsP out pts; apply: soft_runP => //; exact: startP.
Qed.

End Run.

(** ** The theorem *)

Theorem check_soft_sound (b0 : Q) (bits : nat) (c : certificate) : check_soft b0 bits c = Some true -> from_temperature_claim b0 c.
Proof.
rewrite /check_soft; case: ifP => // /andP[sh b0p] ok; split=> // R t data; have /and3P[d0 ts ss] := sh.
have b00 : 0 < value R b0 by rewrite ltNge -(nonposE R).
have each s : List.In s (sequences c) ->
    soft_sequence (dim c) b0 bits (power_of_two bits) (map (soft_compile (dim c)) (blocks c)) s = Some true /\
    shaped_points (dim c) (tokens s).
  elim: (sequences c) ok ss => //= a l IH; case E: soft_sequence => [[]|] // ok /andP[/andP[at_ _] ss] [<- // | /IH]; exact.
have main mu : (forall f s, s != [::] -> steep_mean (value R b0) f s (mu f s)) ->
    forall xs ys, (xs, ys) \in data -> foldl (mean_block mu) xs t =i ys.
  move=> st xs ys; have : forall s, List.In s (sequences c) -> foldl (mean_block mu) (sequence_of R (dim c) s).1 t =i (sequence_of R (dim c) s).2.
    by move=> s /each[cs sp]; exact: (soft_sequenceP b0p st ts sp cs).
  rewrite /data; elim: (sequences c) => //= a l IH H; rewrite in_cons => /orP[/eqP E | ].
    by case: E => -> ->; apply: H; left.
  by apply: IH => s sl; apply: H; right.
split=> // [xs ys | E Ee beta bb xs ys] xy.
  exact: (main (fun f s => mean (argmax f s)) (fun f s s0 => hard_is_steep f b00 s0) xs ys xy).
exact: (main (weighted_mean (fun x => E (beta * x))) (fun f s s0 => soft_is_steep f (exp_steep Ee b00 bb) s0) xs ys xy).
Qed.

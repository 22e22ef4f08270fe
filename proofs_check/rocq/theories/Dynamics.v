(** The pure-attention hardmax dynamics: the lemmas that hold at every layer.

    Tokens in R^d, A symmetric positive definite, 0 < a < 1 (a = alpha / (1 + alpha)):
      C(x) = all maximisers of <A x, .> among the tokens,   x <- x + a (mean C(x) - x). *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Dynamics.

Variables (R : realFieldType) (d : nat).
Notation token := 'cV[R]_d.

Variables (A : 'M[R]_d) (a : R).
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x : token, x != 0 -> 0 < inner (A *m x) x.
Hypothesis a_gt0 : 0 < a.
Hypothesis a_lt1 : a < 1.

Implicit Types (s : seq token) (x y z : token).

(** The A-product and the squared A-norm. *)
Definition dotA x y : R := inner (A *m x) y.
Definition normA x : R := dotA x x.

Definition follows s x : seq token := argmax (dotA x) s.
Definition step s x : token := x + a *: (mean (follows s x) - x).
Definition layer s : seq token := map (step s) s.

(** A leader follows itself and nobody else. *)
Definition leader s x : bool := follows s x == [:: x].

(** ** The dynamics is a block of the semantics *)

Definition dynamics_block : block R d :=
  Block None (Some (SelfAttention (1 - a) a%:M A 1%:M)).

Lemma followed_follows s x : followed (SelfAttention (1 - a) a%:M A 1%:M) s x = follows s x.
Proof. by apply: eq_filter => y; apply: eq_all => z; rewrite /= !mul1mx. Qed.

Theorem dynamics_is_a_block s : apply_block dynamics_block s = layer s.
Proof.
apply: eq_map => x /=; rewrite /step followed_follows.
by rewrite mul_scalar_mx scalerBl scale1r scalerBr addrA addrAC.
Qed.

(** ** The A-product *)

Lemma dotAC x y : dotA x y = dotA y x.
Proof.
have As i j : A i j = A j i by rewrite -{1}A_sym mxE.
rewrite /dotA /inner; under eq_bigr do rewrite mxE mulr_suml.
rewrite exchange_big /=; apply: eq_bigr => j _; rewrite mxE mulr_suml.
by apply: eq_bigr => i _; rewrite As -mulrA [x _ _ * _]mulrC mulrA.
Qed.

Lemma dotADr x y z : dotA x (y + z) = dotA x y + dotA x z.
Proof. exact: innerDr. Qed.

Lemma dotAZr x c y : dotA x (c *: y) = c * dotA x y.
Proof. exact: innerZr. Qed.

Lemma dotABr x y z : dotA x (y - z) = dotA x y - dotA x z.
Proof. exact: innerBr. Qed.

Lemma dotADl x y z : dotA (x + y) z = dotA x z + dotA y z.
Proof. by rewrite dotAC dotADr !(dotAC z). Qed.

Lemma dotAZl x c y : dotA (c *: x) y = c * dotA x y.
Proof. by rewrite dotAC dotAZr dotAC. Qed.

Lemma dotABl x y z : dotA (x - y) z = dotA x z - dotA y z.
Proof. by rewrite dotAC dotABr !(dotAC z). Qed.

Lemma normA_gt0 x : x != 0 -> 0 < normA x.
Proof. exact: A_pos. Qed.

Lemma normA_ge0 x : 0 <= normA x.
Proof.
case: (eqVneq x 0) => [-> | /normA_gt0/ltW //].
by rewrite /normA /dotA inner0r.
Qed.

Lemma normAD x y : normA (x + y) = normA x + 2%:R * dotA x y + normA y.
Proof. by rewrite /normA dotADl !dotADr (dotAC y x); ring. Qed.

Lemma dotA_mean x t : dotA x (mean t) = (size t)%:R^-1 * \sum_(y <- t) dotA x y.
Proof. by rewrite /mean dotAZr /dotA inner_sumr. Qed.

Lemma sum_const (t : seq token) (c : R) : \sum_(y <- t) c = (size t)%:R * c.
Proof. by rewrite big_const_seq count_predT iter_addr_0 mulr_natl. Qed.

Lemma mean_ge x t c : t != [::] -> (forall y, y \in t -> c <= dotA x y) -> c <= dotA x (mean t).
Proof.
move=> t0 H; have n0 : 0 < (size t)%:R :> R by rewrite ltr0n lt0n size_eq0.
rewrite dotA_mean mulrC ler_pdivl_mulr // mulrC -sum_const !big_seq.
by apply: ler_sum => y yt; exact: H.
Qed.

Lemma mean_le x t c : t != [::] -> (forall y, y \in t -> dotA x y <= c) -> dotA x (mean t) <= c.
Proof.
move=> t0 H; have n0 : 0 < (size t)%:R :> R by rewrite ltr0n lt0n size_eq0.
rewrite dotA_mean mulrC ler_pdivr_mulr // mulrC -sum_const !big_seq.
by apply: ler_sum => y yt; exact: H.
Qed.

Lemma nonempty s x : x \in s -> s != [::].
Proof. by case: s. Qed.

Lemma follows_neq0 s x : x \in s -> follows s x != [::].
Proof. by move/nonempty/(argmax_neq0 (dotA x)). Qed.

Lemma follows_sub s x y : y \in follows s x -> y \in s.
Proof. by case/argmaxP. Qed.

Lemma follows_max s x y z : y \in follows s x -> z \in s -> dotA x z <= dotA x y.
Proof. by case/argmaxP => _ H /H. Qed.

(** Every token, and every mean of tokens, is at most as far along A x as the mean of C(x). *)
Lemma mean_follows s x z : x \in s -> z \in s -> dotA x z <= dotA x (mean (follows s x)).
Proof. by move=> xs zs; apply: mean_ge (follows_neq0 xs) _ => y ys; exact: follows_max ys zs. Qed.

Lemma stepE s x : step s x = (1 - a) *: x + a *: mean (follows s x).
Proof. by rewrite /step scalerBl scale1r scalerBr addrA addrAC. Qed.

(** ** Lemma 0: distinct tokens stay distinct *)

Theorem lemma0 s : uniq s -> uniq (layer s).
Proof.
move=> us; rewrite map_inj_in_uniq // => x y xs ys; rewrite !stepE => E; apply/eqP; apply/contraT => xy.
set mx := mean (follows s x) in E; set my := mean (follows s y) in E.
have H1 : dotA x my <= dotA x mx.
  by apply: mean_le (follows_neq0 ys) _ => z zy; apply: mean_follows => //; exact: follows_sub zy.
have H2 : dotA y mx <= dotA y my.
  by apply: mean_le (follows_neq0 xs) _ => z zy; apply: mean_follows => //; exact: follows_sub zy.
have E' : (1 - a) *: (x - y) = a *: (my - mx).
  by apply/eqP; rewrite !scalerBr subr_eq addrAC eq_sym subr_eq E addrC.
have := congr1 (dotA (x - y)) E'; rewrite !dotAZr => E2.
have : 0 < (1 - a) * normA (x - y) by rewrite mulr_gt0 ?subr_gt0 // normA_gt0 // subr_eq0.
rewrite /normA E2 pmulr_rgt0 // dotABl !dotABr => H.
have := ler_add H1 H2; rewrite -subr_le0 => H3.
suff : (0 : R) < 0 by rewrite ltxx.
apply: lt_le_trans H _; apply: le_trans H3; rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

(** ** Lemma 1: C(x) is not empty and lies in the half-space <A x, y - x> >= 0 *)

Theorem lemma1 s x : x \in s ->
  follows s x != [::] /\ forall y, y \in follows s x -> 0 <= dotA x (y - x).
Proof.
move=> xs; split=> [|y yx]; first exact: follows_neq0.
by rewrite dotABr subr_ge0; exact: follows_max yx xs.
Qed.

(** ** Lemma 2: the A-norm never decreases, and stays only where the mean of C(x) is x *)

Theorem lemma2 s x : x \in s ->
  normA x <= normA (step s x) /\ (normA (step s x) = normA x <-> mean (follows s x) = x).
Proof.
move=> xs; pose v := mean (follows s x) - x.
have v0 : 0 <= dotA x v by rewrite /v dotABr subr_ge0; exact: mean_follows.
have E : normA (step s x) = normA x + (2%:R * a * dotA x v + a ^+ 2 * normA v).
  by rewrite /step -/v normAD dotAZr /normA dotAZl dotAZr; ring.
have p1 : 0 <= 2%:R * a * dotA x v by rewrite !mulr_ge0 // ?ler0n // ltW.
split; first by rewrite E ler_addl addr_ge0 // mulr_ge0 ?normA_ge0 // sqr_ge0.
split=> [|m]; last by rewrite /step m subrr scaler0 addr0.
move/eqP; rewrite E -subr_eq0 addrAC subrr add0r => /eqP F; apply/eqP; apply/contraT => mx.
have : 0 < a ^+ 2 * normA v by rewrite mulr_gt0 ?exprn_gt0 // normA_gt0 // /v subr_eq0.
by rewrite -(ltr_addl (2%:R * a * dotA x v)) F => /(le_lt_trans p1); rewrite ltxx.
Qed.

(** ** Lemma 3: convex hulls are nested *)

(** z is a combination of the members of s with weights >= 0 of sum c. *)
Definition cone s (c : R) z : Prop :=
  exists w : token -> R, [/\ forall y, 0 <= w y, \sum_(y <- s) w y = c & z = \sum_(y <- s) w y *: y].

Definition hull s z : Prop := cone s 1 z.

Lemma coneD s c e y z : cone s c y -> cone s e z -> cone s (c + e) (y + z).
Proof.
move=> [v [v0 <- ->]] [w [w0 <- ->]]; exists (fun y => v y + w y); split=> [u||].
- exact: addr_ge0.
- by rewrite big_split.
- by rewrite -big_split; apply: eq_bigr => u _; rewrite scalerDl.
Qed.

Lemma coneZ s c e z : 0 <= e -> cone s c z -> cone s (e * c) (e *: z).
Proof.
move=> e0 [w [w0 <- ->]]; exists (fun y => e * w y); split=> [u||].
- exact: mulr_ge0.
- by rewrite mulr_sumr.
- by rewrite scaler_sumr; apply: eq_bigr => u _; rewrite scalerA.
Qed.

Lemma cone0 s : cone s 0 0.
Proof. by exists (fun _ => 0); split=> //; rewrite big1 // => y _; rewrite scale0r. Qed.

Lemma cone_sum s t (c : token -> R) (g : token -> token) :
  (forall x, x \in t -> 0 <= c x /\ hull s (g x)) -> cone s (\sum_(x <- t) c x) (\sum_(x <- t) c x *: g x).
Proof.
elim: t => [|x t IH] H; rewrite ?big_nil; first exact: cone0.
rewrite !big_cons; have [c0 gx] := H x (mem_head _ _).
apply: coneD; first by have := coneZ c0 gx; rewrite mulr1.
by apply: IH => y yt; apply: H; rewrite inE yt orbT.
Qed.

Lemma sum_count s x : \sum_(y <- s) (y == x)%:R = (count_mem x s)%:R :> R.
Proof. by elim: s => [|y s IH]; rewrite ?big_nil // big_cons IH /= natrD. Qed.

Lemma hull_mem s x : x \in s -> hull s x.
Proof.
move=> xs; have n0 : (count_mem x s)%:R != 0 :> R by rewrite pnatr_eq0 -lt0n -has_count has_pred1.
exists (fun y => (y == x)%:R / (count_mem x s)%:R); split=> [y||].
- by rewrite divr_ge0 ?ler0n.
- by rewrite -mulr_suml sum_count mulfV.
- have -> : \sum_(y <- s) ((y == x)%:R / (count_mem x s)%:R) *: y =
            (\sum_(y <- s) ((y == x)%:R / (count_mem x s)%:R)) *: x.
    by rewrite scaler_suml; apply: eq_bigr => y _; case: eqP => [-> // | _]; rewrite mul0r !scale0r.
  by rewrite -mulr_suml sum_count mulfV // scale1r.
Qed.

Lemma hull_mean s t : t != [::] -> {subset t <= s} -> hull s (mean t).
Proof.
move=> t0 ts; have n0 := mean_neq0 t0; rewrite /hull -(mulVf n0); apply: coneZ; first by rewrite invr_ge0 ler0n.
have -> : \sum_(y <- t) y = \sum_(y <- t) (1 : R) *: y by apply: eq_bigr => y _; rewrite scale1r.
have -> : (size t)%:R = \sum_(y <- t) 1 :> R by rewrite sum_const mulr1.
by apply: cone_sum => y /ts ys; split; [exact: ler01 | exact: hull_mem].
Qed.

Lemma step_hull s x : x \in s -> hull s (step s x).
Proof.
move=> xs; have r0 : 0 <= 1 - a by rewrite subr_ge0 ltW.
have hm : hull s (mean (follows s x)).
  by apply: hull_mean => [|y /follows_sub //]; exact: follows_neq0.
by have := coneD (coneZ r0 (hull_mem xs)) (coneZ (ltW a_gt0) hm); rewrite !mulr1 subrK -stepE.
Qed.

Theorem lemma3 s z : hull (layer s) z -> hull s z.
Proof.
move=> [w [w0]]; rewrite !big_map => E ->; rewrite /hull -E.
by apply: (cone_sum (c := fun x => w (step s x))) => x xs; split; [exact: w0 | exact: step_hull].
Qed.

(** ** Lemma 4: once a leader, for ever a leader, at rest, and a vertex *)

Lemma leader_mem s x : leader s x -> x \in s.
Proof. by move/eqP=> E; apply: (@follows_sub s x); rewrite E inE. Qed.

Lemma leader_strict s x y : leader s x -> y \in s -> y != x -> dotA x y < normA x.
Proof.
move=> l ys yx; have xf : x \in follows s x by rewrite (eqP l) inE.
rewrite lt_neqAle (follows_max xf ys) andbT; apply: contra yx => /eqP E.
have : y \in follows s x by apply/argmaxP; split=> // z zs; rewrite E; exact: follows_max xf zs.
by rewrite (eqP l) inE.
Qed.

Lemma leader_count s x : leader s x -> count_mem x s = 1%N.
Proof.
move=> l; transitivity (count_mem x (follows s x)); last by rewrite (eqP l) /= eqxx.
rewrite count_filter; apply: eq_in_count => y ys /=; case: eqP => //= ->.
by apply/esym/allP => z zs; apply: follows_max zs; rewrite (eqP l) inE.
Qed.

Lemma follows_one s x y : count_mem y s = 1%N -> (forall z, z \in s -> z != y -> dotA x z < dotA x y) ->
  follows s x = [:: y].
Proof.
move=> c1 H; have ys : y \in s by rewrite -has_pred1 has_count c1.
have E : follows s x = filter (pred1 y) s.
  apply: eq_in_filter => z zs; rewrite /=; case: (eqVneq z y) => [-> | zy].
    by apply/allP => u us; case: (eqVneq u y) => [-> // | /(H u us)/ltW].
  by apply/negbTE/negP => /allP /(_ y ys); rewrite leNgt H.
have : all (pred1 y) (follows s x) by rewrite E; apply/allP => z; rewrite mem_filter => /andP[].
by move/all_pred1P => ->; rewrite E size_filter c1.
Qed.

Lemma leaderI s x : count_mem x s = 1%N -> (forall y, y \in s -> y != x -> dotA x y < normA x) -> leader s x.
Proof. by move=> c1 H; apply/eqP; exact: follows_one. Qed.

Lemma leader_step s x : leader s x -> step s x = x.
Proof.
move=> l; rewrite /step (eqP l) /mean /= big_seq1 invr1 scale1r subrr scaler0 addr0 //.
Qed.

Lemma step_strict s x y : leader s x -> y \in s -> y != x -> dotA x (step s y) < normA x.
Proof.
move=> l ys yx; rewrite stepE dotADr !dotAZr.
have -> : normA x = (1 - a) * normA x + a * normA x by ring.
apply: ltr_le_add; first by rewrite ltr_pmul2l ?subr_gt0 // (leader_strict l).
rewrite ler_pmul2l // -dotAZr; apply: mean_le => [|z /follows_sub zs]; first exact: follows_neq0.
by apply: follows_max zs; rewrite (eqP l) inE.
Qed.

Lemma leader_next s x : leader s x -> leader (layer s) x.
Proof.
move=> l; have xs := leader_mem l; apply: leaderI.
  transitivity (count_mem x s); last exact: leader_count.
  rewrite count_map; apply: eq_in_count => y ys /=.
  case: (eqVneq y x) => [-> | yx]; first by rewrite leader_step ?eqxx.
  by apply/eqP => E; have := step_strict l ys yx; rewrite E ltxx.
move=> _ /mapP[y ys ->] yx; apply: step_strict => //.
by apply: contra yx => /eqP ->; rewrite leader_step.
Qed.

Theorem lemma4 s x k : leader s x ->
  let s' := iter k layer s in [/\ leader s' x, step s' x = x & ~ hull (rem x s') x].
Proof.
move=> l; have : leader (iter k layer s) x by elim: k => //= k; exact: leader_next.
move: (iter k layer s) => s' l' /=.
split=> //; first exact: leader_step.
case=> w [w0 w1 E]; have := congr1 (dotA x) E; rewrite -/(normA x) [RHS]/dotA inner_sumr => F.
suff : \sum_(y <- rem x s') inner (A *m x) (w y *: y) < normA x by rewrite -F ltxx.
have H y : y \in rem x s' -> dotA x y < normA x.
  move=> yr; apply: (leader_strict l'); first exact: mem_rem yr.
  by apply: contraTneq yr => ->; rewrite -has_pred1 has_count count_rem leader_count // leader_mem //= eqxx.
rewrite -subr_gt0 -[normA x]mul1r -w1 mulr_suml -sumrB.
have E2 : \sum_(y <- rem x s') (w y * normA x - inner (A *m x) (w y *: y)) =
          \sum_(y <- rem x s') w y * (normA x - dotA x y).
  by apply: eq_bigr => y _; rewrite innerZr mulrBr.
have G y : y \in rem x s' -> 0 <= w y * (normA x - dotA x y).
  by move=> /H ?; rewrite mulr_ge0 // subr_ge0 ltW.
rewrite E2 lt_def big_seq sumr_ge0 // andbT -big_seq; apply/negP => /eqP Z.
suff : \sum_(y <- rem x s') w y = 0 by move/eqP; rewrite w1 oner_eq0.
elim: (rem x s') Z H G {w1 E F E2} => [|y t IH]; rewrite ?big_nil // !big_cons => Z H G.
have Gt : 0 <= \sum_(u <- t) w u * (normA x - dotA x u).
  by rewrite big_seq sumr_ge0 // => u ut; apply: G; rewrite inE ut orbT.
have Gy : 0 <= w y * (normA x - dotA x y) by apply: G; rewrite mem_head.
move/eqP: Z; rewrite paddr_eq0 // => /andP[/eqP Zy /eqP Zt].
rewrite IH // => [|u ut|u ut]; try by apply: H || apply: G; rewrite inE ut orbT.
move/eqP: Zy; rewrite mulf_eq0 subr_eq0 => /orP[/eqP -> | /eqP e]; first by rewrite addr0.
by have := H y (mem_head _ _); rewrite e ltxx.
Qed.

(** ** Lemma 5: with distinct tokens, a token of largest A-norm is a leader *)

Lemma dotA_lt x y : y != x -> normA y <= normA x -> dotA x y < normA x.
Proof.
move=> yx yn; have : 0 < normA (y - x) by rewrite normA_gt0 // subr_eq0.
rewrite {1}/normA dotABl !dotABr (dotAC y x) -/(normA x) -/(normA y) => H.
have : 0 < 2%:R * (normA x - dotA x y); last by rewrite pmulr_rgt0 ?ltr0n // subr_gt0.
apply: lt_le_trans H _; rewrite -subr_ge0.
have -> : 2%:R * (normA x - dotA x y) - (normA y - dotA x y - (dotA x y - normA x)) = normA x - normA y by ring.
by rewrite subr_ge0.
Qed.

Theorem lemma5 s x : uniq s -> x \in s -> (forall y, y \in s -> normA y <= normA x) -> leader s x.
Proof.
move=> us xs H; apply: leaderI => [|y ys yx]; first by rewrite count_uniq_mem // xs.
by apply: dotA_lt => //; exact: H.
Qed.

(** ** Lemma 6: whoever is followed, and is somewhere else, has the larger A-norm *)

Theorem lemma6 s x y : x \in s -> y \in follows s x -> y != x -> normA x < normA y.
Proof.
move=> xs yx ne; rewrite ltNge; apply/negP => /(dotA_lt ne).
by rewrite ltNge (follows_max yx xs).
Qed.

End Dynamics.

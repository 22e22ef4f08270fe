(** Tokens whose limit is a vertex lock; without ties, all tokens do.

    The theorem of [Clustering] says where tokens end; here: when the follower sets stop changing. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric Orbit Convergence Clustering.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Lock.

Variables (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R).
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x.
Hypothesis a_gt0 : 0 < a.
Hypothesis a_lt1 : a < 1.
Variable s : seq 'cV[R]_d.
Hypothesis distinct : uniq s.

Notation dotA := (dotA A).
Notation normA := (normA A).
Notation I := 'I_(size s).
Notation z := (token_at A a s).
Notation state := (state A a s).
Notation leads := (leads A a s).

Lemma unit_sum (x : 'cV[R]_d) : x = \sum_(c < d) x c 0 *: delta_mx c 0.
Proof.
apply/colP => j; rewrite summxE (bigD1 j) //= !mxE !eqxx mulr1 big1 ?addr0 // => c cj.
by rewrite !mxE eq_sym (negbTE cj) mulr0.
Qed.

(** No direction leaves a leader faster than it loses along the leader. *)
Lemma exposed_all K (g : I) : leads K g -> exists2 D, 0 < D & forall c k (m : I), (K <= k)%N ->
  `|dotA (delta_mx c 0) (z k m - z K g)| <= D * dotA (z K g) (z K g - z k m).
Proof.
move=> l; pose e (c : 'I_d) : 'cV[R]_d := delta_mx c 0.
have H (b : bool * 'I_d) : exists D, 0 < D /\ forall k (m : I), (K <= k)%N ->
    dotA ((-1) ^+ b.1 *: e b.2) (z k m - z K g) <= D * dotA (z K g) (z K g - z k m).
  by have [D D0 HD] := exposed A_sym A_pos a_gt0 a_lt1 distinct ((-1) ^+ b.1 *: e b.2) l; exists D.
have [D D0 HD] : exists2 D, 0 < D & forall (b : bool * 'I_d) k (m : I), (K <= k)%N ->
    dotA ((-1) ^+ b.1 *: e b.2) (z k m - z K g) <= D * dotA (z K g) (z K g - z k m).
  suff [D D0 HD] : exists2 D, 0 < D & forall b, b \in enum [finType of bool * 'I_d] -> forall k (m : I), (K <= k)%N ->
      dotA ((-1) ^+ b.1 *: e b.2) (z k m - z K g) <= D * dotA (z K g) (z K g - z k m).
    by exists D => // b; apply: HD; rewrite mem_enum.
  elim: (enum _) => [|b u [D D0 HD]]; first by exists 1; rewrite ?ltr01.
  have [E [E0 HE]] := H b; exists (D + E) => [|b' bu k m Kk]; first exact: addr_gt0.
  have t0 : 0 <= dotA (z K g) (z K g - z k m).
    have [lk <-] := leads_later a_gt0 a_lt1 l Kk; rewrite dotABr subr_ge0.
    case: (eqVneq m g) => [-> // | mg]; exact/ltW/(leads_strict A_sym A_pos a_gt0 a_lt1 distinct lk mg).
  rewrite mulrDl; move: bu; rewrite inE => /orP[/eqP -> | bu].
    by apply: le_trans (HE k m Kk) _; rewrite ler_addr mulr_ge0 // ltW.
  by apply: le_trans (HD b' bu k m Kk) _; rewrite ler_addl mulr_ge0 // ltW.
exists D => // c k m Kk; rewrite ler_norml; apply/andP; split.
  by rewrite ler_oppl; have := HD (true, c) k m Kk; rewrite /= expr1 scaleN1r /e /Dynamics.dotA mulmxN -scaleN1r innerZl mulN1r.
by have := HD (false, c) k m Kk; rewrite /= expr0 scale1r.
Qed.

(** A token whose limit is the place of a leader follows this leader alone, from some layer on. *)
Theorem vertex_limits_lock (i g : I) K : leads K g -> tends (fun k => z k i) (z K g) ->
  eventually (fun k => follows A (state k) (z k i) = [:: z K g]).
Proof.
move=> lg lim; have [D D0 HD] := exposed_all lg; set p := z K g in lim HD *.
pose e := (D * d.+1%:R)^-1; have e0 : 0 < e by rewrite invr_gt0 mulr_gt0 ?ltr0n.
have H := eventually_and (eventually_all (fun c => lim c e e0)) (eventually_le K).
apply: eventually_mono H => k [close Kk]; have [lk Ep] := leads_later a_gt0 a_lt1 lg Kk.
rewrite -/p in Ep; apply: follows_one.
  by rewrite count_uniq_mem ?(uniq_state A_sym A_pos a_gt0 a_lt1 distinct) // -Ep z_mem.
move=> y /stateP[m ->] mp; have mg : m != g by apply: contra mp => /eqP ->; rewrite Ep.
have t0 : 0 < dotA p (p - z k m).
  by rewrite dotABr subr_gt0; move: (leads_strict A_sym A_pos a_gt0 a_lt1 distinct lk mg); rewrite Ep.
have near : `|dotA (z k i - p) (z k m - p)| < dotA p (p - z k m).
  rewrite (unit_sum (z k i - p)) (dotAC A_sym) dotA_sumr.
  apply: (@le_lt_trans _ _ (\sum_(c < d) e * (D * dotA p (p - z k m)))).
    apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => c _.
    rewrite dotAZr normrM (dotAC A_sym); apply: ler_pmul => //; last exact: HD.
    by rewrite !mxE ltW.
  have eD : e * D = d.+1%:R^-1 by rewrite /e invfM mulrAC mulVf ?mul1r // lt0r_neq0.
  rewrite sumr_const card_ord mulrA eD -mulr_natl mulrA -[X in _ < X]mul1r ltr_pmul2r //.
  by rewrite ltr_pdivr_mulr ?ltr0n // mul1r ltr_nat.
move: near; rewrite ltr_norml => /andP[_]; rewrite dotABl // !dotABr => near.
by lin near.
Qed.

End Lock.

(** ** Without ties *)

Theorem without_ties (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R) (s : seq 'cV[R]_d) (K : nat) :
  excluded_middle -> archimedean R ->
  A^T = A -> (forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x) -> 0 < a -> a < 1 -> uniq s ->
  (* from layer K on nobody is undecided *)
  (forall k (i : 'I_(size s)), (K <= k)%N -> size (follows A (state A a s k) (token_at A a s k i)) = 1%N) ->
  (* every token follows one and the same leader from some layer on, and tends to it *)
  forall i : 'I_(size s), exists (g : 'I_(size s)) m, leads A a s m g /\
    tends (fun k => token_at A a s k i) (token_at A a s m g) /\
    eventually (fun k => follows A (state A a s k) (token_at A a s k i) = [:: token_at A a s m g]).
Proof.
move=> EM arch A_sym A_pos a0 a1 us single i.
have [l L] := convergence EM arch A_sym A_pos a0 a1 us.
have [[m [g [lg E]]] | [H [H0 Hh [k [g [Kk Hg]]] E]]] := limits EM arch A_sym A_pos a0 a1 us K L i.
  have T : tends (fun k => token_at A a s k i) (token_at A a s m g) by rewrite -E; exact: (near_tends A_sym A_pos (L i)).
  by exists g, m; split=> //; split=> //; exact: (vertex_limits_lock A_sym A_pos a0 a1 us lg T).
have : (#|H| <= 1)%N.
  by apply: leq_trans (subset_leq_card Hg) _; have := single k g Kk; rewrite followsE size_image => ->.
case/set0Pn: H0 => j jH; rewrite (cardsD1 j) jH add1n ltnS leqn0 cards_eq0 => /eqP D.
have H1 : H = [set j] by apply/eqP; rewrite eqEsubset sub1set jH andbT -setD_eq0 D.
move: E; rewrite H1 cards1 invr1 scale1r big_set1 => E.
by have := higher_limit A_sym A_pos L (Hh j jH); rewrite E ltxx.
Qed.

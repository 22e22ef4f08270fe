(** An executable checker of certificates of limits, on integers over common denominators: locked tokens and closed forms.
    [LimitSound.v] proves: [check_limit c = true -> limit_claim c]. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect.
From Exactformer Require Import Certificate Checker LimitCertificate PowerSums.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** The pure-attention block:  z -> (1-a) z + a mean,  a = p/(p+q)  for  alpha = p/q *)

Definition positive_part (z : Z) : positive := if z is Zpos p then p else xH.
Definition lit_whole (alpha : Q) : positive := Pos.add (positive_part (Qnum alpha)) (Qden alpha).
Definition lit_a (alpha : Q) : Q := Qmake (Zpos (positive_part (Qnum alpha))) (lit_whole alpha).
Definition lit_r (alpha : Q) : Q := Qmake (Zpos (Qden alpha)) (lit_whole alpha).

Definition lim_sa (c : limit_certificate) : sa_literal :=
  SA (lit_r (lim_alpha c)) (Scalar (lit_a (lim_alpha c))) (lim_dim c) (Dense (lim_matrix c)) (Scalar (Qmake (Zpos xH) xH)).
Definition lim_block (c : limit_certificate) : block_literal := BlockLiteral None (Some (lim_sa c)).

Section Checker.

Variable I : integers.

Let O : I := of_Z I Z0.
Let minus_one : I := of_Z I (Zneg xH).

(** ** A symmetric and positive definite, by elimination without fractions *)

Definition symmetric (d : nat) (M : seq (seq I)) : bool :=
  all (fun i => all (fun j => eqb (nth O (nth [::] M i) j) (nth O (nth [::] M j) i)) (iota 0 d)) (iota 0 d).

(** p M - column row, without the first row and the first column. *)
Definition eliminate (p : I) (b : seq I) (M : seq (seq I)) : seq (seq I) :=
  [seq addv (scale p (behead r)) (scale (mul minus_one (head O r)) b) | r <- M].

Fixpoint definite (d : nat) (M : seq (seq I)) : bool :=
  if d is d'.+1 then
    let r := head [::] M in
    let p := head O r in
    ~~ leb p O && definite d' (eliminate p (behead r) (behead M))
  else true.

(** ** Tokens, at the state s of layer K *)

Section Tokens.

Variables (d : nat) (ac : sa_compiled I) (s : state I).

Let query := apply (sa_query ac).
Let key := apply (sa_key ac).
Definition lim_keys : seq (seq I * seq I) := [seq (key x, x) | x <- vectors s].

(** Vectors that are different in one of the first d places, or in none. *)
Definition differ (x y : seq I) : bool := has (fun i => ~~ eqb (nth O x i) (nth O y i)) (iota 0 d).
Definition same (x y : seq I) : bool := ~~ differ x y.

(** Only those who stand at Y are best for Y. *)
Definition leading_at (keys : seq (seq I * seq I)) (Y : seq I) : bool :=
  let q := query Y in let m := dot q (key Y) in all (fun p => same p.2 Y || ~~ leb m (dot q p.1)) keys.

Definition best_for (keys : seq (seq I * seq I)) (X : seq I) (F : seq (seq I)) : bool :=
  let q := query X in let m := largest [seq dot q p.1 | p <- keys] in all (fun Y => leb m (dot q (key Y))) F.

(** The limit over its denominator k, and over k times that of s. *)
Definition limit_over (l : place) : I := common I (at_limit l).
Definition limit_high (l : place) : seq I := scale (over s) (map (clear (limit_over l)) (at_limit l)).

(** *** Leader or not; vertex or not *)

Definition leads_now (keys : seq (seq I * seq I)) (X : seq I) : bool :=
  (size (winners keys (query X)) == 1)%N && best_for keys X [:: X].

Definition check_kind (keys : seq (seq I * seq I)) (leader : bool) (l : place) (X : seq I) : bool :=
  let k := limit_over l in
  let L := limit_high l in
  (leader == leads_now keys X) &&
  (is_vertex l == has (fun Y => same L (scale k Y) && leading_at keys Y) (vectors s)).

(** *** A projection: a combination of leading positions of the face of normal h, none of which is shorter along A l *)

Definition check_face (keys : seq (seq I * seq I)) (l : place) : bool :=
  let k := limit_over l in
  let L := limit_high l in
  let h := map (clear (common I (normal l))) (normal l) in
  let W := common I [seq w.2 | w <- weights l] in
  let leading := [seq Y <- vectors s | leading_at keys Y] in
  let face := [seq Y <- leading | all (fun Z => leb (dot h Z) (dot h Y)) leading] in
  let parts := [seq (clear W w.2, nth [::] (vectors s) w.1) | w <- weights l] in
  [&& (size h <= d)%N, all (fun w => leb O (clear W w.2)) (weights l),
      all (fun p => has (same p.2) face) parts,
      eqb (total [seq p.1 | p <- parts]) W,
      same (scale k (sumv [seq scale p.1 p.2 | p <- parts])) (scale W L)
    & all (fun Y => leb (dot (query L) (key L)) (dot (query L) (key (scale k Y)))) face].

(** *** Locked: it follows leading positions, all of them best for their mean, which is the limit *)

Definition locks (keys : seq (seq I * seq I)) (X : seq I) : bool :=
  let F := winners keys (query X) in all (leading_at keys) F && best_for keys (sumv F) F.

Definition check_lock (keys : seq (seq I * seq I)) (l : place) (X : seq I) : bool :=
  let F := winners keys (query X) in
  locks keys X && same (scale (of_Z I (Z.of_nat (size F))) (limit_high l)) (scale (limit_over l) (sumv F)).

(** *** Closed forms: terms (B, m, V) that mean  V (B/D)^k binom(k,m) / (W over s) *)

Definition closed : Type := seq (I * nat * seq I).

Section Forms.

Variables (c : limit_certificate) (D W : I).   (* denominators of all bases, of all vectors *)

Definition closed_of (l : place) (X : seq I) : closed :=
  let v x := scale (over s) (map (clear W) x) in
  match by_evidence l with
  | Locked =>
      [:: (D, 0%N, v (at_limit l)); (clear D (lit_r (lim_alpha c)), 0%N, addv (scale W X) (scale minus_one (v (at_limit l))))]
  | Form ts _ => [seq (clear D t.1.1, t.1.2, v t.2) | t <- ts]
  end.

(** q g D z(k+1) - D p g z(k) - D a (sum over G),  coordinate x, in the basis b^k binom(k,m). *)
Definition recurrence (forms : seq closed) (f : closed) (G : seq nat) (x : nat) : seq (term I) :=
  let alpha := lim_alpha c in
  let g := number I (size G) in
  let up := mul g (of_Z I (Zpos (lit_whole alpha))) in
  let down := opposite (mul D (mul g (of_Z I (Zpos (Qden alpha))))) in
  let pull := opposite (mul D (of_Z I (Zpos (positive_part (Qnum alpha))))) in
  let raised := [seq (t.1, mul (mul up t.1.1) (nth O t.2 x)) | t <- f] in
  raised ++ [seq (base t, (power t).-1, factor t) | t <- raised & (0 < power t)%N]
    ++ [seq (t.1, mul down (nth O t.2 x)) | t <- f]
    ++ flatten [seq [seq (t.1, mul pull (nth O t.2 x)) | t <- nth [::] forms j] | j <- G].

(** k (k-1) .. (k-m+1) by its coefficients; M! / m!. *)
Fixpoint falling_factors (m : nat) : seq I :=
  if m is m'.+1 then addv (O :: falling_factors m') (scale (opposite (number I m')) (falling_factors m')) else [:: of_Z I (Zpos xH)].
Definition quotient (M m : nat) : I := foldr (fun i p => mul (number I i) p) (of_Z I (Zpos xH)) (iota m.+1 (M - m)).

(** M! times the form, in powers of k. *)
Definition in_powers (M : nat) (f : closed) : closed :=
  flatten [seq [seq (t.1.1, e, scale (mul (quotient M t.1.2) (nth O (falling_factors t.1.2) e)) t.2) | e <- iota 0 t.1.2.+1] | t <- f].

Definition mapped (g : seq I -> seq I) (f : closed) : closed := [seq (t.1, g t.2) | t <- f].

(** <A z_i, z_j - z_l> from A z_i, z_j and z_l, up to a positive factor. *)
Definition gap (qi kj kl : closed) : seq (term I) :=
  flatten [seq [seq (mul t.1.1 u.1.1, (t.1.2 + u.1.2)%N, dot t.2 u.2) | u <- kj ++ mapped (scale minus_one) kl] | t <- qi].

Definition largest_power_of (forms : seq closed) : nat := foldr maxn 0%N [seq t.1.2 | t <- flatten forms].

Definition check_form (forms keyed : seq closed) (M : nat) (G : seq nat) (k0 : nat) (l : place) (f : closed) (X : seq I) : bool :=
  let qi := mapped query (in_powers M f) in
  let kj := nth [::] keyed (head 0%N G) in
  [&& all (fun t => [&& ~~ leb t.1.1 O, leb t.1.1 D & eqb t.1.1 D ==> (t.1.2 == 0)%N]) f,
      same (sumv [seq t.2 | t <- f & t.1.2 == 0%N]) (scale W X),
      same (sumv [seq t.2 | t <- f & eqb t.1.1 D]) (scale (over s) (map (clear W) (at_limit l))),
      all (fun x => vanishes (recurrence forms f G x)) (iota 0 d)
    & all (fun j => let t := gap qi kj (nth [::] keyed j) in if j \in G then vanishes t else positive_for_ever k0 t)
        (iota 0 (size (vectors s)))].

End Forms.

Definition members (keys : seq (seq I * seq I)) (X : seq I) : seq nat :=
  let scores := [seq dot (query X) p.1 | p <- keys] in
  let m := largest scores in [seq j <- iota 0 (size scores) | leb m (nth O scores j)].

End Tokens.

(** ** All together *)

Definition base_denominator (c : limit_certificate) : I :=
  common I (lit_r (lim_alpha c) ::
    flatten [seq (if by_evidence l is Form ts _ then [seq t.1.1 | t <- ts] else [::]) | l <- lim_places c]).

Definition vector_denominator (c : limit_certificate) : I :=
  common I (flatten [seq at_limit l ++ (if by_evidence l is Form ts _ then flatten [seq t.2 | t <- ts] else [::]) | l <- lim_places c]).

Definition check_limit (c : limit_certificate) : bool :=
  let d := lim_dim c in
  let A := vectors (clear_rows I (lim_matrix c)) in
  let b := compile I d (lim_block c) in
  let s := foldl (@run_block I) (clear_rows I (lim_tokens c)) (nseq (lim_layer c) b) in
  let ac := compile_sa I d (lim_sa c) in
  let keys := lim_keys ac s in
  let D := base_denominator c in
  let W := vector_denominator c in
  let forms := [seq closed_of s c D W p.1 p.2 | p <- zip (lim_places c) (vectors s)] in
  let M := largest_power_of forms in
  let keyed := [seq mapped (apply (sa_key ac)) (in_powers M f) | f <- forms] in
  [&& shaped_limit c, ~~ Z.leb (Qnum (lim_alpha c)) Z0, symmetric d A, definite d A
    & all (fun i =>
        let l := nth (Place [::] Locked true [::] [::]) (lim_places c) i in
        let X := nth [::] (vectors s) i in
        [&& check_kind d ac s keys (i \in lim_leaders c) l X, is_vertex l || check_face d ac s keys l
          & if by_evidence l is Form _ k0 then
              check_form d ac s c D W forms keyed M (members ac keys X) k0 l (nth [::] forms i) X
            else check_lock d ac s keys l X])
        (iota 0 (size (lim_tokens c)))].

End Checker.

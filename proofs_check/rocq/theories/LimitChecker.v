(** An executable checker of certificates of limits (all tokens locked), on integers over common denominators.
    [LimitSound.v] proves: [check_limit c = true -> limit_claim c]. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect.
From Exactformer Require Import Certificate Checker LimitCertificate.

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

(** ** Locked tokens *)

Section Locked.

Variables (d : nat) (ac : sa_compiled I) (s : state I).

Let query := apply (sa_query ac).
Let key := apply (sa_key ac).
Definition lim_keys : seq (seq I * seq I) := [seq (key x, x) | x <- vectors s].

(** Vectors that are different in one of the first d places. *)
Definition differ (x y : seq I) : bool := has (fun i => ~~ eqb (nth O x i) (nth O y i)) (iota 0 d).

(** Only those who stand at Y are best for Y; somebody who stands elsewhere is as good. *)
Definition leading_at (keys : seq (seq I * seq I)) (Y : seq I) : bool :=
  let q := query Y in let m := dot q (key Y) in all (fun p => eqv p.2 Y || ~~ leb m (dot q p.1)) keys.
Definition not_leading_at (keys : seq (seq I * seq I)) (Y : seq I) : bool :=
  let q := query Y in let m := dot q (key Y) in has (fun p => leb m (dot q p.1) && differ p.2 Y) keys.

Definition best_for (keys : seq (seq I * seq I)) (X : seq I) (F : seq (seq I)) : bool :=
  let q := query X in let m := largest [seq dot q p.1 | p <- keys] in all (fun Y => leb m (dot q (key Y))) F.

(** The limit's numerators L over k are those of the mean of F. *)
Definition check_token (keys : seq (seq I * seq I)) (leader : bool) (l : place) (X : seq I) : bool :=
  let F := winners keys (query X) in
  let S := sumv F in
  let k := common I (at_limit l) in
  let L := map (clear k) (at_limit l) in
  let kL := scale (over s) L in
  [&& all (leading_at keys) F, best_for keys S F,
      eqv (scale (of_Z I (Z.of_nat (size F))) kL) (scale k S),
      leader == ((size F == 1)%N && best_for keys X [:: X])
    & if is_vertex l then has (fun Y => eqv kL (scale k Y) && leading_at keys Y) (vectors s)
      else all (fun Y => differ kL (scale k Y) || not_leading_at keys Y) (vectors s)].

End Locked.

Definition check_limit (c : limit_certificate) : bool :=
  let d := lim_dim c in
  let A := vectors (clear_rows I (lim_matrix c)) in
  let b := compile I d (lim_block c) in
  let s := foldl (@run_block I) (clear_rows I (lim_tokens c)) (nseq (lim_layer c) b) in
  let ac := compile_sa I d (lim_sa c) in
  let keys := lim_keys ac s in
  [&& shaped_limit c, ~~ Z.leb (Qnum (lim_alpha c)) Z0, symmetric d A, definite d A
    & all (fun i => check_token d ac s keys (i \in lim_leaders c) (nth (Place [::] false) (lim_places c) i) (nth [::] (vectors s) i))
        (iota 0 (size (lim_tokens c)))].

End Checker.

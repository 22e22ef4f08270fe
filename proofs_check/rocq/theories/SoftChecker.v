(** Interpolation by softmax from a temperature on (FORMAT.md, section 2.1, rule A): an executable checker, on boxes that
    contain every token at every inverse temperature beta >= b, and for hardmax.  [SoftSound.v] proves it sound. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect.
From Exactformer Require Import Certificate Checker Intervals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** A box and the number of tokens in it; those of one slot are equal. *)
Definition slot : Type := (box * nat)%type.

Fixpoint same_box (X Y : box) : bool :=
  match X, Y with
  | [::], [::] => true
  | a :: X', b :: Y' => [&& rat_eq a.1 b.1, rat_eq a.2 b.2 & same_box X' Y']
  | _, _ => false
  end.

(** Tokens at one and the same point share a slot, where the first of them stands. *)
Fixpoint put (X : box) (n : nat) (st : seq slot) : seq slot :=
  if st is t :: st' then
    if all is_point X && same_box t.1 X then (t.1, (t.2 + n)%N) :: st' else t :: put X n st'
  else [:: (X, n)].
Definition settle (st : seq slot) : seq slot := foldl (fun s t => put t.1 t.2 s) [::] st.

Section Parts.

Variables (d : nat) (b0 : Q) (bits : nat) (grid : positive).   (* temperatures >= b0; grid is 2^bits *)

(** ** Feed-forward: active units are summed before they are evaluated; an undecided one is between 0 and its largest value *)

Definition units_of (f : ff_literal) : seq hinge_literal :=
  let p := size (lit_b f) in
  [seq Hinge x.1.1 x.1.2 x.2 | x <- zip (zip (rows p d (lit_U f)) (lit_b f)) (columns d p (lit_W f))].

Definition add_row (w : Q) (u r : seq Q) : seq Q :=
  if is_zero w then r else [seq rat_add p.2 (rat_mul w p.1) | p <- zip u r].

Definition add_box (w : seq Q) (a : interval) (C : box) : box := [seq join (stretch p.1 a) p.2 | p <- zip w C].

Definition add_unit (X : box) (h : hinge_literal) (p : seq (seq Q) * box) : seq (seq Q) * box :=
  let t := join (on_box (hinge_u h) X) (at_point (hinge_b h)) in
  if nonneg t.1 then
    ([seq add_row q.1 (hinge_u h) q.2 | q <- zip (hinge_w h) p.1], add_box (hinge_w h) (at_point (hinge_b h)) p.2)
  else if nonpos t.2 then p
  else (p.1, add_box (hinge_w h) (zero, t.2) p.2).

Definition image (eta : Q) (units : seq hinge_literal) (X : box) : box :=
  let p := foldr (add_unit X) (mkseq (fun i => mkseq (entry (Scalar eta) i) d) d, nseq d at_zero) units in
  [seq rounded grid (join (on_box q.1 X) q.2) | q <- zip p.1 p.2].

Definition soft_ff (eta : Q) (units : seq hinge_literal) (st : seq slot) : seq slot :=
  settle [seq (image eta units t.1, t.2) | t <- st].

(** ** Attention *)

Definition forms (M : seq (seq Q)) (X : box) : box := [seq on_box r X | r <- M].

Definition hull_all (l : seq interval) : interval := if l is a :: l' then foldr hull a l' else at_zero.

(** Scores of rank one: all positive queries become the hull of them, all negative ones theirs. *)
Definition positive_query (q : interval) : bool := ~~ nonpos q.1.
Definition negative_query (q : interval) : bool := ~~ nonneg q.2.
Definition by_sign (qs : seq box) : seq box :=
  let l := [seq head at_zero q | q <- qs] in
  let up := hull_all [seq q <- l | positive_query q] in
  let down := hull_all [seq q <- l | negative_query q] in
  [seq [:: if positive_query q then up else if negative_query q then down else q] | q <- l].

Definition middle (a : interval) : Q := rat_add a.1 a.2.
Fixpoint middle_score (q k : box) : Q :=
  match q, k with
  | a :: q', c :: k' => rat_add (rat_mul (middle a) (middle c)) (middle_score q' k')
  | _, _ => zero
  end.

(** The first key of largest score between middles. *)
Definition reference (q : box) (keys : seq box) : nat :=
  let l := [seq middle_score q k | k <- keys] in
  let top := foldl rat_max (head zero l) l in
  let r := find (rat_le top) l in if (r < size l)%N then r else 0%N.

(** <q, k - k'>. *)
Fixpoint gap (q k k' : box) : interval :=
  match q, k, k' with
  | a :: q1, c :: k1, e :: k2 => join (times a (minus c e)) (gap q1 k1 k2)
  | _, _, _ => at_zero
  end.

Definition gaps (q : box) (keys : seq box) (r : nat) : seq interval :=
  let best := nth [::] keys r in
  [seq if p.1 == r then at_zero else gap q best p.2 | p <- zip (iota 0 (size keys)) keys].

Definition inverse (n : nat) : Q := Qmake (Zpos xH) (Z.to_pos (Z.of_nat n)).

Definition uniform_mean (st : seq slot) : box :=
  let c := inverse (sumn [seq t.2 | t <- st]) in
  [seq stretch c a | a <- foldr (fun t B => [seq join (stretch (rat_nat t.2) p.1) p.2 | p <- zip t.1 B]) (nseq d at_zero) st].

Fixpoint hull_boxes (X : box) (l : seq box) : box := if l is Y :: l' then hull_box X (hull_boxes Y l') else X.

(** How many halvings a gap gives: the largest m <= bits with 7 m <= 10 b0 gap. *)
Definition halvings (g : Q) : nat :=
  let z := Z.div (Z.mul (Z.mul (Zpos 10) (Qnum b0)) (Qnum g)) (Z.mul (Z.mul (Zpos 7) (Zpos (Qden b0))) (Zpos (Qden g))) in
  if Z.leb z (Z.of_nat bits) then Z.to_nat z else bits.

Definition weight_bound (g : interval) (n : nat) : Q := Qmake (Z.of_nat n) (power_of_two (halvings g.1)).

Definition pulled (eps : Q) (a c : interval) : interval :=
  (rat_add a.1 (rat_min zero (rat_mul eps (rat_add c.1 (rat_opp a.1)))),
   rat_add a.2 (rat_max zero (rat_mul eps (rat_add c.2 (rat_opp a.2))))).

Definition dominated_mean (st : seq slot) (gs : seq interval) (r : nat) : box :=
  let l := zip st gs in
  let near := [seq p.1.1 | p <- l & nonpos p.2.1] in
  let far := [seq p <- l | ~~ nonpos p.2.1] in
  let B := hull_boxes (head [::] near) (behead near) in
  if far is p :: far' then
    let sum := foldr (fun p s => rat_add (weight_bound p.2 p.1.2) s) zero far in
    let eps := rat_min rat_one (rat_mul sum (inverse (nth ([::], 0%N) st r).2)) in
    let S := hull_boxes p.1.1 [seq q.1.1 | q <- far'] in
    [seq pulled eps q.1 q.2 | q <- zip B S]
  else B.

Definition soft_mean (st : seq slot) (keys : seq box) (q : box) : box :=
  let r := reference q keys in
  let gs := gaps q keys r in
  if all (fun g => is_zero g.1 && is_zero g.2) gs then uniform_mean st else dominated_mean st gs r.

(** Evaluate once for every query. *)
Fixpoint recall (q : box) (known : seq (box * box)) : option box :=
  if known is p :: known' then if same_box p.1 q then Some p.2 else recall q known' else None.
Fixpoint map_known (f : box -> box) (known : seq (box * box)) (qs : seq box) : seq box :=
  if qs is q :: qs' then
    if recall q known is Some m then m :: map_known f known qs'
    else let m := f q in m :: map_known f ((q, m) :: known) qs'
  else [::].

Record soft_compiled := SoftC { soft_rho : Q; soft_V : seq (seq Q); soft_Q : seq (seq Q); soft_K : seq (seq Q) }.

Definition moved (a : soft_compiled) (X m : box) : box :=
  [seq rounded grid (join (stretch (soft_rho a) p.1) (on_box p.2 m)) | p <- zip X (soft_V a)].

Definition soft_sa (a : soft_compiled) (st : seq slot) : seq slot :=
  let qs := [seq forms (soft_Q a) t.1 | t <- st] in
  let qs' := if size (soft_Q a) == 1%N then by_sign qs else qs in
  let keys := [seq forms (soft_K a) t.1 | t <- st] in
  settle [seq (moved a p.1.1 p.2, p.1.2) | p <- zip st (map_known (soft_mean st keys) [::] qs')].

(** ** Transformer and data *)

Definition soft_compile (c : block_literal) : option (Q * seq hinge_literal) * option soft_compiled :=
  (omap (fun f => (lit_eta f, units_of f)) (lit_ff c),
   omap (fun a => SoftC (lit_rho a) (rows_of d d (lit_V a)) (rows_of (lit_height a) d (lit_Q a)) (rows_of (lit_height a) d (lit_K a)))
     (lit_sa c)).

Definition soft_block (st : seq slot) (c : option (Q * seq hinge_literal) * option soft_compiled) : seq slot :=
  let st' := if c.1 is Some f then soft_ff f.1 f.2 st else st in
  if c.2 is Some a then soft_sa a st' else st'.

Fixpoint within (x : seq Q) (X : box) : bool :=
  match x, X with
  | [::], [::] => true
  | c :: x', a :: X' => [&& rat_le a.1 c, rat_le c a.2 & within x' X']
  | _, _ => false
  end.

(** Both inclusions, as far as the boxes tell. *)
Definition not_refuted (st : seq slot) (l : seq (seq Q)) : bool :=
  all (fun t => has (fun y => within y t.1) l) st && all (fun y => has (fun t => within y t.1) st) l.
Definition all_points (st : seq slot) : bool := all (fun t => all is_point t.1) st.

(** Some false: a box refutes the claim; None: the boxes are too wide to tell. *)
Definition soft_sequence (t : seq (option (Q * seq hinge_literal) * option soft_compiled)) (s : sequence_literal) : option bool :=
  let st := foldl soft_block (settle [seq (map at_point x, 1%N) | x <- tokens s]) t in
  if not_refuted st (targets s) then if all_points st then Some true else None else Some false.

End Parts.

(** The first verdict that is not yes. *)
Fixpoint first_doubt (A : Type) (f : A -> option bool) (l : seq A) : option bool :=
  if l is x :: l' then if f x is Some true then first_doubt f l' else f x else Some true.

Definition check_soft (b0 : Q) (bits : nat) (c : certificate) : option bool :=
  if shaped c && ~~ nonpos b0 then
    let t := map (soft_compile (dim c)) (blocks c) in
    first_doubt (soft_sequence (dim c) b0 bits (power_of_two bits) t) (sequences c)
  else Some false.

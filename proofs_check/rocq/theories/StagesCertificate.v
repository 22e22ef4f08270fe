(** What a certificate of limits in stages says (FORMAT.md, section 13): its literal numbers, and what they claim.
    The stages themselves are the proof: the claim speaks of them only through the layer of the last one. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ.
From Exactformer Require Import Semantics Certificate Checker Instances Dynamics Limits Orbit Polytope Lock Forever PowerSums LimitCertificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** A number: the sum of its terms  c b^e .. *)
Definition power_term : Type := Q * seq (Q * nat).
Definition power_number : Type := seq power_term.

(** Token i: its limit, and its kind: a vertex, or a projection; then the weights, and a normal of the face that is not
    written in the file. *)
Record destination := Destination {
  at_number : seq power_number;
  at_vertex : bool;
  face_weights : seq (nat * Q);
  face_normal : seq Q
}.

(** A stage as it is written, and what is not written: the closed form of every token, with terms (base, power, vector)
    and the layer K + k its layer k; for a token that is not locked, for every token l the time from which on l has been
    in its set, or has not, and further times up to the last one. *)
Record stage := Stage {
  stage_time : nat;
  stage_renewed : seq (nat * seq nat);
  stage_cuts : seq (seq nat);
  stage_forms : seq (seq (Q * nat * seq Q));
  stage_reach : seq (option (seq (nat * seq nat)))
}.

Record stages_certificate := StagesCertificate {
  stg_dim : nat;
  stg_matrix : seq (seq Q);      (* A *)
  stg_alpha : Q;
  stg_tokens : seq (seq Q);
  stg_layer : nat;               (* K: here the stages begin *)
  stg_stages : seq stage;
  stg_from : nat;
  stg_cuts : seq (seq nat);
  stg_destinations : seq destination;
  stg_leaders : seq (nat * nat)  (* with the first layer at which they lead *)
}.

(** The numbers as fractions. *)
Definition q_power (b : Q) (e : nat) : Q :=
  Qmake (pow (I := integers_Z) (Qnum b) e) (Z.to_pos (pow (I := integers_Z) (Zpos (Qden b)) e)).
Definition q_term (t : power_term) : Q := foldr (fun p q => Qmult (q_power p.1 p.2) q) t.1 t.2.
Definition q_number (x : power_number) : Q := foldr (fun t q => Qplus (q_term t) q) zero x.

Definition place_of (g : destination) : place :=
  Place (map q_number (at_number g)) Locked (at_vertex g) (face_normal g) (face_weights g).

(** The system, and the places where the tokens end. *)
Definition system_of (c : stages_certificate) : limit_certificate :=
  LimitCertificate (stg_dim c) (stg_matrix c) (stg_alpha c) (stg_tokens c) (stg_layer c) (map place_of (stg_destinations c))
    (map fst (stg_leaders c)).

(** The layer at which the last stage begins. *)
Definition settled_layer (c : stages_certificate) : nat := stg_layer c + last 0%N (map stage_time (stg_stages c)).

Section Claim.

Variables (R : realFieldType) (c : stages_certificate).

Notation A := (the_A R (system_of c)).
Notation a := (the_a R (system_of c)).
Notation tokens := (the_tokens R (system_of c)).
Notation z := (token_at A a tokens).
Notation state := (state A a tokens).
Notation L := (settled_layer c).

Definition number_value (x : power_number) : R := \sum_(t <- x) value R t.1 * \prod_(p <- t.2) value R p.1 ^+ p.2.

Definition the_destination i : destination := nth (Destination [::] true [::] [::]) (stg_destinations c) i.
Definition the_end i : 'cV[R]_(stg_dim c) := \col_j number_value (nth [::] (at_number (the_destination i)) j).

(** The leading positions of layer L. *)
Definition the_corners : seq 'cV[R]_(stg_dim c) := [seq p <- state L | leading A (state L) p].

(** Token i: C_i does not change any more from layer L on, and the token tends to its limit; it is listed as a leader
    with the first layer at which it leads; the limit is a leading position if and only if its kind is vertex, and it is
    the point of least A-norm of a face of the polytope of leading positions. *)
Record stages_token_claim (i : nat) : Prop := StagesTokenClaim {
  set_settles : forall k j, (L <= k)%N -> (j < size tokens)%N -> follower_of R (system_of c) k i j = follower_of R (system_of c) L i j;
  ends_there : archimedean R -> tends (fun k => z k i) (the_end i);
  first_leads : forall k, (i, k) \in stg_leaders c <-> leads A a tokens k i /\ forall m, (m < k)%N -> ~~ leads A a tokens m i;
  corner_or_not : the_end i \in the_corners = at_vertex (the_destination i);
  on_some_face : exists h, least_norm_on_face A the_corners h (the_end i)
}.

End Claim.

(** ** The claim, over every ordered field *)

Definition stages_claim (c : stages_certificate) : Prop :=
  shaped_limit (system_of c) /\
  forall R : realFieldType,
  [/\ (the_A R (system_of c))^T = the_A R (system_of c), forall x, x != 0 -> 0 < inner (the_A R (system_of c) *m x) x,
      0 < the_a R (system_of c) < 1 & forall i, (i < size (stg_tokens c))%N -> stages_token_claim R c i].

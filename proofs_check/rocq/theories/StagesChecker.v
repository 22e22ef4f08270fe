(** An executable checker of certificates of limits in stages, on integers over common denominators.
    [StagesSound.v] proves: [check_stages c = true -> stages_claim c]. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect.
From Exactformer Require Import Certificate Checker LimitCertificate PowerSums PowerRanges LimitChecker StagesCertificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Checker.

Variables (I : integers) (c : stages_certificate).

Let O : I := of_Z I Z0.
Let one : I := of_Z I (Zpos xH).
Let d := stg_dim c.
Let n := size (stg_tokens c).
Let ac := compile_sa I d (lim_sa (system_of c)).
Let query := apply (sa_query ac).
Let key := apply (sa_key ac).

(** ** A stage *)

Section Stage.

Variable st : stage.

(** Terms (B, m, V) that mean  V (B/D)^k binom(k,m) / W,  and M! times them in powers of k. *)
Definition form_over : I := common I (flatten [seq [seq t.1.1 | t <- f] | f <- stage_forms st]).
Definition form_high : I := common I (flatten [seq flatten [seq t.2 | t <- f] | f <- stage_forms st]).
Definition unscaled : state I := State one [::].
Definition closed_forms : seq (closed I) :=
  [seq closed_of unscaled (system_of c) form_over form_high (Place [::] (Form f 0%N) true [::] [::]) [::] | f <- stage_forms st].

Definition evaluate (k : nat) (p : closed I) : seq I :=
  sumv [seq scale (mul (pow t.1.1 k) (pow (number I k) t.1.2)) t.2 | t <- p].
Definition unit_at (M k : nat) : I := mul (quotient I M 0%N) (mul (pow form_over k) form_high).
Definition state_at (M : nat) (powers : seq (closed I)) (k : nat) : state I := State (unit_at M k) (map (evaluate k) powers).

(** Whether l is in the set from time T to the next stage, or for ever: from the difference of scores, a time and further
    times, at which the proof begins and leads to. *)
Definition check_reach (next : option nat) (inside : bool) (reach : nat * seq nat) (gap : seq (term I)) : bool :=
  let: (u, places) := reach in
  (u <= stage_time st)%N &&
  (if next is Some T then
     (T <= (last u places).+1)%N && (if inside then vanishes_on gap u (last u places) else positive_on gap u places)
   else if inside then vanishes gap else positive_from gap u places).

Section Token.

Variables (s : state I) (next : option nat) (forms powers keyed : seq (closed I)) (M : nat).
Let keys := lim_keys ac s.

Definition check_token (i : nat) : bool :=
  let X := nth [::] (vectors s) i in
  let G := members ac keys X in
  let p := nth [::] powers i in
  let first := head 0%N G in
  [&& same d (scale (over s) (evaluate (stage_time st) p)) (scale (unit_at M (stage_time st)) X),
      all (fun x => vanishes (recurrence (system_of c) form_over forms (nth [::] forms i) G x)) (iota 0%N d)
    & if nth None (stage_reach st) i is Some reaches then
        let qi := mapped query p in
        let kj := nth [::] keyed first in
        all (fun l => (l == first) ||
          check_reach next (l \in G) (nth (0%N, [::]) reaches l) (collect (gap qi kj (nth [::] keyed l)))) (iota 0%N n)
      else locks d ac keys X].

(** The last stage: where the tokens end. *)
Definition check_end (i : nat) : bool :=
  let X := nth [::] (vectors s) i in
  let l := nth (Place [::] Locked true [::] [::]) (lim_places (system_of c)) i in
  let f := nth [::] forms i in
  let k := limit_over I l in
  [&& all (fun t => [&& ~~ leb t.1.1 O, leb t.1.1 form_over & eqb t.1.1 form_over ==> (t.1.2 == 0%N)]) f,
      same d (scale k (sumv [seq t.2 | t <- f & eqb t.1.1 form_over])) (scale form_high (map (clear k) (at_limit l))),
      check_kind d ac s keys (leads_now ac keys X) l X
    & is_vertex l || check_face d ac s keys l].

End Token.

Definition check_stage (s : state I) (next : option nat) (forms powers : seq (closed I)) (M : nat) : bool :=
  let keyed := [seq mapped key p | p <- powers] in
  (size (stage_forms st) == n)%N && all (check_token s next forms powers keyed M) (iota 0%N n).

End Stage.

(** ** From stage to stage: the layers at which the stages begin, with the tokens there *)

Fixpoint follow (s : state I) (st : stage) (later : seq stage) : option (seq (nat * state I)) :=
  let forms := closed_forms st in
  let M := largest_power_of forms in
  let powers := map (in_powers M) forms in
  let here := ((stg_layer c + stage_time st)%N, s) in
  if later is st' :: later' then
    let T := stage_time st' in
    if (stage_time st < T)%N && check_stage st s (Some T) forms powers M then
      omap (cons here) (follow (reduce (state_at st M powers T)) st' later')
    else None
  else if check_stage st s None forms powers M && all (check_end st s forms) (iota 0%N n) then Some [:: here] else None.

(** ** The first layers, and the leaders *)

Fixpoint early_layers (m k : nat) (s : state I) : seq (nat * state I) * state I :=
  if m is m'.+1 then
    let: (l, t) := early_layers m' k.+1 (run_block s (compile I d (lim_block (system_of c)))) in ((k, s) :: l, t)
  else ([::], s).

Definition leaders_at (s : state I) : seq nat :=
  let keys := lim_keys ac s in [seq i <- iota 0%N n | leads_now ac keys (nth [::] (vectors s) i)].

Definition first_lead (found : seq (nat * seq nat)) (i : nat) : seq (nat * nat) :=
  if [seq p.1 | p <- found & i \in p.2] is k :: _ then [:: (i, k)] else [::].

Definition check_leaders (known : seq (nat * state I)) : bool :=
  let found := [seq (p.1, leaders_at p.2) | p <- known] in
  stg_leaders c == flatten [seq first_lead found i | i <- iota 0%N n].

Definition check_stages : bool :=
  let A := vectors (clear_rows I (stg_matrix c)) in
  [&& shaped_limit (system_of c), ~~ Z.leb (Qnum (stg_alpha c)) Z0, symmetric d A, definite d A
    & if stg_stages c is st :: later then
        let: (early, s) := early_layers (stg_layer c) 0%N (clear_rows I (stg_tokens c)) in
        (stage_time st == 0%N) && (if follow s st later is Some known then check_leaders (early ++ known) else false)
      else false].

End Checker.

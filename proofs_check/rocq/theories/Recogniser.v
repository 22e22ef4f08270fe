(** Recognisers of languages whose heads see the past and have unique ties: what they are, and that they are finite
   automata. Nothing is assumed about numbers but a zero, sums, products and a boolean comparison. *)
From Coq Require Import List Bool Arith Lia.
Import ListNotations.

Section Recogniser.
Variables (R : Type) (zero : R) (add mul : R -> R -> R) (leb : R -> R -> bool).

(* ---- the definition ---- *)

Definition vector := list R.
Fixpoint dot (x y : vector) : R :=
  match x, y with a :: x', b :: y' => add (mul a b) (dot x' y') | _, _ => zero end.
Definition apply (M : list vector) (x : vector) : vector := map (fun row => dot row x) M.
Fixpoint plus (x y : vector) : vector :=
  match x, y with a :: x', b :: y' => add a b :: plus x' y' | _, _ => [] end.
Definition scale (c : R) (x : vector) : vector := map (mul c) x.
Definition relu (a : R) : R := if leb zero a then a else zero.

Record feed_forward := FeedForward { eta : R; U : list vector; bias : vector; W : list vector }.
Inductive mask := before | upto.
Inductive ties := to_first | to_last.
Record head := Head { value_matrix : list vector; query_matrix : list vector; key_matrix : list vector; sees : mask; tie : ties }.
Record block := Block { ff : option feed_forward; rho : R; heads : list head }.

(* x -> eta x + W relu(U x + b) *)
Definition feed (f : option feed_forward) (x : vector) : vector :=
  match f with
  | None => x
  | Some f => plus (scale (eta f) x) (apply (W f) (map relu (plus (apply (U f) x) (bias f))))
  end.

(* What is chosen among positions given by (key, value), read from left to right: nothing, or a score and a value. *)
Definition entry := option (R * vector).
Definition better (t : ties) (old new : R) : bool :=
  match t with to_last => leb old new | to_first => negb (leb new old) end.
Definition update (t : ties) (e : entry) (new : R * vector) : entry :=
  match e with
  | None => Some new
  | Some old => if better t (fst old) (fst new) then Some new else e
  end.
Definition scored (q : vector) (p : vector * vector) : R * vector := (dot q (fst p), snd p).
Definition choose (t : ties) (q : vector) (positions : list (vector * vector)) : entry :=
  fold_left (update t) (map (scored q) positions) None.

Definition pair_of (h : head) (y : vector) : vector * vector := (apply (key_matrix h) y, apply (value_matrix h) y).
(* what head h finds at a position with token y, after the tokens of `past` *)
Definition found (h : head) (past : list vector) (y : vector) : entry :=
  let seen := match sees h with before => past | upto => past ++ [y] end in
  choose (tie h) (apply (query_matrix h) y) (map (pair_of h) seen).
Definition with_entry (z : vector) (e : entry) : vector :=
  match e with None => z | Some (_, v) => plus z v end.
Definition out (B : block) (past : list vector) (y : vector) : vector :=
  fold_left with_entry (map (fun h => found h past y) (heads B)) (scale (rho B) y).

(* all positions of one block, then all blocks *)
Definition run_block (B : block) (xs : list vector) : list vector :=
  let ys := map (feed (ff B)) xs in
  map (fun i => out B (firstn i ys) (nth i ys [])) (seq 0 (length ys)).
Definition run (Bs : list block) (xs : list vector) : list vector := fold_left (fun xs B => run_block B xs) Bs xs.

(* ---- one more position ---- *)

Lemma map_seq_snoc : forall (f : list vector -> vector -> vector) ys y,
  map (fun i => f (firstn i (ys ++ [y])) (nth i (ys ++ [y]) [])) (seq 0 (length (ys ++ [y])))
  = map (fun i => f (firstn i ys) (nth i ys [])) (seq 0 (length ys)) ++ [f ys y].
Proof.
  intros f ys y. rewrite app_length. simpl. rewrite Nat.add_1_r, seq_S, map_app. simpl. f_equal.
  - apply map_ext_in. intros i Hi. apply in_seq in Hi.
    rewrite firstn_app, app_nth1 by lia. replace (i - length ys) with 0 by lia. now rewrite firstn_O, app_nil_r.
  - rewrite firstn_app, Nat.sub_diag, firstn_O, app_nil_r, firstn_all, app_nth2 by lia. now rewrite Nat.sub_diag.
Qed.

Lemma run_block_snoc : forall B xs x,
  run_block B (xs ++ [x]) = run_block B xs ++ [out B (map (feed (ff B)) xs) (feed (ff B) x)].
Proof. intros. unfold run_block. rewrite map_app. simpl. apply (map_seq_snoc (out B)). Qed.

Lemma choose_snoc : forall t q l p, choose t q (l ++ [p]) = update t (choose t q l) (scored q p).
Proof. intros. unfold choose. rewrite map_app, fold_left_app. reflexivity. Qed.

(* ---- the machine: a summary of the past for every query of a table ---- *)

Variable eqb : R -> R -> bool.
Hypothesis eqb_eq : forall a b, eqb a b = true <-> a = b.

Fixpoint list_eqb {A} (e : A -> A -> bool) (l m : list A) : bool :=
  match l, m with
  | [], [] => true
  | a :: l', b :: m' => e a b && list_eqb e l' m'
  | _, _ => false
  end.
Lemma list_eqb_eq : forall A (e : A -> A -> bool), (forall a b, e a b = true -> a = b) ->
  forall l m, list_eqb e l m = true -> l = m.
Proof.
  intros A e H l. induction l as [|a l IH]; intros [|c m]; simpl; try discriminate; auto.
  intros E. apply andb_prop in E. destruct E as [E1 E2]. f_equal; auto.
Qed.
Definition vector_eqb : vector -> vector -> bool := list_eqb eqb.
Lemma vector_eqb_eq : forall x y, vector_eqb x y = true -> x = y.
Proof. apply list_eqb_eq. intros a c H. now apply eqb_eq. Qed.

Definition summary := list entry.
Fixpoint lookup (qs : list vector) (s : summary) (q : vector) : option entry :=
  match qs, s with
  | q' :: qs', e :: s' => if vector_eqb q' q then Some e else lookup qs' s' q
  | _, _ => None
  end.
Fixpoint extended (t : ties) (qs : list vector) (s : summary) (p : vector * vector) : summary :=
  match qs, s with
  | q :: qs', e :: s' => update t e (scored q p) :: extended t qs' s' p
  | _, _ => []
  end.
Definition summary_of (h : head) (qs : list vector) (past : list vector) : summary :=
  map (fun q => choose (tie h) q (map (pair_of h) past)) qs.

Lemma lookup_map : forall f qs q e, lookup qs (map f qs) q = Some e -> e = f q.
Proof.
  intros f qs q e. induction qs as [|q' qs IH]; simpl; [discriminate|].
  destruct (vector_eqb q' q) eqn:E; [|exact IH]. apply vector_eqb_eq in E. subst q'. congruence.
Qed.
Lemma extended_summary : forall h qs past y,
  extended (tie h) qs (summary_of h qs past) (pair_of h y) = summary_of h qs (past ++ [y]).
Proof.
  intros h qs past y. induction qs as [|q qs IH]; [reflexivity|]. simpl. rewrite IH. f_equal.
  rewrite map_app. simpl. now rewrite choose_snoc.
Qed.

Fixpoint step_heads (hs : list head) (tables : list (list vector)) (ss : list summary) (y : vector)
  : option (list summary * list entry) :=
  match hs, tables, ss with
  | [], [], [] => Some ([], [])
  | h :: hs', qs :: tables', s :: ss' =>
    let s' := extended (tie h) qs s (pair_of h y) in
    match lookup qs (match sees h with before => s | upto => s' end) (apply (query_matrix h) y), step_heads hs' tables' ss' y with
    | Some e, Some (ss2, es) => Some (s' :: ss2, e :: es)
    | _, _ => None
    end
  | _, _, _ => None
  end.

Definition table := list (list vector).
Definition block_state := list summary.
Fixpoint summaries (hs : list head) (tables : table) (past : list vector) : block_state :=
  match hs, tables with
  | h :: hs', qs :: tables' => summary_of h qs past :: summaries hs' tables' past
  | _, _ => []
  end.

Lemma step_heads_sound : forall hs tables past y ss es,
  step_heads hs tables (summaries hs tables past) y = Some (ss, es) ->
  ss = summaries hs tables (past ++ [y]) /\ es = map (fun h => found h past y) hs.
Proof.
  induction hs as [|h hs IH]; intros [|qs tables] past y ss es; simpl; try discriminate.
  - intros E. injection E as <- <-. auto.
  - rewrite extended_summary.
    destruct (lookup qs _ (apply (query_matrix h) y)) as [e|] eqn:L; [|discriminate].
    destruct (step_heads hs tables (summaries hs tables past) y) as [[ss2 es2]|] eqn:S; [|discriminate].
    intros E. injection E as <- <-. apply IH in S. destruct S as [-> ->]. split; [reflexivity|]. f_equal.
    unfold found. destruct (sees h); unfold summary_of in L; apply lookup_map in L; exact L.
Qed.

Definition state := list block_state.
Fixpoint step (Bs : list block) (tables : list table) (ss : state) (x : vector) : option (state * vector) :=
  match Bs, tables, ss with
  | [], [], [] => Some ([], x)
  | B :: Bs', t :: tables', s :: ss' =>
    let y := feed (ff B) x in
    match step_heads (heads B) t s y with
    | None => None
    | Some (s', es) =>
      match step Bs' tables' ss' (fold_left with_entry es (scale (rho B) y)) with
      | None => None
      | Some (ss2, z) => Some (s' :: ss2, z)
      end
    end
  | _, _, _ => None
  end.
(* the state after a list of tokens *)
Fixpoint holds (Bs : list block) (tables : list table) (xs : list vector) : state :=
  match Bs, tables with
  | B :: Bs', t :: tables' => summaries (heads B) t (map (feed (ff B)) xs) :: holds Bs' tables' (run_block B xs)
  | _, _ => []
  end.

(* the past-only machine is the definition, one position after another *)
Theorem machine_is_definition : forall Bs tables xs x ss z,
  step Bs tables (holds Bs tables xs) x = Some (ss, z) ->
  ss = holds Bs tables (xs ++ [x]) /\ run Bs (xs ++ [x]) = run Bs xs ++ [z].
Proof.
  induction Bs as [|B Bs IH]; intros [|t tables] xs x ss z; simpl; try discriminate.
  - intros E. injection E as <- <-. auto.
  - destruct (step_heads _ _ _ _) as [[s' es]|] eqn:S; [|discriminate].
    apply step_heads_sound in S. destruct S as [-> ->].
    change (fold_left with_entry (map (fun h => found h (map (feed (ff B)) xs) (feed (ff B) x)) (heads B)) (scale (rho B) (feed (ff B) x)))
      with (out B (map (feed (ff B)) xs) (feed (ff B) x)).
    destruct (step Bs tables _ _) as [[ss2 z']|] eqn:E; [|discriminate].
    intros F. injection F as <- <-. apply IH in E. destruct E as [-> E].
    rewrite run_block_snoc, map_app. simpl. split; [reflexivity|exact E].
Qed.

(* ---- recognisers and automata ---- *)

Inductive verdict := Accept | Reject | Zero.
Record recogniser := Recogniser {
  blocks : list block; tokens : list vector; begin : option vector; accept : vector; threshold : R; of_empty : verdict }.
Definition embed (r : recogniser) (w : list nat) : list vector :=
  (match begin r with None => [] | Some x => [x] end) ++ map (fun k => nth k (tokens r) []) w.
Definition sign (r : recogniser) (z : vector) : verdict :=
  let v := dot (accept r) z in
  if leb v (threshold r) then (if leb (threshold r) v then Zero else Reject) else Accept.
Definition verdict_on (r : recogniser) (w : list nat) : verdict :=
  match rev (run (blocks r) (embed r w)) with [] => of_empty r | z :: _ => sign r z end.

Record automaton := Automaton { next : list (list nat); accepting : list nat; start : nat }.
Definition letters (d : automaton) : nat := length (nth 0 (next d) []).
Definition move (d : automaton) (q k : nat) : nat := nth k (nth q (next d) []) 0.
Definition accepts (d : automaton) (w : list nat) : bool :=
  existsb (Nat.eqb (fold_left (move d) w (start d))) (accepting d).

(* zero counts as a rejection if `lenient`, else it is wrong whatever the word *)
Definition right (lenient : bool) (v : verdict) (member : bool) : bool :=
  match v with Accept => member | Reject => negb member | Zero => lenient && negb member end.

(* ---- the boolean closure checker ---- *)

Definition node := (state * verdict * nat)%type.
Definition entry_eqb (e f : entry) : bool :=
  match e, f with
  | None, None => true
  | Some (s, v), Some (t, u) => eqb s t && vector_eqb v u
  | _, _ => false
  end.
Definition state_eqb : state -> state -> bool := list_eqb (list_eqb (list_eqb entry_eqb)).
Definition verdict_eqb (v w : verdict) : bool :=
  match v, w with Accept, Accept | Reject, Reject | Zero, Zero => true | _, _ => false end.
Definition node_eqb (m n : node) : bool :=
  let '(s, v, q) := m in let '(t, w, p) := n in state_eqb s t && verdict_eqb v w && (q =? p).
Lemma node_eqb_eq : forall m n, node_eqb m n = true -> m = n.
Proof.
  intros [[s v] q] [[t w] p] H. unfold node_eqb in H.
  apply andb_prop in H. destruct H as [H Eq]. apply andb_prop in H. destruct H as [Es Ev].
  apply Nat.eqb_eq in Eq. destruct v, w; try discriminate; subst p; f_equal; f_equal.
  all: revert Es; apply list_eqb_eq, list_eqb_eq, list_eqb_eq; intros [[a x]|] [[c y]|]; simpl; try discriminate; auto;
    intros E; apply andb_prop in E; destruct E as [E1 E2]; apply eqb_eq in E1; apply vector_eqb_eq in E2; congruence.
Qed.
Definition listed (nodes : list node) (n : node) : bool := existsb (node_eqb n) nodes.

Definition first_node (r : recogniser) (d : automaton) (tables : list table) : option node :=
  let s := holds (blocks r) tables [] in
  match begin r with
  | None => Some (s, of_empty r, start d)
  | Some x => match step (blocks r) tables s x with None => None | Some (s', z) => Some (s', sign r z, start d) end
  end.
Definition after (r : recogniser) (d : automaton) (tables : list table) (n : node) (k : nat) : option node :=
  let '(s, _, q) := n in
  match step (blocks r) tables s (nth k (tokens r) []) with
  | None => None
  | Some (s', z) => Some (s', sign r z, move d q k)
  end.
Definition check (lenient : bool) (r : recogniser) (d : automaton) (tables : list table) (nodes : list node) : bool :=
  match first_node r d tables with Some n => listed nodes n | None => false end
  && forallb (fun n : node =>
       right lenient (snd (fst n)) (existsb (Nat.eqb (snd n)) (accepting d))
       && forallb (fun k => match after r d tables n k with Some m => listed nodes m | None => false end)
            (seq 0 (length (tokens r)))) nodes.

Definition node_of (r : recogniser) (d : automaton) (tables : list table) (w : list nat) : node :=
  (holds (blocks r) tables (embed r w), verdict_on r w, fold_left (move d) w (start d)).

Lemma verdict_of_run : forall r w zs z, run (blocks r) (embed r w) = zs ++ [z] -> verdict_on r w = sign r z.
Proof. intros r w zs z E. unfold verdict_on. now rewrite E, rev_app_distr. Qed.

Lemma listed_in : forall nodes n, listed nodes n = true -> In n nodes.
Proof.
  intros nodes n H. apply existsb_exists in H. destruct H as (m & Hm & E). apply node_eqb_eq in E. now subst m.
Qed.

Lemma first_node_sound : forall r d tables n, first_node r d tables = Some n -> n = node_of r d tables [].
Proof.
  intros r d tables n. unfold first_node, node_of, embed, verdict_on. simpl.
  assert (run_nil : run (blocks r) [] = []) by (induction (blocks r); auto).
  destruct (begin r) as [x|] eqn:E.
  - destruct (step _ _ _ _) as [[s z]|] eqn:S; [|discriminate].
    intros F. injection F as <-. apply machine_is_definition in S. destruct S as [-> S]. simpl in S.
    unfold embed. rewrite E. simpl. rewrite S, run_nil. reflexivity.
  - intros F. injection F as <-. unfold embed. rewrite E. simpl. now rewrite run_nil.
Qed.

Lemma after_sound : forall r d tables w k n,
  after r d tables (node_of r d tables w) k = Some n -> n = node_of r d tables (w ++ [k]).
Proof.
  intros r d tables w k n. unfold after, node_of.
  destruct (step _ _ _ _) as [[s z]|] eqn:S; [|discriminate].
  intros F. injection F as <-. apply machine_is_definition in S. destruct S as [-> S].
  assert (E : embed r (w ++ [k]) = embed r w ++ [nth k (tokens r) []]).
  { unfold embed. now rewrite map_app, app_assoc. }
  rewrite E, fold_left_app, (verdict_of_run r (w ++ [k]) (run (blocks r) (embed r w)) z); [reflexivity|].
  now rewrite E.
Qed.

(* a certificate that is checked is a theorem about words of every length *)
Theorem recognition_check_sound : forall lenient r d tables nodes,
  check lenient r d tables nodes = true ->
  forall w, Forall (fun k => k < length (tokens r)) w -> right lenient (verdict_on r w) (accepts d w) = true.
Proof.
  intros lenient r d tables nodes C w Hw. unfold check in C. apply andb_prop in C. destruct C as [C0 C].
  rewrite forallb_forall in C.
  assert (In (node_of r d tables w) nodes) as H.
  { revert Hw. induction w as [|k w IH] using rev_ind; intros Hw.
    - destruct (first_node r d tables) as [n|] eqn:E; [|discriminate].
      apply first_node_sound in E. subst n. now apply listed_in.
    - apply Forall_app in Hw. destruct Hw as [Hw Hk]. inversion_clear Hk. specialize (IH Hw).
      apply C in IH. apply andb_prop in IH. destruct IH as [_ IH]. rewrite forallb_forall in IH.
      specialize (IH k). rewrite in_seq in IH. specialize (IH ltac:(lia)).
      destruct (after r d tables _ k) as [m|] eqn:E; [|discriminate].
      apply after_sound in E. subst m. now apply listed_in. }
  apply C in H. apply andb_prop in H. now destruct H as [H _].
Qed.

End Recogniser.

(** Certificates of recognisers (FORMAT.md, section 17) whose heads see the past and have unique ties: what they say, an
    executable checker, and its proof. *)
From Coq Require Import ZArith QArith List Bool Arith Lia.
From Exactformer Require Import Recogniser RecogniserInstances Pumping PumpingBothWays.
Import ListNotations.

(** ** Literals *)

Inductive form :=
  | Full (rows : list (list Q))
  | Product (column row : list Q)                (* {"outer": [column, row]} *)
  | Multiple (c : Q)                             (* {"scalar": c} *)
  | Nothing                                      (* {"zero": true} *)
  | Sparse (rows : list (list (nat * Q))).       (* {"rows": [[[column, number], ..], ..]} *)

Record ff_form := FeedForwardForm { form_eta : Q; form_U : form; form_b : list Q; form_W : form }.
(* [form_height] is the common number of rows of Q and K *)
Record head_form := HeadForm {
  form_V : form; form_height : nat; form_Q : form; form_K : form; form_mask : mask; form_ties : ties }.
(* attention: rho and heads, or null *)
Record block_form := BlockForm { form_ff : option ff_form; form_attention : option (Q * list head_form) }.

(* what a head holds: for every query nothing, or a score and the index of a value *)
Record table_form := TableForm {
  form_queries : list (list Q); form_values : list (list Q); form_pairs : list (list Q * nat);
  form_summaries : list (list (option (Q * nat))) }.
(* for every head the index of a summary; the verdict so far, null before the first; the state of the automaton *)
Record state_form := StateForm { form_held : list nat; form_out : option verdict; form_automaton : nat }.

Inductive scope :=
  | AllWords (tables : list table_form) (states : list state_form)
  | OneWord (w : list nat)
  | WordsUpTo (n : nat).

Record recognition := Recognition {
  rec_dim : nat;
  rec_letters : list (list nat);                 (* the bytes of their names *)
  rec_automaton : automaton;
  rec_tokens : list (list Q);
  rec_begin : option (list Q);
  rec_accept : list Q;
  rec_threshold : Q;
  rec_lenient : bool;                            (* "zero": "rejected" *)
  rec_empty : option bool;
  rec_blocks : list block_form;
  rec_scope : scope }.

(** ** Meaning *)

(* a row of n entries from column j on *)
Fixpoint spread (j n : nat) (row : list (nat * Q)) : list Q :=
  match n, row with
  | 0%nat, _ => []
  | S n', (c, x) :: rest => if (c =? j)%nat then x :: spread (S j) n' rest else 0%Q :: spread (S j) n' row
  | S n', [] => 0%Q :: spread (S j) n' []
  end.

Definition rows_of (m n : nat) (M : form) : list (list Q) :=
  match M with
  | Full rows => rows
  | Product column row => map (fun x => map (q_mul x) row) column
  | Multiple c => map (fun i => map (fun j => if (i =? j)%nat then c else 0%Q) (seq 0 n)) (seq 0 m)
  | Nothing => repeat (repeat 0%Q n) m
  | Sparse rows => map (spread 0 n) rows
  end.

Definition head_of (d : nat) (h : head_form) : head Q :=
  Head Q (rows_of d d (form_V h)) (rows_of (form_height h) d (form_Q h)) (rows_of (form_height h) d (form_K h))
    (form_mask h) (form_ties h).
Definition ff_of (d : nat) (f : ff_form) : feed_forward Q :=
  let width := length (form_b f) in
  FeedForward Q (form_eta f) (rows_of width d (form_U f)) (form_b f) (rows_of d width (form_W f)).
Definition block_of (d : nat) (B : block_form) : block Q :=
  let f := match form_ff B with None => None | Some f => Some (ff_of d f) end in
  match form_attention B with
  | None => Block Q f 1%Q []
  | Some (rho, heads) => Block Q f rho (map (head_of d) heads)
  end.
Definition recogniser_of (c : recognition) : recogniser Q :=
  Recogniser Q (map (block_of (rec_dim c)) (rec_blocks c)) (rec_tokens c) (rec_begin c) (rec_accept c) (rec_threshold c)
    (match rec_empty c with None => Zero | Some true => Accept | Some false => Reject end).

(** ** Shapes *)

Fixpoint increasing (least below : nat) (row : list (nat * Q)) : bool :=
  match row with [] => true | (c, _) :: rest => (least <=? c)%nat && (c <? below)%nat && increasing (S c) below rest end.
Definition of_length (n : nat) {A} (l : list A) : bool := (length l =? n)%nat.
Definition shaped_form (m n : nat) (M : form) : bool :=
  match M with
  | Full rows => of_length m rows && forallb (of_length n) rows
  | Product column row => of_length m column && of_length n row
  | Multiple _ => (m =? n)%nat
  | Nothing => true
  | Sparse rows => of_length m rows && forallb (increasing 0 n) rows
  end.
Definition shaped_head (d : nat) (h : head_form) : bool :=
  (0 <? form_height h)%nat && shaped_form d d (form_V h) && shaped_form (form_height h) d (form_Q h)
  && shaped_form (form_height h) d (form_K h).
Definition shaped_block (d : nat) (B : block_form) : bool :=
  match form_ff B with
  | None => true
  | Some f => shaped_form (length (form_b f)) d (form_U f) && shaped_form d (length (form_b f)) (form_W f)
  end
  && match form_attention B with None => true | Some (_, heads) => forallb (shaped_head d) heads end.
(* k letters with names that differ, k tokens; every row of the automaton has k states *)
Fixpoint differing (l : list (list nat)) : bool :=
  match l with [] => true | a :: l' => negb (existsb (list_eqb Nat.eqb a) l') && differing l' end.
Definition shaped_automaton (k : nat) (d : automaton) : bool :=
  let s := length (next d) in
  forallb (fun row => of_length k row && forallb (fun q => (q <? s)%nat) row) (next d)
  && forallb (fun q => (q <? s)%nat) (accepting d) && (start d <? s)%nat.
Definition shaped_recognition (c : recognition) : bool :=
  let k := length (rec_letters c) in
  let d := rec_dim c in
  (0 <? d)%nat && (0 <? k)%nat && differing (rec_letters c) && shaped_automaton k (rec_automaton c)
  && of_length k (rec_tokens c) && forallb (of_length d) (rec_tokens c)
  && match rec_begin c with None => true | Some x => of_length d x && match rec_empty c with None => true | _ => false end end
  && of_length d (rec_accept c) && forallb (shaped_block d) (rec_blocks c).

(** ** The claim *)

Definition is_right (c : recognition) (w : list nat) : bool :=
  right (rec_lenient c) (rational_verdict (recogniser_of c) w) (accepts (rec_automaton c) w).
Definition is_word (c : recognition) (w : list nat) : Prop := Forall (fun k => (k < length (rec_letters c))%nat) w.

Definition recognition_claim (c : recognition) : Prop :=
  shaped_recognition c = true /\
  match rec_scope c with
  | AllWords _ _ => forall w, is_word c w -> is_right c w = true
  | OneWord w => is_word c w /\ is_right c w = false
  | WordsUpTo n => forall w, is_word c w -> (length w <= n)%nat -> is_right c w = true
  end.

(** A certificate that none exists: x, u, p, z; [e] if the period is null, else the length of u is a multiple of it. *)
Record no_recogniser_certificate := NoRecogniser {
  no_letters : list (list nat); no_automaton : automaton; no_period : option nat;
  no_x : list nat; no_u : list nat; no_e : list nat; no_p : nat; no_z : list nat }.

(* no recogniser with unique ties, whatever its heads see, whatever its weights, features of this period and marks *)
Definition none_of_period (c : no_recogniser_certificate) (m : nat) : Prop :=
  forall r, periodic Q m r -> ~ (forall w, Forall (fun k => (k < length (no_letters c))%nat) w ->
    right true (wide_verdict Q 0%Q q_add q_mul Qle_bool r w) (accepts (no_automaton c) w) = true).
(* a period divides m, or, if m is null, is any *)
Definition no_recogniser_claim (c : no_recogniser_certificate) : Prop :=
  match no_period c with Some m => none_of_period c m | None => forall m, (0 < m)%nat -> none_of_period c m end.

(** ** The checker *)

(** *** Words of every length: the states are closed. Pairs that are read must be listed, as FORMAT.md asks. *)

Notation state := (state Q).
Notation pair_of := (pair_of Q 0%Q q_add q_mul).
Notation step_heads := (step_heads Q 0%Q q_add q_mul Qle_bool q_eqb).
Notation step := (step Q 0%Q q_add q_mul Qle_bool q_eqb).
Notation feed := (feed Q 0%Q q_add q_mul Qle_bool).
Notation with_entry := (with_entry Q q_add).
Notation same_vector := (vector_eqb Q q_eqb).

Definition pairs := list (list Q * list Q).
Definition head_pairs (t : table_form) : pairs := map (fun p => (fst p, nth (snd p) (form_values t) [])) (form_pairs t).
Definition summaries_of (t : table_form) : list (summary Q) :=
  map (map (fun e => match e with None => None | Some (x, i) => Some (x, nth i (form_values t) []) end)) (form_summaries t).

Fixpoint pairs_listed (hs : list (head Q)) (ps : list pairs) (y : list Q) : bool :=
  match hs, ps with
  | [], [] => true
  | h :: hs', p :: ps' =>
    let '(key, v) := pair_of h y in existsb (fun q => same_vector key (fst q) && same_vector v (snd q)) p && pairs_listed hs' ps' y
  | _, _ => false
  end.

Fixpoint careful_step (Bs : list (block Q)) (tables : list (table Q)) (ps : list (list pairs)) (ss : state) (x : list Q)
  : option (state * list Q) :=
  match Bs, tables, ps, ss with
  | [], [], [], [] => Some ([], x)
  | B :: Bs', t :: tables', p :: ps', s :: ss' =>
    let y := feed (ff Q B) x in
    if pairs_listed (heads Q B) p y then
      match step_heads (heads Q B) t s y with
      | None => None
      | Some (s', es) =>
        match careful_step Bs' tables' ps' ss' (fold_left with_entry es (scale Q q_mul (rho Q B) y)) with
        | None => None
        | Some (ss2, z) => Some (s' :: ss2, z)
        end
      end
    else None
  | _, _, _, _ => None
  end.

Fixpoint chunks {A} (sizes : list nat) (l : list A) : list (list A) :=
  match sizes with [] => [] | n :: sizes' => firstn n l :: chunks sizes' (skipn n l) end.

(* a node whose verdict may be null; nodes by the state of the automaton *)
Definition open_node := (state * option verdict * nat)%type.
Definition open_eqb (m n : open_node) : bool :=
  let '(s, v, q) := m in
  let '(t, w, p) := n in
  (q =? p)%nat
  && match v, w with None, None => true | Some v, Some w => verdict_eqb v w | _, _ => false end
  && state_eqb Q q_eqb s t.
Definition by_state (states : nat) (nodes : list open_node) : list (list open_node) :=
  map (fun q => filter (fun n => (snd n =? q)%nat) nodes) (seq 0 states).
Definition found_in (groups : list (list open_node)) (n : open_node) : bool := existsb (open_eqb n) (nth (snd n) groups []).

Definition closed_node (r : recogniser Q) (n : open_node) : node Q :=
  let '(s, v, q) := n in (s, match v with None => of_empty Q r | Some v => v end, q).
Definition open_nodes (sizes : list nat) (tables : list table_form) (states : list state_form) : list open_node :=
  let known := map summaries_of tables in
  map (fun s => (chunks sizes (map (fun p => nth (fst p) (snd p) []) (List.combine (form_held s) known)), form_out s, form_automaton s)) states.

Section Closed.
Variables (lenient : bool) (r : recogniser Q) (d : automaton) (tables : list (table Q)) (ps : list (list pairs)).
Variables (nodes : list open_node) (groups : list (list open_node)).

Definition starts : bool :=
  let s := holds Q 0%Q q_add q_mul Qle_bool (blocks Q r) tables [] in
  match begin Q r with
  | None => found_in groups (s, None, start d)
  | Some x =>
    match careful_step (blocks Q r) tables ps s x with
    | None => false
    | Some (s', z) => found_in groups (s', Some (sign Q 0%Q q_add q_mul Qle_bool r z), start d)
    end
  end.
Definition closes (n : open_node) : bool :=
  let '(s, _, q) := n in
  right lenient (snd (fst (closed_node r n))) (existsb (Nat.eqb q) (accepting d))
  && forallb (fun k =>
       match careful_step (blocks Q r) tables ps s (nth k (tokens Q r) []) with
       | None => false
       | Some (s', z) => found_in groups (s', Some (sign Q 0%Q q_add q_mul Qle_bool r z), move d q k)
       end) (seq 0 (length (tokens Q r))).
End Closed.

Definition check_closed (c : recognition) (tables : list table_form) (states : list state_form) : bool :=
  let r := recogniser_of c in
  let d := rec_automaton c in
  let sizes := map (fun B => length (heads Q B)) (blocks Q r) in
  let queries := chunks sizes (map form_queries tables) in
  let ps := chunks sizes (map head_pairs tables) in
  let nodes := open_nodes sizes tables states in
  let groups := by_state (length (next d)) nodes in
  starts r d queries ps groups && forallb (closes (rec_lenient c) r d queries ps groups) nodes.

(** *** Words one by one *)

Fixpoint words (k n : nat) : list (list nat) :=
  match n with 0%nat => [[]] | S n' => [] :: flat_map (fun w => map (fun a => a :: w) (seq 0 k)) (words k n') end.

Definition check_recognition (c : recognition) : bool :=
  let k := length (rec_letters c) in
  shaped_recognition c &&
  match rec_scope c with
  | AllWords tables states => check_closed c tables states
  | OneWord w => forallb (fun a => (a <? k)%nat) w && negb (is_right c w)
  | WordsUpTo n => forallb (is_right c) (words k n)
  end.

(** *** An automaton that counts *)

Fixpoint times (n : nat) (f : nat -> nat) (q : nat) : nat := match n with 0%nat => q | S n' => times n' f (f q) end.
Fixpoint fixes (d : automaton) (u e : list nat) (n q : nat) : bool :=
  match n with 0%nat => true | S n' => (fold_left (move d) e q =? q)%nat && fixes d u e n' (fold_left (move d) u q) end.

Definition check_no_recogniser (c : no_recogniser_certificate) : bool :=
  let d := no_automaton c in
  let q := fold_left (move d) (no_x c) (start d) in
  let qu := fold_left (move d) (no_u c) q in
  let ends p := existsb (Nat.eqb (fold_left (move d) (no_z c) p)) (accepting d) in
  differing (no_letters c) && shaped_automaton (length (no_letters c)) d
  && forallb (fun a => (a <? letters d)%nat) (no_x c ++ no_u c ++ no_e c ++ no_z c)
  && match no_period c with
     | Some m => (0 <? m)%nat && (Nat.modulo (length (no_u c)) m =? 0)%nat
     | None => of_length (length (no_u c)) (no_e c) && fixes d (no_u c) (no_e c) (no_p c) q
     end
  && (1 <? no_p c)%nat && (0 <? length (no_u c))%nat
  && (times (no_p c) (fun p => fold_left (move d) (no_u c) p) q =? q)%nat && negb (Bool.eqb (ends q) (ends qu)).

(** ** Its proof *)

Lemma careful_step_is_step : forall Bs tables ps ss x s z, careful_step Bs tables ps ss x = Some (s, z) -> step Bs tables ss x = Some (s, z).
Proof.
  induction Bs as [|B Bs IH]; intros [|t tables] [|p ps] [|s0 ss] x s z; simpl; try discriminate; auto.
  destruct (pairs_listed _ _ _); [|discriminate].
  destruct (step_heads _ _ _ _) as [[s' es]|]; [|discriminate].
  destruct (careful_step Bs tables ps ss _) as [[ss2 z']|] eqn:E; [|discriminate].
  intros F. apply IH in E. rewrite E. exact F.
Qed.

Lemma found_is_listed : forall r states nodes n,
  found_in (by_state states nodes) n = true -> listed Q q_eqb (map (closed_node r) nodes) (closed_node r n) = true.
Proof.
  intros r states nodes [[s v] q] H. unfold found_in in H. apply existsb_exists in H. destruct H as (m & Hm & E).
  assert (I : In m nodes).
  { unfold by_state in Hm. simpl in Hm. destruct (Nat.lt_ge_cases q states) as [L|L].
    - rewrite (nth_indep _ [] (filter (fun n => (snd n =? 0)%nat) nodes)) in Hm by (rewrite map_length, seq_length; exact L).
      rewrite (map_nth (fun q => filter (fun n => (snd n =? q)%nat) nodes)) in Hm. now apply filter_In in Hm.
    - rewrite nth_overflow in Hm by (rewrite map_length, seq_length; exact L). destruct Hm. }
  apply existsb_exists. exists (closed_node r m). split; [now apply in_map|].
  destruct m as [[t w] p]. unfold open_eqb in E. apply andb_prop in E. destruct E as [E Es]. apply andb_prop in E.
  destruct E as [Eq Ev]. simpl. rewrite Es, Eq. simpl. rewrite andb_true_r.
  destruct v as [v|], w as [w|]; try discriminate; [now destruct v, w|now destruct (of_empty Q r)].
Qed.

Lemma check_closed_sound : forall c tables states, check_closed c tables states = true ->
  forall w, Forall (fun k => (k < length (rec_tokens c))%nat) w -> is_right c w = true.
Proof.
  intros c tables states H. unfold check_closed in H. apply andb_prop in H. destruct H as [H0 H1].
  set (r := recogniser_of c) in *. set (d := rec_automaton c) in *. set (sizes := map _ (blocks Q r)) in *.
  set (queries := chunks sizes (map form_queries tables)) in *. set (ps := chunks sizes (map head_pairs tables)) in *.
  set (nodes := open_nodes sizes tables states) in *.
  apply (rational_check_sound (rec_lenient c) r d queries (map (closed_node r) nodes)).
  unfold rational_check, check. apply andb_true_iff. split.
  - unfold starts in H0. unfold first_node. destruct (begin Q r) as [x|].
    + destruct (careful_step _ _ _ _ _) as [[s z]|] eqn:E; [|discriminate].
      apply careful_step_is_step in E. rewrite E. exact (found_is_listed r _ _ _ H0).
    + exact (found_is_listed r _ _ _ H0).
  - rewrite forallb_forall in H1. apply forallb_forall. intros n Hn. apply in_map_iff in Hn. destruct Hn as (m & <- & Hm).
    specialize (H1 m Hm). destruct m as [[s v] q]. unfold closes in H1. apply andb_prop in H1. destruct H1 as [Hr Hk].
    apply andb_true_iff. split; [exact Hr|]. rewrite forallb_forall in Hk. apply forallb_forall. intros k Hin.
    specialize (Hk k Hin). cbv beta iota delta [after closed_node].
    destruct (careful_step _ _ _ _ _) as [[s' z]|] eqn:E; [|discriminate].
    apply careful_step_is_step in E. rewrite E. exact (found_is_listed r _ _ _ Hk).
Qed.

Lemma in_words : forall k n w, Forall (fun a => (a < k)%nat) w -> (length w <= n)%nat -> In w (words k n).
Proof.
  intros k n. induction n as [|n IH]; intros [|a w] Hw Hl; simpl in *; try lia; auto.
  right. inversion_clear Hw. apply in_flat_map. exists w. split; [apply IH; [assumption|lia]|].
  apply in_map_iff. exists a. split; [reflexivity|]. apply in_seq. lia.
Qed.

Theorem check_recognition_sound : forall c, check_recognition c = true -> recognition_claim c.
Proof.
  intros c H. unfold check_recognition in H. apply andb_prop in H. destruct H as [S H]. split; [exact S|].
  assert (T : length (rec_tokens c) = length (rec_letters c)).
  { unfold shaped_recognition, of_length in S. repeat (apply andb_prop in S; destruct S as [S ?]). now apply Nat.eqb_eq. }
  destruct (rec_scope c) as [tables states|w|n].
  - intros w Hw. apply (check_closed_sound c tables states H). now rewrite T.
  - apply andb_prop in H. destruct H as [Hw Hr]. split; [|now apply negb_true_iff].
    apply Forall_forall. intros a Ha. rewrite forallb_forall in Hw. now apply Nat.ltb_lt, Hw.
  - intros w Hw Hl. rewrite forallb_forall in H. apply H. now apply in_words.
Qed.

Lemma times_repeated : forall d u n q, times n (fun p => fold_left (move d) u p) q = fold_left (move d) (repeated n u) q.
Proof. intros d u n. induction n as [|n IH]; intros q; simpl; [reflexivity|]. now rewrite fold_left_app, IH. Qed.

Lemma letters_of : forall k d, shaped_automaton k d = true -> letters d = k.
Proof.
  intros k d H. unfold shaped_automaton in H. apply andb_prop in H. destruct H as [H S]. apply andb_prop in H.
  destruct H as [H _]. apply Nat.ltb_lt in S. unfold letters. destruct (next d) as [|row rows]; [simpl in S; lia|].
  simpl in H. apply andb_prop in H. destruct H as [H _]. apply andb_prop in H. destruct H as [H _]. now apply Nat.eqb_eq in H.
Qed.

Section Counter.
Variables (d : automaton) (u e : list nat) (p q : nat).
Notation by_u := (fun s => fold_left (move d) u s).

Lemma times_last : forall f n s, times (S n) f s = f (times n f s).
Proof. intros f n. induction n as [|n IH]; intros s; [reflexivity|]. exact (IH (f s)). Qed.

Lemma fixesP : forall n s, fixes d u e n s = true ->
  forall i, (i < n)%nat -> fold_left (move d) e (times i by_u s) = times i by_u s.
Proof.
  intros n. induction n as [|n IH]; intros s H [|i] Hi; try lia; simpl in H; apply andb_prop in H; destruct H as [H0 H1].
  - now apply Nat.eqb_eq.
  - apply (IH _ H1). lia.
Qed.

Lemma fixed_repeated : forall k s, fold_left (move d) e s = s -> fold_left (move d) (repeated k e) s = s.
Proof. intros k s H. induction k as [|k IH]; simpl; [reflexivity|]. now rewrite fold_left_app, H. Qed.

(* u e^k goes round the cycle as u does *)
Lemma same_cycle : forall k, (0 < p)%nat -> fixes d u e p q = true -> times p by_u q = q ->
  forall i, (i <= p)%nat -> times i (fun s => fold_left (move d) (u ++ repeated k e) s) q = times i by_u q.
Proof.
  intros k Hp F C i. induction i as [|i IH]; intros Hi; [reflexivity|]. rewrite !times_last, IH by lia.
  rewrite fold_left_app. rewrite <- (times_last by_u i q). apply fixed_repeated.
  destruct (Nat.eq_dec (S i) p) as [->|N]; [rewrite C; exact (fixesP p q F 0 Hp)|apply (fixesP p q F); lia].
Qed.
End Counter.

Lemma repeated_length : forall n u, length (repeated n u) = (n * length u)%nat.
Proof. intros n u. induction n; simpl; [reflexivity|]. now rewrite app_length, IHn. Qed.

Theorem check_no_recogniser_sound : forall c, check_no_recogniser c = true -> no_recogniser_claim c.
Proof.
  intros c H. unfold check_no_recogniser in H.
  apply andb_prop in H. destruct H as [H Hz]. apply andb_prop in H. destruct H as [H Hq].
  apply andb_prop in H. destruct H as [H Hu]. apply andb_prop in H. destruct H as [H Hp].
  apply andb_prop in H. destruct H as [H Hm]. apply andb_prop in H. destruct H as [H Hw].
  apply andb_prop in H. destruct H as [_ Hs]. unfold no_recogniser_claim, none_of_period.
  rewrite <- (letters_of _ _ Hs). set (d := no_automaton c) in *.
  rewrite !forallb_app in Hw. apply andb_prop in Hw. destruct Hw as [Wx Hw]. apply andb_prop in Hw. destruct Hw as [Wu Hw].
  apply andb_prop in Hw. destruct Hw as [We Wz].
  assert (P : (0 < no_p c)%nat) by (apply Nat.ltb_lt in Hp; lia).
  assert (N : forall v m k, forallb (fun a => (a <? letters d)%nat) v = true -> (0 <? length v)%nat = true ->
    length v = (k * m)%nat ->
    fold_left (move d) v (fold_left (move d) (no_x c) (start d)) = fold_left (move d) (no_u c) (fold_left (move d) (no_x c) (start d)) ->
    times (no_p c) (fun s => fold_left (move d) v s) (fold_left (move d) (no_x c) (start d)) = fold_left (move d) (no_x c) (start d) ->
    forall r, periodic Q m r -> ~ (forall w, Forall (fun a => (a < letters d)%nat) w ->
      right true (wide_verdict Q 0%Q q_add q_mul Qle_bool r w) (accepts d w) = true)).
  { intros v m k Wv Lv Lk Fv Cv. rewrite times_repeated in Cv.
    apply (no_wide_recogniser Q 0%Q q_add q_mul Qle_bool q_total q_transitive d (no_x c) v (no_z c) (no_p c)) with (k := k); [|exact Lk].
    unfold counts, accepts. rewrite !forallb_app, Wx, Wv, Wz, Hp, Lv. rewrite !fold_left_app, Cv, Fv, Nat.eqb_refl.
    simpl. exact Hz. }
  apply Nat.eqb_eq in Hq. destruct (no_period c) as [m|].
  - apply andb_prop in Hm. destruct Hm as [M D]. apply Nat.ltb_lt in M. apply Nat.eqb_eq in D.
    apply (N (no_u c) m (length (no_u c) / m)%nat Wu Hu); [|reflexivity|exact Hq].
    rewrite (Nat.div_mod_eq (length (no_u c)) m) at 1. rewrite D. lia.
  - apply andb_prop in Hm. destruct Hm as [L F]. apply Nat.eqb_eq in L. intros m M.
    assert (S : forall i, (i <= no_p c)%nat -> _) by exact (same_cycle d (no_u c) (no_e c) (no_p c) _ (m - 1) P F Hq).
    apply (N (no_u c ++ repeated (m - 1) (no_e c)) m (length (no_u c))).
    + rewrite forallb_app, Wu. clear - We. induction (m - 1)%nat as [|n IH]; simpl; [reflexivity|]. now rewrite forallb_app, We.
    + apply Nat.ltb_lt in Hu. rewrite app_length. apply Nat.ltb_lt. lia.
    + rewrite app_length, repeated_length, L. destruct m; [lia|]. simpl. rewrite Nat.sub_0_r. lia.
    + exact (S 1%nat P).
    + rewrite (S (no_p c) (Nat.le_refl _)). exact Hq.
Qed.

(** Recognisers whose heads see the past and have unique ties: what is chosen is the first or last of the largest scores;
   reading a word twice changes no summary; the verdict on x u^n z is the same for all n > number of blocks; so a language
   whose automaton counts is recognised by none of them, whatever the weights. *)
From Coq Require Import List Bool Arith Lia.
From Exactformer Require Import Recogniser.
Import ListNotations.

Section Pumping.
Variables (R : Type) (zero : R) (add mul : R -> R -> R) (leb : R -> R -> bool).
Hypothesis total : forall a b, leb a b = true \/ leb b a = true.
Hypothesis transitive : forall a b c, leb a b = true -> leb b c = true -> leb a c = true.

Notation vector := (vector R).
Notation entry := (entry R).
Notation update := (update R leb).
Notation better := (better R leb).
Notation choose := (choose R zero add mul leb).
Notation scored := (scored R zero add mul).
Notation out := (out R zero add mul leb).
Notation found := (found R zero add mul leb).
Notation feed := (feed R zero add mul leb).
Notation run_block := (run_block R zero add mul leb).
Notation run := (run R zero add mul leb).
Notation pair_of := (pair_of R zero add mul).
Notation block := (block R).

Lemma leb_false : forall a b, leb a b = false -> leb b a = true.
Proof. intros a b H. destruct (total a b) as [E|E]; [congruence|exact E]. Qed.

(* ---- what is chosen ---- *)

Definition largest_last (l : list (R * vector)) (x : R * vector) : Prop :=
  exists a c, l = a ++ x :: c /\ (forall y, In y a -> leb (fst y) (fst x) = true) /\ (forall y, In y c -> leb (fst x) (fst y) = false).
Definition largest_first (l : list (R * vector)) (x : R * vector) : Prop :=
  exists a c, l = a ++ x :: c /\ (forall y, In y a -> leb (fst x) (fst y) = false) /\ (forall y, In y c -> leb (fst y) (fst x) = true).

Lemma fold_is_largest : forall t l,
  match fold_left (update t) l None with
  | None => l = []
  | Some x => match t with to_last => largest_last l x | to_first => largest_first l x end
  end.
Proof.
  intros t l. induction l as [|p l IH] using rev_ind; [reflexivity|].
  rewrite fold_left_app. simpl. destruct (fold_left (update t) l None) as [x|] eqn:E; simpl.
  - unfold better. destruct t; destruct IH as (a & c & -> & Ha & Hc).
    + destruct (leb (fst p) (fst x)) eqn:C; simpl.
      * exists a, (c ++ [p]). split; [now rewrite <- app_assoc|split; [exact Ha|]].
        intros y Hy. apply in_app_or in Hy. destruct Hy as [Hy|[<-|[]]]; auto.
      * exists (a ++ x :: c), []. split; [reflexivity|split; [|intros y []]].
        assert (H : leb (fst x) (fst p) = true) by now apply leb_false.
        intros y Hy. destruct (leb (fst p) (fst y)) eqn:D; [|reflexivity].
        apply in_app_or in Hy. destruct Hy as [Hy|[<-|Hy]].
        -- specialize (Ha y Hy). rewrite (transitive _ _ _ H D) in Ha. discriminate.
        -- congruence.
        -- specialize (Hc y Hy). rewrite (transitive _ _ _ D Hc) in C. discriminate.
    + destruct (leb (fst x) (fst p)) eqn:C; simpl.
      * exists (a ++ x :: c), []. split; [reflexivity|split; [|intros y []]].
        intros y Hy. apply in_app_or in Hy. destruct Hy as [Hy|[<-|Hy]].
        -- exact (transitive _ _ _ (Ha y Hy) C).
        -- exact C.
        -- exact (transitive _ _ _ (leb_false _ _ (Hc y Hy)) C).
      * exists a, (c ++ [p]). split; [now rewrite <- app_assoc|split; [exact Ha|]].
        intros y Hy. apply in_app_or in Hy. destruct Hy as [Hy|[<-|[]]]; auto.
  - subst l. simpl. destruct t; exists [], []; (split; [reflexivity|split; intros y []]).
Qed.

(* `choose`, by which attention is defined, takes the first or the last of the largest scores *)
Theorem choose_is_argmax : forall t q positions,
  match choose t q positions with
  | None => positions = []
  | Some x => match t with to_last => largest_last | to_first => largest_first end (map (scored q) positions) x
  end.
Proof.
  intros t q positions. unfold choose, Recogniser.choose. assert (H := fold_is_largest t (map (scored q) positions)).
  destruct (fold_left (update t) (map (scored q) positions) None); [destruct t; exact H|]. now destruct positions.
Qed.

(* ---- idempotence ---- *)

Definition combine (t : ties) (e f : entry) : entry :=
  match f with None => e | Some new => update t e new end.

Lemma combine_assoc : forall t e f g, combine t (combine t e f) g = combine t e (combine t f g).
Proof.
  intros t [[s v]|] [[s' v']|] [[s'' v'']|]; simpl; try reflexivity.
  - unfold better. destruct t; simpl.
    + destruct (leb s' s) eqn:A; simpl; destruct (leb s'' s') eqn:B; simpl.
      * now rewrite A, (transitive _ _ _ B A).
      * reflexivity.
      * rewrite A. reflexivity.
      * destruct (leb s'' s) eqn:D; [|reflexivity].
        exfalso. apply leb_false in B. rewrite (transitive _ _ _ B D) in A. discriminate.
    + destruct (leb s s') eqn:A; simpl; destruct (leb s' s'') eqn:B; simpl.
      * now rewrite (transitive _ _ _ A B).
      * now rewrite A.
      * reflexivity.
      * rewrite A. destruct (leb s s'') eqn:D; [|reflexivity].
        exfalso. apply leb_false in A. rewrite (transitive _ _ _ A D) in B. discriminate.
  - now destruct (better t s' s'').
Qed.
Lemma combine_twice : forall t e, combine t e e = e.
Proof.
  intros t [[s v]|]; [|reflexivity]. simpl. unfold better.
  destruct t; simpl; destruct (leb s s); reflexivity.
Qed.
Lemma fold_combine : forall t l e, fold_left (update t) l e = combine t e (fold_left (update t) l None).
Proof.
  intros t l. induction l as [|p l IH] using rev_ind; intros e; [reflexivity|].
  rewrite !fold_left_app. simpl. rewrite IH.
  change (update t (combine t e (fold_left (update t) l None)) p) with (combine t (combine t e (fold_left (update t) l None)) (Some p)).
  now rewrite combine_assoc.
Qed.

(* reading u a second time changes nothing *)
Theorem choose_idempotent : forall t q l u, choose t q (l ++ u ++ u) = choose t q (l ++ u).
Proof.
  intros t q l u. unfold choose, Recogniser.choose. rewrite !map_app, !fold_left_app.
  rewrite (fold_combine t _ (fold_left (update t) (map (scored q) u) _)), (fold_combine t _ (fold_left (update t) (map (scored q) l) None)).
  now rewrite combine_assoc, combine_twice.
Qed.

(* ---- pasts that no head tells apart ---- *)

Definition alike (B : block) (p p' : list vector) : Prop :=
  forall h, In h (heads R B) -> forall q, choose (tie R h) q (map (pair_of h) p) = choose (tie R h) q (map (pair_of h) p').

Lemma alike_app : forall B p p' l, alike B p p' -> alike B (p ++ l) (p' ++ l).
Proof.
  intros B p p' l H h Hh q. specialize (H h Hh q). rewrite !map_app.
  unfold choose, Recogniser.choose in *. rewrite !(map_app (scored q)), !fold_left_app. now rewrite H.
Qed.
Lemma alike_twice : forall B p u, alike B (p ++ u ++ u) (p ++ u).
Proof. intros B p u h _ q. rewrite !map_app. apply choose_idempotent. Qed.
Lemma out_alike : forall B p p' y, alike B p p' -> out B p y = out B p' y.
Proof.
  intros B p p' y H. unfold out, Recogniser.out. f_equal. apply map_ext_in. intros h Hh. unfold found, Recogniser.found.
  destruct (sees R h); [apply (H h Hh)|]. apply (alike_app B p p' [y] H h Hh).
Qed.

(* the outputs of positions ys after a past *)
Fixpoint outs (B : block) (past ys : list vector) : list vector :=
  match ys with [] => [] | y :: ys' => out B past y :: outs B (past ++ [y]) ys' end.
Lemma outs_app : forall B ys past zs, outs B past (ys ++ zs) = outs B past ys ++ outs B (past ++ ys) zs.
Proof.
  intros B ys. induction ys as [|y ys IH]; intros past zs; simpl; [now rewrite app_nil_r|].
  now rewrite IH, <- app_assoc.
Qed.
Lemma run_block_outs : forall B xs, run_block B xs = outs B [] (map (feed (ff R B)) xs).
Proof.
  intros B xs. induction xs as [|x xs IH] using rev_ind; [reflexivity|].
  rewrite (run_block_snoc R zero add mul leb), map_app. simpl. now rewrite outs_app, IH.
Qed.
Lemma outs_alike : forall B ys p p', alike B p p' -> outs B p ys = outs B p' ys.
Proof.
  intros B ys. induction ys as [|y ys IH]; intros p p' H; simpl; [reflexivity|].
  f_equal; [now apply out_alike|]. apply IH. now apply alike_app.
Qed.
Lemma outs_length : forall B ys p, length (outs B p ys) = length ys.
Proof. intros B ys. induction ys; intros p; simpl; auto. Qed.

Fixpoint power (n : nat) (u : list vector) : list vector := match n with 0 => [] | S n' => u ++ power n' u end.
Lemma power_map : forall f n u, map f (power n u) = power n (map f u).
Proof. intros f n u. induction n; simpl; [reflexivity|]. now rewrite map_app, IHn. Qed.

(* after one reading of u every further copy makes the same outputs *)
Lemma outs_power : forall B p u n,
  outs B (p ++ u) (power n u) = power n (outs B (p ++ u) u) /\ alike B (p ++ u ++ power n u) (p ++ u).
Proof.
  intros B p u n. induction n as [|n [IH1 IH2]]; simpl.
  - split; [reflexivity|]. rewrite app_nil_r. now intros h _ q.
  - assert (A : alike B ((p ++ u) ++ u) (p ++ u)) by (rewrite <- app_assoc; apply alike_twice).
    split.
    + rewrite outs_app. f_equal. rewrite (outs_alike B (power n u) _ _ A). exact IH1.
    + intros h Hh q. rewrite !app_assoc. rewrite (alike_app B _ _ (power n u) A h Hh q), <- app_assoc. now apply IH2.
Qed.

Lemma run_block_pump : forall B a u c, exists a' u' c',
  length u' = length u /\ length c' = length c /\
  forall n, run_block B (a ++ power (S n) u ++ c) = a' ++ power n u' ++ c'.
Proof.
  intros B a u c. set (f := feed (ff R B)).
  exists (outs B [] (map f a ++ map f u)), (outs B (map f a ++ map f u) (map f u)), (outs B (map f a ++ map f u) (map f c)).
  rewrite !outs_length, !map_length. split; [reflexivity|split; [reflexivity|]]. intros n.
  rewrite run_block_outs. fold f.
  replace (map f (a ++ power (S n) u ++ c)) with ((map f a ++ map f u) ++ power n (map f u) ++ map f c)
    by (rewrite <- power_map, !map_app, <- !app_assoc; simpl; now rewrite map_app, <- app_assoc).
  destruct (outs_power B (map f a) (map f u) n) as [H1 H2].
  rewrite (outs_app B (map f a ++ map f u)). simpl. rewrite (outs_app B (power n (map f u))), H1. f_equal. f_equal.
  apply outs_alike. rewrite <- app_assoc. exact H2.
Qed.

(* every block takes one copy *)
Theorem run_pump : forall Bs a u c, exists a' u' c',
  length u' = length u /\ length c' = length c /\
  forall n, run Bs (a ++ power (length Bs + n) u ++ c) = a' ++ power n u' ++ c'.
Proof.
  induction Bs as [|B Bs IH]; intros a u c.
  - exists a, u, c. auto.
  - destruct (run_block_pump B a u c) as (a1 & u1 & c1 & Hu & Hc & H).
    destruct (IH a1 u1 c1) as (a2 & u2 & c2 & Hu2 & Hc2 & H2).
    exists a2, u2, c2. split; [congruence|split; [congruence|]]. intros n. simpl.
    change (run Bs (run_block B (a ++ power (S (length Bs + n)) u ++ c)) = a2 ++ power n u2 ++ c2).
    now rewrite H.
Qed.

Lemma last_of_power : forall a (u c : list vector) n, u <> [] ->
  exists z, forall m, n <= m -> exists l, a ++ power (S m) u ++ c = l ++ [z].
Proof.
  intros a u c n Hu. destruct c as [|x c] using rev_ind.
  - destruct u as [|x u] using rev_ind; [easy|]. exists x. intros m _. rewrite app_nil_r.
    assert (P : forall k, power (S k) (u ++ [x]) = power k (u ++ [x]) ++ u ++ [x]).
    { induction k as [|k IHk]; simpl in *; [now rewrite app_nil_r|]. now rewrite IHk at 1; rewrite <- !app_assoc. }
    rewrite P. exists (a ++ power m (u ++ [x]) ++ u). now rewrite <- !app_assoc.
  - exists x. intros m _. exists (a ++ power (S m) u ++ c). now rewrite <- !app_assoc.
Qed.

(* ---- the verdict does not count ---- *)

Notation verdict_on := (verdict_on R zero add mul leb).
Notation recogniser := (recogniser R).
Fixpoint repeated (n : nat) (u : list nat) : list nat := match n with 0 => [] | S n' => u ++ repeated n' u end.

Theorem pumping : forall (r : recogniser) x u z, u <> [] -> exists v,
  forall n, length (blocks R r) < n -> verdict_on r (x ++ repeated n u ++ z) = v.
Proof.
  intros r x u z Hu. set (g := fun k => nth k (tokens R r) []). set (L := length (blocks R r)).
  set (a := (match begin R r with None => [] | Some y => [y] end) ++ map g x).
  destruct (run_pump (blocks R r) a (map g u) (map g z)) as (a' & u' & c' & Hl & _ & H).
  assert (Hu' : u' <> []). { intros ->. apply Hu. destruct u; [reflexivity|discriminate Hl]. }
  destruct (last_of_power a' u' c' 0 Hu') as (t & Ht).
  exists (sign R zero add mul leb r t). intros n Hn.
  destruct (Ht (n - L - 1) (Nat.le_0_l _)) as (l & E).
  apply (verdict_of_run R zero add mul leb) with (zs := l). rewrite <- E, <- H. f_equal.
  unfold embed. fold g. rewrite !map_app, app_assoc. fold a. f_equal. f_equal.
  replace (length (blocks R r) + S (n - L - 1)) with n by (unfold L in *; lia).
  clear. induction n as [|n IH]; simpl; [reflexivity|]. now rewrite map_app, IH.
Qed.

(* ---- a language that counts is recognised by none ---- *)

Section Impossible.
Variables (d : automaton) (x u z : list nat) (p : nat).
Let state_after := fold_left (move d).

(* x, u, p, z of a certificate of claim no-recogniser, words over the letters of the automaton: u moves the state of x round a cycle of p steps, and exactly one of
   the words z from there, uz from there, is accepted *)
Definition counts : bool :=
  forallb (fun a => a <? letters d) (x ++ u ++ z) && (1 <? p) && (0 <? length u)
  && (state_after (repeated p u) (state_after x (start d)) =? state_after x (start d))
  && negb (Bool.eqb (accepts d (x ++ z)) (accepts d (x ++ u ++ z))).

Lemma repeated_add : forall m n w, repeated (m + n) w = repeated m w ++ repeated n w.
Proof. intros m n w. induction m; simpl; [reflexivity|]. now rewrite IHm, app_assoc. Qed.

Lemma back : forall k, counts = true ->
  state_after (repeated (k * p) u) (state_after x (start d)) = state_after x (start d).
Proof.
  intros k C. unfold counts in C. apply andb_prop in C. destruct C as [C _]. apply andb_prop in C. destruct C as [_ C].
  apply Nat.eqb_eq in C. induction k as [|k IH]; [reflexivity|].
  simpl. rewrite repeated_add. unfold state_after in *. now rewrite fold_left_app, C.
Qed.

Lemma repeated_word : forall P n, Forall P x -> Forall P u -> Forall P z -> Forall P (x ++ repeated n u ++ z).
Proof.
  intros P n Hx Hu Hz. apply Forall_app. split; [exact Hx|]. apply Forall_app. split; [|exact Hz].
  induction n as [|n IH]; simpl; [constructor|]. now apply Forall_app.
Qed.

Theorem no_recogniser : counts = true -> forall r : recogniser,
  ~ (forall w, Forall (fun a => a < letters d) w -> right true (verdict_on r w) (accepts d w) = true).
Proof.
  intros C r H. assert (B := fun k => back k C). unfold counts in C.
  apply andb_prop in C. destruct C as [C Sep]. apply andb_prop in C. destruct C as [C _].
  apply andb_prop in C. destruct C as [C Hu]. apply andb_prop in C. destruct C as [Hw Hp].
  apply Nat.ltb_lt in Hp. apply Nat.ltb_lt in Hu. rewrite !forallb_app in Hw.
  apply andb_prop in Hw. destruct Hw as [Wx Hw]. apply andb_prop in Hw. destruct Hw as [Wu Wz].
  assert (T : forall v, forallb (fun a => a <? letters d) v = true -> Forall (fun a => a < letters d) v).
  { intros v Hv. apply Forall_forall. intros a Ha. rewrite forallb_forall in Hv. now apply Nat.ltb_lt, Hv. }
  assert (W : forall n, Forall (fun a => a < letters d) (x ++ repeated n u ++ z)) by (intros n; apply repeated_word; now apply T).
  apply negb_true_iff, eqb_false_iff in Sep.
  assert (u_some : u <> []) by (intros ->; simpl in Hu; lia).
  destruct (pumping r x u z u_some) as (v & V). set (n := S (length (blocks R r)) * p).
  assert (Hn : length (blocks R r) < n) by (unfold n; nia).
  assert (A1 : accepts d (x ++ repeated n u ++ z) = accepts d (x ++ z)).
  { unfold accepts. rewrite !fold_left_app. f_equal. f_equal. f_equal. apply B. }
  assert (A2 : accepts d (x ++ repeated (n + 1) u ++ z) = accepts d (x ++ u ++ z)).
  { unfold accepts. rewrite repeated_add. simpl. rewrite app_nil_r, !fold_left_app. f_equal. f_equal. f_equal.
    f_equal. apply B. }
  assert (H1 := H _ (W n)). assert (H2 := H _ (W (n + 1))).
  rewrite V, A1 in H1 by exact Hn. rewrite V, A2 in H2 by lia.
  destruct v, (accepts d (x ++ z)), (accepts d (x ++ u ++ z)); simpl in *; congruence.
Qed.
End Impossible.

End Pumping.

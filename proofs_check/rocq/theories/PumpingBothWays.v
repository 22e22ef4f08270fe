(** Recognisers whose heads see what they like (the past, the future, everything) and have unique ties, with features that have
    a period: the verdict on x u^n z is the same for all large n, if the period divides the length of u. So a language whose
    automaton counts is recognised by none of them. *)
From Coq Require Import List Bool Arith Lia.
From Exactformer Require Import Recogniser Pumping.
Import ListNotations.

Section Wide.
Variables (R : Type) (zero : R) (add mul : R -> R -> R) (leb : R -> R -> bool).
Hypothesis total : forall a b, leb a b = true \/ leb b a = true.
Hypothesis transitive : forall a b c, leb a b = true -> leb b c = true -> leb a c = true.

Notation vector := (vector R).
Notation apply := (apply R zero add mul).
Notation choose := (choose R zero add mul leb).
Notation scored := (scored R zero add mul).
Notation update := (update R leb).
Notation combine := (combine R leb).
Notation with_entry := (with_entry R add).
Notation feed := (feed R zero add mul leb).
Notation power := (power R).

(* ---- the definition ---- *)

Inductive view := sees_all | sees_before | sees_upto | sees_after | sees_from.
Record wide_head := WideHead {
  wide_value : list vector; wide_query : list vector; wide_key : list vector; wide_view : view; wide_tie : ties }.
Record wide_block := WideBlock { wide_ff : option (feed_forward R); wide_rho : R; wide_heads : list wide_head }.

Definition wide_pair (h : wide_head) (y : vector) : vector * vector := (apply (wide_key h) y, apply (wide_value h) y).
(* the positions that a token y sees between those before and those after it *)
Definition seen (v : view) (p : list vector) (y : vector) (n : list vector) : list vector :=
  match v with
  | sees_all => p ++ [y] ++ n | sees_before => p | sees_upto => p ++ [y] | sees_after => n | sees_from => [y] ++ n
  end.
Definition wide_found (h : wide_head) (p : list vector) (y : vector) (n : list vector) : entry R :=
  choose (wide_tie h) (apply (wide_query h) y) (map (wide_pair h) (seen (wide_view h) p y n)).
Definition wide_out (B : wide_block) (p : list vector) (y : vector) (n : list vector) : vector :=
  fold_left with_entry (map (fun h => wide_found h p y n) (wide_heads B)) (scale R mul (wide_rho B) y).
(* the outputs of positions ys between a past and a future *)
Fixpoint wide_outs (B : wide_block) (p ys n : list vector) : list vector :=
  match ys with [] => [] | y :: ys' => wide_out B p y (ys' ++ n) :: wide_outs B (p ++ [y]) ys' n end.
Definition wide_run_block (B : wide_block) (xs : list vector) : list vector := wide_outs B [] (map (feed (wide_ff B)) xs) [].
Definition wide_run (Bs : list wide_block) (xs : list vector) : list vector := fold_left (fun xs B => wide_run_block B xs) Bs xs.

(* `wide_feature i x` is the token x at position i with its features *)
Record wide_recogniser := WideRecogniser {
  wide_blocks : list wide_block; wide_tokens : list vector; wide_begin : option vector; wide_end : option vector;
  wide_feature : nat -> vector -> vector; wide_at_first : bool; wide_accept : vector; wide_threshold : R; wide_empty : verdict }.
Definition periodic (m : nat) (r : wide_recogniser) : Prop := forall i x, wide_feature r (i + m) x = wide_feature r i x.

Definition mark (x : option vector) : list vector := match x with None => [] | Some y => [y] end.
Fixpoint placed (f : nat -> vector -> vector) (i : nat) (xs : list vector) : list vector :=
  match xs with [] => [] | x :: xs' => f i x :: placed f (S i) xs' end.
Definition wide_embed (r : wide_recogniser) (w : list nat) : list vector :=
  placed (wide_feature r) 0 (mark (wide_begin r) ++ map (fun k => nth k (wide_tokens r) []) w ++ mark (wide_end r)).
Definition wide_sign (r : wide_recogniser) (z : vector) : verdict :=
  let v := dot R zero add mul (wide_accept r) z in
  if leb v (wide_threshold r) then (if leb (wide_threshold r) v then Zero else Reject) else Accept.
Definition wide_verdict (r : wide_recogniser) (w : list nat) : verdict :=
  let zs := wide_run (wide_blocks r) (wide_embed r w) in
  match (if wide_at_first r then zs else rev zs) with [] => wide_empty r | z :: _ => wide_sign r z end.

(* ---- lists that no head tells apart ---- *)

Definition alike (B : wide_block) (p p' : list vector) : Prop := forall h, In h (wide_heads B) ->
  forall q, choose (wide_tie h) q (map (wide_pair h) p) = choose (wide_tie h) q (map (wide_pair h) p').

Lemma choose_app : forall t q a c, choose t q (a ++ c) = combine t (choose t q a) (choose t q c).
Proof.
  intros t q a c. unfold choose. rewrite map_app, fold_left_app. apply (fold_combine R leb total transitive).
Qed.
Lemma alike_refl : forall B p, alike B p p. Proof. intros B p h _ q. reflexivity. Qed.
Lemma alike_trans : forall B p q r, alike B p q -> alike B q r -> alike B p r.
Proof. intros B p q r H K h Hh t. now rewrite (H h Hh t), (K h Hh t). Qed.
Lemma alike_app : forall B p p' l l', alike B p p' -> alike B l l' -> alike B (p ++ l) (p' ++ l').
Proof. intros B p p' l l' H K h Hh q. rewrite !map_app, !choose_app. now rewrite (H h Hh q), (K h Hh q). Qed.
Lemma alike_twice : forall B u, alike B (u ++ u) u.
Proof. intros B u h _ q. rewrite map_app, choose_app. apply (combine_twice R leb). Qed.
Lemma alike_power_l : forall B u n, alike B (power n u ++ u) u.
Proof.
  intros B u n. induction n as [|n IH]; simpl; [apply alike_refl|]. rewrite <- app_assoc.
  apply (alike_trans B _ (u ++ u)); [apply alike_app; [apply alike_refl|exact IH]|apply alike_twice].
Qed.
Lemma power_comm : forall u n, u ++ power n u = power n u ++ u.
Proof. intros u n. induction n as [|n IH]; simpl; [now rewrite app_nil_r|]. now rewrite IH at 1; rewrite app_assoc. Qed.
Lemma alike_power_r : forall B u n, alike B (u ++ power n u) u.
Proof. intros B u n. rewrite power_comm. apply alike_power_l. Qed.

Lemma out_alike : forall B p p' y n n', alike B p p' -> alike B n n' -> wide_out B p y n = wide_out B p' y n'.
Proof.
  intros B p p' y n n' H K. unfold wide_out. f_equal. apply map_ext_in. intros h Hh. unfold wide_found.
  assert (A : alike B (seen (wide_view h) p y n) (seen (wide_view h) p' y n')).
  { destruct (wide_view h); simpl; auto using alike_refl.
    - apply alike_app; [exact H|]. apply (alike_app B [y] [y]); [apply alike_refl|exact K].
    - apply alike_app; [exact H|apply alike_refl].
    - apply (alike_app B [y] [y]); [apply alike_refl|exact K]. }
  apply (A h Hh).
Qed.
Lemma outs_alike : forall B ys p p' n n', alike B p p' -> alike B n n' -> wide_outs B p ys n = wide_outs B p' ys n'.
Proof.
  intros B ys. induction ys as [|y ys IH]; intros p p' n n' H K; simpl; [reflexivity|]. f_equal.
  - apply out_alike; [exact H|]. apply alike_app; [apply alike_refl|exact K].
  - apply IH; [|exact K]. apply alike_app; [exact H|apply alike_refl].
Qed.
Lemma outs_app : forall B ys p zs n,
  wide_outs B p (ys ++ zs) n = wide_outs B p ys (zs ++ n) ++ wide_outs B (p ++ ys) zs n.
Proof.
  intros B ys. induction ys as [|y ys IH]; intros p zs n; simpl; [now rewrite app_nil_r|].
  rewrite IH, <- !app_assoc. reflexivity.
Qed.
Lemma outs_length : forall B ys p n, length (wide_outs B p ys n) = length ys.
Proof. intros B ys. induction ys; intros p n; simpl; auto. Qed.

(* copies of u between copies of u make equal outputs *)
Lemma outs_power : forall B a u c n,
  wide_outs B (a ++ u) (power n u) (u ++ c) = power n (wide_outs B (a ++ u) u (u ++ c)).
Proof.
  intros B a u c n. induction n as [|n IH]; simpl; [reflexivity|]. rewrite outs_app. f_equal.
  - apply outs_alike; [apply alike_refl|]. rewrite app_assoc. apply alike_app; [apply alike_power_l|apply alike_refl].
  - rewrite <- IH. apply outs_alike; [|apply alike_refl]. rewrite <- app_assoc.
    apply alike_app; [apply alike_refl|apply alike_twice].
Qed.

Lemma run_block_pump : forall B a u c, exists a' u' c', length u' = length u /\
  forall n, wide_run_block B (a ++ power (S (S n)) u ++ c) = a' ++ power n u' ++ c'.
Proof.
  intros B a0 u0 c0. set (f := feed (wide_ff B)). set (a := map f a0). set (u := map f u0). set (c := map f c0).
  exists (wide_outs B [] a (u ++ c) ++ wide_outs B a u (u ++ c)), (wide_outs B (a ++ u) u (u ++ c)),
    (wide_outs B (a ++ u) u c ++ wide_outs B (a ++ u) c []).
  split; [rewrite outs_length; apply map_length|]. intros n. unfold wide_run_block. fold f.
  assert (E : map f (a0 ++ power (S (S n)) u0 ++ c0) = a ++ u ++ power n u ++ u ++ c).
  { unfold a, u, c. rewrite !map_app, (power_map R f). f_equal. simpl. rewrite (power_comm _ n).
    now rewrite <- !app_assoc. }
  rewrite E, (outs_app B a), (outs_app B u), (outs_app B (power n u)), (outs_app B u), !app_nil_r, !app_nil_l.
  assert (X : alike B (u ++ power n u ++ u) u).
  { apply (alike_trans B _ (u ++ u)); [apply alike_app; [apply alike_refl|apply alike_power_l]|apply alike_twice]. }
  assert (X1 : alike B (u ++ power n u ++ u ++ c) (u ++ c)).
  { replace (u ++ power n u ++ u ++ c) with ((u ++ power n u ++ u) ++ c) by now rewrite <- !app_assoc.
    apply alike_app; [exact X|apply alike_refl]. }
  assert (X2 : alike B (power n u ++ u ++ c) (u ++ c)).
  { rewrite app_assoc. apply alike_app; [apply alike_power_l|apply alike_refl]. }
  assert (X3 : alike B ((a ++ u) ++ power n u) (a ++ u)).
  { rewrite <- app_assoc. apply alike_app; [apply alike_refl|apply alike_power_r]. }
  assert (X4 : alike B (((a ++ u) ++ power n u) ++ u) (a ++ u)).
  { rewrite <- !app_assoc. apply alike_app; [apply alike_refl|exact X]. }
  rewrite (outs_alike B a _ _ _ _ (alike_refl B []) X1), (outs_alike B u _ _ _ _ (alike_refl B a) X2), outs_power.
  rewrite (outs_alike B u _ _ _ _ X3 (alike_refl B c)), (outs_alike B c _ _ _ _ X4 (alike_refl B [])).
  now rewrite <- !app_assoc.
Qed.

Theorem wide_run_pump : forall Bs a u c, exists a' u' c', length u' = length u /\
  forall n, wide_run Bs (a ++ power (2 * length Bs + n) u ++ c) = a' ++ power n u' ++ c'.
Proof.
  induction Bs as [|B Bs IH]; intros a u c; [exists a, u, c; auto|].
  destruct (run_block_pump B a u c) as (a1 & u1 & c1 & Hu & H).
  destruct (IH a1 u1 c1) as (a2 & u2 & c2 & Hu2 & H2).
  exists a2, u2, c2. split; [congruence|]. intros n.
  replace (2 * length (B :: Bs) + n) with (S (S (2 * length Bs + n))) by (simpl; lia).
  change (wide_run Bs (wide_run_block B (a ++ power (S (S (2 * length Bs + n))) u ++ c)) = a2 ++ power n u2 ++ c2).
  now rewrite H.
Qed.

(* ---- positions ---- *)

Lemma placed_app : forall f xs i ys, placed f i (xs ++ ys) = placed f i xs ++ placed f (i + length xs) ys.
Proof.
  intros f xs. induction xs as [|x xs IH]; intros i ys; simpl; [now rewrite Nat.add_0_r|].
  rewrite IH. do 2 f_equal. f_equal. lia.
Qed.
Lemma placed_length : forall f xs i, length (placed f i xs) = length xs.
Proof. intros f xs. induction xs; intros i; simpl; auto. Qed.

Section Periods.
Variables (f : nat -> vector -> vector) (m : nat).
Hypothesis period : forall i x, f (i + m) x = f i x.
Lemma placed_periods : forall xs i k, placed f (i + k * m) xs = placed f i xs.
Proof.
  intros xs. induction xs as [|x xs IH]; intros i k; simpl; [reflexivity|]. f_equal.
  - induction k as [|k IHk]; simpl; [now rewrite Nat.add_0_r|]. replace (i + (m + k * m)) with (i + k * m + m) by lia. now rewrite period.
  - apply (IH (S i)).
Qed.
Lemma placed_power : forall u i k n, length u = k * m -> placed f i (power n u) = power n (placed f i u).
Proof.
  intros u i k n Hu. induction n as [|n IH]; simpl; [reflexivity|]. now rewrite placed_app, Hu, placed_periods, IH.
Qed.
End Periods.

Lemma power_length : forall n u, length (power n u) = n * length u.
Proof. intros n u. induction n; simpl; [reflexivity|]. now rewrite app_length, IHn. Qed.

(* ---- the verdict does not count ---- *)

Theorem wide_pumping : forall (r : wide_recogniser) m k x u z, periodic m r -> u <> [] -> length u = k * m ->
  exists v, forall n, 2 * length (wide_blocks r) < n -> wide_verdict r (x ++ repeated n u ++ z) = v.
Proof.
  intros r m k x u z P Hu Hl. set (g := fun i => nth i (wide_tokens r) []). set (L := 2 * length (wide_blocks r)).
  set (a := mark (wide_begin r) ++ map g x). set (U := map g u). set (c := map g z ++ mark (wide_end r)).
  set (f := wide_feature r). assert (HU : length U = k * m) by (unfold U; now rewrite map_length).
  destruct (wide_run_pump (wide_blocks r) (placed f 0 a) (placed f (length a) U) (placed f (length a) c)) as (a' & u' & c' & Hu' & H).
  assert (Hu1 : u' <> []).
  { intros ->. rewrite placed_length in Hu'. unfold U in Hu'. rewrite map_length in Hu'. destruct u; [easy|discriminate Hu']. }
  assert (E : forall n, wide_embed r (x ++ repeated n u ++ z) =
    placed f 0 a ++ power n (placed f (length a) U) ++ placed f (length a) c).
  { intros n. unfold wide_embed. fold f g. rewrite !map_app.
    assert (M : map g (repeated n u) = power n U) by (clear; induction n as [|n IH]; simpl; [reflexivity|]; now rewrite map_app, IH).
    rewrite M. replace (mark (wide_begin r) ++ (map g x ++ power n U ++ map g z) ++ mark (wide_end r)) with (a ++ power n U ++ c)
      by (unfold a, c; now rewrite <- !app_assoc).
    rewrite placed_app, placed_app, power_length, HU, (placed_power f m P U _ k n HU). simpl.
    replace (length a + n * (k * m)) with (length a + (n * k) * m) by lia. now rewrite (placed_periods f m P). }
  destruct (last_of_power R a' u' c' 0 Hu1) as (t & Ht).
  destruct (a' ++ u') as [|s s'] eqn:Hs; [apply app_eq_nil in Hs; now destruct Hs|].
  exists (wide_sign r (if wide_at_first r then s else t)). intros n Hn. unfold wide_verdict. rewrite E.
  replace n with (L + S (n - L - 1)) by (unfold L in *; lia). unfold L. rewrite H. fold L.
  destruct (wide_at_first r).
  - simpl. rewrite <- app_assoc, app_assoc, Hs. reflexivity.
  - destruct (Ht (n - L - 1) (Nat.le_0_l _)) as (l & El). rewrite El, rev_app_distr. reflexivity.
Qed.

(* ---- a language that counts is recognised by none ---- *)

Section Impossible.
Variables (d : automaton) (x u z : list nat) (p : nat).
Let state_after := fold_left (move d).

Theorem no_wide_recogniser : counts d x u z p = true -> forall m k, length u = k * m -> forall r, periodic m r ->
  ~ (forall w, Forall (fun a => a < letters d) w -> right true (wide_verdict r w) (accepts d w) = true).
Proof.
  intros C m k Hl r P H. assert (B := fun k => back d x u z p k C). unfold counts in C.
  apply andb_prop in C. destruct C as [C Sep]. apply andb_prop in C. destruct C as [C _].
  apply andb_prop in C. destruct C as [C Hu]. apply andb_prop in C. destruct C as [Hw Hp].
  apply Nat.ltb_lt in Hp. apply Nat.ltb_lt in Hu. rewrite !forallb_app in Hw.
  apply andb_prop in Hw. destruct Hw as [Wx Hw]. apply andb_prop in Hw. destruct Hw as [Wu Wz].
  assert (T : forall v, forallb (fun a => a <? letters d) v = true -> Forall (fun a => a < letters d) v).
  { intros v Hv. apply Forall_forall. intros a Ha. rewrite forallb_forall in Hv. now apply Nat.ltb_lt, Hv. }
  assert (W : forall n, Forall (fun a => a < letters d) (x ++ repeated n u ++ z)) by (intros n; apply repeated_word; now apply T).
  apply negb_true_iff, eqb_false_iff in Sep.
  assert (u_some : u <> []) by (intros ->; simpl in Hu; lia).
  destruct (wide_pumping r m k x u z P u_some Hl) as (v & V). set (n := S (2 * length (wide_blocks r)) * p).
  assert (Hn : 2 * length (wide_blocks r) < n) by (unfold n; nia).
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

End Wide.

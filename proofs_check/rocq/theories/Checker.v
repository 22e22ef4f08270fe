(** An executable checker of certificates, on integers over common denominators.

    Every state is a list of integer vectors over one positive denominator; no
    fraction is ever formed.  The integers are a parameter: Z, or machine-word
    big integers.  [CheckerSound.v] proves: [check c = true -> claim c]. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect.
From Exactformer Require Import Certificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Integers: a type, its operations, and the proof that they are those of Z *)

Record integers := Integers {
  carrier :> Type;
  to_Z : carrier -> Z;
  of_Z : Z -> carrier;
  add : carrier -> carrier -> carrier;
  mul : carrier -> carrier -> carrier;
  div : carrier -> carrier -> carrier;
  gcd : carrier -> carrier -> carrier;
  leb : carrier -> carrier -> bool;
  eqb : carrier -> carrier -> bool;
  of_ZK : forall z, to_Z (of_Z z) = z;
  addE : forall x y, to_Z (add x y) = (to_Z x + to_Z y)%Z;
  mulE : forall x y, to_Z (mul x y) = (to_Z x * to_Z y)%Z;
  divE : forall x y, to_Z (div x y) = (to_Z x / to_Z y)%Z;
  gcdE : forall x y, to_Z (gcd x y) = Z.gcd (to_Z x) (to_Z y);
  lebE : forall x y, leb x y = (to_Z x <=? to_Z y)%Z;
  eqbE : forall x y, eqb x y = (to_Z x =? to_Z y)%Z
}.

Section Checker.

Variable I : integers.

Let O : I := of_Z I Z0.
Let one : I := of_Z I (Zpos xH).

(** ** Vectors: missing entries are zero *)

Fixpoint addv (x y : seq I) : seq I :=
  match x, y with
  | [::], _ => y
  | _, [::] => x
  | a :: x', b :: y' => add a b :: addv x' y'
  end.

Definition scale (a : I) (x : seq I) : seq I := map (mul a) x.

Fixpoint dot (x y : seq I) : I :=
  match x, y with
  | a :: x', b :: y' => add (mul a b) (dot x' y')
  | _, _ => O
  end.

Definition apply (M : seq (seq I)) (x : seq I) : seq I := [seq dot r x | r <- M].

Fixpoint eqv (x y : seq I) : bool :=
  match x, y with
  | [::], [::] => true
  | a :: x', b :: y' => eqb a b && eqv x' y'
  | _, _ => false
  end.

Fixpoint sumv (s : seq (seq I)) : seq I := if s is x :: s' then addv x (sumv s') else [::].

(** ** Common denominators *)

Definition den (q : Q) : I := of_Z I (Zpos (Qden q)).

Definition lcm (x y : I) : I := mul x (div y (gcd x y)).

Definition common (l : seq Q) : I := foldr (fun q => lcm (den q)) one l.

(** The numerator of [q] over the denominator [k], a multiple of its own. *)
Definition clear (k : I) (q : Q) : I := mul (of_Z I (Qnum q)) (div k (den q)).

(** A state: vectors over one denominator. *)
Record state := State { over : I; vectors : seq (seq I) }.

Definition clear_rows (l : seq (seq Q)) : state :=
  let k := common (flatten l) in State k (map (map (clear k)) l).

(** Divide everything by the greatest common divisor. *)
Definition content (s : state) : I :=
  foldl (fun g x => if eqb g one then g else gcd g x) (over s) (flatten (vectors s)).

Definition reduce (s : state) : state :=
  let g := content s in
  if eqb g one then s
  else State (div (over s) g) (map (map (fun x => div x g)) (vectors s)).

(** The sum, vector by vector; the concatenation over one denominator. *)
Definition add_state (s t : state) : state :=
  let l := lcm (over s) (over t) in
  let c := div l (over s) in
  let e := div l (over t) in
  State l [seq addv (scale c p.1) (scale e p.2) | p <- zip (vectors s) (vectors t)].

Definition merge (l : seq state) : state :=
  let k := foldr (fun s => lcm (over s)) one l in
  State k (flatten [seq map (scale (div k (over s))) (vectors s) | s <- l]).

(** Evaluate once for equal neighbours. *)
Section Remember.
Variables (A : Type) (f : seq I -> A).

Fixpoint remember (x : seq I) (fx : A) (s : seq (seq I)) : seq A :=
  match s with
  | [::] => [::]
  | y :: s' => if eqv x y then fx :: remember x fx s' else let fy := f y in fy :: remember y fy s'
  end.

Definition map_once (s : seq (seq I)) : seq A :=
  if s is x :: s' then let fx := f x in fx :: remember x fx s' else [::].
End Remember.

(** ** Feed-forward *)

(** A hinge  x -> relu(u.x + b) w  as a literal, and with its denominators cleared:
    relu(u.X + b k) w / (e k)  where the token is  X / k. *)
Record hinge_literal := Hinge { hinge_u : seq Q; hinge_b : Q; hinge_w : seq Q }.
Record hinge := Unit { unit_u : seq I; unit_b : I; unit_w : seq I; unit_e : I }.

Definition clear_hinge (h : hinge_literal) : hinge :=
  let c := common (hinge_b h :: hinge_u h) in
  let e := common (hinge_w h) in
  Unit (map (clear c) (hinge_u h)) (clear c (hinge_b h)) (map (clear e) (hinge_w h)) (mul c e).

(** The same hinge over the denominator [e], a multiple of its own. *)
Definition widen (e : I) (h : hinge) : hinge :=
  Unit (unit_u h) (unit_b h) (scale (div e (unit_e h)) (unit_w h)) e.

Definition add_hinge (k : I) (x : seq I) (h : hinge) (y : seq I) : seq I :=
  let t := add (dot (unit_u h) x) (mul (unit_b h) k) in
  if leb t O then y else addv (scale t (unit_w h)) y.

Definition hinges (k : I) (x : seq I) (l : seq hinge) : seq I := foldr (add_hinge k x) [::] l.

(** *** Ridges.  If U is an outer product  a r',  all units see the token through the number  t = r.x,
    and their sum is a piecewise-linear curve of t: an affine piece, and a list of kinks in increasing order,
    each with the piece after it.  A piece  t -> t A + C  is the state [A; C]. *)

Definition alpha (h : hinge) : I := nth O (unit_u h) 0.

Definition piece_add (p : state) (h : hinge) : state :=
  reduce (add_state p (State (unit_e h) [:: scale (alpha h) (unit_w h); scale (unit_b h) (unit_w h)])).

(** relu(z) = z + relu(-z): a hinge that opens to the left is an affine piece and a hinge that opens to the right. *)
Definition negate (h : hinge) : hinge :=
  let m := mul (of_Z I (Zneg xH)) in Unit [:: m (alpha h)] (m (unit_b h)) (unit_w h) (unit_e h).

Definition opens_right (h : hinge) : bool := ~~ leb (alpha h) O.
Definition opens_left (h : hinge) : bool := ~~ leb O (alpha h).

Definition first_piece (l : seq hinge) : state :=
  foldr (fun h p => if opens_right h then p
                    else if opens_left h || ~~ leb (unit_b h) O then piece_add p h else p)
    (State one [:: [::]; [::]]) l.

(** The hinges that open to the right, in the order of their kinks -b/alpha. *)
Definition earlier (h g : hinge) : bool := leb (mul (unit_b g) (alpha h)) (mul (unit_b h) (alpha g)).

Definition rightward (l : seq hinge) : seq hinge :=
  foldr (fun h s => if opens_right h then h :: s else if opens_left h then negate h :: s else s) [::] l.

Definition kinks (l : seq hinge) : seq hinge := sort earlier (rightward l).

Fixpoint pieces (p : state) (l : seq hinge) : seq (hinge * state) :=
  if l is h :: l' then let p' := piece_add p h in (h, p') :: pieces p' l' else [::].

(** The piece at  t / k, by going through the list. *)
Definition before (t k : I) (h : hinge) : bool := leb (add (mul (alpha h) t) (mul (unit_b h) k)) O.

Fixpoint piece_at (t k : I) (p : state) (l : seq (hinge * state)) : state :=
  if l is (h, p') :: l' then if before t k h then p else piece_at t k p' l' else p.

(** The same list as a tree of depth at most n, which takes 2^n - 1 kinks; what is left of the list. *)
Inductive table := Piece of state | Kink of table & hinge & table.

Fixpoint tabulate (n : nat) (p : state) (l : seq (hinge * state)) : table * seq (hinge * state) :=
  if n is n'.+1 then
    let: (lower, l1) := tabulate n' p l in
    if l1 is (h, p') :: l2 then let: (upper, l3) := tabulate n' p' l2 in (Kink lower h upper, l3) else (lower, [::])
  else (Piece p, l).

Fixpoint look_up (t k : I) (T : table) : state :=
  match T with
  | Piece p => p
  | Kink lower h upper => if before t k h then look_up t k lower else look_up t k upper
  end.

Definition piece_of (t k : I) (T : table * seq (hinge * state)) : state :=
  if T.2 is (h, p) :: l then if before t k h then look_up t k T.1 else piece_at t k p l else look_up t k T.1.

Definition depth : nat := 60.
Arguments depth : simpl never.

Definition piece_value (t k : I) (p : state) : state :=
  State (mul (over p) k) [:: addv (scale t (nth [::] (vectors p) 0)) (scale k (nth [::] (vectors p) 1))].

(** *** Compiled feed-forward layers *)

Inductive curve :=
  | General of I & seq hinge                               (* all hinges over one denominator *)
  | Ridge of I & seq I & table * seq (hinge * state).      (* the row r over its denominator; the curve *)

Record ff_compiled := FFc { ff_scale : I; ff_over : I; ff_curve : curve }.

(** Unit i by definition; [hinges_of] below is the list of all. *)
Definition hinge_of (d : nat) (f : ff_literal) (i : nat) : hinge_literal :=
  Hinge (if lit_U f is Outer c _ then [:: nth zero c i] else mkseq (entry (lit_U f) i) d)
    (nth zero (lit_b f) i) (mkseq (fun j => entry (lit_W f) j i) d).

(** The rows of an m-by-n matrix, and its columns. *)
Definition rows (m n : nat) (M : matrix) : seq (seq Q) :=
  match M with
  | Dense r => r
  | Outer c r => [seq [seq Qmult a b | b <- r] | a <- c]
  | _ => mkseq (fun i => mkseq (entry M i) n) m
  end.

Definition columns (m n : nat) (M : matrix) : seq (seq Q) :=
  match M with
  | Dense r => foldr (fun row s => [seq p.1 :: p.2 | p <- zip row s]) (nseq n [::]) r
  | Outer c r => [seq [seq Qmult a b | a <- c] | b <- r]
  | _ => mkseq (fun j => mkseq (fun i => entry M i j) m) n
  end.

Definition hinges_of (d : nat) (f : ff_literal) : seq hinge_literal :=
  let p := size (lit_b f) in
  let us := if lit_U f is Outer c _ then [seq [:: a] | a <- c] else rows p d (lit_U f) in
  [seq Hinge x.1.1 x.1.2 x.2 | x <- zip (zip us (lit_b f)) (columns d p (lit_W f))].

Definition compile_ff (d : nat) (f : ff_literal) : ff_compiled :=
  let l := map clear_hinge (hinges_of d f) in
  let k := den (lit_eta f) in
  FFc (clear k (lit_eta f)) k
    (if lit_U f is Outer _ r then
      let r' := mkseq (nth zero r) d in
      let c := common r' in
      let p := first_piece l in
      Ridge c (map (clear c) r') (tabulate depth p (pieces p (kinks l)))
    else
      let e := foldr (fun h => lcm (unit_e h)) one l in
      General e (map (widen e) l)).

Definition eval_curve (k : I) (x : seq I) (c : curve) : state :=
  match c with
  | General e l => State (mul e k) [:: hinges k x l]
  | Ridge c r T =>
      let t := dot r x in
      let k' := mul c k in
      reduce (piece_value t k' (piece_of t k' T))
  end.

Definition run_ff (f : ff_compiled) (s : state) : state :=
  let k := over s in
  let e := mul (ff_over f) k in
  merge (map_once (fun x => add_state (State e [:: scale (ff_scale f) x]) (eval_curve k x (ff_curve f))) (vectors s)).

(** ** Attention *)

Definition rows_of m n (M : matrix) : seq (seq Q) := mkseq (fun i => mkseq (entry M i) n) m.

Record sa_compiled := SAc {
  sa_keep : I;               (* rho *)
  sa_value : seq (seq I);    (* V *)
  sa_over : I;               (* the denominator of both *)
  sa_query : seq (seq I);    (* Q and K up to a positive factor *)
  sa_key : seq (seq I)
}.

Definition compile_sa (d : nat) (a : sa_literal) : sa_compiled :=
  let v := rows_of d d (lit_V a) in
  let e := common (lit_rho a :: flatten v) in
  SAc (clear e (lit_rho a)) (map (map (clear e)) v) e
    (vectors (clear_rows (rows_of (lit_height a) d (lit_Q a))))
    (vectors (clear_rows (rows_of (lit_height a) d (lit_K a)))).

Definition largest (l : seq I) : I :=
  if l is x :: l' then foldl (fun m y => if leb m y then y else m) x l' else O.

(** All tokens followed by a query; their sum and their number. *)
Definition winners (keys : seq (seq I * seq I)) (query : seq I) : seq (seq I) :=
  let m := largest [seq dot query p.1 | p <- keys] in [seq p.2 | p <- keys & leb m (dot query p.1)].

Definition pool (keys : seq (seq I * seq I)) (query : seq I) : seq I * I :=
  let best := winners keys query in (sumv best, of_Z I (Z.of_nat (size best))).

Definition run_sa (a : sa_compiled) (s : state) : state :=
  let keys := [seq (apply (sa_key a) x, x) | x <- vectors s] in
  let pools := map_once (pool keys) (map (apply (sa_query a)) (vectors s)) in
  let l := foldr (fun p => lcm p.2) one pools in
  let c := mul (sa_keep a) l in
  State (mul (sa_over a) (mul l (over s)))
    [seq addv (scale c q.1) (apply (sa_value a) (scale (div l q.2.2) q.2.1)) | q <- zip (vectors s) pools].

(** ** Transformer and data *)

Definition compile (d : nat) (c : block_literal) : option ff_compiled * option sa_compiled :=
  (omap (compile_ff d) (lit_ff c), omap (compile_sa d) (lit_sa c)).

Definition run_block (s : state) (c : option ff_compiled * option sa_compiled) : state :=
  let s0 := reduce s in
  let s1 := if c.1 is Some f then run_ff f s0 else s0 in
  if c.2 is Some a then run_sa a s1 else s1.

(** Both inclusions, after multiplying out the denominators. *)
Definition same_set (s t : state) : bool :=
  let xs := map (scale (over t)) (vectors s) in
  let ys := map (scale (over s)) (vectors t) in
  all (fun x => has (eqv x) ys) xs && all (fun y => has (fun x => eqv x y) xs) ys.

Definition check_sequence (t : seq (option ff_compiled * option sa_compiled)) (s : sequence_literal) : bool :=
  same_set (foldl run_block (clear_rows (tokens s)) t) (clear_rows (targets s)).

Definition check (c : certificate) : bool :=
  shaped c &&
  (let t := map (compile (dim c)) (blocks c) in all (check_sequence t) (sequences c)).

End Checker.

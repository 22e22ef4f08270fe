(** The lines of a certificate (FORMAT.md), from what it says: by these a file in memory is compared with its bytes. The order
    of keys is free. A line is made when it is asked for. *)

From Coq Require Import ZArith QArith String.
From mathcomp Require Import all_ssreflect.
From Exactformer Require Import Certificate Labels LimitCertificate StagesCertificate Infeasible Geometry OrbitChecker CounterexampleChecker LimitCounterexample.
From Exactformer Require Recogniser RecognitionChecker.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope string_scope.
Local Open Scope seq_scope.

Inductive json :=
  | Null
  | Flag of bool
  | Count of nat
  | Number of Q
  | Word of string
  | Bytes of seq nat             (* a string, by its bytes in UTF-8 *)
  | List of seq json
  | Object of seq (string * json).

Definition lines := seq (unit -> json).
Definition line (fields : seq (string * json)) : lines := [:: fun=> Object fields].

(** The lines numbered 0, 1, 2, .., one after the other. *)
Fixpoint numbered (A : Type) (from : nat) (f : nat -> A -> seq (string * json)) (l : seq A) : lines :=
  if l is x :: l' then (fun=> Object (f from x)) :: numbered from.+1 f l' else [::].

Definition vector (x : seq Q) : json := List (map Number x).
Definition points (x : seq (seq Q)) : json := List (map vector x).
Definition indices (l : seq nat) : json := List (map Count l).
Definition weights (w : seq (nat * Q)) : json := List [seq List [:: Count p.1; Number p.2] | p <- w].
Definition optional (A : Type) (f : A -> json) (x : option A) : json := if x is Some y then f y else Null.
Definition size_of (A : Type) (l : seq A) : json := Count (size l).

Definition header (version : nat) (claim : string) (further : seq (string * json)) : lines :=
  line ([:: ("exactformer", Word "certificate"); ("version", List [:: Count 1; Count version]); ("claim", Word claim)] ++ further).

(** ** interpolation, infeasible *)

Definition matrix_line (M : matrix) : json :=
  match M with
  | Dense rows => points rows
  | Outer column row => Object [:: ("outer", List [:: vector column; vector row])]
  | Scalar c => Object [:: ("scalar", Number c)]
  | Zero => Object [:: ("zero", Flag true)]
  end.

Definition ff_line (f : ff_literal) : json :=
  Object [:: ("eta", Number (lit_eta f)); ("U", matrix_line (lit_U f)); ("b", vector (lit_b f)); ("W", matrix_line (lit_W f))].

(** The height is not written: [Certificate.shaped] compares it with Q and K. *)
Definition sa_line (a : sa_literal) : json :=
  Object [:: ("rho", Number (lit_rho a)); ("V", matrix_line (lit_V a)); ("Q", matrix_line (lit_Q a)); ("K", matrix_line (lit_K a))].

Definition block_line (i : nat) (b : block_literal) : seq (string * json) :=
  [:: ("block", Count i); ("feed_forward", optional ff_line (lit_ff b)); ("self_attention", optional sa_line (lit_sa b))].

(** Labels: as many as there are sequences, or none. *)
Definition sequence_lines (with_targets : bool) (l : seq sequence_literal) (labels : option (seq label)) : lines :=
  let fields i s :=
    [:: ("sequence", Count i); ("tokens", points (tokens s))] ++ (if with_targets then [:: ("targets", points (targets s))] else [::]) in
  if labels is Some names then
    if size names == size l then numbered 0 (fun i p => fields i p.1 ++ [:: ("label", Bytes p.2)]) (zip l names) else [::]
  else numbered 0 fields l.

(** With the least inverse temperature and the bits of the boxes, where the claim is about all temperatures from one on. *)
Definition interpolation_lines (version : nat) (softmax : bool) (from : option (Q * nat)) (labels : option (seq label)) (c : certificate) :
    lines :=
  header version "interpolation"
    ((if from is Some p then [:: ("beta", List [:: Number p.1; Null]); ("bits", Count p.2)] else [::]) ++
     [:: ("attention", Word (if softmax then "softmax" else "hardmax")); ("dim", Count (dim c)); ("blocks", size_of (blocks c));
        ("sequences", size_of (sequences c))])
  ++ numbered 0 block_line (blocks c) ++ sequence_lines true (sequences c) labels.

Definition infeasible_lines (version : nat) (c : infeasible_certificate) : lines :=
  let: (condition, witness) := match inf_reason c with
    | SameMeasure i j => ("measure", [:: i; j])
    | SameSet i j => ("set", [:: i; j])
    | TooMany i => ("targets", [:: i])
    end in
  header version "infeasible"
    [:: ("condition", Word condition); ("witness", indices witness); ("dim", Count (inf_dim c)); ("sequences", size_of (inf_sequences c))]
  ++ sequence_lines (inf_targets c) (inf_sequences c) (inf_labels c).

(** ** limit, orbit *)

Definition evidence_fields (e : evidence) : seq (string * json) :=
  match e with
  | Locked => [:: ("lock", Flag true)]
  | Form terms from =>
      let term t := Object [:: ("base", Number t.1.1); ("power", Count t.1.2); ("vector", vector t.2)] in
      [:: ("form", List (map term terms)); ("from", Count from)]
  end.

Definition place_line (i : nat) (p : place) : seq (string * json) :=
  [:: ("token", Count i); ("kind", Word (if is_vertex p then "vertex" else "projection")); ("limit", vector (at_limit p))]
  ++ evidence_fields (by_evidence p)
  ++ (if is_vertex p then [::] else [:: ("normal", vector (normal p)); ("weights", weights (LimitCertificate.weights p))]).

Definition system_line (A : seq (seq Q)) (alpha : Q) (l : seq (seq Q)) : lines :=
  line [:: ("A", points A); ("alpha", Number alpha); ("tokens", points l)].

(** Further lines may stand after that of the system. *)
Definition limits (further : lines) (c : limit_certificate) : lines :=
  system_line (lim_matrix c) (lim_alpha c) (lim_tokens c) ++ further ++ numbered 0 place_line (lim_places c)
  ++ line [:: ("leaders", indices (lim_leaders c))].

Definition limit_lines (version : nat) (c : limit_certificate) : lines :=
  header version "limit" [:: ("dim", Count (lim_dim c)); ("tokens", size_of (lim_tokens c)); ("layer", Count (lim_layer c))] ++ limits [::] c.

(** In stages: forms and reaches are not written. *)
Definition cut_rows (l : seq (seq nat)) : json := List (map indices l).

Definition stage_line (k : nat) (s : stage) : seq (string * json) :=
  [:: ("stage", Count k); ("time", Count (stage_time s));
      ("renewed", List [seq List [:: Count p.1; indices p.2] | p <- stage_renewed s]); ("cuts", cut_rows (stage_cuts s))].

Definition power_number_line (x : power_number) : json :=
  let power p := List [:: Number p.1; Count p.2] in List [seq List (Number t.1 :: map power t.2) | t <- x].

Definition destination_line (i : nat) (g : destination) : seq (string * json) :=
  [:: ("token", Count i); ("kind", Word (if at_vertex g then "vertex" else "projection"));
      ("limit", List (map power_number_line (at_number g)))]
  ++ (if at_vertex g then [::] else [:: ("weights", weights (face_weights g))]).

Definition stages_lines (version : nat) (c : stages_certificate) : lines :=
  header version "limit"
    [:: ("dim", Count (stg_dim c)); ("tokens", size_of (stg_tokens c)); ("layer", Count (stg_layer c)); ("stages", size_of (stg_stages c))]
  ++ system_line (stg_matrix c) (stg_alpha c) (stg_tokens c) ++ numbered 0 stage_line (stg_stages c)
  ++ line [:: ("from", Count (stg_from c)); ("cuts", cut_rows (stg_cuts c))]
  ++ numbered 0 destination_line (stg_destinations c)
  ++ line [:: ("leaders", List [seq List [:: Count p.1; Count p.2] | p <- stg_leaders c])].

Definition layer_line (k : nat) (l : orbit_layer) : seq (string * json) :=
  [:: ("layer", Count k); ("tokens", points (orb_tokens l)); ("follows", List (map indices (orb_follows l)));
      ("leaders", indices (orb_leaders l))].

Definition orbit_lines (version : nat) (c : orbit_certificate) : lines :=
  header version "orbit"
    [:: ("dim", Count (orb_dim c)); ("tokens", size_of (orb_start c)); ("layers", Count (size (orb_layers c)).-1)]
  ++ system_line (orb_matrix c) (orb_alpha c) (orb_start c) ++ numbered 0 layer_line (orb_layers c).

(** ** vertex, separation, projection *)

Definition geometry_lines (version : nat) (d : nat) (g : geometry) : lines :=
  let vertex l i is_vertex := header version "vertex" [:: ("dim", Count d); ("points", size_of l); ("vertex", Flag is_vertex)]
    ++ line [:: ("points", points l); ("point", Count i)] in
  let sides l r separated :=
    header version "separation" [:: ("dim", Count d); ("left", size_of l); ("right", size_of r); ("separated", Flag separated)]
    ++ line [:: ("left", points l)] ++ line [:: ("right", points r)] in
  match g with
  | Vertex l i h => vertex l i true ++ line [:: ("normal", vector h)]
  | NoVertex l i w => vertex l i false ++ line [:: ("weights", weights w)]
  | Separated l r h b => sides l r true ++ line [:: ("normal", vector h); ("offset", Number b)]
  | Meeting l r u v => sides l r false ++ line [:: ("left_weights", weights u); ("right_weights", weights v)]
  | Projection A l x w =>
      header version "projection" [:: ("dim", Count d); ("points", size_of l)] ++ line [:: ("A", points A); ("points", points l)]
      ++ line [:: ("projection", vector x); ("weights", weights w)]
  end.

(** ** counterexample: a pair that is no statement has no lines *)

Definition leader_statement (h : assumption) (prefix : string) : option string :=
  match h with
  | NotSymmetric => Some (append prefix "without-symmetry")
  | NotSemidefinite => Some (append prefix "indefinite")
  | Singular => Some (append prefix "semidefinite")
  | Repeated => Some (append prefix "duplicates")
  | Plain | WithZero => None
  end.

Definition statement (h : assumption) (r : refutation) : option string :=
  match r, h with
  | NoLeaderAtFirst, _ => leader_statement h "leader-"
  | NoLeaderByN _, _ => leader_statement h "leader-by-layer-n-"
  | LeadsLate _ _, Plain => Some "every-leader-leads-at-once"
  | LeadsLast false _ _, Plain => Some "last-leader-within-n"
  | LeadsLast true _ _, Plain => Some "last-leader-within-n-large-alpha"
  | GraphChanges _, Plain => Some "graph-constant-after-n"
  | InteriorLeads _ _ _, Plain => Some "interior-tokens-never-lead"
  | _, _ => None
  end.

Definition statement_header (version : nat) (name : string) (d : nat) (l : seq (seq Q)) (layers : nat) : lines :=
  header version "counterexample" [:: ("statement", Word name); ("dim", Count d); ("tokens", size_of l); ("layers", Count layers)].

Definition counterexample_lines (version : nat) (x : counterexample) : lines :=
  let c := cex_system x in
  let: (layers, last) := match cex_refutation x with
    | NoLeaderAtFirst => (0%N, [::])
    | NoLeaderByN K | GraphChanges K => (K, [::])
    | LeadsLate K i | LeadsLast _ K i => (K, line [:: ("token", Count i)])
    | InteriorLeads K i w => (K, line [:: ("token", Count i); ("weights", weights w)])
    end in
  if statement (cex_assumption x) (cex_refutation x) is Some name then
    statement_header version name (orb_dim c) (orb_start c) layers ++ system_line (orb_matrix c) (orb_alpha c) (orb_start c) ++ last
  else [::].

Definition limit_counterexample_lines (version : nat) (x : limit_counterexample) : lines :=
  let c := lcx_limit x in
  let vertices i leads evidence :=
    ("leaders-are-initial-vertices", line [:: ("token", Count i); ("leader", Flag leads); evidence]) in
  let token i := line [:: ("token", Count i)] in
  let: (name, last) := match lcx_refutation x with
    | TendsElsewhere i => ("every-token-tends-to-a-leader", token i)
    | LeaderNoVertex i w => vertices i true ("weights", weights w)
    | VertexNoLeader i h => vertices i false ("normal", vector h)
    | InteriorLimit i w => ("boundary-with-zero", line [:: ("token", Count i); ("weights", weights w)])
    | LeadsForOne grow _ i => (if grow then "leaders-grow-with-alpha" else "leaders-shrink-with-alpha", token i)
    end in
  let: (layers, layer) :=
    if lcx_refutation x is LeadsForOne _ K _ then (K, line [:: ("layer", Count (lim_layer c))]) else (lim_layer c, [::]) in
  statement_header version name (lim_dim c) (lim_tokens c) layers ++ limits layer c ++ last.

(** ** recognition, no-recogniser: their subject lines. Tables, states and words of a counter are witnesses: any that the
    checker accepts are a proof, so their lines are not compared. *)

Import RecognitionChecker.

Definition form_line (M : form) : json :=
  match M with
  | Full rows => points rows
  | Product column row => Object [:: ("outer", List [:: vector column; vector row])]
  | Multiple c => Object [:: ("scalar", Number c)]
  | Nothing => Object [:: ("zero", Flag true)]
  | Sparse rows => Object [:: ("rows", List (map weights rows))]
  end.

(** The height is not written: [RecognitionChecker.shaped_head] compares it with Q and K. *)
Definition head_line (h : head_form) : json :=
  Object [:: ("V", form_line (form_V h)); ("Q", form_line (form_Q h)); ("K", form_line (form_K h));
    ("mask", Word (match form_mask h with Recogniser.before => "before" | Recogniser.upto => "upto" end));
    ("ties", Word (match form_ties h with Recogniser.to_first => "first" | Recogniser.to_last => "last" end))].

Definition recognising_block_line (i : nat) (b : block_form) : seq (string * json) :=
  let fed f := Object [:: ("eta", Number (form_eta f)); ("U", form_line (form_U f)); ("b", vector (form_b f)); ("W", form_line (form_W f))] in
  let attention p := Object [:: ("rho", Number p.1); ("heads", List (map head_line p.2))] in
  [:: ("block", Count i); ("feed_forward", optional fed (form_ff b)); ("self_attention", optional attention (form_attention b))].

Definition automaton_line (letters : seq (seq nat)) (a : Recogniser.automaton) : lines :=
  line [:: ("letters", List (map Bytes letters)); ("next", List (map indices (Recogniser.next a))); ("accepting", indices (Recogniser.accepting a));
           ("start", Count (Recogniser.start a))].

Definition model_line (c : recognition) : lines :=
  line [:: ("tokens", points (rec_tokens c)); ("begin", optional vector (rec_begin c)); ("end", Null); ("features", List [::]);
    ("at", Word "last"); ("accept", vector (rec_accept c)); ("threshold", Number (rec_threshold c));
    ("zero", Word (if rec_lenient c then "rejected" else "neither")); ("empty", optional Flag (rec_empty c))].

Definition recognition_lines (version : nat) (c : recognition) : lines :=
  let: (scope, size, last) := match rec_scope c with
    | AllWords _ states => ("all", ("product", size_of states), [::])
    | OneWord w => ("word", ("length", size_of w), line [:: ("word", indices w)])
    | WordsUpTo n => ("upto", ("length", Count n), [::])
    end in
  header version "recognition"
    [:: ("scope", Word scope); ("dim", Count (rec_dim c)); ("blocks", size_of (rec_blocks c)); ("letters", size_of (rec_letters c));
        ("states", size_of (Recogniser.next (rec_automaton c))); size]
  ++ automaton_line (rec_letters c) (rec_automaton c) ++ model_line c ++ numbered 0 recognising_block_line (rec_blocks c) ++ last.

Definition no_recogniser_lines (version : nat) (c : no_recogniser_certificate) : lines :=
  header version "no-recogniser"
    [:: ("dim", Count 1); ("letters", size_of (no_letters c)); ("states", size_of (Recogniser.next (no_automaton c)));
        ("period", optional Count (no_period c))]
  ++ automaton_line (no_letters c) (no_automaton c).

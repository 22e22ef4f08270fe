(* TRUSTED. The verdict on the text of a certificate. What is accepted was compared with the bytes of the text, and verified
   by a function proved sound. *)

open Json

type verdict = Accepted of string | Rejected of string | Unreadable of string | Undecided of string

let interpolation file version header =
  let softmax, from, c, labels = Reader.interpolation file version header in
  Text.verify file.text (Lines.interpolation_lines version softmax from labels c);
  let accepted where =
    Accepted
      (Printf.sprintf "a %s transformer with %d blocks maps %d sequences in Q^%d onto their targets%s"
         (if softmax then "softmax" else "hardmax")
         (List.length c.blocks) (List.length c.sequences) c.dim where)
  and rejected why =
    match labels with
    | Some labels when not (Labels.check_labels labels c.sequences) ->
        Rejected "labels and sets of targets do not correspond one to one"
    | _ -> Rejected why
  in
  match from with
  | Some (low, bits) -> (
      match Verified.verify_from_temperature low bits labels c with
      | Some true -> accepted (Printf.sprintf ", at every beta >= %s, and for hardmax" (Text.canonical low))
      | Some false -> rejected "an output of some sequence is no target, or a target no output, whatever beta"
      | None ->
          Undecided
            (Printf.sprintf "enclosure too wide at %d bits: an output is no point; larger \"bits\" may decide" bits))
  | None ->
      if Verified.verify_interpolation softmax labels c then accepted ""
      else if softmax && not (List.for_all Softmax.uniform_literal c.blocks) then
        rejected "softmax attention is exact only where Q or K is zero"
      else rejected "the set of outputs of some sequence is not the set of its targets"

let infeasible file version header =
  let c = Reader.infeasible file header in
  Text.verify file.text (Lines.infeasible_lines version c);
  let who =
    match c.inf_reason with
    | SameSet _ -> "map that sees only the set of tokens (not mean pooling)"
    | SameMeasure _ | TooMany _ -> "hardmax transformer"
  in
  if Verified.verify_infeasible c then
    Accepted (Printf.sprintf "no %s interpolates the data, %d sequences in Q^%d" who (List.length c.inf_sequences) c.inf_dim)
  else Rejected "the sequences named are not a reason"

let limit file version header =
  let c = Reader.limit file header in
  Text.verify file.text (Lines.limit_lines version c);
  if Verified.verify_limit c then
    Accepted
      (Printf.sprintf
         "each of %d tokens in Q^%d tends to a limit of the kind stated; the follower sets never change from layer %d on"
         (List.length c.lim_tokens) c.lim_dim c.lim_layer)
  else Rejected "some token does not go where it is said to go, for the reason stated"

let limit_in_stages file version header =
  let c = Stages_reader.limit_in_stages file header in
  Text.verify file.text (Lines.stages_lines version c);
  if Verified.verify_limit_in_stages c then
    Accepted
      (Printf.sprintf
         "each of %d tokens in Q^%d tends to a limit of the kind stated; the follower sets never change from layer %d on"
         (List.length c.stg_tokens) c.stg_dim
         (StagesCertificate.settled_layer c))
  else Rejected "some token does not go where it is said to go, through the stages stated"

let orbit file version header =
  let c = Reader.orbit file header in
  Text.verify file.text (Lines.orbit_lines version c);
  if Verified.verify_orbit c then
    Accepted
      (Printf.sprintf "states, follower sets and leaders of layers 0..%d of %d tokens in Q^%d are as stated"
         (List.length c.orb_layers - 1) (List.length c.orb_start) c.orb_dim)
  else Rejected "some state, follower set or list of leaders is another"

let geometry read file version header =
  let dim, (g : Geometry.geometry) = read file header in
  Text.verify file.text (Lines.geometry_lines version dim g);
  let size = List.length in
  let about, why =
    match g with
    | Vertex (l, i, _) | NoVertex (l, i, _) ->
        let which = match g with Vertex _ -> "a" | _ -> "no" in
        (Printf.sprintf "point %d of %d points in Q^%d is %s vertex of their convex hull" i (size l) dim which,
          "the witness does not show whether the point is a vertex")
    | Separated (l, r, _, _) ->
        (Printf.sprintf "a hyperplane strictly separates %d and %d points in Q^%d" (size l) (size r) dim,
          "some point is not strictly on its side of the hyperplane")
    | Meeting (l, r, _, _) ->
        (Printf.sprintf "the convex hulls of %d and %d points in Q^%d have a common point" (size l) (size r) dim,
          "the weights do not give a common point")
    | Projection (_, l, _, _) ->
        (Printf.sprintf "the A-projection of the origin onto the hull of %d points in Q^%d is as stated" (size l) dim,
          "this is not the projection, or A is not symmetric positive definite")
  in
  if Verified.verify_geometry dim g then Accepted about else Rejected why

let counterexample file version header =
  let holds =
    match Counterexample_reader.counterexample file version header with
    | OfLayers x ->
        Text.verify file.text (Lines.counterexample_lines version x);
        Verified.verify_counterexample x
    | OfLimits x ->
        Text.verify file.text (Lines.limit_counterexample_lines version x);
        Verified.verify_limit_counterexample x
  in
  if holds then Accepted "the statement is false: its hypotheses hold and its conclusion fails on this instance"
  else Rejected "a hypothesis of the statement does not hold, or its conclusion does"

let recogniser (c : RecognitionChecker.recognition) =
  Printf.sprintf "the recogniser (%d blocks in Q^%d)" (List.length c.rec_blocks) c.rec_dim

let recognition file version header =
  let c = Recognition_reader.recognition file header in
  Text.verify ~witness:file.at file.text (Lines.recognition_lines version c);
  let has, where, why =
    match c.rec_scope with
    | AllWords (_, states) ->
        let where = Printf.sprintf "words of every length, by %d states" (List.length states) in
        ("has", where, "the states are not closed, or a verdict is wrong")
    | OneWord w -> ("has not", Printf.sprintf "a word of %d letters" (List.length w), "the verdict on the word is the automaton's")
    | WordsUpTo n -> ("has", Printf.sprintf "all words of at most %d letters" n, "the verdict on a word is not the automaton's")
  in
  let size = Printf.sprintf "%d states, %d letters" (List.length c.rec_automaton.next) (List.length c.rec_letters) in
  if Verified.verify_recognition c then
    Accepted (Printf.sprintf "%s %s the verdict of the automaton (%s) on %s" (recogniser c) has size where)
  else Rejected why

let no_recogniser file version header =
  let c = Recognition_reader.no_recogniser file header in
  Text.verify ~witness:file.at file.text (Lines.no_recogniser_lines version c);
  if Verified.verify_no_recogniser c then
    Accepted
      (Printf.sprintf
         "no recogniser with unique ties and periodic features %s has the verdict of the automaton with %d states on every word \
          over %d letters"
         (match c.no_period with None -> "whatever their periods" | Some m -> Printf.sprintf "of periods that divide %d" m)
         (List.length c.no_automaton.next) (List.length c.no_letters))
  else Rejected "the automaton does not count as stated"

let unknown what = Undecided (Printf.sprintf "this checker does not know the claim %s" what)

let check file =
  let header = next_line file in
  let field key = match header with Object members -> List.assoc_opt key members | _ -> None in
  if field "exactformer" <> Some (Word "certificate") then malformed "no header of a certificate";
  let version =
    match field "version" with
    | Some (List [ Count 1; Count minor ]) when minor <= 2 -> minor
    | _ -> malformed "the version is not [1,0], [1,1] or [1,2]"
  in
  file.claim <- (match field "claim" with Some (Word name) -> Some name | _ -> None);
  match field "claim" with
  | Some (Word "interpolation") -> interpolation file version header
  | Some (Word "infeasible") -> infeasible file version header
  | Some (Word "limit") ->
      (if has_key header "stages" && version > 0 then limit_in_stages else limit) file version header
  | Some (Word "orbit") -> orbit file version header
  | Some (Word "vertex") -> geometry Reader.vertex file version header
  | Some (Word "separation") -> geometry Reader.separation file version header
  | Some (Word "projection") -> geometry Reader.projection file version header
  | Some (Word "counterexample") -> (
      match field "statement" with
      | Some (Word name) when not (has_key header "layers" && has_key header "tokens") ->
          unknown ("counterexample of the statement " ^ name)
      | _ -> counterexample file version header)
  | Some (Word "recognition") when version = 2 -> recognition file version header
  | Some (Word "no-recogniser") when version = 2 -> no_recogniser file version header
  | Some (Word name) -> unknown name
  | _ -> malformed "an unknown claim or statement"

(* ---- the answer ---- *)

let max_line = ref 200_000_000
let max_digits = ref 4_000
let opened text = { text; at = 0; line = 0; claim = None; max_line = !max_line; max_digits = !max_digits }

let verdict_of file =
  try check file with
  | Malformed why -> Unreadable why
  | Text.Differs at ->
      Unreadable (Printf.sprintf "not what was read, in canonical form and with its digest, from byte %d on" at)
  | Reader.Rejected why -> Rejected why
  | Arithmetic.Declined why -> Undecided why
  | Stack_overflow -> Undecided "a list is too long for the stack: raise its limit with ulimit -s, or in a browser take the native program"
  | Out_of_memory -> Undecided "there is not enough memory"

let quoted word = "\"" ^ String.escaped word ^ "\""
let or_null = function None -> "null" | Some word -> quoted word

(* The exit code, and the verdict in words. *)
let shown file verdict ~json =
  let name, why, code =
    match verdict with
    | Accepted why -> ("accepted", why, 0)
    | Rejected why -> ("rejected", why, 1)
    | Unreadable why -> ("malformed", why, 3)
    | Undecided why -> ("declined", why, 4)
  in
  let where = if code = 0 then None else Some (Printf.sprintf "line %d" file.line) in
  let words =
    if json then
      Printf.sprintf {|{"verdict": %s, "claim": %s, "where": %s, "why": %s}|} (quoted name) (or_null file.claim)
        (or_null where) (quoted why)
    else Printf.sprintf "%s%s: %s" name (match where with None -> "" | Some place -> " (" ^ place ^ ")") why
  in
  (code, words)

(* Not trusted: certificates of recognisers, from their lines. Subject lines are written back and compared (Lines.v, text.ml);
   witness lines are verified by the proved function. *)

open Json
open Reader
open Recogniser
open RecognitionChecker

let unknown what = raise (Arithmetic.Declined ("this checker does not know the claim recognition with " ^ what))

let nullable read = function Null -> None | tree -> Some (read tree)
let differ what items = if List.length (List.sort_uniq compare items) < List.length items then malformed "%s must differ" what
let bytes word = List.map Char.code (List.of_seq (Stdlib.String.to_seq word))

let sparse_row file columns tree =
  let pair least tree =
    match list tree with
    | [ c; x ] ->
        let c = count c ~least ~below:columns and x = number file x in
        if Z.sign x.coq_Qnum = 0 then malformed "a zero is not written";
        (c + 1, (c, x))
    | _ -> malformed "expected a list of 2 entries"
  in
  snd (List.fold_left_map pair 0 (list tree))

(* A matrix and its number of rows; none, if it is zero and has as many as are wanted. *)
let form file columns tree =
  let found, height =
    if has_key tree "rows" then begin
      let rows = List.map (sparse_row file columns) (entries (List.hd (fields tree [ "rows" ]))) in
      (Sparse rows, Some (List.length rows))
    end
    else
      match matrix file columns tree with
      | Certificate.Dense rows, height -> (Full rows, height)
      | Outer (column, row), height -> (Product (column, row), height)
      | Scalar c, height -> (Multiple c, height)
      | Zero, height -> (Nothing, height)
  in
  Arithmetic.spend (20 * columns * Option.value height ~default:1);
  (found, height)

let form_of_shape file rows columns tree =
  let found, height = form file columns tree in
  if height <> None && height <> Some rows then malformed "a matrix has the wrong number of rows";
  Arithmetic.spend (20 * columns * rows);
  found

let head_form file dim tree =
  match fields tree [ "V"; "Q"; "K"; "mask"; "ties" ] with
  | [ v; q; k; mask; ties ] ->
      let form_mask =
        match mask with
        | Word "before" -> Coq_before
        | Word "upto" -> Coq_upto
        | Null | Word ("after" | "from") -> unknown "heads that see what comes later"
        | _ -> malformed "an unknown mask"
      in
      let form_ties =
        match ties with
        | Word "first" -> Coq_to_first
        | Word "last" -> Coq_to_last
        | Word "all" -> unknown "ties to all"
        | _ -> malformed "an unknown tie rule"
      in
      let (form_Q, m), (form_K, n) = (form file dim q, form file dim k) in
      if m <> None && n <> None && m <> n then malformed "Q and K have different numbers of rows";
      let form_height = match (m, n) with Some m, _ | None, Some m -> m | None, None -> 1 in
      Arithmetic.spend (40 * dim * form_height);
      { form_V = form_of_shape file dim dim v; form_height; form_Q; form_K; form_mask; form_ties }
  | _ -> assert false

let ff_form file dim tree =
  match fields tree [ "eta"; "U"; "b"; "W" ] with
  | [ eta; u; b; w ] ->
      let form_b = numbers file b in
      let width = List.length form_b in
      let form_U = form_of_shape file width dim u and form_W = form_of_shape file dim width w in
      { form_eta = number file eta; form_U; form_b; form_W }
  | _ -> assert false

let block_form file dim i =
  match fields (next_line file) [ "block"; "feed_forward"; "self_attention" ] with
  | [ block; ff; sa ] ->
      ignore (count block ~least:i ~below:(i + 1));
      let attention tree =
        match fields tree [ "rho"; "heads" ] with
        | [ rho; heads ] -> (number file rho, List.map (head_form file dim) (entries heads))
        | _ -> assert false
      in
      { form_ff = nullable (ff_form file dim) ff; form_attention = nullable attention sa }
  | _ -> assert false

let automaton_line file k s =
  match fields (next_line file) [ "letters"; "next"; "accepting"; "start" ] with
  | [ letters; next; accepting; start ] ->
      let names = List.map text_of (entries letters) in
      length_is k names;
      differ "letters" names;
      let row tree =
        let found = List.map (fun q -> count q ~below:s) (entries tree) in
        length_is k found;
        found
      in
      let next = List.map row (entries next) in
      length_is s next;
      Arithmetic.spend (4 * k * k);
      (List.map bytes names, { next; accepting = indices accepting s; start = count start ~below:s })
  | _ -> assert false

(* Every string of a witness line is a number in canonical form: these lines are not written back. *)
let rec canonical file = function
  | Word word as tree ->
      if Text.canonical (number file tree) <> word then malformed "a number is not in canonical form"
  | List items -> List.iter (canonical file) items
  | Object members -> List.iter (fun (_, tree) -> canonical file tree) members
  | Null | Flag _ | Count _ -> ()

let table_line file dim (b, h, (head : head_form)) =
  let tree = next_line file in
  canonical file tree;
  match fields tree [ "block"; "head"; "queries"; "values"; "pairs"; "summaries"; "guessed" ] with
  | [ block; place; queries; values; pairs; summaries; guessed ] ->
      ignore (count block ~least:b ~below:(b + 1), count place ~least:h ~below:(h + 1), count guessed ~below:1);
      let form_queries = List.map (vector file head.form_height) (list queries) in
      let form_values = List.map (vector file dim) (list values) in
      let value tree = count tree ~below:(List.length form_values) in
      let couple read tree = match list tree with [ x; i ] -> (read x, value i) | _ -> malformed "expected a list of 2 entries" in
      let form_pairs = List.map (couple (vector file head.form_height)) (list pairs) in
      let summary tree =
        let found = List.map (nullable (couple (number file))) (list tree) in
        length_is (List.length form_queries) found;
        found
      in
      let form_summaries = List.map summary (entries summaries) in
      differ "queries" form_queries;
      differ "values" form_values;
      differ "pairs" form_pairs;
      differ "summaries" form_summaries;
      if List.exists Option.is_some (List.hd form_summaries) then malformed "summary 0 must be the empty one";
      { form_queries; form_values; form_pairs; form_summaries }
  | _ -> assert false

let state_line file tables s k =
  match fields (next_line file) [ "state"; "heads"; "out"; "residue"; "automaton" ] with
  | [ state; heads; out; residue; automaton ] ->
      ignore (count state ~least:k ~below:(k + 1), count residue ~below:1);
      let heads = list heads in
      length_is (List.length tables) heads;
      let verdict = function
        | Word "accept" -> Accept
        | Word "reject" -> Reject
        | Word "zero" -> Zero
        | _ -> malformed "\"out\" is a verdict or null"
      in
      let held tree table = count tree ~below:(List.length table.form_summaries) in
      { form_held = List.map2 held heads tables; form_out = nullable verdict out; form_automaton = count automaton ~below:s }
  | _ -> assert false

let word k tree = List.map (fun a -> count a ~below:k) (list tree)

(* The tables of all heads, in their order, and n states. *)
let all_words file dim s k n blocks =
  let numbered b block =
    match block.form_attention with None -> [] | Some (_, heads) -> List.mapi (fun h head -> (b, h, head)) heads
  in
  let tables = List.map (table_line file dim) (List.concat (List.mapi numbered blocks)) in
  Arithmetic.spend (n * n * k);
  let states = repeat n (state_line file tables s) in
  differ "states" states;
  AllWords (tables, states)

let recogniser_line file dim k =
  let keys = [ "tokens"; "begin"; "end"; "features"; "at"; "accept"; "threshold"; "zero"; "empty" ] in
  match fields (next_line file) keys with
  | [ tokens; start; stop; features; at; accept; threshold; zero; empty ] ->
      if list features <> [] then unknown "positional features";
      if stop <> Null then unknown "an end mark";
      if at = Word "first" then unknown "a verdict at the first position";
      if at <> Word "last" then malformed "\"at\" must be first or last";
      let lenient =
        match zero with
        | Word "rejected" -> true
        | Word "neither" -> false
        | _ -> malformed "\"zero\" must be rejected or neither"
      in
      let empty = nullable (function Flag flag -> flag | _ -> malformed "\"empty\" must be true, false or null") empty in
      if start <> Null && empty <> None then malformed "with a mark \"empty\" must be null";
      let start = nullable (vector file dim) start in
      (points file dim tokens ~length:k, start, vector file dim accept, number file threshold, lenient, empty)
  | _ -> assert false

let recognition file header =
  let last = if has_key header "product" then "product" else "length" in
  match fields header [ "exactformer"; "version"; "claim"; "scope"; "dim"; "blocks"; "letters"; "states"; last ] with
  | [ _; _; _; scope; dim; blocks; letters; states; n ] ->
      let dim = count dim ~least:1 and k = count letters ~least:1 and s = count states ~least:1 in
      let n = count n ~least:(if last = "product" then 1 else 0) in
      let rec_letters, rec_automaton = automaton_line file k s in
      let rec_tokens, rec_begin, rec_accept, rec_threshold, rec_lenient, rec_empty = recogniser_line file dim k in
      let rec_blocks = repeat (count blocks) (block_form file dim) in
      let depth = 1 + List.length rec_blocks in
      let rec_scope =
        match (scope, last) with
        | Word "all", "product" -> all_words file dim s k n rec_blocks
        | Word "word", "length" ->
            let w = word k (List.hd (fields (next_line file) [ "word" ])) in
            length_is n w;
            Arithmetic.spend (depth * (n + 1) * (n + s));
            OneWord w
        | Word "upto", "length" ->
            let rec total i = if i = 0 then 1 else 1 + (k * total (i - 1)) in
            let words = if k = 1 then n + 1 else if n > 31 then max_int / 1000 else total n in
            if words > !Arithmetic.max_operations / 500 then Arithmetic.declined "the number of words" !Arithmetic.max_operations "operations";
            Arithmetic.spend (words * (500 + (depth * (n + 1) * (n + s))));
            WordsUpTo n
        | _ -> malformed "\"scope\" must be all, word or upto"
      in
      { rec_dim = dim; rec_letters; rec_automaton; rec_tokens; rec_begin; rec_accept; rec_threshold; rec_lenient; rec_empty;
        rec_blocks; rec_scope }
  | _ -> assert false

let no_recogniser file header =
  match fields header [ "exactformer"; "version"; "claim"; "dim"; "letters"; "states"; "period" ] with
  | [ _; _; _; dim; letters; states; period ] ->
      ignore (count dim ~least:1 ~below:2);
      let k = count letters ~least:1 and s = count states ~least:1 and no_period = nullable (count ~least:1) period in
      let no_letters, no_automaton = automaton_line file k s in
      let keys = [ "x"; "u"; "p"; "z" ] @ if no_period = None then [ "e" ] else [] in
      let found = List.combine keys (fields (next_line file) keys) in
      let read key = match List.assoc_opt key found with None -> [] | Some tree -> word k tree in
      let no_p = count (List.assoc "p" found) ~least:2 ~below:(s + 1) in
      let no_x, no_u, no_e, no_z = (read "x", read "u", read "e", read "z") in
      if no_u = [] then malformed "u must not be empty";
      let size = List.length in
      Arithmetic.spend (s * (size no_x + (no_p * (size no_u + size no_e)) + (2 * size no_z)));
      { no_letters; no_automaton; no_period; no_x; no_u; no_e; no_p; no_z }
  | _ -> assert false

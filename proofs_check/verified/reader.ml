(* Not trusted: certificates of the claims that this checker knows, from their lines. What is read is written back
   and compared (Lines.v, text.ml); what is refused here is not accepted. *)

open Json
open Certificate
open LimitCertificate

exception Rejected of string

let rejected why = raise (Rejected why)

(* f 0, f 1, .., f (n-1), in this order; no list is made for a count that the file cannot hold. *)
let repeat n f =
  let rec go i found = if i = n then List.rev found else go (i + 1) (f i :: found) in
  go 0 []

let length_is n items = if List.length items <> n then malformed "expected a list of %d entries" n

(* ---- interpolation ---- *)

(* A matrix and its number of rows; none, if it is zero and has as many as are wanted. *)
let matrix file columns tree =
  match tree with
  | List _ ->
      let rows = List.map (numbers file) (entries tree) in
      List.iter (length_is columns) rows;
      (Dense rows, Some (List.length rows))
  | _ when has_key tree "outer" -> (
      match List.map (numbers file) (entries (List.hd (fields tree [ "outer" ]))) with
      | [ column; row ] ->
          length_is columns row;
          (Outer (column, row), Some (List.length column))
      | _ -> malformed "expected a list of 2 entries")
  | _ when has_key tree "scalar" -> (Scalar (number file (List.hd (fields tree [ "scalar" ]))), Some columns)
  | _ -> if fields tree [ "zero" ] = [ Flag true ] then (Zero, None) else malformed "\"zero\" must be true"

let matrix_of_shape file rows columns tree =
  let found, height = matrix file columns tree in
  if height <> None && height <> Some rows then malformed "a matrix has the wrong number of rows";
  found

let feed_forward file dim tree =
  match fields tree [ "eta"; "U"; "b"; "W" ] with
  | [ eta; u; b; w ] ->
      let b = numbers file b in
      let width = List.length b in
      Arithmetic.spend (width * dim);
      let u = matrix_of_shape file width dim u and w = matrix_of_shape file dim width w in
      { lit_eta = number file eta; lit_U = u; lit_b = b; lit_W = w }
  | _ -> assert false

let self_attention file dim tree =
  match fields tree [ "rho"; "V"; "Q"; "K" ] with
  | [ rho; v; q; k ] ->
      let (q, rows), (k, others) = (matrix file dim q, matrix file dim k) in
      let height =
        match (rows, others) with
        | Some m, Some n when m <> n -> malformed "Q and K have different numbers of rows"
        | Some m, _ | None, Some m -> m
        | None, None -> 1
      in
      Arithmetic.spend (10 * dim * (dim + (2 * height)));
      { lit_rho = number file rho; lit_V = matrix_of_shape file dim dim v; lit_height = height; lit_Q = q; lit_K = k }
  | _ -> assert false

let block file dim i =
  match fields (next_line file) [ "block"; "feed_forward"; "self_attention" ] with
  | [ block; ff; sa ] ->
      ignore (count block ~least:i ~below:(i + 1));
      let optional read tree = match tree with Null -> None | _ -> Some (read file dim tree) in
      { lit_ff = optional feed_forward ff; lit_sa = optional self_attention sa }
  | _ -> assert false

(* Whether a string in UTF-8 has a lone surrogate, which is written as ED A0..BF .. *)
let lone_surrogate word =
  let found = ref false in
  String.iteri
    (fun i c -> if c = '\xED' && i + 1 < String.length word && word.[i + 1] >= '\xA0' then found := true)
    word;
  !found

let label tree =
  let word = text_of tree in
  if lone_surrogate word then malformed "a label is a string without lone surrogates";
  List.map Char.code (List.of_seq (Stdlib.String.to_seq word))

(* A sequence line with these keys besides `sequence` and `tokens`; without targets they are empty. *)
let sequence file dim keys i =
  match fields (next_line file) ([ "sequence"; "tokens" ] @ keys) with
  | number :: tokens :: others ->
      ignore (count number ~least:i ~below:(i + 1));
      let found = List.combine keys others in
      let targets = match List.assoc_opt "targets" found with None -> [] | Some tree -> points file dim tree in
      if List.length (List.sort_uniq compare targets) < List.length targets then malformed "a target stands twice";
      ({ tokens = points file dim tokens; targets }, Option.map label (List.assoc_opt "label" found))
  | _ -> assert false

(* The next line, which stays the next one. *)
let peek file =
  let at, line = (file.at, file.line) in
  let found = next_line file in
  file.at <- at;
  file.line <- line;
  found

(* n sequence lines, all with the keys of the first kind that the first line has; their labels, if there are any. *)
let sequences file dim n kinds =
  let first = peek file in
  let keys =
    match List.find_opt (List.for_all (has_key first)) kinds with None -> List.hd kinds | Some keys -> keys
  in
  let found = repeat n (sequence file dim keys) in
  (List.map fst found, if List.mem "label" keys then Some (List.filter_map snd found) else None)

(* The claim, its inverse temperature and bits if it is about all temperatures from one on, and the labels. *)
let interpolation file version header =
  let has_range = version > 0 && has_key header "beta" in
  let range = if has_range then [ "beta"; "bits" ] else [] in
  match fields header ([ "exactformer"; "version"; "claim"; "attention"; "dim"; "blocks"; "sequences" ] @ range) with
  | _ :: _ :: _ :: attention :: dim :: blocks :: n :: range ->
      let softmax =
        match attention with
        | Word "hardmax" when not has_range -> false
        | Word "softmax" -> true
        | _ -> malformed "attention is hardmax or softmax, with a range of temperatures softmax"
      in
      let from =
        match range with
        | [ List [ low; Null ]; bits ] ->
            let low = number file low and bits = count bits ~least:1 in
            if Z.sign low.coq_Qnum <= 0 then malformed "beta is a range [b, c] with 0 < b <= c, or [b, null]";
            if bits > !Arithmetic.max_bits then
              Arithmetic.declined (Printf.sprintf "%d bits" bits) !Arithmetic.max_bits "bits";
            Some (low, bits)
        | [] -> None
        | [ List [ _; _ ]; _ ] ->
            raise (Arithmetic.Declined "this checker does not know the claim interpolation up to a temperature")
        | _ -> malformed "beta is a range [b, c] with 0 < b <= c, or [b, null]"
      in
      let dim = count dim ~least:1 and n = count n ~least:1 in
      if version > 0 && has_key (peek file) "margin" then
        raise (Arithmetic.Declined "this checker does not know the claim interpolation with a margin");
      let blocks = repeat (count blocks) (block file dim) in
      let sequences, labels = sequences file dim n [ [ "targets"; "label" ]; [ "targets" ] ] in
      (softmax, from, { dim; blocks; sequences }, labels)
  | _ -> assert false

(* ---- infeasible ---- *)

let infeasible file header : Infeasible.infeasible_certificate =
  match fields header [ "exactformer"; "version"; "claim"; "condition"; "dim"; "sequences"; "witness" ] with
  | [ _; _; _; condition; dim; n; witness ] ->
      let dim = count dim ~least:1 and n = count n ~least:1 in
      let inf_reason : Infeasible.reason =
        match (condition, indices witness n) with
        | Word "measure", [ i; j ] -> SameMeasure (i, j)
        | Word "set", [ i; j ] -> SameSet (i, j)
        | Word "targets", [ i ] -> TooMany i
        | _ -> malformed "the condition is measure, set or targets, and its witness two sequences, for targets one"
      in
      let any = [ [ "targets"; "label" ]; [ "targets" ]; [ "label" ] ] in
      let kinds = match inf_reason with TooMany _ -> [ [ "targets" ] ] | _ -> any in
      let with_targets = has_key (peek file) "targets" in
      let inf_sequences, inf_labels = sequences file dim n kinds in
      let longest = List.fold_left (fun m s -> max m (List.length s.tokens)) 0 inf_sequences in
      Arithmetic.spend (4 * longest * longest * dim);
      { inf_dim = dim; inf_sequences; inf_labels; inf_targets = with_targets; inf_reason }
  | _ -> assert false

(* ---- limit ---- *)

let weights file n tree =
  let pair tree = match list tree with [ i; x ] -> (i, number file x) | _ -> malformed "expected a list of 2 entries" in
  let pairs = List.map pair (entries tree) in
  let found = List.combine (indices (List (List.map fst pairs)) n) (List.map snd pairs) in
  let positive (_, (x : QArith_base.coq_Q)) = Z.sign x.coq_Qnum > 0 in
  if not (List.for_all positive found) then rejected "weights must be positive";
  found

let term file dim n tree =
  match fields tree [ "base"; "power"; "vector" ] with
  | [ base; power; v ] ->
      let base = number file base and power = count power ~below:n in
      let within = Z.sign base.coq_Qnum > 0 && Z.leq base.coq_Qnum base.coq_Qden in
      let constant = Z.equal base.coq_Qnum base.coq_Qden in
      if (not within) || (constant && power > 0) then malformed "a base is in (0,1], and 1 only with the power 0";
      ((base, power), vector file dim v)
  | _ -> assert false

let place file dim n i =
  let row = next_line file in
  let proof = if has_key row "lock" then [ "lock" ] else [ "form"; "from" ] in
  let kind = match row with Object members -> List.assoc_opt "kind" members | _ -> None in
  let is_vertex = kind <> Some (Word "projection") in
  let face = if is_vertex then [] else [ "normal"; "weights" ] in
  ignore (fields row ([ "token"; "kind"; "limit" ] @ proof @ face));
  let field key = List.assoc key (match row with Object members -> members | _ -> []) in
  ignore (count (field "token") ~least:i ~below:(i + 1));
  if is_vertex && kind <> Some (Word "vertex") then malformed "a kind is vertex or projection";
  let evidence =
    match proof with
    | [ _ ] -> if field "lock" = Flag true then Locked else malformed "\"lock\" must be true"
    | _ -> Form (List.map (term file dim n) (list (field "form")), count (field "from") ~least:1)
  in
  {
    at_limit = vector file dim (field "limit");
    by_evidence = evidence;
    is_vertex;
    normal = (if is_vertex then [] else vector file dim (field "normal"));
    weights = (if is_vertex then [] else weights file n (field "weights"));
  }

let system file dim n =
  match fields (next_line file) [ "A"; "alpha"; "tokens" ] with
  | [ matrix; alpha; tokens ] ->
      (points file dim matrix ~length:dim, number file alpha, points file dim tokens ~length:n)
  | _ -> assert false

(* The work of so many layers is within the limit. *)
let charge_layers n dim layers =
  if layers > !Arithmetic.max_operations / (n * (n + dim) * dim) then
    Arithmetic.declined "the work of so many layers" !Arithmetic.max_operations "operations"

(* The lines of a certificate of limits after its header; the layer may stand on a line of its own after the system. *)
let limit_lines file dim n layer =
  let lim_matrix, lim_alpha, lim_tokens = system file dim n in
  let lim_layer = layer () in
  charge_layers n dim lim_layer;
  let lim_places = repeat n (place file dim n) in
  let lim_leaders = indices (List.hd (fields (next_line file) [ "leaders" ])) n in
  { lim_dim = dim; lim_matrix; lim_alpha; lim_tokens; lim_layer; lim_places; lim_leaders }

let limit file header =
  match fields header [ "exactformer"; "version"; "claim"; "dim"; "tokens"; "layer" ] with
  | [ _; _; _; dim; tokens; layer ] -> limit_lines file (count dim ~least:1) (count tokens ~least:1) (fun () -> count layer)
  | _ -> assert false

(* ---- orbit ---- *)

let orbit file header : OrbitChecker.orbit_certificate =
  match fields header [ "exactformer"; "version"; "claim"; "dim"; "tokens"; "layers" ] with
  | [ _; _; _; dim; tokens; layers ] ->
      let dim = count dim ~least:1 and n = count tokens ~least:1 and layers = count layers in
      let orb_matrix, orb_alpha, orb_start = system file dim n in
      if Z.sign orb_alpha.coq_Qnum <= 0 then rejected "alpha must be positive";
      let layer k : OrbitChecker.orbit_layer =
        match fields (next_line file) [ "layer"; "tokens"; "follows"; "leaders" ] with
        | [ number; tokens; follows; leaders ] ->
            ignore (count number ~least:k ~below:(k + 1));
            let sets = List.map (fun set -> indices set n) (entries follows) in
            length_is n sets;
            Arithmetic.spend (n * (n + dim) * dim);
            { orb_tokens = points file dim tokens ~length:n; orb_follows = sets; orb_leaders = indices leaders n }
        | _ -> assert false
      in
      { orb_dim = dim; orb_matrix; orb_alpha; orb_start; orb_layers = repeat (layers + 1) layer }
  | _ -> assert false

(* ---- vertex, separation, projection ---- *)

let flag = function Flag flag -> flag | _ -> malformed "expected true or false"

(* The values of these keys of the header besides the common ones and `dim`; the dimension first. *)
let geometry_header header keys =
  match fields header ([ "exactformer"; "version"; "claim"; "dim" ] @ keys) with
  | _ :: _ :: _ :: dim :: found -> (count dim ~least:1, found)
  | _ -> assert false

let line1 file key = List.hd (fields (next_line file) [ key ])

let line2 file one two =
  match fields (next_line file) [ one; two ] with [ a; b ] -> (a, b) | _ -> assert false

let vertex file header : int * Geometry.geometry =
  match geometry_header header [ "points"; "vertex" ] with
  | dim, [ n; is_vertex ] ->
      let n = count n ~least:1 and is_vertex = flag is_vertex in
      let rows, point = line2 file "points" "point" in
      let l = points file dim rows ~length:n and i = count point ~below:n in
      if is_vertex then (dim, Vertex (l, i, vector file dim (line1 file "normal")))
      else (dim, NoVertex (l, i, weights file n (line1 file "weights")))
  | _ -> assert false

let separation file header : int * Geometry.geometry =
  match geometry_header header [ "left"; "right"; "separated" ] with
  | dim, [ m; n; separated ] ->
      let m = count m ~least:1 and n = count n ~least:1 and separated = flag separated in
      let l = points file dim (line1 file "left") ~length:m in
      let r = points file dim (line1 file "right") ~length:n in
      if separated then begin
        let h, b = line2 file "normal" "offset" in
        (dim, Separated (l, r, vector file dim h, number file b))
      end
      else begin
        let u, v = line2 file "left_weights" "right_weights" in
        (dim, Meeting (l, r, weights file m u, weights file n v))
      end
  | _ -> assert false

let projection file header : int * Geometry.geometry =
  match geometry_header header [ "points" ] with
  | dim, [ n ] ->
      let n = count n ~least:1 in
      let a, l = line2 file "A" "points" in
      let a = points file dim a ~length:dim and l = points file dim l ~length:n in
      let x, w = line2 file "projection" "weights" in
      Arithmetic.spend (dim * dim * dim);
      (dim, Projection (a, l, vector file dim x, weights file n w))
  | _ -> assert false

(* Not trusted: limits in stages, from their lines, with what the lines leave out: the closed forms, and for every pair of
   tokens the times between which it is proved who scores more. What is written is written back and compared (Lines.v,
   text.ml); the rest is a witness, and any that the proved function accepts is one. FORMAT.md, section 13. *)

open Json
open Reader
open StagesCertificate

(* ---- fractions in lowest terms, whose work is charged like that of the proved functions ---- *)

type fraction = QArith_base.coq_Q

let of_integers p q : fraction =
  let g = Arithmetic.gcd p q in
  let g = if Z.sign q < 0 then Z.neg g else g in
  { coq_Qnum = Arithmetic.div p g; coq_Qden = Arithmetic.div q g }

let small n m = of_integers (Z.of_int n) (Z.of_int m)
let nothing = small 0 1
let unit = small 1 1
let minus (x : fraction) : fraction = { x with coq_Qnum = Z.neg x.coq_Qnum }
let inverse (x : fraction) = of_integers x.coq_Qden x.coq_Qnum

let ( +: ) (x : fraction) (y : fraction) =
  let ( * ) = Arithmetic.mul in
  of_integers (Arithmetic.add (x.coq_Qnum * y.coq_Qden) (y.coq_Qnum * x.coq_Qden)) (x.coq_Qden * y.coq_Qden)

let ( *: ) (x : fraction) (y : fraction) =
  of_integers (Arithmetic.mul x.coq_Qnum y.coq_Qnum) (Arithmetic.mul x.coq_Qden y.coq_Qden)

let ( -: ) x y = x +: minus y
let sign (x : fraction) = Z.sign x.coq_Qnum
let same (x : fraction) (y : fraction) = Z.equal x.coq_Qnum y.coq_Qnum && Z.equal x.coq_Qden y.coq_Qden

(* x^k, k >= 0. *)
let rec power x k =
  if k = 0 || same x unit then unit
  else if k = 1 then x
  else
    let y = power (x *: x) (k / 2) in
    if k land 1 = 1 then x *: y else y

(* binom(k, m) *)
let binomial k m = List.fold_left (fun b i -> b *: small (k - i) (i + 1)) unit (List.init m Fun.id)

(* ---- vectors, and closed forms: (b, m) with v stands for v b^k binom(k,m) ---- *)

let scaled c = List.map (fun x -> c *: x)
let plus = List.map2 ( +: )
let dot x y = List.fold_left ( +: ) nothing (List.map2 ( *: ) x y)

let rec accumulate (b, m) v = function
  | ((c, l), w) :: rest when same b c && m = l -> ((b, m), plus v w) :: rest
  | term :: rest -> term :: accumulate (b, m) v rest
  | [] -> [ ((b, m), v) ]

let nonzero = List.filter (fun (_, v) -> List.exists (fun x -> sign x <> 0) v)

let value dim form k =
  let add sum ((b, m), v) = plus sum (scaled (power b k *: binomial k m) v) in
  List.fold_left add (List.init dim (fun _ -> nothing)) form

(* A solution of z(k+1) = own z(k) + b^k binom(k,m), as pairs of a key and its coefficient. *)
let particular own b m =
  if same b own then [ ((own, m + 1), inverse own) ]
  else
    let over = inverse (b -: own) in
    let rec go s beta = if s < 0 then [] else ((b, s), beta) :: go (s - 1) (minus (b *: over) *: beta) in
    go m over

(* The solution of z(k+1) = own z(k) + sum of c pull(k) that is at a place at a time. *)
let continued dim place time own pulls =
  let add_pull found (c, pull) =
    let add_term found ((b, m), v) =
      List.fold_left (fun found (key, factor) -> accumulate key (scaled (c *: factor) v) found) found (particular own b m)
    in
    List.fold_left add_term found pull
  in
  let found = List.fold_left add_pull [] pulls in
  let missing = plus place (scaled (minus unit) (value dim found time)) in
  nonzero (accumulate (own, 0) (scaled (inverse (power own time)) missing) found)

(* ---- the lines of a stage ---- *)

let cut_rows tree =
  let row tree =
    match List.map (fun x -> count x) (entries tree) with
    | _ :: _ :: _ :: _ as row -> row
    | _ -> malformed "a cut names two tokens and times"
  in
  let rows = List.map row (list tree) in
  let pairs = List.map (function i :: l :: _ -> (i, l) | _ -> assert false) rows in
  if List.length (List.sort_uniq compare pairs) < List.length pairs then
    malformed "the range of a pair is cut in two places of the list";
  rows

let cuts_of rows i l =
  match List.find_opt (function j :: m :: _ -> j = i && m = l | _ -> false) rows with
  | Some (_ :: _ :: times) -> times
  | _ -> []

let renewed_rows tree n =
  let pair tree =
    match list tree with
    | [ i; group ] -> (count i ~below:n, indices (List (entries group)) n)
    | _ -> malformed "expected a list of 2 entries"
  in
  let rows = List.map pair (entries tree) in
  if List.length (List.sort_uniq compare (List.map fst rows)) < List.length rows then malformed "a position is renewed twice";
  rows

let stage_line file n s before =
  match fields (next_line file) [ "stage"; "time"; "renewed"; "cuts" ] with
  | [ number; time; renewed; cuts ] ->
      ignore (count number ~least:s ~below:(s + 1));
      let time = if s = 0 then count time ~below:1 else count time ~least:(before + 1) in
      let cuts = cut_rows cuts in
      if s = 0 && cuts <> [] then malformed "nothing is cut at stage 0";
      { stage_time = time; stage_renewed = renewed_rows renewed n; stage_cuts = cuts; stage_forms = []; stage_reach = [] }
  | _ -> assert false

let stage_lines file n count =
  let rec go s before found =
    if s = count then List.rev found
    else
      let stage = stage_line file n s before in
      go (s + 1) stage.stage_time (stage :: found)
  in
  go 0 0 []

(* ---- the lines of tokens, and the leaders ---- *)

let power_number file tree =
  let pair tree =
    match list tree with
    | [ base; e ] ->
        let base = number file base in
        if Z.sign base.coq_Qnum <= 0 then malformed "a base is positive";
        (base, count e ~least:1)
    | _ -> malformed "expected a list of 2 entries"
  in
  let term tree = match entries tree with c :: powers -> (number file c, List.map pair powers) | [] -> assert false in
  List.map term (list tree)

let term_value (c, powers) =
  List.fold_left (fun x (b, e) -> x *: power b e) c powers

let number_value terms = List.fold_left (fun x term -> x +: term_value term) nothing terms

let destination file dim n matrix i =
  let row = next_line file in
  let kind = match row with Object members -> List.assoc_opt "kind" members | _ -> None in
  let at_vertex = kind <> Some (Word "projection") in
  ignore (fields row ([ "token"; "kind"; "limit" ] @ if at_vertex then [] else [ "weights" ]));
  let field key = List.assoc key (match row with Object members -> members | _ -> []) in
  ignore (count (field "token") ~least:i ~below:(i + 1));
  if at_vertex && kind <> Some (Word "vertex") then malformed "a kind is vertex or projection";
  let at_number = List.map (power_number file) (entries (field "limit")) in
  if List.length at_number <> dim then malformed "expected lists of %d numbers" dim;
  if at_vertex then { at_number; at_vertex; face_weights = []; face_normal = [] }
  else
    let limit = List.map number_value at_number in
    let normal = List.map (fun row -> dot row limit) matrix in
    { at_number; at_vertex; face_weights = weights file n (field "weights"); face_normal = normal }

let leader_rows tree n =
  let pair tree = match list tree with [ i; k ] -> (i, count k) | _ -> malformed "expected a list of 2 entries" in
  let pairs = List.map pair (list tree) in
  List.combine (indices (List (List.map fst pairs)) n) (List.map snd pairs)

(* ---- what the lines leave out ---- *)

type stages = {
  dim : int;
  share : fraction;  (* alpha / (1 + alpha) *)
  matrix : fraction list list;
  first : int array;  (* of every token, the least token that stands there: its position *)
  weight : int array;  (* how many tokens stand at a position *)
  sets : int list array;  (* of positions *)
  forms : ((fraction * int) * fraction list) list array;
  since : (int * int, int * int) Hashtbl.t;  (* open pairs of positions: stage and time *)
}

let positions g = List.filter (fun i -> g.first.(i) = i) (List.init (Array.length g.first) Fun.id)
let is_locked g i = match g.sets.(i) with [ j ] -> g.sets.(j) = [ j ] | _ -> false

(* The sets at a time, by definition. *)
let verify_sets g time =
  let all = positions g in
  let places = List.map (fun i -> (i, value g.dim g.forms.(i) time)) all in
  let verify (i, z) =
    let image = List.map (fun row -> dot row z) g.matrix in
    let scores = List.map (fun (j, y) -> (j, dot image y)) places in
    let best = List.fold_left (fun m (_, x) -> if sign (x -: m) > 0 then x else m) (snd (List.hd scores)) scores in
    let members = List.filter_map (fun (j, x) -> if same x best then Some j else None) scores in
    if members <> g.sets.(i) then rejected (Printf.sprintf "token %d follows others at time %d" i time)
  in
  List.iter verify places

let verify_order g renewed =
  let is_position i = g.first.(i) = i in
  let named = List.for_all (fun (i, group) -> is_position i && List.for_all is_position group) renewed in
  if not named then rejected "a token that stands where an earlier one stands is no position";
  let place = Hashtbl.create 16 in
  List.iteri (fun k (i, _) -> Hashtbl.replace place i k) renewed;
  let own i = Option.value (Hashtbl.find_opt place i) ~default:(-1) in
  let after i j = j = i || match Hashtbl.find_opt place j with None -> true | Some k -> k < own i in
  if not (List.for_all (fun i -> List.for_all (after i) g.sets.(i)) (positions g)) then
    rejected "a token follows one whose form is made later, or keeps its own form"

let renewed_form g time i =
  let group = g.sets.(i) and place = value g.dim g.forms.(i) time in
  if group = [ i ] then nonzero [ ((unit, 0), place) ]
  else
    let size = List.fold_left (fun sum j -> sum + g.weight.(j)) 0 group in
    let pull j = g.share *: small g.weight.(j) size in
    let rest = unit -: g.share in
    let own = if List.mem i group then rest +: pull i else rest in
    continued g.dim place time own (List.filter_map (fun j -> if j = i then None else Some (pull j, g.forms.(j))) group)

(* Opens pairs wherever a form is new. *)
let open_pairs g s time renewed =
  let fresh i = List.mem_assoc i renewed in
  let all = positions g in
  Arithmetic.spend (20 * List.length all * List.length all);
  let from i =
    let head = List.hd g.sets.(i) in
    let mine = fresh i || fresh head in
    List.iter (fun l -> if l <> head && (mine || fresh l) then Hashtbl.replace g.since (i, l) (s, time)) all
  in
  List.iter (fun i -> if not (is_locked g i) then from i) all

(* The pairs that end before a stage, with their ranges. *)
let closed_pairs g s last rows renewed old =
  let fresh i = List.mem_assoc i renewed in
  let ends (i, l) (begun, since) found =
    if fresh i || fresh l || fresh (List.hd old.(i)) then ((i, l), (begun, s, (since, cuts_of rows i l @ [ last ]))) :: found
    else found
  in
  let found = Hashtbl.fold ends g.since [] in
  List.iter (fun (pair, _) -> Hashtbl.remove g.since pair) found;
  found

(* Begins a stage: the pairs that end before it, with their ranges; its time, its forms, and which positions are locked. *)
let run_stage g s (stage : stage) =
  let time = stage.stage_time and renewed = stage.stage_renewed in
  let old = Array.copy g.sets in
  let ended = if s = 0 then [] else closed_pairs g s (time - 1) stage.stage_cuts renewed old in
  List.iter (fun (i, group) -> g.sets.(i) <- group) renewed;
  if s = 0 && List.sort compare (List.map fst renewed) <> positions g then rejected "these are not the follower sets of layer K";
  verify_order g renewed;
  List.iter (fun (i, _) -> g.forms.(i) <- renewed_form g time i) renewed;
  verify_sets g time;
  open_pairs g s time renewed;
  let locked = Array.init (Array.length g.first) (fun i -> g.first.(i) = i && is_locked g i) in
  (ended, (time, Array.copy g.forms, locked))

(* The stages with forms and ranges: of every token those of its position. *)
let with_witnesses g stages from cuts =
  let run (s, ended, found) stage =
    let closed, now = run_stage g s stage in
    (s + 1, closed @ ended, now :: found)
  in
  let count, ended, states = List.fold_left run (0, [], []) stages in
  let open_at_last (i, l) (begun, since) found = ((i, l), (begun, count, (since, cuts_of cuts i l @ [ from ]))) :: found in
  let still = Hashtbl.fold open_at_last g.since [] in
  let ranges = Hashtbl.create 64 in
  let fill (pair, (begun, stop, range)) =
    Arithmetic.spend (10 * (stop - begun));
    for s = begun to stop - 1 do Hashtbl.replace ranges (s, pair) range done
  in
  List.iter fill (ended @ still);
  let n = Array.length g.first in
  let witness s (stage : stage) (time, forms, locked) =
    Arithmetic.spend (10 * n * n);
    let next = if s + 1 = count then from else (List.nth stages (s + 1)).stage_time - 1 in
    let reach i l = Option.value (Hashtbl.find_opt ranges (s, (g.first.(i), g.first.(l)))) ~default:(time, [ next ]) in
    let reaches i = if locked.(g.first.(i)) then None else Some (List.init n (reach i)) in
    {
      stage with
      stage_forms = List.init n (fun i -> forms.(g.first.(i)));
      stage_reach = List.init n reaches;
    }
  in
  List.mapi (fun s (stage, state) -> witness s stage state) (List.combine stages (List.rev states))

let limit_in_stages file header =
  match fields header [ "exactformer"; "version"; "claim"; "dim"; "tokens"; "layer"; "stages" ] with
  | [ _; _; _; dim; tokens; layer; stages ] ->
      let dim = count dim ~least:1 and n = count tokens ~least:1 and stg_layer = count layer in
      let stages = count stages ~least:1 in
      let stg_matrix, stg_alpha, stg_tokens = system file dim n in
      if Z.sign stg_alpha.coq_Qnum <= 0 then rejected "alpha must be positive";
      charge_layers n dim stg_layer;
      let stages = stage_lines file n stages in
      let last = (List.nth stages (List.length stages - 1)).stage_time in
      let stg_from, stg_cuts =
        match fields (next_line file) [ "from"; "cuts" ] with
        | [ from; cuts ] -> (count from ~least:(last + 1), cut_rows cuts)
        | _ -> assert false
      in
      let stg_destinations = repeat n (destination file dim n stg_matrix) in
      let stg_leaders = leader_rows (line1 file "leaders") n in
      let c =
        { stg_dim = dim; stg_matrix; stg_alpha; stg_tokens; stg_layer; stg_stages = stages; stg_from; stg_cuts;
          stg_destinations; stg_leaders }
      in
      let first = Array.make n 0 in
      let seen = Hashtbl.create n in
      let stands i z =
        let z = String.concat " " (List.map Text.canonical z) in
        if not (Hashtbl.mem seen z) then Hashtbl.add seen z i;
        first.(i) <- Hashtbl.find seen z
      in
      List.iteri stands stg_tokens;
      let weight = Array.make n 0 in
      Array.iter (fun p -> weight.(p) <- weight.(p) + 1) first;
      let named (g : destination) = List.for_all (fun (q, _) -> first.(q) = q) g.face_weights in
      if not (List.for_all named stg_destinations) then rejected "the weights use a token that is no leading position";
      let alpha = stg_alpha in
      let resting z = [ ((unit, 0), List.map (fun x -> x *: unit) z) ] in
      let g =
        {
          dim; first; weight;
          share = alpha *: inverse (unit +: alpha);
          matrix = stg_matrix;
          sets = Array.make n [];
          forms = Array.of_list (List.map resting (Verified.tokens_at_layer c));
          since = Hashtbl.create 64;
        }
      in
      { c with stg_stages = with_witnesses g stages stg_from stg_cuts }
  | _ -> assert false

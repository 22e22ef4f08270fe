(* Not trusted: counterexamples of the statements that this checker knows, from their lines. They are written back and compared
   (Lines.v, text.ml). *)

open Json
open Reader
open CounterexampleChecker
open LimitCounterexample

type found = OfLayers of counterexample | OfLimits of limit_counterexample

(* How the lines after the system refute a statement: of layers, with what it assumes, or of limits, with their layer. *)
type rule = Layers of assumption * (unit -> refutation) | Limits of (unit -> int) * (unit -> limit_refutation)

let unknown name =
  raise (Arithmetic.Declined ("this checker does not know the claim counterexample of the statement " ^ name))

let token file n = count (line1 file "token") ~below:n

let token_and_weights file n =
  let token, w = line2 file "token" "weights" in
  (count token ~below:n, weights file n w)

(* The last line: a leader that starts at no vertex, or a vertex that never leads. *)
let leader_or_vertex file dim n =
  let row = next_line file in
  let leads = match row with Object members -> List.assoc_opt "leader" members = Some (Flag true) | _ -> false in
  match fields row [ "token"; "leader"; (if leads then "weights" else "normal") ] with
  | [ token; leader; evidence ] ->
      ignore (flag leader);
      let i = count token ~below:n in
      if leads then LeaderNoVertex (i, weights file n evidence) else VertexNoLeader (i, vector file dim evidence)
  | _ -> assert false

(* Minor version since which a statement is known, and its rule. *)
let rule name file dim n layers =
  let first assumption =
    (0, Layers (assumption, fun () -> if layers <> 0 then malformed "layers must be 0" else NoLeaderAtFirst))
  and by_n assumption = (1, Layers (assumption, fun () -> NoLeaderByN layers))
  and last large = ((if large then 1 else 0), Layers (Plain, fun () -> LeadsLast (large, layers, token file n)))
  and limits refutation = (0, Limits ((fun () -> layers), refutation))
  and for_one grow =
    charge_layers n dim layers;
    (1, Limits ((fun () -> count (line1 file "layer")), fun () -> LeadsForOne (grow, layers, token file n)))
  and with_weights make () =
    let i, w = token_and_weights file n in
    make i w
  in
  match name with
  | "leader-without-symmetry" -> first NotSymmetric
  | "leader-indefinite" -> first NotSemidefinite
  | "leader-semidefinite" -> first Singular
  | "leader-duplicates" -> first Repeated
  | "leader-by-layer-n-without-symmetry" -> by_n NotSymmetric
  | "leader-by-layer-n-indefinite" -> by_n NotSemidefinite
  | "leader-by-layer-n-semidefinite" -> by_n Singular
  | "leader-by-layer-n-duplicates" -> by_n Repeated
  | "every-leader-leads-at-once" -> (0, Layers (Plain, fun () -> LeadsLate (layers, token file n)))
  | "last-leader-within-n" -> last false
  | "last-leader-within-n-large-alpha" -> last true
  | "graph-constant-after-n" -> (0, Layers (Plain, fun () -> GraphChanges layers))
  | "interior-tokens-never-lead" -> (1, Layers (Plain, with_weights (fun i w -> InteriorLeads (layers, i, w))))
  | "every-token-tends-to-a-leader" -> limits (fun () -> TendsElsewhere (token file n))
  | "leaders-are-initial-vertices" -> limits (fun () -> leader_or_vertex file dim n)
  | "boundary-with-zero" -> limits (with_weights (fun i w -> InteriorLimit (i, w)))
  | "leaders-grow-with-alpha" -> for_one true
  | "leaders-shrink-with-alpha" -> for_one false
  | name -> unknown name

let counterexample file version header =
  match fields header [ "exactformer"; "version"; "claim"; "statement"; "dim"; "tokens"; "layers" ] with
  | [ _; _; _; statement; dim; tokens; layers ] -> (
      let dim = count dim ~least:1 and n = count tokens ~least:1 and layers = count layers in
      Arithmetic.spend (n * n * dim);
      let since, rule = rule (text_of statement) file dim n layers in
      if since > version then malformed "an unknown claim or statement";
      match rule with
      | Layers (cex_assumption, refutation) ->
          let orb_matrix, orb_alpha, orb_start = system file dim n in
          charge_layers n dim layers;
          let cex_system : OrbitChecker.orbit_certificate =
            { orb_dim = dim; orb_matrix; orb_alpha; orb_start; orb_layers = [] }
          in
          OfLayers { cex_system; cex_assumption; cex_refutation = refutation () }
      | Limits (layer, refutation) ->
          let lcx_limit = limit_lines file dim n layer in
          OfLimits { lcx_limit; lcx_refutation = refutation () })
  | _ -> assert false

(* Not trusted: counterexamples of the statements that this checker knows, from their lines. They are written back and compared
   (Lines.v, text.ml). *)

open Json
open Reader
open CounterexampleChecker

type found = OfLayers of counterexample | OfLimits of limit_counterexample

let unknown name =
  raise (Arithmetic.Declined ("this checker does not know the claim counterexample of the statement " ^ name))

let token file n = count (line1 file "token") ~below:n

(* Minor version since which a statement is known, what it assumes, and how the lines after the system refute it. *)
let of_layers name file n layers =
  let first assumption =
    (0, assumption, fun () -> if layers <> 0 then malformed "layers must be 0" else NoLeaderAtFirst)
  and by_n assumption = (1, assumption, fun () -> NoLeaderByN layers)
  and last large = ((if large then 1 else 0), Plain, fun () -> LeadsLast (large, layers, token file n)) in
  match name with
  | "leader-without-symmetry" -> Some (first NotSymmetric)
  | "leader-indefinite" -> Some (first NotSemidefinite)
  | "leader-semidefinite" -> Some (first Singular)
  | "leader-duplicates" -> Some (first Repeated)
  | "leader-by-layer-n-without-symmetry" -> Some (by_n NotSymmetric)
  | "leader-by-layer-n-indefinite" -> Some (by_n NotSemidefinite)
  | "leader-by-layer-n-semidefinite" -> Some (by_n Singular)
  | "leader-by-layer-n-duplicates" -> Some (by_n Repeated)
  | "every-leader-leads-at-once" -> Some (0, Plain, fun () -> LeadsLate (layers, token file n))
  | "last-leader-within-n" -> Some (last false)
  | "last-leader-within-n-large-alpha" -> Some (last true)
  | "graph-constant-after-n" -> Some (0, Plain, fun () -> GraphChanges layers)
  | _ -> None

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

let counterexample file version header =
  match fields header [ "exactformer"; "version"; "claim"; "statement"; "dim"; "tokens"; "layers" ] with
  | [ _; _; _; statement; dim; tokens; layers ] -> (
      let name = text_of statement in
      let dim = count dim ~least:1 and n = count tokens ~least:1 and layers = count layers in
      Arithmetic.spend (n * n * dim);
      let of_limits refutation =
        let lcx_limit = limit_lines file dim n layers in
        OfLimits { lcx_limit; lcx_refutation = refutation () }
      in
      match (name, of_layers name file n layers) with
      | _, Some (since, cex_assumption, refutation) ->
          if since > version then malformed "an unknown claim or statement";
          let orb_matrix, orb_alpha, orb_start = system file dim n in
          charge_layers n dim layers;
          let cex_system : OrbitChecker.orbit_certificate =
            { orb_dim = dim; orb_matrix; orb_alpha; orb_start; orb_layers = [] }
          in
          OfLayers { cex_system; cex_assumption; cex_refutation = refutation () }
      | "every-token-tends-to-a-leader", None -> of_limits (fun () -> TendsElsewhere (token file n))
      | "leaders-are-initial-vertices", None -> of_limits (fun () -> leader_or_vertex file dim n)
      | name, None -> unknown name)
  | _ -> assert false

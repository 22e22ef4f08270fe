(* TRUSTED. The same checker for a page, made JavaScript by js_of_ocaml: proofsCheckVerified(text) is its verdict as JSON. *)

external export : (string -> string) -> unit = "export_checker"

(* The stack of a page is short, and where it ends JavaScript may fail in its own ways: then nothing is proved. *)
let verdict_of file =
  try Claims.verdict_of file
  with error -> Claims.Undecided ("the checker failed, nothing is proved: " ^ Printexc.to_string error)

let answer text =
  Arithmetic.spent := 0;
  let file = Claims.opened text in
  snd (Claims.shown file (verdict_of file) ~json:true)

let () = export answer

(* TRUSTED. proofs-check-verified CERTIFICATE..: exit 0 accepted, 1 rejected, 2 usage, 3 malformed, 4 declined, 70 a bug, of
   several files the largest. *)

let usage =
  "usage: proofs-check-verified CERTIFICATE.. [--json] [--max-bytes N] [--max-line N] [--max-digits N] [--max-bits N]\n\
  \                            [--max-operations N] [--max-memory N]"

let fail_usage why =
  prerr_endline ("proofs-check-verified: " ^ why);
  prerr_endline usage;
  exit 2

let max_bytes = ref 2_000_000_000
let max_memory = ref 200_000_000
let json = ref false

let options =
  [
    ("--max-bytes", max_bytes);
    ("--max-line", Claims.max_line);
    ("--max-digits", Claims.max_digits);
    ("--max-bits", Arithmetic.max_bits);
    ("--max-operations", Arithmetic.max_operations);
    ("--max-memory", max_memory);
  ]

let rec arguments paths = function
  | [] -> if paths = [] then fail_usage "no certificate is named" else List.rev paths
  | ("-h" | "--help") :: _ ->
      print_endline usage;
      exit 0
  | "--json" :: rest ->
      json := true;
      arguments paths rest
  | option :: value :: rest when List.mem_assoc option options -> (
      match int_of_string_opt value with
      | Some n ->
          List.assoc option options := max 1 (min n (max_int / 2));
          arguments paths rest
      | None -> fail_usage (option ^ " takes an integer"))
  | word :: rest when String.length word = 0 || word.[0] <> '-' -> arguments (word :: paths) rest
  | word :: _ -> fail_usage ("unexpected argument " ^ word)

let read path =
  let channel = open_in_bin path in
  Fun.protect ~finally:(fun () -> close_in channel) @@ fun () ->
  let size = in_channel_length channel in
  if size > !max_bytes then Arithmetic.declined (string_of_int size) !max_bytes "bytes";
  really_input_string channel size

(* OCaml's heap may take four times --max-memory, and forty times the file. *)
let limit_memory text =
  let words = (4 * !max_memory / 8) + (5 * String.length text) in
  Gc.create_alarm (fun () ->
      if (Gc.quick_stat ()).heap_words > words then Arithmetic.declined "the memory" !max_memory "memory")

(* Prints the verdict; the exit code. *)
let report file verdict =
  let code, words = Claims.shown file verdict ~json:!json in
  print_endline words;
  code

let check_file path =
  Arithmetic.spent := 0;
  match read path with
  | exception Arithmetic.Declined why -> report (Claims.opened "") (Undecided why)
  | text ->
      let alarm = limit_memory text in
      let file = Claims.opened text in
      let verdict = Claims.verdict_of file in
      Gc.delete_alarm alarm;
      report file verdict

(* Extracted functions recurse over lists: once, the command starts itself again with the largest stack it may have. *)
let with_large_stack () =
  let mark = "PROOFS_CHECK_VERIFIED_STACK" in
  if Sys.getenv_opt mark = None then begin
    Unix.putenv mark "large";
    let script = "ulimit -s 16000000 2>/dev/null || ulimit -s $(ulimit -H -s) 2>/dev/null; exec \"$0\" \"$@\"" in
    let command = "sh" :: "-c" :: script :: Sys.executable_name :: List.tl (Array.to_list Sys.argv) in
    try Unix.execv "/bin/sh" (Array.of_list command) with Unix.Unix_error _ -> ()
  end

let () =
  with_large_stack ();
  let paths = arguments [] (List.tl (Array.to_list Sys.argv)) in
  try exit (List.fold_left (fun code path -> max code (check_file path)) 0 paths) with
  | Sys_error why -> fail_usage why
  | (Failure _ | Invalid_argument _ | Not_found | Assert_failure _ | Division_by_zero) as error ->
      prerr_endline ("proofs-check-verified: a bug, nothing is proved: " ^ Printexc.to_string error);
      exit 70

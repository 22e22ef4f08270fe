(* Not trusted: a reader of JSON lines. What it reads is written back and compared (Lines.v, text.ml). *)

exception Malformed of string

let malformed format = Printf.ksprintf (fun why -> raise (Malformed why)) format

type tree =
  | Null
  | Flag of bool
  | Count of int
  | Word of string
  | List of tree list
  | Object of (string * tree) list

let depth = 8

(* The string at a position, and the position after it; one without escapes is copied as it stands. *)
let string_at text at =
  let from = Text.skip text at + 1 in
  let rec plain at = match Text.at_of text at with '"' | '\\' | '\n' -> at | _ -> plain (at + 1) in
  let stop = plain from in
  if Text.at_of text (from - 1) = '"' && Text.at_of text stop = '"' then (String.sub text from (stop - from), stop + 1)
  else try Text.string_at text at with Text.Differs _ -> malformed "not JSON: a string"

let count_at text at =
  let rec stop at = match text.[at] with '0' .. '9' -> stop (at + 1) | _ -> at in
  let next = stop at in
  let right = next > at && next - at <= 15 && (text.[at] <> '0' || next = at + 1) in
  if not right || text.[next] = '.' || text.[next] = 'e' || text.[next] = 'E' then malformed "not a count or an index";
  match int_of_string_opt (String.sub text at (next - at)) with
  | Some n -> (n, next)
  | None -> (Arithmetic.natural (-1), next)

let literal text at word value =
  try (value, Text.after text at word) with Text.Differs _ -> malformed "not JSON"

(* The value at a position and the position after it. A text always has an LF after the position. *)
let rec value text at nesting =
  let at = Text.skip text at in
  if nesting > depth && (text.[at] = '[' || text.[at] = '{') then malformed "brackets nest deeper than %d" depth;
  match text.[at] with
  | '"' ->
      let word, next = string_at text at in
      (Word word, next)
  | '[' ->
      let items, next = items text (at + 1) ']' (fun at -> value text at (nesting + 1)) in
      (List items, next)
  | '{' ->
      let member at =
        let key, next = string_at text at in
        let next = Text.skip text next in
        if text.[next] <> ':' then malformed "not JSON: a colon is missing";
        let found, next = value text (next + 1) (nesting + 1) in
        ((key, found), next)
      in
      let members, next = items text (at + 1) '}' member in
      let keys = List.sort_uniq compare (List.map fst members) in
      if List.length keys < List.length members then malformed "a key stands twice in one object";
      (Object members, next)
  | 'n' -> literal text at "null" Null
  | 't' -> literal text at "true" (Flag true)
  | 'f' -> literal text at "false" (Flag false)
  | _ ->
      let n, next = count_at text at in
      (Count n, next)

(* Items with commas between them, up to a closing bracket. *)
and items : 'a. string -> int -> char -> (int -> 'a * int) -> 'a list * int =
 fun text at closing item ->
  let at = Text.skip text at in
  if text.[at] = closing then ([], at + 1)
  else begin
    let rec more found at =
      let one, next = item at in
      let next = Text.skip text next in
      if text.[next] = ',' then more (one :: found) (next + 1)
      else if text.[next] = closing then (List.rev (one :: found), next + 1)
      else malformed "not JSON: a comma or a bracket is missing"
    in
    more [] at
  end

(* ---- an open file ---- *)

type file = {
  text : string;
  mutable at : int;
  mutable line : int;  (* of the line read last, from 1 *)
  mutable claim : string option;
  max_line : int;
  max_digits : int;
}

let next_line file =
  file.line <- file.line + 1;
  let stop = try String.index_from file.text file.at '\n' with Not_found | Invalid_argument _ -> -1 in
  let size = (if stop < 0 then String.length file.text else stop + 1) - file.at in
  if size > file.max_line then Arithmetic.declined (string_of_int size) file.max_line "line";
  if stop < 0 then
    malformed (if size = 0 then "the end line is missing" else "a line is printable ASCII and ends with one LF byte");
  String.iter
    (fun c -> if c < ' ' || c > '~' then malformed "a line is printable ASCII and ends with one LF byte")
    (String.sub file.text file.at (size - 1));
  let found, next = value file.text file.at 1 in
  if Text.skip file.text next <> stop then malformed "not JSON: something follows the value";
  file.at <- stop + 1;
  found

(* ---- fields ---- *)

(* The values of exactly these keys. *)
let fields tree keys =
  match tree with
  | Object members when List.length members = List.length keys && List.for_all (fun k -> List.mem_assoc k members) keys ->
      List.map (fun key -> List.assoc key members) keys
  | _ -> malformed "expected exactly the keys %s" (String.concat ", " keys)

let has_key tree key = match tree with Object members -> List.mem_assoc key members | _ -> false
let list = function List items -> items | _ -> malformed "expected a list"
let entries tree = match list tree with [] -> malformed "expected a list of one or more entries" | items -> items
let text_of = function Word word -> word | _ -> malformed "expected a string"

(* what every count is below; machine integers may be shorter *)
let most = Option.value (int_of_string_opt "1000000000000000") ~default:max_int

let count ?(least = 0) ?(below = most) tree =
  match tree with
  | Count n when least <= n && n < below -> n
  | _ -> malformed "expected an integer from %d to %d" least (below - 1)

let indices tree below =
  let found = List.map (fun i -> count i ~below) (list tree) in
  let rec increasing = function i :: (j :: _ as rest) -> i < j && increasing rest | _ -> true in
  if not (increasing found) then malformed "indices must increase strictly";
  found

(* ---- numbers ---- *)

let integer word =
  let short = if String.length word <= 15 then int_of_string_opt word else None in
  try match short with Some n -> Z.of_int n | None -> if word = "" then invalid_arg word else Z.of_string word
  with Failure _ | Invalid_argument _ -> malformed "a number is not in canonical form"

let number file tree : QArith_base.coq_Q =
  match tree with
  | Word word -> (
      if String.length word > file.max_digits then
        Arithmetic.declined (string_of_int (String.length word)) file.max_digits "digits";
      match String.index_opt word '/' with
      | None -> { coq_Qnum = integer word; coq_Qden = Z.one }
      | Some i ->
          let below = integer (String.sub word (i + 1) (String.length word - i - 1)) in
          if Z.sign below <= 0 then malformed "a number is not in canonical form";
          { coq_Qnum = integer (String.sub word 0 i); coq_Qden = below })
  | _ -> malformed "a number must be a string in canonical form"

let numbers file tree = List.map (number file) (entries tree)

let vector file dim tree =
  let found = numbers file tree in
  if List.length found <> dim then malformed "expected lists of %d numbers" dim;
  found

let points ?length file dim tree =
  let found = List.map (vector file dim) (entries tree) in
  if length <> None && length <> Some (List.length found) then malformed "expected a list of another length";
  found

(* TRUSTED. Whether a text writes the lines of a certificate: blanks between tokens, the order of keys and escapes in strings
   are free, all else is fixed. This is how what is in memory is compared with the bytes of its file, so that no reader of
   files has to be trusted. The lines are made by an extracted function (Lines.v). *)

open QArith_base
open Lines

exception Differs of int

(* The one way to write a rational number in lowest terms; a pair that is none has no way. *)
let canonical { coq_Qnum = p; coq_Qden = q } =
  if Z.equal q Z.one then Z.to_string p
  else if Z.sign q > 0 && Z.equal (Z.gcd p q) Z.one then Z.to_string p ^ "/" ^ Z.to_string q
  else raise (Differs 0)

let at_of text at = if at < String.length text then String.unsafe_get text at else '\n'
let rec skip text at = if at_of text at = ' ' then skip text (at + 1) else at

(* The position after a word that stands at a position, perhaps after blanks. *)
let after text at word =
  let at = skip text at and size = String.length word in
  if at + size > String.length text then raise (Differs at);
  for i = 0 to size - 1 do
    if String.unsafe_get text (at + i) <> String.unsafe_get word i then raise (Differs at)
  done;
  at + size

let hexadecimal text at =
  let digit i =
    match String.index_opt "0123456789abcdef" (Char.lowercase_ascii (at_of text (at + i))) with Some n -> n | None -> raise (Differs at)
  in
  (((((digit 0 * 16) + digit 1) * 16) + digit 2) * 16) + digit 3

(* The code of the escape whose letter stands at a position, and the position after it; a pair of surrogates is one code. *)
let escape text at =
  match String.index_opt "\"\\/bfnrt" (at_of text at) with
  | Some i -> (Char.code "\"\\/\b\012\n\r\t".[i], at + 1)
  | None when at_of text at = 'u' ->
      let high = hexadecimal text (at + 1) in
      let paired = high lsr 10 = 0x36 && at_of text (at + 5) = '\\' && at_of text (at + 6) = 'u' in
      let low = if paired then hexadecimal text (at + 7) else 0 in
      if low lsr 10 = 0x37 then (0x10000 + ((high - 0xD800) lsl 10) + (low - 0xDC00), at + 11) else (high, at + 5)
  | None -> raise (Differs at)

(* The string that stands at a position, in UTF-8 (a lone surrogate as three bytes), and the position after it. *)
let string_at text at =
  let buffer = Buffer.create 16 in
  let rec go at =
    match at_of text at with
    | '"' -> at + 1
    | '\\' ->
        let code, next = escape text (at + 1) in
        Buffer.add_utf_8_uchar buffer (Uchar.unsafe_of_int code);
        go next
    | ' ' .. '~' as c -> Buffer.add_char buffer c; go (at + 1)
    | _ -> raise (Differs at)
  in
  let next = go (after text at "\"") in
  (Buffer.contents buffer, next)

let word text at expected =
  match string_at text at with found, next when String.equal found expected -> next | _ -> raise (Differs at)

(* The position after a value that is written at a position. *)
let rec written text at = function
  | Null -> after text at "null"
  | Flag flag -> after text at (if flag then "true" else "false")
  | Count n -> if n < 0 then raise (Differs at) else after text at (string_of_int n)
  | Number q -> (
      let digits = canonical q in
      try after text at ("\"" ^ digits ^ "\"") with Differs _ -> word text at digits)
  | Word expected -> word text at expected
  | Bytes bytes -> word text at (String.of_seq (Stdlib.Seq.map Char.chr (List.to_seq bytes)))
  | List [] -> after text (after text at "[") "]"
  | List (first :: others) ->
      let next at value = written text (after text at ",") value in
      after text (List.fold_left next (written text (after text at "[") first) others) "]"
  | Object fields -> members text (after text at "{") fields

(* The members of an object that are still to come, in any order, and its closing bracket. *)
and members text at fields =
  let key, next = string_at text at in
  match List.assoc_opt key fields with
  | None -> raise (Differs at)
  | Some value -> (
      let next = written text (after text next ":") value in
      match List.remove_assoc key fields with
      | [] -> after text next "}"
      | others -> members text (after text next ",") others)

(* Raises Differs unless the text is these lines and the end line; with a witness, that is up to a position, between them. A
   witness that the proved function accepts is one, whatever the file says: its lines are not compared. *)
let verify ?witness text (lines : lines) =
  let line at value = after text (written text at value) "\n" in
  let stop = List.fold_left (fun at value -> line at (value ())) 0 lines in
  let last = Option.value witness ~default:stop in
  if stop > last then raise (Differs stop);
  let end_line = Object [ ("end", Flag true); ("sha256", Word (Sha256.digest text last)) ] in
  if line last end_line <> String.length text then raise (Differs last)

(* SHA-256 (FIPS 180-4), words of 32 bits in machine integers. *)

let mask = 0xFFFFFFFF
let rotate x n = ((x lsr n) lor (x lsl (32 - n))) land mask

let k = [|
  0x428a2f98; 0x71374491; 0xb5c0fbcf; 0xe9b5dba5; 0x3956c25b; 0x59f111f1; 0x923f82a4; 0xab1c5ed5;
  0xd807aa98; 0x12835b01; 0x243185be; 0x550c7dc3; 0x72be5d74; 0x80deb1fe; 0x9bdc06a7; 0xc19bf174;
  0xe49b69c1; 0xefbe4786; 0x0fc19dc6; 0x240ca1cc; 0x2de92c6f; 0x4a7484aa; 0x5cb0a9dc; 0x76f988da;
  0x983e5152; 0xa831c66d; 0xb00327c8; 0xbf597fc7; 0xc6e00bf3; 0xd5a79147; 0x06ca6351; 0x14292967;
  0x27b70a85; 0x2e1b2138; 0x4d2c6dfc; 0x53380d13; 0x650a7354; 0x766a0abb; 0x81c2c92e; 0x92722c85;
  0xa2bfe8a1; 0xa81a664b; 0xc24b8b70; 0xc76c51a3; 0xd192e819; 0xd6990624; 0xf40e3585; 0x106aa070;
  0x19a4c116; 0x1e376c08; 0x2748774c; 0x34b0bcb5; 0x391c0cb3; 0x4ed8aa4a; 0x5b9cca4f; 0x682e6ff3;
  0x748f82ee; 0x78a5636f; 0x84c87814; 0x8cc70208; 0x90befffa; 0xa4506ceb; 0xbef9a3f7; 0xc67178f2 |]
[@@ocamlformat "disable"]

let block state w text at =
  for i = 0 to 15 do
    w.(i) <- Int32.to_int (String.get_int32_be text (at + (4 * i))) land mask
  done;
  for i = 16 to 63 do
    let x = w.(i - 15) and y = w.(i - 2) in
    let s = rotate x 7 lxor rotate x 18 lxor (x lsr 3) and t = rotate y 17 lxor rotate y 19 lxor (y lsr 10) in
    w.(i) <- (w.(i - 16) + s + w.(i - 7) + t) land mask
  done;
  let rec rounds i a b c d e f g h =
    if i = 64 then
      List.iteri (fun j x -> state.(j) <- (state.(j) + x) land mask) [ a; b; c; d; e; f; g; h ]
    else begin
      let s = rotate e 6 lxor rotate e 11 lxor rotate e 25 and choice = e land f lxor (lnot e land g) in
      let t = h + s + choice + k.(i) + w.(i) in
      let u = (rotate a 2 lxor rotate a 13 lxor rotate a 22) + (a land b lxor (a land c) lxor (b land c)) in
      rounds (i + 1) ((t + u) land mask) a b c ((d + t) land mask) e f g
    end
  in
  rounds 0 state.(0) state.(1) state.(2) state.(3) state.(4) state.(5) state.(6) state.(7)

(* The digest of the first bytes of a text, in hexadecimal digits. *)
let digest text size =
  let state =
    [| 0x6a09e667; 0xbb67ae85; 0x3c6ef372; 0xa54ff53a; 0x510e527f; 0x9b05688c; 0x1f83d9ab; 0x5be0cd19 |]
  and w = Array.make 64 0 in
  let whole = size / 64 in
  for i = 0 to whole - 1 do
    block state w text (64 * i)
  done;
  let rest = size - (64 * whole) in
  let tail = Bytes.make (if rest < 56 then 64 else 128) '\000' in
  Bytes.blit_string text (64 * whole) tail 0 rest;
  Bytes.set tail rest '\128';
  Bytes.set_int64_be tail (Bytes.length tail - 8) (Int64.of_int (8 * size));
  for i = 0 to (Bytes.length tail / 64) - 1 do
    block state w (Bytes.to_string tail) (64 * i)
  done;
  String.concat "" (List.map (Printf.sprintf "%08x") (Array.to_list state))

(* TRUSTED. What the numbers of Coq become. Work is charged here, before it is done: an operation that the limits do not
   allow raises Declined, and then nothing is proved. *)

exception Declined of string

let declined what limit option =
  raise (Declined (Printf.sprintf "%s exceeds the limit %d; raise it with --max-%s" what limit option))

(* limits; see FORMAT.md, section 8 *)
let max_operations = ref 2_000_000_000
let max_bits = ref 200_000
let spent = ref 0

let spend operations =
  if operations < 0 || operations > !max_operations - !spent then declined "the work" !max_operations "operations";
  spent := !spent + operations

(* Natural numbers are machine integers >= 0. A sum that is too large for one wraps round to a negative number, once. *)
let natural n = if n < 0 then raise (Declined "a natural number is too large for a machine integer") else n
let successor n = natural (n + 1)
let nat_add m n = natural (m + n)
let nat_sub m n = if m <= n then 0 else m - n
let nat_mul m n = if m <> 0 && n > max_int / m then natural (-1) else m * n
let nat_pred n = if n = 0 then 0 else n - 1
let nat_eqb (m : int) n = m = n
let nat_leb (m : int) n = m <= n
let nat_ltb (m : int) n = m < n

(* Integers are Zarith's. One word is 64 bits; integers of one word cost a constant. *)
let words x = if Obj.is_int (Obj.repr x) then 0 else Z.size x
type integer = Z.t

let zero = Z.zero
let one = Z.one
let of_nat = Z.of_int
let itself x = x
let opp x = Z.neg x

let add x y =
  spend (1 + max (words x) (words y));
  Z.add x y

let mul x y =
  let v = words x and w = words y in
  if v = 0 && w = 0 then spend 2
  else begin
    if 64 * (v + w) > 4 * !max_bits + 128 then declined (Printf.sprintf "a product of %d bits" (64 * (v + w))) !max_bits "bits";
    spend (2 + v + w + (v * w / 8))
  end;
  Z.mul x y

(* rounded down, as in Coq; x / 0 = 0 there *)
let div x y =
  let v = words x and w = words y in
  spend (4 + v + w + (v * w / 4));
  if Z.equal y Z.zero then Z.zero else Z.fdiv x y

let gcd x y =
  let v = words x and w = words y in
  spend (6 + v + w + (v * w / 2));
  Z.gcd x y

let eqb x y =
  spend 1;
  Z.equal x y

let leb x y =
  spend 1;
  Z.leq x y

let ltb x y =
  spend 1;
  Z.lt x y

let double x = add x x
let double_and_one x = add (double x) Z.one

let match_positive odd even one x =
  if Z.equal x Z.one then one ()
  else if Z.is_odd x then odd (Z.shift_right x 1)
  else even (Z.shift_right x 1)

let match_integer zero positive negative x =
  let sign = Z.sign x in
  if sign = 0 then zero () else if sign > 0 then positive x else negative (Z.neg x)

(* TRUSTED. What the checker uses of Zarith, in JavaScript: integers.js. *)

type t

external of_int : int -> t = "%identity"
external of_string : string -> t = "integer_of_string"
external to_string : t -> string = "integer_to_string"
external add : t -> t -> t = "integer_add"
external mul : t -> t -> t = "integer_mul"
external neg : t -> t = "integer_neg"
external fdiv : t -> t -> t = "integer_fdiv"
external gcd : t -> t -> t = "integer_gcd"
external half : t -> t = "integer_half"
external is_odd : t -> bool = "integer_is_odd"
external sign : t -> int = "integer_sign"
external equal : t -> t -> bool = "integer_equal"
external leq : t -> t -> bool = "integer_leq"
external lt : t -> t -> bool = "integer_lt"
external size : t -> int = "integer_size"

let zero = of_int 0
let one = of_int 1
let shift_right x n = if n = 1 then half x else invalid_arg "Z.shift_right"

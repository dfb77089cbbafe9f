// Adds a term to a wide sum, as in compiler/primitives/wide_sum.h, which says what the word of a sum is.
// A new pair may enter every cycle; the sum follows two cycles later. As the next term may go to the same sum,
// its parts are taken and given when they are known: `rest`, the word but for its units, with the term, and
// the units a cycle later. `new_rest` is there a cycle after the term, and `sum` two cycles after it.
// Stores one value a cut: window found | moved and added.
`default_nettype none
module sam_f32_sum_add (
  input  logic        clk,
  input  logic        idle,          // there is no term: the sum stays as it is
  input  logic        fresh,         // there was no sum before
  input  logic [31:0] integer_part,  // the term
  input  logic [5:0]  bucket,
  input  logic [2:0]  kinds,
  input  logic [9:0]  rest,          // of the sum
  input  logic [53:0] units,         // of it, a cycle later

  output logic [9:0]  new_rest,      // a cycle later
  output logic [63:0] sum            // two cycles later
);

  // 1: the window of the new sum is the higher one, and how far the two have to be moved to it.
  logic [5:0] old_bucket, new_bucket;
  logic [2:0] old_kinds, new_kinds;
  logic       old_grow, above;
  logic [6:0] distance;       // from the bucket of the sum to that of the term
  logic [6:0] sum_moves, term_moves;
  logic [6:0] distance_is;    // one-hot: 0 to 6
  logic [6:0] distance_back;  // the same for minus that

  assign {old_bucket, old_grow, old_kinds} = fresh ? '0 : rest;

  assign distance = {1'b0, bucket} - {1'b0, old_bucket};
  for (genvar k = 0; k < 7; k++) begin : gen_distance
    assign distance_is[k]   = distance == 7'(k);
    assign distance_back[k] = distance == -7'(k);
  end
  assign above      = !distance[6] && !distance_is[0] && !(old_grow && distance_is[1]);
  assign new_bucket = idle ? old_bucket : above ? bucket : old_bucket + 6'(old_grow);
  assign new_kinds  = idle ? old_kinds : old_kinds | kinds;

  // The sum moves by 0 to 6 buckets, or there is nothing left of it; so does the term.
  assign sum_moves  = fresh ? '0
                    : idle ? 7'd1
                    : above ? distance_is
                    : {5'd0, old_grow, !old_grow};
  assign term_moves = idle ? '0
                    : above ? 7'd1
                    : old_grow ? {distance_back[5:0], distance_is[1]}
                    : distance_back;

  // 2: move and add.
  logic        idle_2, grow_2, new_grow;
  logic [5:0]  bucket_2;
  logic [2:0]  kinds_2;
  logic [6:0]  sum_moves_2, term_moves_2;
  logic [31:0] integer_2;
  logic [53:0] sum_moved, term_moved, new_units;

  sam_delay #(.Width(57), .Stages(1)) u_cut_2 (
    .clk,
    .d({idle, old_grow, new_bucket, new_kinds, sum_moves, term_moves, integer_part}),
    .q({idle_2, grow_2, bucket_2, kinds_2, sum_moves_2, term_moves_2, integer_2})
  );

  sam_f32_sum_move u_sum (.x(units), .moves(sum_moves_2), .y(sum_moved));
  sam_f32_sum_move u_term (
    .x({{2{integer_2[31]}}, integer_2, 20'd0}), .moves(term_moves_2), .y(term_moved)
  );

  assign new_units = sum_moved + term_moved;
  assign new_grow  = idle_2 ? grow_2 : sum_moves_2[0] && units[53] != units[52];
  assign new_rest  = {bucket_2, new_grow, kinds_2};

  sam_delay #(.Width(64), .Stages(1)) u_cut_3 (.clk, .d({new_units, new_rest}), .q(sum));

endmodule
`default_nettype wire

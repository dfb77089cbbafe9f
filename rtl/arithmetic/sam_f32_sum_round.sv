// Rounds a wide sum to the nearest f32, ties to even; compiler/primitives/wide_sum.h says what the word of a sum is.
// A new sum may enter every cycle; its value follows four cycles later.
// Stores one value a cut: magnitude | bytes counted | shifted by bytes | shifted by bits | rounded.
`default_nettype none
module sam_f32_sum_round (
  input  logic        clk,
  input  logic [63:0] sum,

  output logic [31:0] y
);

  // 1: the magnitude.
  logic        negative, grow, nan, infinite, unused_grow;
  logic [53:0] units, magnitude;
  logic [5:0]  bucket;
  logic [2:0]  kinds;

  assign {units, bucket, grow, kinds} = sum;
  assign unused_grow = grow;
  assign magnitude   = units[53] ? -units : units;
  assign nan         = kinds[2] && kinds[1];
  assign infinite    = kinds[2] || kinds[1];
  // A sum that cancels is +0; one of -0 alone is not.
  assign negative    = infinite ? kinds[1] : units[53] || !kinds[0];

  // 2: count the bytes of zeros, from the top, one-hot; but the exponent may not fall below that of a subnormal
  // number, so that the shift is by 8 * bucket + 9 at most.
  logic        negative_2, nan_2, infinite_2, zero;
  logic [53:0] magnitude_2;
  logic [55:0] wide;
  logic [5:0]  bucket_2;
  logic [6:0]  bytes, has, limit;
  logic        limited;

  sam_delay #(.Width(63), .Stages(1)) u_cut_2 (
    .clk,
    .d({negative, nan, infinite, bucket, magnitude}),
    .q({negative_2, nan_2, infinite_2, bucket_2, magnitude_2})
  );

  assign wide = {magnitude_2, 2'b00};
  for (genvar k = 0; k < 7; k++) begin : gen_byte
    assign has[k]   = wide[55-8*k -: 8] != '0;
    assign limit[k] = bucket_2 == 6'(k - 1);
    if (k == 0) begin : gen_first
      assign bytes[k] = has[k];
    end else begin : gen_other
      assign bytes[k] = (has[k] || limit[k]) && has[k-1:0] == '0 && limit[k-1:0] == '0;
    end
  end
  assign zero    = has == '0;
  assign limited = (bytes & limit) != '0;

  // 3: shift by bytes.
  logic        negative_3, nan_3, infinite_3, zero_3, limited_3;
  logic [53:0] magnitude_3, shifted;
  logic [5:0]  bucket_3;
  logic [6:0]  bytes_3;
  logic [9:0]  exponent;  // less the one that the leading bit will add, if nothing more is shifted

  sam_delay #(.Width(72), .Stages(1)) u_cut_3 (
    .clk,
    .d({negative_2, nan_2, infinite_2, zero, limited, bucket_2, bytes, magnitude_2}),
    .q({negative_3, nan_3, infinite_3, zero_3, limited_3, bucket_3, bytes_3, magnitude_3})
  );

  always_comb begin
    shifted  = '0;
    exponent = '0;
    for (int k = 0; k < 7; k++) begin
      shifted = shifted | ((magnitude_3 << (8 * k)) & {54{bytes_3[k]}});
      if (bytes_3[k]) exponent = {1'b0, bucket_3 + 6'(1 - k), 3'd1};
    end
  end

  // 4: shift by bits.
  logic        negative_4, nan_4, infinite_4, zero_4, limited_4;
  logic [53:0] shifted_4, sig;
  logic [9:0]  exponent_4;
  logic [2:0]  zeros, places;

  sam_delay #(.Width(69), .Stages(1)) u_cut_4 (
    .clk,
    .d({negative_3, nan_3, infinite_3, zero_3, limited_3, exponent, shifted}),
    .q({negative_4, nan_4, infinite_4, zero_4, limited_4, exponent_4, shifted_4})
  );

  assign zeros  = shifted_4[53] ? 3'd0 : shifted_4[52] ? 3'd1 : shifted_4[51] ? 3'd2 : shifted_4[50] ? 3'd3
                : shifted_4[49] ? 3'd4 : shifted_4[48] ? 3'd5 : shifted_4[47] ? 3'd6 : 3'd7;
  assign places = !limited_4 ? zeros : {2'd0, !shifted_4[53]};
  assign sig    = shifted_4 << places;

  // 5: round; the carry may enter the exponent.
  logic        negative_5, nan_5, infinite_5, zero_5, up, overflow;
  logic [24:0] sig_5;  // with the bit to round by
  logic        lost_5;
  logic [9:0]  exponent_5;
  logic [32:0] bits;

  sam_delay #(.Width(40), .Stages(1)) u_cut_5 (
    .clk,
    .d({negative_4, nan_4, infinite_4, zero_4, exponent_4 - 10'(places), sig[53:29], sig[28:0] != '0}),
    .q({negative_5, nan_5, infinite_5, zero_5, exponent_5, sig_5, lost_5})
  );

  assign up       = sig_5[0] && (lost_5 || sig_5[1]);
  assign bits     = {exponent_5, 23'd0} + {9'd0, sig_5[24:1]} + {32'd0, up};
  assign overflow = bits[32:23] >= 10'd255;

  assign y = nan_5                  ? 32'h7fc00000
           : zero_5 && !infinite_5  ? {negative_5, 31'd0}
           : infinite_5 || overflow ? {negative_5, 8'hff, 23'd0}
                                    : {negative_5, bits[30:0]};

endmodule
`default_nettype wire

// The arithmetic of value streams, bit for bit.
//
// Values travel as 32 raw bits. `apply` defines what every operation makes of them; the modules in
// rtl/arithmetic/ compute the same bits, and tests/arithmetic/ compares the two.
//
// i32 is two's complement and wraps. Division truncates towards zero; x / 0 is -1 and
// INT_MIN / -1 is INT_MIN, as in RISC-V. Comparisons give 1 or 0.
//
// f32 is IEEE-754 binary32, rounded to nearest even, with subnormals. Every NaN result is 7fc00000,
// that of `neg` and `abs` too. `max` and `min` give NaN if either operand is NaN, and order -0
// below +0; relu(x) is max(x, +0). Comparisons give 1.0f or 0.0f; with a NaN only `ne` holds. The
// host's float does add, sub, mul, div and sqrt, so fast-math is refused.
//
// The other functions are defined by the integer algorithms below, without any host floating
// point. Each reduces its argument, takes a cubic from a table, and rounds once:
//
//   function    method                                           worst error, all 2^32 inputs
//   reciprocal  1 / x by the divider                             0.50 ulp
//   exp         2^n * 2^f, 2^f from 32 cubics                    0.52 ulp
//   log         e * ln 2 + (m - 1) * Q(m), Q from 32 cubics      0.54 ulp
//   rsqrt       64 cubics over [1, 4)                            0.57 ulp
//   tanh        x * Q(|x|), Q from 160 cubics over [0, 16)       0.63 ulp
//   sigmoid     E / (1 + E) or 1 / (1 + E) with E = exp(-|x|)    0.75 ulp
//   gelu        x * Phi(x), the exact (erf) form:                0.64 ulp
//               Phi(-u) = exp(-u^2 / 2) * M(u), M from 160 cubics
//
// Errors are in units in the last place of the exact result. Underflow is gradual everywhere.
// Special values: exp(-inf) = +0, exp(+inf) = +inf; log(+-0) = -inf, log(x < 0) = NaN;
// rsqrt(+-0) = +-inf, rsqrt(x < 0) = NaN, rsqrt(+inf) = +0; reciprocal(+-0) = +-inf;
// tanh(+-inf) = +-1; sigmoid(-inf) = +0, sigmoid(+inf) = 1; gelu(-inf) = -0, gelu(+inf) = +inf.
//
// This header needs the standard library only, and C++17 is enough for it.
#pragma once

#include <array>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#if defined(__FAST_MATH__)
#error "compiler/primitives/arithmetic.h needs IEEE arithmetic: compile without -ffast-math"
#endif
static_assert(std::numeric_limits<float>::is_iec559 && FLT_EVAL_METHOD == 0,
              "the host's float must be IEEE-754 binary32, evaluated as such");

namespace heddle {

enum class ValueType : std::uint8_t { kF32, kI32 };

enum class BinaryOp : std::uint8_t { kAdd, kSub, kMul, kDiv, kMax, kMin, kLt, kLe, kEq, kNe };

enum class UnaryOp : std::uint8_t {
  kNeg,
  kAbs,
  kRelu,
  kSqrt,
  kExp,
  kLog,
  kRsqrt,
  kReciprocal,
  kTanh,
  kSigmoid,
  kGelu
};

// Names as they appear in programs, in netlists and as parameters of sam_binary and sam_unary; in
// the order of the enumerators.
inline constexpr std::array<std::string_view, 2> kValueTypeNames = {"f32", "i32"};
inline constexpr std::array<std::string_view, 10> kBinaryOpNames = {
    "add", "sub", "mul", "div", "max", "min", "lt", "le", "eq", "ne"};
inline constexpr std::array<std::string_view, 11> kUnaryOpNames = {
    "neg", "abs", "relu", "sqrt", "exp", "log", "rsqrt", "reciprocal", "tanh", "sigmoid", "gelu"};

constexpr std::string_view name(ValueType type) {
  return kValueTypeNames[static_cast<std::size_t>(type)];
}
constexpr std::string_view name(BinaryOp op) {
  return kBinaryOpNames[static_cast<std::size_t>(op)];
}
constexpr std::string_view name(UnaryOp op) { return kUnaryOpNames[static_cast<std::size_t>(op)]; }

namespace arithmetic {

template <typename Enum, std::size_t N>
constexpr std::optional<Enum> parse(const std::array<std::string_view, N>& names,
                                    std::string_view text) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace arithmetic

constexpr std::optional<ValueType> parse_value_type(std::string_view text) {
  return arithmetic::parse<ValueType>(kValueTypeNames, text);
}
constexpr std::optional<BinaryOp> parse_binary_op(std::string_view text) {
  return arithmetic::parse<BinaryOp>(kBinaryOpNames, text);
}
constexpr std::optional<UnaryOp> parse_unary_op(std::string_view text) {
  return arithmetic::parse<UnaryOp>(kUnaryOpNames, text);
}

// Whether the operation exists for the type: every binary one does, and for i32 the unary ones that
// need no fraction.
constexpr bool supports(BinaryOp /*op*/, ValueType /*type*/) { return true; }
constexpr bool supports(UnaryOp op, ValueType type) {
  return type == ValueType::kF32 || op == UnaryOp::kNeg || op == UnaryOp::kAbs ||
         op == UnaryOp::kRelu;
}

// Cycles from firing until the result is visible on the output channel. The module has one register
// stage less, because the channel itself takes a cycle.
constexpr int latency(BinaryOp op, ValueType type) {
  const bool f32 = type == ValueType::kF32;
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
      return f32 ? 6 : 1;
    case BinaryOp::kMul:
      return f32 ? 6 : 2;
    case BinaryOp::kDiv:
      return 18;
    case BinaryOp::kMax:
    case BinaryOp::kMin:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kEq:
    case BinaryOp::kNe:
      break;
  }
  return 1;
}

constexpr int latency(UnaryOp op, ValueType /*type*/) {
  switch (op) {
    case UnaryOp::kSqrt:
      return 16;
    case UnaryOp::kExp:
      return 12;
    case UnaryOp::kLog:
      return 16;
    case UnaryOp::kRsqrt:
      return 10;
    case UnaryOp::kReciprocal:
      return latency(BinaryOp::kDiv, ValueType::kF32);
    case UnaryOp::kTanh:
      return 12;
    case UnaryOp::kSigmoid:
      return 22;
    case UnaryOp::kGelu:
      return 21;
    case UnaryOp::kNeg:
    case UnaryOp::kAbs:
    case UnaryOp::kRelu:
      break;
  }
  return 1;
}

namespace arithmetic {

inline constexpr std::uint32_t kNan = 0x7fc00000;
inline constexpr std::uint32_t kInf = 0x7f800000;
inline constexpr std::uint32_t kOne = 0x3f800000;
inline constexpr std::uint32_t kSign = 0x80000000;

inline float to_float(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

constexpr bool is_nan(std::uint32_t bits) { return (bits & ~kSign) > kInf; }

inline std::uint32_t from_float(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return is_nan(bits) ? kNan : bits;
}

// The integer whose order as a signed number is the order of the floats, -0 below +0.
constexpr std::int32_t order(std::uint32_t bits) {
  return static_cast<std::int32_t>((bits & kSign) != 0 ? bits ^ ~kSign : bits);
}

// One row of a table: c0 + t (c1 + t (c2 + t c3)) in units of 2^-34, for t in [0, 1).
struct CubicRow {
  std::int64_t c0;
  std::int32_t c1;
  std::int32_t c2;
  std::int32_t c3;
};

// The tables interpolate at the Chebyshev nodes of each interval (tests/arithmetic/tables.cpp).

// 2^x on [0, 1).
inline constexpr CubicRow kExp2Table[32] = {
    {17179869184, 372130599, 4030133, 29417}, {17556059332, 380279198, 4118382, 30061},
    {17940486973, 388606228, 4208563, 30720}, {18333332483, 397115596, 4300718, 31392},
    {18734780190, 405811295, 4394892, 32080}, {19145018457, 414697406, 4491127, 32782},
    {19564239772, 423778096, 4589470, 33500}, {19992640839, 433057628, 4689967, 34234},
    {20430422667, 442540356, 4792663, 34983}, {20877790669, 452230728, 4897609, 35749},
    {21334954755, 462133291, 5004853, 36532}, {21802129431, 472252692, 5114445, 37332},
    {22279533900, 482593680, 5226436, 38149}, {22767392166, 493161105, 5340881, 38985},
    {23265933136, 503959927, 5457831, 39838}, {23775390733, 514995213, 5577342, 40711},
    {24296003998, 526272140, 5699469, 41602}, {24828017209, 537795999, 5824272, 42513},
    {25371679993, 549572198, 5951806, 43444}, {25927247441, 561606262, 6082134, 44395},
    {26494980233, 573903838, 6215315, 45368}, {27075144753, 586470695, 6351413, 46361},
    {27668013223, 599312731, 6490491, 47376}, {28273863821, 612435971, 6632614, 48414},
    {28892980821, 625846573, 6777850, 49474}, {29525654717, 639550828, 6926265, 50557},
    {30172182367, 653555168, 7077931, 51664}, {30832867130, 667866163, 7232917, 52795},
    {31508019005, 682490527, 7391297, 53951}, {32197954781, 697435124, 7553146, 55133},
    {32902998183, 712706964, 7718538, 56340}, {33623480025, 728313215, 7887552, 57574},
};

// 1 / (1 + x) on [0, 1).
inline constexpr CubicRow kReciprocalTable[32] = {
    {17179869184, -536867058, 16757843, -492878}, {16659266984, -504822965, 15281128, -436604},
    {16169288555, -475564456, 13972920, -388137}, {15707308891, -448777781, 12809858, -346212},
    {15270994763, -424192148, 11772358, -309799}, {14858265182, -401572856, 10843927, -278049},
    {14467258209, -380715675, 10010601, -250265}, {14096302875, -361442216, 9260510, -225866},
    {13743895307, -343596105, 8583516, -204369},  {13408678352, -327039805, 7970929, -185370},
    {13089424109, -311651952, 7415269, -168529},  {12785018900, -297325128, 6910074, -153557},
    {12494450291, -283963983, 6449744, -140212},  {12216795842, -271483639, 6029406, -128285},
    {11951213325, -259808346, 5644812, -117600},  {11696932192, -248870323, 5292241, -108005},
    {11453246106, -238608776, 4968428, -99369},   {11219506391, -228969051, 4670502, -91578},
    {10995116265, -219901903, 4395925, -84537},   {10779525751, -211362867, 4142454, -78160},
    {10572227179, -203311713, 3908101, -72372},   {10372751196, -195711970, 3691096, -67111},
    {10180663211, -188530512, 3489863, -62319},   {9995560244, -181737196, 3302996, -57947},
    {9817068098, -175304547, 3129234, -53952},    {9644838833, -169207478, 2967449, -50296},
    {9478548509, -163423048, 2816627, -46944},    {9317895145, -157930240, 2675854, -43866},
    {9162596893, -152709777, 2544308, -41037},    {9012390387, -147743947, 2421244, -38432},
    {8867029252, -143016456, 2305991, -36031},    {8726282756, -138512291, 2197937, -33814},
};

// ln(x) / (x - 1): 16 rows on [1, 1.5), then 16 on [0.75, 1).
inline constexpr CubicRow kLogTable[32] = {
    {17179869160, -268434677, 5588495, -124746}, {16916898234, -257630482, 5214585, -113204},
    {16664369135, -247539649, 4875254, -103014}, {16421601728, -238097054, 4566453, -93986},
    {16187977142, -229245103, 4284704, -85961},  {15962930783, -220932684, 4027002, -78805},
    {15745946299, -213114292, 3790747, -72404},  {15536550351, -205749291, 3573675, -66662},
    {15334308074, -198801282, 3373809, -61499},  {15138819102, -192237579, 3189419, -56843},
    {14949714100, -186028744, 3018984, -52635},  {14766651705, -180148206, 2861161, -48823},
    {14589315838, -174571919, 2714767, -45362},  {14417413325, -169278077, 2578748, -42212},
    {14250671784, -164246859, 2452170, -39341},  {14088837755, -159460212, 2334201, -36718},
    {19769361480, -196070509, 2657844, -39638},  {19575909177, -190873425, 2538976, -37153},
    {19387537576, -185906646, 2427560, -34867},  {19204023623, -181155865, 2322996, -32762},
    {19025157993, -176607914, 2224746, -30819},  {18850744006, -172250655, 2132320, -29024},
    {18680596647, -168072878, 2045277, -27363},  {18514541684, -164064220, 1963215, -25824},
    {18352414855, -160215082, 1885768, -24395},  {18194061146, -156516567, 1812603, -23068},
    {18039334114, -152960411, 1743418, -21834},  {17888095288, -149538932, 1677935, -20684},
    {17740213606, -146244982, 1615899, -19612},  {17595564910, -143071896, 1557077, -18611},
    {17454031480, -140013458, 1501258, -17676},  {17315501603, -137063862, 1448242, -16801},
};

// 1 / sqrt(x): 32 rows on [1, 2), then 32 on [2, 4).
inline constexpr CubicRow kRsqrtTable[64] = {
    {17179869184, -268434396, 6286129, -155215}, {16917565673, -256325828, 5820963, -139593},
    {16666921217, -245100973, 5402590, -125936}, {16427096900, -234672101, 5025129, -113950},
    {16197335980, -224962372, 4683577, -103391}, {15976953795, -215904225, 4373658, -94058},
    {15765329171, -207438048, 4091704, -85781},  {15561897048, -199511061, 3834553, -78417},
    {15366142124, -192076384, 3599469, -71846},  {15177593363, -185092250, 3384075, -65967},
    {14995819222, -178521342, 3186301, -60692},  {14820423490, -172330221, 3004337, -55947},
    {14651041660, -166488853, 2836594, -51669},  {14487337733, -160970187, 2681675, -47802},
    {14329001419, -155749805, 2538346, -44300},  {14175745661, -150805614, 2405516, -41120},
    {14027304444, -146117581, 2282216, -38228},  {13883430852, -141667503, 2167586, -35593},
    {13743895343, -137438808, 2060856, -33186},  {13608484205, -133416379, 1961341, -30985},
    {13476998182, -129586399, 1868426, -28968},  {13349251241, -125936221, 1781557, -27117},
    {13225069461, -122454244, 1700239, -25415},  {13104290041, -119129815, 1624023, -23848},
    {12986760402, -115953130, 1552506, -22403},  {12872337376, -112915159, 1485322, -21068},
    {12760886470, -110007567, 1422138, -19835},  {12652281206, -107222653, 1362653, -18692},
    {12546402514, -104553290, 1306595, -17633},  {12443138186, -101992876, 1253712, -16650},
    {12342382373, -99535286, 1203778, -15736},   {12244035129, -97174830, 1156585, -14885},
    {12148001976, -189811781, 4444965, -109754}, {11962525408, -181249731, 4116042, -98707},
    {11785293014, -173312560, 3820208, -89050},  {11615711614, -165938234, 3553303, -80575},
    {11453246109, -159072419, 3311789, -73109},  {11297412371, -152667342, 3092643, -66509},
    {11147771165, -146680851, 2893272, -60656},  {11003922930, -141075624, 2711438, -55449},
    {10865503296, -135818514, 2545209, -50803},  {10732179189, -130879985, 2392902, -46646},
    {10603645461, -126233651, 2253055, -42916},  {10479621950, -121855868, 2124387, -39561},
    {10359850909, -117725397, 2005775, -36535},  {10244094752, -113823111, 1896231, -33801},
    {10132134071, -110131743, 1794882, -31324},  {10023765886, -106635672, 1700957, -29076},
    {9918802094, -103320732, 1613771, -27031},   {9817068102, -100174052, 1532715, -25168},
    {9718401597, -97183913, 1457246, -23466},    {9622651463, -94339626, 1386878, -21910},
    {9529676805, -91631422, 1321176, -20483},    {9439346076, -89050356, 1259751, -19174},
    {9351536297, -86588226, 1202250, -17971},    {9266132351, -84237500, 1148358, -16863},
    {9183026346, -81991245, 1097788, -15841},    {9102117048, -79843075, 1050281, -14898},
    {9023309357, -77787097, 1005603, -14025},    {8946513838, -75817865, 963541, -13217},
    {8871646297, -73930340, 923902, -12468},     {8798627391, -72119854, 886508, -11773},
    {8727382272, -70382076, 851200, -11127},     {8657840269, -68712981, 817829, -10526},
};

// tanh(x) / x: 32 rows on each of [0, 1), [1, 2), [2, 4), [4, 8), [8, 16).
inline constexpr CubicRow kTanhTable[160] = {
    {17179869167, 546, -5595133, 4366},         {17174278945, -11175538, -5582011, 13047},
    {17157534444, -22299354, -5542824, 21574},  {17129713840, -33319246, -5478034, 29849},
    {17090946409, -44184777, -5388400, 37777},  {17041411010, -54847309, -5274962, 45274},
    {16981334013, -65260539, -5139018, 52262},  {16910986719, -75380987, -4982095, 58676},
    {16830682312, -85168428, -4805921, 64460},  {16740772423, -94586254, -4612388, 69571},
    {16641643354, -103601765, -4403514, 73980}, {16533712057, -112186390, -4181410, 77669},
    {16417421928, -120315831, -3948238, 80633}, {16293238493, -127970128, -3706179, 82877},
    {16161645064, -135133663, -3457393, 84417}, {16023138425, -141795092, -3203995, 85279},
    {15878224619, -147947217, -2948018, 85497}, {15727414882, -153586810, -2691396, 85112},
    {15571221789, -158714384, -2435941, 84169}, {15410155634, -163333939, -2183324, 82720},
    {15244721091, -167452665, -1935068, 80817}, {15075414177, -171080636, -1692533, 78514},
    {14902719522, -174230490, -1456919, 75867}, {14727107981, -176917093, -1229259, 72929},
    {14549034559, -179157221, -1010424, 69753}, {14368936667, -180969230, -801129, 66390},
    {14187232698, -182372756, -601933, 62886},  {14004320896, -183388412, -413257, 59287},
    {13820578514, -184037520, -235386, 55633},  {13636361241, -184341852, -68486, 51961},
    {13452002864, -184323398, 87390, 48303},    {13267815160, -184004159, 232287, 44689},
    {13084087977, -183405961, 366336, 41143},   {12901089495, -182550292, 489742, 37687},
    {12719066632, -181458165, 602778, 34339},   {12538245583, -180149996, 705765, 31113},
    {12358832465, -178645514, 799073, 28021},   {12181014045, -176963675, 883102, 25071},
    {12004958542, -175122610, 958280, 22269},   {11830816480, -173139575, 1025052, 19620},
    {11658721577, -171030923, 1083876, 17125},  {11488791655, -168812089, 1135216, 14784},
    {11321129565, -166497579, 1179534, 12596},  {11155824117, -164100976, 1217290, 10559},
    {10992950989, -161634956, 1248935, 8669},   {10832573637, -159111297, 1274911, 6922},
    {10674744173, -156540911, 1295645, 5311},   {10519504218, -153933872, 1311550, 3833},
    {10366885729, -151299442, 1323021, 2480},   {10216911788, -148646114, 1330435, 1247},
    {10069597355, -145981643, 1334151, 127},    {9924949990, -143313087, 1334509, -886},
    {9782970525, -140646842, 1331828, -1799},   {9643653711, -137988687, 1326409, -2619},
    {9506988815, -135343815, 1318535, -3350},   {9372960185, -132716877, 1308467, -4000},
    {9241547775, -130112014, 1296451, -4574},   {9112727638, -127532897, 1282714, -5078},
    {8986472377, -124982758, 1267465, -5517},   {8862751567, -122464427, 1250900, -5897},
    {8741532142, -119980359, 1233197, -6222},   {8622778758, -117532667, 1214519, -6497},
    {8506454113, -115123148, 1195018, -6726},   {8392519256, -112753315, 1174830, -6914},
    {8280933862, -220848932, 4616776, -56986},  {8064644718, -211786508, 4445604, -58336},
    {7857245477, -203070369, 4270426, -58831},  {7658386702, -194705987, 4093795, -58641},
    {7467715869, -186694227, 3917765, -57908},  {7284881499, -179032276, 3743959, -56752},
    {7109536430, -171714428, 3573641, -55274},  {6941340368, -164732755, 3407773, -53559},
    {6779961827, -158077650, 3247065, -51674},  {6625079569, -151738291, 3092025, -49676},
    {6476383627, -145703011, 2942987, -47611},  {6333575992, -139959608, 2800151, -45515},
    {6196371020, -134495590, 2663607, -43419},  {6064495619, -129298373, 2533357, -41344},
    {5937689259, -124355437, 2409335, -39309},  {5815703849, -119654446, 2291421, -37327},
    {5698303496, -115183346, 2179455, -35407},  {5585264198, -110930426, 2073249, -33558},
    {5476373464, -106884378, 1972594, -31782},  {5371429897, -103034325, 1877265, -30084},
    {5270242752, -99369846, 1787030, -28464},   {5172631472, -95880986, 1701655, -26923},
    {5078425217, -92558264, 1620902, -25460},   {4987462396, -89392665, 1544540, -24073},
    {4899590198, -86375639, 1472338, -22760},   {4814664138, -83499086, 1404076, -21518},
    {4732547610, -80755343, 1339536, -20346},   {4653111457, -78137171, 1278513, -19240},
    {4576233559, -75637735, 1220807, -18197},   {4501798435, -73250588, 1166230, -17214},
    {4429696864, -70969652, 1114602, -16288},   {4359825526, -68789203, 1065751, -15416},
    {4292086636, -133407008, 4075134, -113634}, {4162641131, -125596185, 3734550, -101991},
    {4040677507, -118431767, 3428859, -91678},  {3925582922, -111847942, 3154073, -82541},
    {3816806514, -105786405, 2906669, -74440},  {3713852339, -100195487, 2683542, -67252},
    {3616273143, -95029360, 2481956, -60866},   {3523664874, -90247337, 2299505, -55187},
    {3435661856, -85813255, 2134075, -50128},   {3351932548, -81694925, 1983806, -45615},
    {3272175814, -77863655, 1847061, -41583},   {3196117638, -74293830, 1722401, -37974},
    {3123508235, -70962546, 1608557, -34739},   {3054119508, -67849286, 1504410, -31834},
    {2987742799, -64935641, 1408970, -29220},   {2924186908, -62205067, 1321364, -26865},
    {2863276341, -59642667, 1240818, -24739},   {2804849755, -57235006, 1166645, -22816},
    {2748758579, -54969945, 1098236, -21075},   {2694865795, -52836500, 1035046, -19495},
    {2643044847, -50824712, 976593, -18059},    {2593178669, -48925538, 922445, -16751},
    {2545158824, -47130754, 872215, -15560},    {2498884725, -45432868, 825557, -14472},
    {2454262943, -43825044, 782162, -13476},    {2411206585, -42301034, 741751, -12565},
    {2369634737, -40855123, 704072, -11729},    {2329471956, -39482072, 668899, -10961},
    {2290647822, -38177071, 636027, -10255},    {2253096523, -36935701, 605273, -9605},
    {2216756490, -35753895, 576469, -9005},     {2181570059, -34627905, 549462, -8452},
    {2147483150, -67108126, 2094664, -61600},   {2082408089, -63102720, 1910102, -54570},
    {2021160902, -59445469, 1746592, -48514},   {1963413513, -56097171, 1601219, -43275},
    {1908874287, -53023988, 1471537, -38724},   {1857283113, -50196589, 1355486, -34756},
    {1808407256, -47589449, 1251322, -31283},   {1762037847, -45180271, 1157562, -28233},
    {1717986906, -42949509, 1072939, -25546},   {1676084790, -40879973, 996366, -23171},
    {1636178011, -38956493, 926908, -21066},    {1598127361, -37165640, 863759, -19195},
    {1561806285, -35495497, 806218, -17526},    {1527099480, -33935455, 753676, -16036},
    {1493901665, -32476043, 705601, -14700},    {1462116524, -31108790, 661530, -13501},
    {1431655763, -29826097, 621054, -12421},    {1402438299, -28621131, 583813, -11447},
    {1374389533, -27487738, 549491, -10567},    {1347440719, -26420358, 517807, -9770},
    {1321528397, -25413964, 488513, -9047},     {1296593899, -24463996, 461387, -8389},
    {1272582901, -23566314, 436233, -7790},     {1249445031, -22717149, 412874, -7243},
    {1227133512, -21913068, 391154, -6744},     {1205604854, -21150935, 370931, -6287},
    {1184818564, -20427881, 352078, -5868},     {1164736893, -19741280, 334482, -5483},
    {1145324612, -19088722, 318039, -5130},     {1126548798, -18467993, 302656, -4804},
    {1108378656, -17877057, 288249, -4504},     {1090785344, -17314036, 274742, -4227},
};

// Phi(-x) * exp(x^2 / 2), with Phi the normal distribution: rows as for tanh.
inline constexpr CubicRow kMillsTable[160] = {
    {8589934584, -214180257, 4193054, -67709}, {8379879673, -205996796, 3989984, -63875},
    {8177808986, -198208004, 3798412, -60285}, {7983339110, -190791612, 3617608, -56921},
    {7796108185, -183726766, 3446890, -53770}, {7615774539, -176993927, 3285623, -50815},
    {7442015421, -170574778, 3133219, -48043}, {7274525820, -164452143, 2989127, -45442},
    {7113017362, -158609909, 2852837, -43000}, {6957217290, -153032948, 2723869, -40706},
    {6806867505, -147707059, 2601781, -38551}, {6661723676, -142618898, 2486156, -36525},
    {6521554409, -137755924, 2376606, -34620}, {6386140471, -133106348, 2272771, -32827},
    {6255274067, -128659078, 2174311, -31140}, {6128758160, -124403678, 2080911, -29552},
    {6006405842, -120330323, 1992276, -28055}, {5888039740, -116429760, 1908129, -26645},
    {5773491464, -112693270, 1828212, -25315}, {5662601091, -109112636, 1752282, -24061},
    {5555216676, -105680108, 1680113, -22878}, {5451193803, -102388377, 1611492, -21762},
    {5350395157, -99230545, 1546221, -20707},  {5252690125, -96200100, 1484112, -19711},
    {5157954426, -93290891, 1424991, -18770},  {5066069756, -90497108, 1368693, -17880},
    {4976923461, -87813257, 1315063, -17038},  {4890408228, -85234146, 1263958, -16242},
    {4806421797, -82754864, 1215240, -15489},  {4724866685, -80370761, 1168782, -14776},
    {4645649930, -78077439, 1124464, -14100},  {4568682855, -75870732, 1082171, -13460},
    {4493880834, -73746693, 1041799, -12853},  {4421163088, -71701582, 1003246, -12278},
    {4350452474, -69731855, 966419, -11732},   {4281675305, -67834150, 931227, -11215},
    {4214761168, -66005279, 897589, -10724},   {4149642754, -64242214, 865423, -10257},
    {4086255707, -62542083, 834657, -9814},    {4024538466, -60902160, 805219, -9393},
    {3964432132, -59319851, 777044, -8993},    {3905880331, -57792696, 750068, -8613},
    {3848829091, -56318353, 724233, -8251},    {3793226720, -54894597, 699483, -7907},
    {3739023699, -53519311, 675765, -7580},    {3686172573, -52190481, 653029, -7268},
    {3634627853, -50906190, 631228, -6971},    {3584345921, -49664611, 610318, -6689},
    {3535284939, -48464008, 590255, -6419},    {3487404767, -47302723, 571001, -6162},
    {3440666882, -46179178, 552516, -5917},    {3395034303, -45091869, 534766, -5684},
    {3350471516, -44039361, 517717, -5461},    {3306944411, -43020284, 501335, -5249},
    {3264420214, -42033334, 485592, -5046},    {3222867426, -41077263, 470457, -4852},
    {3182255768, -40150882, 455903, -4667},    {3142556121, -39253055, 441904, -4490},
    {3103740481, -38382695, 428436, -4321},    {3065781901, -37538765, 415475, -4159},
    {3028654452, -36720275, 402998, -4005},    {2992333170, -35926275, 390985, -3857},
    {2956794023, -35155859, 379415, -3716},    {2922013863, -34408160, 368269, -3581},
    {2887970387, -67364588, 1429645, -27108},  {2822008336, -64586384, 1348357, -25207},
    {2758745102, -61965072, 1272770, -23461},  {2698029339, -59489716, 1202416, -21857},
    {2639720182, -57150272, 1136871, -20382},  {2583686400, -54937504, 1075751, -19023},
    {2529805625, -52842913, 1018706, -17770},  {2477963647, -50858667, 965417, -16614},
    {2428053783, -48977543, 915593, -15547},   {2379976285, -47192875, 868970, -14560},
    {2333637821, -45498501, 825305, -13647},   {2288950978, -43888726, 784379, -12802},
    {2245833829, -42358275, 745988, -12018},   {2204209525, -40902262, 709946, -11291},
    {2164005918, -39516157, 676085, -10616},   {2125155231, -38195755, 644248, -9988},
    {2087593736, -36937151, 614293, -9405},    {2051261473, -35736712, 586086, -8862},
    {2016101985, -34591062, 559509, -8356},    {1982062076, -33497054, 534448, -7885},
    {1949091585, -32451757, 510801, -7445},    {1917143185, -31452437, 488474, -7034},
    {1886172189, -30496542, 467378, -6650},    {1856136375, -29581691, 447434, -6291},
    {1826995827, -28705654, 428566, -5955},    {1798712783, -27866349, 410704, -5641},
    {1771251498, -27061826, 393786, -5346},    {1744578111, -26290258, 377751, -5070},
    {1718660534, -25549933, 362545, -4811},    {1693468335, -24839245, 348116, -4567},
    {1668972639, -24156687, 334417, -4339},    {1645146030, -23500843, 321403, -4124},
    {1621962461, -45740597, 1235417, -30605},  {1577426676, -43361220, 1143679, -27736},
    {1535181400, -41156751, 1060539, -25186},  {1495060002, -39110947, 985039, -22916},
    {1456911179, -37209362, 916344, -20889},   {1420597272, -35439116, 853721, -19076},
    {1385992801, -33788699, 796532, -17452},   {1352983183, -32247808, 744212, -15992},
    {1321463595, -30807197, 696266, -14679},   {1291337985, -29458555, 652256, -13495},
    {1262518191, -28194396, 611794, -12426},   {1234923163, -27007964, 574538, -11458},
    {1208478280, -25893152, 540183, -10581},   {1183114729, -24844431, 508456, -9785},
    {1158768970, -23856782, 479117, -9061},    {1135382244, -22925647, 451949, -8401},
    {1112900145, -22046878, 426758, -7799},    {1091272225, -21216692, 403370, -7250},
    {1070451653, -20431639, 381631, -6747},    {1050394898, -19688560, 361399, -6286},
    {1031061451, -18984569, 342548, -5864},    {1012413566, -18317015, 324965, -5475},
    {994416040, -17683467, 308545, -5118},     {977036000, -17081691, 293196, -4789},
    {960242716, -16509628, 278834, -4486},     {944007435, -15965384, 265380, -4206},
    {928303226, -15447209, 252767, -3947},     {913104835, -14953489, 240928, -3708},
    {898388567, -14482728, 229808, -3486},     {884132161, -14033545, 219353, -3281},
    {870314689, -13604657, 209514, -3090},     {856916457, -13194875, 200248, -2912},
    {843918913, -25606056, 765471, -21358},    {819056972, -24138899, 701471, -19066},
    {795600478, -22792905, 644335, -17070},    {773434838, -21555228, 593176, -15327},
    {752457460, -20414664, 547241, -13798},    {732576239, -19361410, 505884, -12454},
    {713708260, -18386855, 468555, -11268},    {695778692, -17483418, 434779, -10219},
    {678719835, -16644400, 404146, -9288},     {662470292, -15863870, 376303, -8461},
    {646974265, -15136554, 350940, -7722},     {632180929, -14457759, 327789, -7062},
    {618043896, -13823294, 306617, -6471},     {604520749, -13229406, 287217, -5940},
    {591572621, -12672730, 269410, -5461},     {579163839, -12150241, 253035, -5030},
    {567261603, -11659213, 237953, -4640},     {555835703, -11197183, 224040, -4288},
    {544858272, -10761927, 211184, -3967},     {534303562, -10351424, 199288, -3676},
    {524147749, -9963844, 188264, -3411},      {514368758, -9597519, 178035, -3170},
    {504946104, -9250931, 168530, -2949},      {495860753, -8922694, 159686, -2747},
    {487094999, -8611540, 151448, -2562},      {478632344, -8316310, 143764, -2393},
    {470457406, -8035939, 136590, -2237},      {462555820, -7769452, 129882, -2093},
    {454914157, -7515950, 123605, -1961},      {447519851, -7274607, 117725, -1839},
    {440361130, -7044659, 112210, -1726},      {433426955, -6825404, 107034, -1622},
};

constexpr std::int64_t kLog2E = 49570624150;        // log2(e), in units of 2^-35
constexpr std::int64_t kLn2 = 12486629536330718;    // ln(2), in units of 2^-54
constexpr std::uint32_t kFractionMask = 0x3ffffff;  // t has 26 bits

constexpr std::int64_t cubic(const CubicRow& row, std::uint32_t t) {
  const std::int64_t x = t;
  const std::int64_t s2 = row.c2 + ((x * row.c3) >> 26);
  const std::int64_t s1 = row.c1 + ((x * s2) >> 26);
  return row.c0 + ((x * s1) >> 26);
}

// Rounds sig * 2^(exponent - 127 - 31), where exponent counts as in the format and the low bit of
// sig may stand for a lost remainder. sig has its top bit set unless the result is subnormal.
constexpr std::uint32_t round_f32(bool negative, int exponent, std::uint32_t sig) {
  const std::uint32_t sign = negative ? kSign : 0;
  if (exponent >= 255) return sign | kInf;
  if (exponent < 1) {
    const int shift = 1 - exponent;
    sig =
        shift > 31 ? (sig != 0 ? 1U : 0U) : (sig >> shift) | ((sig << (32 - shift)) != 0 ? 1U : 0U);
    exponent = 1;
  }
  // The leading one of sig adds one to the exponent; so does the carry of rounding.
  std::uint32_t bits = (static_cast<std::uint32_t>(exponent - 1) << 23) + (sig >> 8);
  const std::uint32_t rest = sig & 0xff;
  if (rest > 0x80 || (rest == 0x80 && (bits & 1) != 0)) ++bits;
  return sign | bits;
}

// A positive finite number, m * 2^(exponent - 150) with 2^23 <= m < 2^24.
struct Normal {
  int exponent;
  std::uint32_t m;
};

inline Normal normalize(std::uint32_t bits) {
  const int exponent = static_cast<int>((bits >> 23) & 0xff);
  const std::uint32_t fraction = bits & 0x7fffff;
  if (exponent != 0) return {exponent, fraction | 0x800000};
  const int shift = __builtin_clz(fraction | 1) - 8;
  return {1 - shift, fraction << shift};
}

// The same without the shift: m < 2^23 for a subnormal number.
constexpr Normal split(std::uint32_t bits) {
  const int exponent = static_cast<int>((bits >> 23) & 0xff);
  const std::uint32_t fraction = bits & 0x7fffff;
  return exponent != 0 ? Normal{exponent, fraction | 0x800000} : Normal{1, fraction};
}

constexpr std::uint64_t shift_right(std::uint64_t value, int shift) {
  return shift > 63 ? 0 : value >> shift;
}

// 2^z for z in units of 2^-31: mantissa * 2^(exponent - 34), 2^34 <= mantissa < 2^35.
struct Power {
  int exponent;
  std::uint64_t mantissa;
};

constexpr Power power_of_two(std::int64_t z) {
  const auto fraction = static_cast<std::uint32_t>(z & 0x7fffffff);
  return {static_cast<int>(z >> 31),
          static_cast<std::uint64_t>(cubic(kExp2Table[fraction >> 26], fraction & kFractionMask))};
}

// |x| * log2(e) in units of 2^-31, for |x| < 128.
constexpr std::int64_t times_log2e(Normal x) {
  return static_cast<std::int64_t>(shift_right(
      static_cast<std::uint64_t>(x.m) * static_cast<std::uint64_t>(kLog2E), 154 - x.exponent));
}

// The cubic at |x| < 16 of a table with 32 rows on [0, 1) and on each octave above.
constexpr std::int64_t octave_cubic(const CubicRow* table, Normal x) {
  std::uint32_t row = 0;
  std::uint32_t t = 0;
  if (x.exponent < 127) {
    const auto fixed = static_cast<std::uint32_t>(
        shift_right(static_cast<std::uint64_t>(x.m) << 7, 126 - x.exponent));
    row = fixed >> 26;
    t = fixed & kFractionMask;
  } else {
    row = (static_cast<std::uint32_t>(x.exponent - 126) << 5) | ((x.m >> 18) & 31);
    t = (x.m & 0x3ffff) << 8;
  }
  return cubic(table[row], t);
}

constexpr std::uint32_t exp_f32(std::uint32_t a) {
  if (is_nan(a)) return kNan;
  const bool negative = (a & kSign) != 0;
  const Normal x = split(a);
  if (x.exponent >= 134) return negative ? 0 : kInf;
  const std::int64_t z = times_log2e(x);
  const Power power = power_of_two(negative ? -z : z);
  return round_f32(false, power.exponent + 127, static_cast<std::uint32_t>(power.mantissa >> 3));
}

inline std::uint32_t log_f32(std::uint32_t a) {
  if ((a & ~kSign) == 0) return kSign | kInf;
  if (a > kInf) return kNan;
  if (a == kInf) return kInf;
  const Normal x = normalize(a);
  const std::uint32_t fraction = x.m & 0x7fffff;
  // Take the mantissa from [0.75, 1.5), so that the two terms never cancel.
  const bool upper = fraction >= 0x400000;
  const std::int64_t exponent = x.exponent - 127 + (upper ? 1 : 0);
  const std::int64_t distance =  // mantissa - 1, in units of 2^-24
      upper ? static_cast<std::int64_t>(x.m) - 0x1000000 : static_cast<std::int64_t>(fraction) << 1;
  const std::int64_t slope = cubic(kLogTable[fraction >> 18], (fraction & 0x3ffff) << 8) >> 4;
  const std::int64_t sum = exponent * kLn2 + distance * slope;
  if (sum == 0) return 0;
  const auto magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  const int zeros = __builtin_clzll(magnitude);
  return round_f32(sum < 0, 136 - zeros, static_cast<std::uint32_t>((magnitude << zeros) >> 32));
}

inline std::uint32_t rsqrt_f32(std::uint32_t a) {
  if ((a & ~kSign) == 0) return a | kInf;
  if (a > kInf) return kNan;
  if (a == kInf) return 0;
  const Normal x = normalize(a);
  const bool odd = (x.exponent & 1) == 0;  // of the exponent without its bias
  const std::uint32_t row = (odd ? 32U : 0U) | ((x.m >> 18) & 31);
  const std::int64_t root = cubic(kRsqrtTable[row], (x.m & 0x3ffff) << 8);
  const int exponent = 127 - (x.exponent - 127 - (odd ? 1 : 0)) / 2;
  const bool one = root >= (std::int64_t{1} << 34);
  return round_f32(false, one ? exponent : exponent - 1,
                   static_cast<std::uint32_t>(one ? root >> 3 : root >> 2));
}

constexpr std::uint32_t tanh_f32(std::uint32_t a) {
  if (is_nan(a)) return kNan;
  const Normal x = split(a);
  if (x.exponent < 115) return a;  // |x| < 2^-12
  if (x.exponent >= 131) return (a & kSign) | kOne;
  const auto slope = static_cast<std::uint64_t>(octave_cubic(kTanhTable, x) >> 2);
  const int octave = x.exponent < 127 ? 0 : x.exponent - 127;
  const std::uint64_t product = (slope * x.m) << octave;  // 1.0 is 2^55
  const bool high = (product >> 55) != 0;
  return round_f32((a & kSign) != 0, x.exponent - octave - (high ? 0 : 1),
                   static_cast<std::uint32_t>(high ? product >> 24 : product >> 23));
}

constexpr std::uint32_t sigmoid_f32(std::uint32_t a) {
  if (is_nan(a)) return kNan;
  const bool negative = (a & kSign) != 0;
  const Normal x = split(a);
  if (x.exponent >= 134) return negative ? 0 : kOne;
  const Power power = power_of_two(-times_log2e(x));
  std::uint64_t e = shift_right(power.mantissa >> 3, -power.exponent);  // 1.0 is 2^31
  if (e > 0x7fffffff) e = 0x7fffffff;
  const auto reciprocal = static_cast<std::uint64_t>(
      cubic(kReciprocalTable[e >> 26], static_cast<std::uint32_t>(e) & kFractionMask) >> 3);
  const std::uint64_t numerator = negative ? power.mantissa >> 3 : 0x80000000;
  const std::uint64_t product = numerator * reciprocal;  // 1.0 is 2^62
  const bool high = (product >> 62) != 0;
  return round_f32(false, 127 + (negative ? power.exponent : 0) - (high ? 0 : 1),
                   static_cast<std::uint32_t>(high ? product >> 31 : product >> 30));
}

inline std::uint32_t gelu_f32(std::uint32_t a) {
  if (is_nan(a)) return kNan;
  const bool negative = (a & kSign) != 0;
  const Normal x = split(a);
  if (x.exponent >= 131) return negative ? kSign : a;  // |x| >= 16
  // x^2 / 2 * log2(e) in units of 2^-31; the product is split to fit 64 bits.
  const std::uint64_t square = (static_cast<std::uint64_t>(x.m) * x.m) >> 8;
  const std::uint64_t product = square * static_cast<std::uint64_t>(kLog2E >> 18) +
                                ((square * static_cast<std::uint64_t>(kLog2E & 0x3ffff)) >> 18);
  const Power power =
      power_of_two(-static_cast<std::int64_t>(shift_right(product, 279 - 2 * x.exponent)));
  // Phi(-|x|) = tail * 2^(power.exponent - 64)
  const std::uint64_t tail =
      (power.mantissa >> 4) * static_cast<std::uint64_t>(octave_cubic(kMillsTable, x));
  const int zeros = __builtin_clzll(tail);
  const int exponent = negative ? power.exponent - zeros : 0;
  const std::uint64_t phi =  // Phi(x) = phi * 2^(exponent - 34)
      negative ? (tail << zeros) >> 30
               : (std::uint64_t{1} << 34) - shift_right(tail >> 30, -power.exponent);
  const std::uint64_t result = phi * x.m;
  const bool high = (result >> 57) != 0;
  const std::uint64_t sig = high ? result >> 25 : result >> 24;
  const std::uint32_t sticky = (sig & 1) | ((result & 0xffffff) != 0 ? 1U : 0U);
  return round_f32(negative, x.exponent + exponent - (high ? 0 : 1),
                   static_cast<std::uint32_t>(sig >> 1) | sticky);
}

inline std::uint32_t apply_f32(BinaryOp op, std::uint32_t a, std::uint32_t b) {
  const float x = to_float(a);
  const float y = to_float(b);
  const bool nan = is_nan(a) || is_nan(b);
  switch (op) {
    case BinaryOp::kAdd:
      return from_float(x + y);
    case BinaryOp::kSub:
      return from_float(x - y);
    case BinaryOp::kMul:
      return from_float(x * y);
    case BinaryOp::kDiv:
      return from_float(x / y);
    case BinaryOp::kMax:
      return nan ? kNan : order(a) > order(b) ? a : b;
    case BinaryOp::kMin:
      return nan ? kNan : order(a) < order(b) ? a : b;
    case BinaryOp::kLt:
      return x < y ? kOne : 0;
    case BinaryOp::kLe:
      return x <= y ? kOne : 0;
    case BinaryOp::kEq:
      return x == y ? kOne : 0;
    case BinaryOp::kNe:
      return x != y ? kOne : 0;
  }
  return 0;
}

constexpr std::uint32_t apply_i32(BinaryOp op, std::uint32_t a, std::uint32_t b) {
  const auto x = static_cast<std::int32_t>(a);
  const auto y = static_cast<std::int32_t>(b);
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kDiv:
      if (y == 0) return ~std::uint32_t{0};
      if (y == -1) return 0 - a;
      return static_cast<std::uint32_t>(x / y);
    case BinaryOp::kMax:
      return x > y ? a : b;
    case BinaryOp::kMin:
      return x < y ? a : b;
    case BinaryOp::kLt:
      return x < y ? 1 : 0;
    case BinaryOp::kLe:
      return x <= y ? 1 : 0;
    case BinaryOp::kEq:
      return x == y ? 1 : 0;
    case BinaryOp::kNe:
      return x != y ? 1 : 0;
  }
  return 0;
}

inline std::uint32_t apply_f32(UnaryOp op, std::uint32_t a) {
  switch (op) {
    case UnaryOp::kNeg:
      return is_nan(a) ? kNan : a ^ kSign;
    case UnaryOp::kAbs:
      return is_nan(a) ? kNan : a & ~kSign;
    case UnaryOp::kRelu:
      return is_nan(a) ? kNan : (a & kSign) != 0 ? 0 : a;
    case UnaryOp::kSqrt:
      return from_float(std::sqrt(to_float(a)));
    case UnaryOp::kExp:
      return exp_f32(a);
    case UnaryOp::kLog:
      return log_f32(a);
    case UnaryOp::kRsqrt:
      return rsqrt_f32(a);
    case UnaryOp::kReciprocal:
      return from_float(1.0F / to_float(a));
    case UnaryOp::kTanh:
      return tanh_f32(a);
    case UnaryOp::kSigmoid:
      return sigmoid_f32(a);
    case UnaryOp::kGelu:
      return gelu_f32(a);
  }
  return 0;
}

constexpr std::uint32_t apply_i32(UnaryOp op, std::uint32_t a) {
  const bool negative = (a & kSign) != 0;
  switch (op) {
    case UnaryOp::kNeg:
      return 0 - a;
    case UnaryOp::kAbs:
      return negative ? 0 - a : a;
    case UnaryOp::kRelu:
      return negative ? 0 : a;
    default:
      return 0;  // not supported
  }
}

}  // namespace arithmetic

// The bits of `a op b`.
inline std::uint32_t apply(BinaryOp op, ValueType type, std::uint32_t a, std::uint32_t b) {
  return type == ValueType::kF32 ? arithmetic::apply_f32(op, a, b)
                                 : arithmetic::apply_i32(op, a, b);
}

// The bits of `op a`, where supports(op, type).
inline std::uint32_t apply(UnaryOp op, ValueType type, std::uint32_t a) {
  return type == ValueType::kF32 ? arithmetic::apply_f32(op, a) : arithmetic::apply_i32(op, a);
}

}  // namespace heddle

//! Conversion between floats and decimals: correctly rounded reading, and the shortest digits that read back.
//!
//! The standard library does both faster, with 40 kilobytes of code and tables. This module uses one big integer, in little code.
//! Nearly all numbers have at most 15 digits and do not need it.

use alloc::vec::Vec;

/// The number of digits to keep. Of further digits, only their being nonzero matters, because no decimal between two floats is
/// longer.
const DIGITS: usize = 800;
/// Powers of ten that are exact as floats.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// The number of fraction bits of a float, and the bit above them.
const FRACTION: u32 = 52;
const HIDDEN: u64 = 1 << FRACTION;
/// The power of two of the smallest float.
const LEAST: i32 = -1074;

/// A parsed number: its significant digits, and the power of ten of the last digit.
struct ParsedNumber {
    negative: bool,
    digits: Vec<u8>,
    exponent: i32,
    /// True if nonzero digits were dropped.
    cut: bool,
}

impl ParsedNumber {
    fn read(text: &str) -> Self {
        let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let mut number = Self { negative, digits: Vec::new(), exponent: saturated(power), cut: false };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        for (digits, lowers) in [(whole, 0), (fraction, 1)] {
            for digit in digits.bytes() {
                number.push(digit.wrapping_sub(b'0'), lowers);
            }
        }
        number
    }

    fn push(&mut self, digit: u8, lowers: i32) {
        if self.digits.len() < DIGITS {
            self.exponent = self.exponent.saturating_sub(lowers);
            if digit != 0 || !self.digits.is_empty() {
                self.digits.push(digit);
            }
        } else {
            self.exponent = self.exponent.saturating_add(1 - lowers);
            self.cut |= digit != 0;
        }
    }

    /// Returns the power of ten of the first digit.
    fn order(&self) -> i32 {
        self.exponent.saturating_add(i32::try_from(self.digits.len()).unwrap_or(i32::MAX)).saturating_sub(1)
    }

    fn magnitude(&self) -> f64 {
        // Out of this range, the result is infinite or zero.
        match self.order() {
            _ if self.digits.is_empty() => return 0.0,
            309.. => return f64::INFINITY,
            ..-330 => return 0.0,
            _ => {}
        }
        if self.digits.len() < 20 && !self.cut {
            let digits =
                self.digits.iter().fold(0_u64, |digits, digit| digits.wrapping_mul(10) + u64::from(*digit));
            return from_decimal(digits, self.exponent);
        }
        let mut integer = Big::default();
        for digits in self.digits.chunks(9) {
            let chunk = digits.iter().fold(0, |chunk, digit| chunk * 10 + u32::from(*digit));
            integer.times(10_u32.pow(u32::try_from(digits.len()).unwrap_or_default()), chunk);
        }
        integer.float(self.exponent, self.cut)
    }
}

/// Parses an exponent, and saturates if it has many digits.
fn saturated(power: &str) -> i32 {
    let (negative, digits) = power.strip_prefix('-').map_or((false, power), |rest| (true, rest));
    let digits = digits.trim_start_matches('+').bytes().map(|digit| i32::from(digit.wrapping_sub(b'0')));
    // Half of the range, so that sums with lengths do not overflow.
    let power =
        digits.fold(0, |power: i32, digit| power.saturating_mul(10).saturating_add(digit).min(i32::MAX / 2));
    if negative { -power } else { power }
}

/// Returns the float nearest to a number of a document, ties to even. Infinite if it is out of range.
pub(crate) fn parse(text: &str) -> f64 {
    let number = ParsedNumber::read(text);
    let magnitude = number.magnitude();
    if number.negative { -magnitude } else { magnitude }
}

/// Returns whether a number of a document is in the range of floats: below infinity, and zero only if all its digits are.
pub(crate) fn is_in_range(text: &str) -> bool {
    let number = ParsedNumber::read(text);
    if number.digits.is_empty() || (-320..308).contains(&number.order()) {
        return true;
    }
    let magnitude = number.magnitude();
    magnitude.is_finite() && magnitude != 0.0
}

/// Returns the float nearest to `digits` times ten to the power of `exponent`.
pub(crate) fn from_decimal(digits: u64, exponent: i32) -> f64 {
    let power = POWERS.get(exponent.unsigned_abs() as usize);
    match power {
        // Both are exact as floats, so the one operation rounds once.
        Some(power) if digits <= 1 << 53 => match exponent {
            0.. => digits as f64 * power,
            _ => digits as f64 / power,
        },
        _ if digits == 0 || exponent < -400 => 0.0,
        _ if exponent > 400 => f64::INFINITY,
        // The quotient has at least 64 bits, because 128 bits are divided by at most 64.
        _ if (-19..=0).contains(&exponent) => {
            let up = u128::from(digits).leading_zeros();
            let (integer, divisor) = (u128::from(digits) << up, 10_u128.pow(exponent.unsigned_abs()));
            nearest(integer / divisor, -up.cast_signed(), integer % divisor != 0)
        }
        _ => Big::new(digits).float(exponent, false),
    }
}

/// Returns the shortest digits that read back as the magnitude of a finite float, and their power of ten. Of several, it returns
/// the nearest, and of two equally near the even one, as other implementations do.
pub(crate) fn shortest(value: f64) -> (u64, i32) {
    let value = value.abs();
    if value == 0.0 {
        return (0, 0);
    }
    let order = order(value);
    // Normal floats distinguish all decimals of 15 digits, so shorter results are those with trailing zeros.
    let least = if value < f64::MIN_POSITIVE { 1 } else { 15 };
    for count in least..17 {
        let exponent = order + 1 - count;
        let (digits, above) = scaled(value, exponent);
        let candidates = if above { [digits + 1, digits] } else { [digits, digits + 1] };
        if let Some(found) = candidates.into_iter().find(|digits| from_decimal(*digits, exponent) == value) {
            return without_zeros(found, exponent);
        }
    }
    let (digits, above) = scaled(value, order - 16);
    without_zeros(digits + u64::from(above), order - 16)
}

pub(super) fn without_zeros(mut digits: u64, mut exponent: i32) -> (u64, i32) {
    while digits != 0 && digits.is_multiple_of(10) {
        (digits, exponent) = (digits / 10, exponent + 1);
    }
    (digits, exponent)
}

/// Returns the power of ten of a float's first digit.
fn order(value: f64) -> i32 {
    let (fraction, power) = parts(value);
    let bits = 63 - fraction.leading_zeros().cast_signed() + power;
    // An approximation of the logarithm of two from below; the result is at most one too small.
    let order = (bits * 1233) >> 12;
    let (digits, _) = scaled(value, order);
    if digits >= 10 {
        order + 1
    } else if digits == 0 {
        order - 1
    } else {
        order
    }
}

/// Returns a float's magnitude as an integer times a power of two.
fn parts(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let (fraction, power) = (bits & (HIDDEN - 1), ((bits >> FRACTION) & 0x7ff) as i32);
    match power {
        0 => (fraction, LEAST),
        _ => (fraction | HIDDEN, power - 1 + LEAST),
    }
}

/// Divides a float by a power of ten. Returns the quotient, rounded down, and whether the next integer is nearer. Of two equally
/// near, it is the even one.
fn scaled(value: f64, exponent: i32) -> (u64, bool) {
    let (fraction, power) = parts(value);
    // Twice the quotient: its last bit is the half.
    let power = power + 1;
    // The common case: a fraction of 53 bits times a power of ten of 74 bits.
    if (-22..=0).contains(&exponent) && (-127..=0).contains(&power) {
        let product = u128::from(fraction) * 10_u128.pow(exponent.unsigned_abs());
        let twice = product >> power.unsigned_abs();
        return halved(twice as u64, twice << power.unsigned_abs() != product);
    }
    let mut integer = Big::new(fraction);
    if exponent < 0 {
        integer.times_ten(exponent.unsigned_abs());
    }
    if power > 0 {
        integer.shift_up(power.unsigned_abs());
    }
    let mut inexact = false;
    if exponent > 0 {
        inexact |= integer.divide_ten(exponent.unsigned_abs());
    }
    if power < 0 {
        inexact |= integer.shift_down(power.unsigned_abs());
    }
    halved(integer.low() as u64, inexact)
}

/// Returns half of a number, rounded down, and whether the next integer is nearer. `inexact` means that `twice` was rounded down.
const fn halved(twice: u64, inexact: bool) -> (u64, bool) {
    let half = twice >> 1;
    (half, twice & 1 == 1 && (inexact || half & 1 == 1))
}

/// An integer of any size: base 2^32, the lowest digit first.
#[derive(Default)]
struct Big(Vec<u32>);

impl Big {
    fn new(value: u64) -> Self {
        Self(Vec::from([value as u32, (value >> 32) as u32]))
    }

    /// Returns the lowest 128 bits.
    fn low(&self) -> u128 {
        self.0.iter().take(4).rev().fold(0, |low, digit| low << 32 | u128::from(*digit))
    }

    /// Returns the number of bits up to the highest set bit.
    fn bits(&self) -> u32 {
        let highest = self.0.iter().rposition(|digit| *digit != 0);
        highest.map_or(0, |at| {
            let zeros = self.0.get(at).map_or(0, |digit| digit.leading_zeros());
            u32::try_from(at + 1).unwrap_or_default() * 32 - zeros
        })
    }

    fn times(&mut self, factor: u32, plus: u32) {
        let mut carry = u64::from(plus);
        for digit in &mut self.0 {
            carry += u64::from(*digit) * u64::from(factor);
            *digit = carry as u32;
            carry >>= 32;
        }
        if carry != 0 {
            self.0.push(carry as u32);
        }
    }

    /// Divides in place. Returns whether there is a remainder.
    fn divide(&mut self, divisor: u32) -> bool {
        let mut rest = 0;
        for digit in self.0.iter_mut().rev() {
            let all = rest << 32 | u64::from(*digit);
            *digit = (all / u64::from(divisor)) as u32;
            rest = all % u64::from(divisor);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        rest != 0
    }

    fn times_ten(&mut self, power: u32) {
        for step in tens(power) {
            self.times(step, 0);
        }
    }

    fn divide_ten(&mut self, power: u32) -> bool {
        tens(power).fold(false, |inexact, step| self.divide(step) | inexact)
    }

    fn shift_up(&mut self, bits: u32) {
        self.times(1 << (bits % 32), 0);
        let zeros = core::iter::repeat_n(0, (bits / 32) as usize);
        self.0.splice(..0, zeros);
    }

    /// Shifts in place. Returns whether a set bit was lost.
    fn shift_down(&mut self, bits: u32) -> bool {
        let lost =
            self.0.drain(..((bits / 32) as usize).min(self.0.len())).fold(0, |lost, digit| lost | digit);
        self.divide(1 << (bits % 32)) | (lost != 0)
    }

    /// Returns the float nearest to the integer times a power of ten. `cut` means that the integer was rounded down.
    fn float(mut self, exponent: i32, cut: bool) -> f64 {
        // Shift up first, so that the quotient has more bits than a float for every divisor.
        let mut below = 64;
        let mut inexact = cut;
        if exponent < 0 {
            below += exponent.unsigned_abs() * 10 / 3 + 4;
            self.shift_up(below);
            inexact |= self.divide_ten(exponent.unsigned_abs());
        } else {
            self.shift_up(below);
            self.times_ten(exponent.unsigned_abs());
        }
        // Of bits beyond 128, only their being nonzero matters.
        let above = self.bits().saturating_sub(128);
        inexact |= self.shift_down(above);
        nearest(self.low(), above.cast_signed() - below.cast_signed(), inexact)
    }
}

/// Returns the float nearest to an integer of at least 64 bits times a power of two. `cut` means that the integer was rounded down.
fn nearest(integer: u128, power: i32, cut: bool) -> f64 {
    let first = 127 - integer.leading_zeros().cast_signed() + power;
    let last = (first - FRACTION.cast_signed()).max(LEAST);
    // One bit more than the float keeps decides the rounding.
    let dropped = (last - power - 1).unsigned_abs();
    let twice = integer.checked_shr(dropped).unwrap_or_default();
    let cut = cut || twice.checked_shl(dropped).unwrap_or_default() != integer;
    let twice = twice as u64;
    let mantissa = (twice >> 1) + u64::from(twice & 1 == 1 && (cut || twice & 2 != 0));
    if mantissa < HIDDEN {
        return f64::from_bits(mantissa);
    }
    let power = (last - LEAST + 1).unsigned_abs();
    if power >= 0x7ff {
        return f64::INFINITY;
    }
    // If the mantissa rounds up to the next power of two, the carry goes into the exponent.
    f64::from_bits((u64::from(power) << FRACTION) + (mantissa - HIDDEN))
}

/// Returns powers of ten that fit into 32 bits and whose product is the given power of ten.
fn tens(power: u32) -> impl Iterator<Item = u32> {
    let whole = core::iter::repeat_n(1_000_000_000, (power / 9) as usize);
    whole.chain((!power.is_multiple_of(9)).then(|| 10_u32.pow(power % 9)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, string::ToString as _};

    /// Floats of all sizes: pseudorandom bits, and values near powers of two.
    fn floats() -> impl Iterator<Item = f64> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let random = core::iter::from_fn(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            Some(f64::from_bits(state))
        });
        let powers = (0..0x7ff_u64).flat_map(|power| {
            let bits = power << FRACTION;
            [bits, bits + 1, bits.saturating_sub(1)].map(f64::from_bits)
        });
        let subnormal = (1..2_000).map(f64::from_bits);
        powers.chain(subnormal).chain(random.take(20_000)).filter(|value| value.is_finite())
    }

    /// The standard library also writes the shortest and nearest digits, but of two equally near the greater.
    #[test]
    fn shortest_digits_equal_those_of_serde_json() {
        // A range in which many floats lie exactly between two decimals.
        let quarters = (0..4_000).map(|step| 997_236_866_281_730.2 + f64::from(step) * 12_345_678_901.5);
        for value in floats().chain(quarters).map(f64::abs) {
            let (digits, exponent) = shortest(value);
            let text = format!("{digits}e{exponent}");
            assert_eq!(text.parse(), Ok(value), "{text}");
            let expected = serde_json::to_string(&value).unwrap();
            let (mantissa, power) = expected.split_once('e').unwrap_or((&expected, "0"));
            let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            let all: u64 = [whole, fraction].concat().parse().unwrap();
            let places = i32::try_from(fraction.len()).unwrap();
            let expected = without_zeros(all, power.parse::<i32>().unwrap() - places);
            assert_eq!((digits, exponent), if digits == 0 { (0, 0) } else { expected }, "{value:e}");
        }
    }

    #[test]
    fn ties_go_to_even_digits() {
        for (text, expected) in [
            ("997236866281730.2", (9_972_368_662_817_302, -1)),
            ("997236866281730.25", (9_972_368_662_817_302, -1)),
            ("997236866281730.3", (9_972_368_662_817_302, -1)),
            ("997236866281730.75", (9_972_368_662_817_308, -1)),
            ("1763723924137653.25", (17_637_239_241_376_532, -1)),
            ("221256163873978.62", (22_125_616_387_397_862, -2)),
            ("12283428782213.8125", (12_283_428_782_213_812, -3)),
        ] {
            assert_eq!(shortest(parse(text)), expected, "{text}");
        }
    }

    #[test]
    fn floats_equal_those_of_the_standard_library() {
        for (index, value) in floats().enumerate() {
            let digits = index % 30;
            for text in [format!("{value:.digits$e}"), format!("{value:e}1"), format!("{value:.40e}")] {
                assert_eq!(parse(&text).to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
                let expected = text.parse::<f64>().unwrap();
                assert_eq!(
                    is_in_range(&text),
                    expected.is_finite() && (expected != 0.0 || value == 0.0),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn halves_and_range_ends_round_correctly() {
        let long = "1".repeat(2_000);
        // Exactly between two floats, and a little above, at a digit beyond those that are kept.
        let half = "9007199254740993".to_string() + "." + &"0".repeat(1_000);
        for text in [
            "0",
            "-0",
            "-0.0",
            "0e5",
            "0e-999999999999999999",
            "1e999999999999999999999",
            "1e-99999999999999999999",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "1e308",
            "9e308",
            "1e309",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "5e-324",
            "2.2250738585072011e-308",
            "1E+2",
            "1e-0",
            "9007199254740993",
            "9007199254740993.000000000000000000000000000001",
            "0.000e400",
            "0.1e-5",
            &long,
            &format!("0.{long}"),
            &format!("{long}e-1990"),
            &format!("{long}e-2400"),
            &half,
            &(half.clone() + "1"),
            &format!("0.{}1e1001", "0".repeat(1_000)),
        ] {
            let expected = text.parse::<f64>().unwrap();
            assert_eq!(parse(text).to_bits(), expected.to_bits(), "{text}");
            let is_zero = !text.split(['e', 'E']).next().unwrap().contains(|c| ('1'..='9').contains(&c));
            assert_eq!(is_in_range(text), expected.is_finite() && (expected != 0.0 || is_zero), "{text}");
        }
    }

    #[test]
    fn decimals_round_correctly() {
        for (digits, exponent) in
            [(0, 0), (0, 5_000), (1, -5_000), (1, 5_000), (u64::MAX, 0), (u64::MAX, -300), (7, 22)]
        {
            let expected = format!("{digits}e{exponent}").parse::<f64>().unwrap();
            assert_eq!(from_decimal(digits, exponent).to_bits(), expected.to_bits(), "{digits}e{exponent}");
        }
    }
}

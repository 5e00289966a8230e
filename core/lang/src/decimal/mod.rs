//! Exact decimals: the values of numbers in documents, and their comparison.

pub(crate) mod float;
#[cfg(test)]
mod tests;

use core::cmp::Ordering;

/// The value of a number in a document: digits times a power of ten.
///
/// Numbers have the value of their shortest decimal (docs/reference/logic.md). An integer of 64 bits has its own value. Any other
/// number has the value of the shortest decimal that reads as the same float. Comparison is exact for all magnitudes.
///
/// ```
/// use adjudicate_lang::Decimal;
/// assert_eq!(Decimal::read("1.0"), Decimal::read("10e-1"));
/// assert!(Decimal::read("0.1") > Decimal::read("1e-300"));
/// assert_eq!(Decimal::read("7"), Some(Decimal::new(70, -1)));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Decimal {
    /// Zero is not negative, and has the exponent 0.
    is_negative: bool,
    digits: u64,
    exponent: i32,
}

impl Decimal {
    /// Zero.
    pub const ZERO: Self = Self::new(0, 0);
    /// One.
    pub const ONE: Self = Self::new(1, 0);

    /// Returns `digits` times ten to the power of `exponent`.
    #[must_use]
    #[inline]
    pub const fn new(digits: u64, exponent: i32) -> Self {
        Self::with_sign(false, digits, exponent)
    }

    #[inline]
    const fn with_sign(is_negative: bool, digits: u64, exponent: i32) -> Self {
        match digits {
            0 => Self { is_negative: false, digits: 0, exponent: 0 },
            _ => Self { is_negative, digits, exponent },
        }
    }

    /// Returns signed digits times ten to the power of `exponent`.
    #[inline]
    pub(crate) const fn signed(digits: i64, exponent: i32) -> Self {
        Self::with_sign(digits < 0, digits.unsigned_abs(), exponent)
    }

    /// Parses a number of a document. Returns `None` beyond the range of floats, where no document has numbers.
    #[must_use]
    #[inline]
    pub fn read(text: &str) -> Option<Self> {
        Self::read_short(text).or_else(|| Self::read_long(text))
    }

    /// Parses up to 15 significant digits without an exponent. No other decimal is as short and reads as the same float, so the
    /// text is exact.
    #[inline]
    pub(crate) fn read_short(text: &str) -> Option<Self> {
        let (is_negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mut digits, mut exponent, mut significant) = (0_u64, 0, 0);
        let mut point = false;
        for byte in unsigned.bytes() {
            match byte {
                b'0'..=b'9' => digits = digits * 10 + u64::from(byte - b'0'),
                b'.' => {
                    point = true;
                    continue;
                }
                _ => return None,
            }
            significant += i32::from(digits != 0);
            exponent -= i32::from(point);
            if significant > 15 || exponent < -290 {
                return None;
            }
        }
        Some(Self::with_sign(is_negative, digits, exponent))
    }

    /// Parses any other number.
    #[cold]
    #[inline(never)]
    pub(crate) fn read_long(text: &str) -> Option<Self> {
        // The common case: few digits and an exponent.
        if let Some((mantissa, power)) = text.split_once(['e', 'E'])
            && let (Some(short), Ok(power)) = (Self::read_short(mantissa), power.parse::<i16>())
            && let exponent @ -280..=280 = short.exponent + i32::from(power)
        {
            return Some(Self::with_sign(short.is_negative, short.digits, exponent));
        }
        let signed = text.parse().map(|digits| Self::signed(digits, 0));
        let integer = signed.or_else(|_| text.parse().map(|digits| Self::new(digits, 0)));
        integer.ok().or_else(|| Self::from_f64(float::parse(text)))
    }

    /// Returns the shortest decimal that reads as the float, or `None` for a float that is not finite.
    pub(crate) fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let (digits, exponent) = float::shortest(value);
        Some(Self::with_sign(value < 0.0, digits, exponent))
    }

    /// Returns the nearest integer that is not below the number, or not above it; 0 below 0, and the greatest one beyond it.
    ///
    /// ```
    /// use adjudicate_lang::Decimal;
    /// assert_eq!([true, false].map(|up| Decimal::new(318_885, -3).rounded(up)), [319, 318]);
    /// assert_eq!([true, false].map(|up| Decimal::new(1, 300).rounded(up)), [u64::MAX; 2]);
    /// ```
    #[must_use]
    pub fn rounded(self, up: bool) -> u64 {
        if self.is_negative {
            return 0;
        }
        match (u32::try_from(self.exponent), 10_u64.checked_pow(self.exponent.unsigned_abs())) {
            (Ok(_), power) => power.and_then(|power| self.digits.checked_mul(power)).unwrap_or(u64::MAX),
            (Err(_), Some(power)) if up => self.digits.div_ceil(power),
            (Err(_), Some(power)) => self.digits / power,
            (Err(_), None) => u64::from(up),
        }
    }

    /// Returns whether the number is below zero.
    #[inline]
    pub(crate) const fn is_negative(self) -> bool {
        self.is_negative
    }

    /// Returns the digits without the sign.
    #[inline]
    pub(crate) const fn digits(self) -> u64 {
        self.digits
    }

    /// Returns the power of ten.
    #[inline]
    pub(crate) const fn exponent(self) -> i32 {
        self.exponent
    }

    /// Returns the digits with the sign.
    #[inline]
    pub(crate) const fn signed_digits(self) -> i128 {
        // `i128::from` is not const.
        if self.is_negative { -(self.digits as i128) } else { self.digits as i128 }
    }

    /// Returns the same value without trailing zeros in its digits.
    pub(crate) fn reduced(self) -> Self {
        let (digits, exponent) = float::without_zeros(self.digits, self.exponent);
        Self { digits, exponent, ..self }
    }

    /// Returns whether the number is an integer.
    pub(crate) fn is_whole(self) -> bool {
        self.exponent >= 0 || {
            let power = 10_u64.checked_pow(self.exponent.unsigned_abs());
            power.is_some_and(|power| self.digits.is_multiple_of(power))
        }
    }

    /// Returns the integer value, unless it is very large.
    pub(crate) fn whole(self) -> Option<i128> {
        let power = 10_i128.checked_pow(self.exponent.unsigned_abs())?;
        match self.exponent {
            0.. => power.checked_mul(self.signed_digits()),
            _ => self.is_whole().then(|| self.signed_digits() / power),
        }
    }

    /// Returns the nearest float.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        let magnitude = float::from_decimal(self.digits, self.exponent);
        if self.is_negative { -magnitude } else { magnitude }
    }

    /// Returns whether the number is a multiple of another one, which must not be zero.
    pub(crate) fn is_multiple_of(self, other: Self) -> bool {
        let (digits, of) = (self.digits, other.digits);
        if digits == 0 {
            return true;
        }
        let Ok(mut places) = u32::try_from(self.exponent - other.exponent) else {
            // The number has more decimal places than the divisor, and the extra digits must be zeros.
            let factor = 10_u64.checked_pow(other.exponent.abs_diff(self.exponent));
            let of = factor.and_then(|factor| factor.checked_mul(of));
            return of.is_some_and(|of| digits.is_multiple_of(of));
        };
        if let Some(written) = 10_u64.checked_pow(places).and_then(|power| power.checked_mul(digits)) {
            return written.is_multiple_of(of);
        }
        let of = u128::from(of);
        let (mut rest, mut factor) = (u128::from(digits) % of, 10 % of);
        while places > 0 {
            if places & 1 == 1 {
                rest = rest * factor % of;
            }
            factor = factor * factor % of;
            places >>= 1;
        }
        rest == 0
    }

    /// Returns both as integers times a common power of ten, the smaller one, unless they overflow.
    pub(crate) fn aligned(self, other: Self) -> Option<(i128, i128, i32)> {
        let exponent = match (self.digits, other.digits) {
            (0, _) => other.exponent,
            (_, 0) => self.exponent,
            _ => self.exponent.min(other.exponent),
        };
        let scaled = |number: Self| {
            // Zero has no places, although its exponent can be the smaller one.
            let places = if number.digits == 0 { 0 } else { number.exponent.abs_diff(exponent) };
            let power = 10_u64.checked_pow(places).map(i128::from).or_else(|| 10_i128.checked_pow(places))?;
            power.checked_mul(number.signed_digits())
        };
        Some((scaled(self)?, scaled(other)?, exponent))
    }

    #[inline(never)]
    fn compare_aligned(self, other: Self) -> Ordering {
        match self.aligned(other) {
            Some((left, right, _)) => left.cmp(&right),
            // The exponents are so far apart that the larger one decides.
            None if self.exponent > other.exponent => self.signed_digits().cmp(&0),
            None => 0.cmp(&other.signed_digits()),
        }
    }

    /// Compares a weighted sum with zero, exactly: it computes the sum digit by digit from the left. The sum of the absolute
    /// weights must be below 2^120.
    ///
    /// ```
    /// use adjudicate_lang::Decimal;
    /// let [later, earlier, gain] = ["0.7", "0.6", "0.1"].map(|text| Decimal::read(text).unwrap());
    /// assert!(Decimal::sign_of_sum(&[(1, later), (-1, earlier), (-1, gain)]).is_eq());
    /// ```
    #[must_use]
    pub fn sign_of_sum(terms: &[(i128, Self)]) -> Ordering {
        let times = |(times, number): &(i128, Self)| if number.is_negative { -times } else { *times };
        let most: i128 = terms.iter().map(|(times, _)| times.abs()).sum();
        let exponents =
            || terms.iter().filter(|(_, number)| number.digits != 0).map(|(_, number)| number.exponent);
        // A `u64` has at most twenty digits.
        let (lowest, highest) = (exponents().min().unwrap_or(0), exponents().max().unwrap_or(0) + 19);
        let mut sum = 0;
        for place in (lowest..=highest).rev() {
            sum = sum * 10 + terms.iter().map(|term| times(term) * term.1.digit(place)).sum::<i128>();
            // The lower digits of a number add up to less than one of this place.
            if sum.abs() >= most {
                break;
            }
        }
        sum.cmp(&0)
    }

    /// Returns the digit at ten to the power of `place`.
    fn digit(self, place: i32) -> i128 {
        let above = u32::try_from(place - self.exponent).ok();
        let power = above.and_then(|above| 10_u64.checked_pow(above));
        power.map_or(0, |power| i128::from(self.digits / power % 10))
    }
}

impl Ord for Decimal {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        if self.exponent == other.exponent {
            return self.signed_digits().cmp(&other.signed_digits());
        }
        self.compare_aligned(*other)
    }
}

impl PartialOrd for Decimal {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Decimal {}

impl PartialEq for Decimal {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

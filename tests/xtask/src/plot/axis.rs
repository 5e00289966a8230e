//! An axis of powers of ten.

use std::ops::Range;

/// The length of one decade.
pub(super) const DECADE: f64 = 110.0;

/// The decades that an axis shows, and its position.
pub(super) struct Axis {
    pub(super) decades: Range<i32>,
    pub(super) origin: f64,
    /// 1 to the right, -1 upwards.
    direction: f64,
}

impl Axis {
    /// An axis to the right that covers all values, from one power of ten to another.
    pub(super) fn new(origin: f64, values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        let first = low.log10().floor() as i32;
        let last = (high.log10().ceil() as i32).max(first + 1);
        Self { decades: first..last, origin, direction: 1.0 }
    }

    /// The same axis, upwards from `bottom`.
    pub(super) fn upwards(mut self, bottom: f64) -> Self {
        (self.origin, self.direction) = (bottom, -1.0);
        self
    }

    /// The length of the axis.
    pub(super) fn length(&self) -> f64 {
        f64::from(self.decades.end - self.decades.start) * DECADE
    }

    /// Returns the position of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        self.origin + self.direction * (value.log10() - f64::from(self.decades.start)) * DECADE
    }

    /// The powers of ten on the axis.
    pub(super) fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.decades.start..=self.decades.end).map(|power| 10_f64.powi(power))
    }
}

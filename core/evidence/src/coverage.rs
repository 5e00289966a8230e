//! Coverage: the lines, branches and functions that a run reached.

use alloc::{string::String, vec::Vec};

use adjudicate_core::{
    document::{Describe, Magnitude, Type},
    json::{self, OwnedValue, ReadLimits},
};
use serde::{Serialize, Serializer};

use crate::location;

/// The coverage of a run, in total and per file.
///
/// ```
/// use adjudicate_evidence::{CoverageCount, Format, Reading, read};
/// let Reading::Coverage(coverage) = read(Format::Lcov, b"SF:a.c\nDA:1,7\nDA:2,0\nDA:4,1\nend_of_record\n")? else { panic!() };
/// assert_eq!(coverage.lines, CoverageCount { found: 3, hit: 2 });
/// assert_eq!(coverage.lines.basis_points(), Some(6666));
/// # Ok::<(), adjudicate_evidence::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Describe, Serialize)]
pub struct Coverage {
    /// The lines of all files.
    pub lines: CoverageCount,
    /// The branches of all files.
    pub branches: CoverageCount,
    /// The functions of all files.
    pub functions: CoverageCount,
    /// The files, in the order of their paths.
    pub files: Vec<FileCoverage>,
    /// The reason why the report cannot be complete, for example because the last record did not end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
}

/// The coverage of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Describe, Serialize)]
pub struct FileCoverage {
    /// The path of the file, as the report has it.
    pub path: String,
    /// The lines.
    pub lines: CoverageCount,
    /// The branches.
    pub branches: CoverageCount,
    /// The functions.
    pub functions: CoverageCount,
}

/// A number of lines, branches or functions, and how many of them the run reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverageCount {
    /// All.
    pub found: u64,
    /// Those that the run reached.
    pub hit: u64,
}

/// A number of lines, branches or functions, as JSON.
#[derive(Describe, Serialize)]
#[document(name = "CoverageCount")]
struct CoverageCountFields {
    /// All.
    found: u64,
    /// Those that the run reached.
    hit: u64,
    /// The share that the run reached, in percent: at most two decimals, rounded down. Absent if there is nothing to reach.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "percent")]
    #[document(described = "Magnitude")]
    percent: Option<u32>,
}

/// Writes hundredths of a percent as a percentage.
fn percent<S: Serializer>(points: &Option<u32>, serializer: S) -> Result<S::Ok, S::Error> {
    match points {
        Some(points) if points % 100 == 0 => (points / 100).serialize(serializer),
        points => points.map(|points| f64::from(points) / 100.0).serialize(serializer),
    }
}

impl CoverageCount {
    /// Returns the share that the run reached, in hundredths of a percent, rounded down, or `None` if there is nothing to reach.
    ///
    /// ```
    /// use adjudicate_evidence::CoverageCount;
    /// assert_eq!(CoverageCount { found: 8, hit: 7 }.basis_points(), Some(8750));
    /// assert_eq!(CoverageCount { found: 100_000, hit: 99_999 }.basis_points(), Some(9999));
    /// assert_eq!(CoverageCount { found: 0, hit: 0 }.basis_points(), None);
    /// ```
    #[must_use]
    pub fn basis_points(self) -> Option<u32> {
        let share = (u128::from(self.hit) * 10_000).checked_div(self.found.into())?;
        u32::try_from(share).ok()
    }

    /// Adds the counts of another part.
    pub(crate) fn add(&mut self, other: Self) {
        self.found = self.found.saturating_add(other.found);
        self.hit = self.hit.saturating_add(other.hit);
    }
}

impl Serialize for CoverageCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { found, hit } = *self;
        CoverageCountFields { found, hit, percent: self.basis_points() }.serialize(serializer)
    }
}

impl Describe for CoverageCount {
    fn describe() -> Type {
        CoverageCountFields::describe()
    }
}

impl Coverage {
    /// Returns the value of the envelope's extension field `x-coverage`: `lines`, `branches` and `functions`, each with `found`,
    /// `hit` and `percent`, and the same for each of `files`. `percent` has at most two decimals, is rounded down, and is absent if nothing
    /// was found.
    ///
    /// ```
    /// use adjudicate_evidence::{Format, Reading, read};
    /// let Reading::Coverage(coverage) = read(Format::Lcov, b"SF:a.c\nDA:1,7\nDA:2,0\nend_of_record\n")? else { panic!() };
    /// let value = coverage.to_value();
    /// let percent = value.lookup("lines").and_then(|lines| lines.lookup("percent"));
    /// assert_eq!(adjudicate_core::json::write(&percent), "50");
    /// # Ok::<(), adjudicate_evidence::Error>(())
    /// ```
    #[must_use]
    pub fn to_value(&self) -> OwnedValue {
        let text = json::write(&Self { incomplete: None, ..self.clone() });
        let tape = json::read(text.as_bytes(), ReadLimits::ANSWER);
        tape.map_or(OwnedValue::Null, |tape| OwnedValue::from(tape.root()))
    }

    /// Makes paths below `root` relative to it.
    pub(crate) fn relative_to(&mut self, root: &str) {
        self.files.iter_mut().for_each(|file| location::cut(&mut file.path, root));
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn percentages_are_exact_decimals() {
        for (hit, percent) in
            [(0, "0"), (5, "0.05"), (50, "0.5"), (6666, "66.66"), (9990, "99.9"), (10_000, "100")]
        {
            let text = format!(r#"{{"found":10000,"hit":{hit},"percent":{percent}}}"#);
            assert_eq!(json::write(&CoverageCount { found: 10_000, hit }), text);
        }
    }
}

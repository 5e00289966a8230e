//! Coverage: the lines, branches and functions that a run reached.

use alloc::{format, string::String, vec::Vec};

use adjudicate_core::json::{
    OwnedValue,
    object::{ObjectWriter, write_list},
};

use crate::relative;

/// The coverage of a run, in total and per file.
///
/// ```
/// use adjudicate_evidence::{CoverageCount, Format, Reading, read};
/// let Reading::Coverage(coverage) = read(Format::Lcov, b"SF:a.c\nDA:1,7\nDA:2,0\nDA:4,1\nend_of_record\n")? else { panic!() };
/// assert_eq!(coverage.lines, CoverageCount { found: 3, hit: 2 });
/// assert_eq!(coverage.lines.basis_points(), Some(6666));
/// # Ok::<(), adjudicate_evidence::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    pub incomplete: Option<String>,
}

/// The coverage of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

    fn write(self, out: &mut String) {
        let mut fields = ObjectWriter::open(out);
        fields.count("found", self.found);
        fields.count("hit", self.hit);
        if let Some(points) = self.basis_points() {
            fields.json("percent", Some(&percent(points)));
        }
        fields.close();
    }
}

/// Returns the decimal text of a percentage, without zeros at its end.
fn percent(basis_points: u32) -> String {
    match (basis_points / 100, basis_points % 100) {
        (whole, 0) => format!("{whole}"),
        (whole, hundredths) if hundredths % 10 == 0 => format!("{whole}.{}", hundredths / 10),
        (whole, hundredths) => format!("{whole}.{hundredths:02}"),
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
        let mut text = String::new();
        self.write_counts(ObjectWriter::open(&mut text)).close();
        let tape = adjudicate_core::json::read(text.as_bytes(), adjudicate_core::json::Limits::ANSWER);
        tape.map_or(OwnedValue::Null, |tape| OwnedValue::from(tape.root()))
    }

    /// Makes paths below `root` relative to it.
    pub(crate) fn relative_to(&mut self, root: &str) {
        self.files.iter_mut().for_each(|file| relative::cut(&mut file.path, root));
    }

    fn write_counts<'o>(&self, mut fields: ObjectWriter<'o>) -> ObjectWriter<'o> {
        write_parts(&mut fields, [self.lines, self.branches, self.functions]);
        fields.part("files", |out| write_list(&self.files, out, FileCoverage::write));
        fields
    }

    /// Writes the report as a JSON object.
    pub(crate) fn write(&self, out: &mut String) {
        let mut fields = self.write_counts(ObjectWriter::open(out));
        fields.text("incomplete", self.incomplete.as_deref());
        fields.close();
    }
}

impl FileCoverage {
    fn write(&self, out: &mut String) {
        let mut fields = ObjectWriter::open(out);
        fields.text("path", Some(&self.path));
        write_parts(&mut fields, [self.lines, self.branches, self.functions]);
        fields.close();
    }
}

fn write_parts(fields: &mut ObjectWriter<'_>, counts: [CoverageCount; 3]) {
    for (name, count) in ["lines", "branches", "functions"].into_iter().zip(counts) {
        fields.part(name, |out| count.write(out));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_exact_decimals() {
        let texts = [0, 5, 50, 6666, 9990, 10_000].map(percent);
        assert_eq!(texts, ["0", "0.05", "0.5", "66.66", "99.9", "100"]);
    }
}

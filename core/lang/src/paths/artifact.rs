//! Required artifacts: entries of a list that files must meet (SPEC section 18.9).

use super::{
    Glob, Path,
    glob::{Alternative, Form, Part},
};
use crate::{error::Error, steps::Steps};

impl Glob {
    /// Returns whether an artifact meets the pattern as the entry of a list of required artifacts.
    ///
    /// Without wildcards and braces the entry is a path, and a file of that very path meets it. A pattern is met by a file that it
    /// matches itself. Files below a match, and directories, count only where the entry ends in `/` or has a segment `**`.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, paths::{Glob, Path, Pattern}};
    /// let mut steps = Steps::default();
    /// let mut is_met = |entry, artifact| {
    ///     let glob = Glob::compile(Pattern::new(entry).unwrap(), &mut steps).unwrap();
    ///     glob.is_met_by(&Path::split(artifact), &mut steps).unwrap()
    /// };
    /// assert!(is_met("report.html", "report.html"));
    /// assert!(!is_met("report.html", "report.html/style.css"), "a file in a folder of that name");
    /// assert!(!is_met("report.html", "old/report.html"), "another path");
    /// assert!(is_met("*.html", "old/report.html"));
    /// assert!(is_met("site/", "site/index.html") && is_met("site/**", "site/a/b.html"));
    /// ```
    ///
    /// # Errors
    ///
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    pub fn is_met_by(&self, artifact: &Path<'_>, steps: &mut Steps) -> Result<bool, Error> {
        let is_path = !self.text().contains(['*', '?', '{']);
        for alternative in &self.alternatives {
            let is_met = match alternative.takes_contents() {
                true => alternative.matches(artifact, steps)?,
                false if artifact.is_directory() => false,
                false => alternative.matches_itself(artifact, is_path, steps)?,
            };
            if is_met {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Alternative {
    /// Returns whether it ends in `/` or has a segment `**`.
    fn takes_contents(&self) -> bool {
        self.contents_only || self.has_any
    }

    /// Returns whether it matches a file by all of its names. `is_path`: from the root, whether it has a `/` or not.
    fn matches_itself(&self, file: &Path<'_>, is_path: bool, steps: &mut Steps) -> Result<bool, Error> {
        let names = file.segments();
        match &self.form {
            Form::AnySegment(_) if is_path && names.len() > 1 => Ok(false),
            Form::AnySegment(pattern) => {
                steps.spend(1)?;
                names.last().map_or(Ok(false), |name| pattern.matches(name, steps))
            }
            Form::Anchored(parts) if parts.len() != names.len() => {
                steps.spend(1)?;
                Ok(false)
            }
            Form::Anchored(parts) => {
                for (part, name) in parts.iter().zip(names) {
                    steps.spend(1)?;
                    if !matches!(part, Part::One(segment) if segment.matches(name, steps)?) {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }
}

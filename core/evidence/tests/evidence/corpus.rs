//! The corpus: `fixtures/reports/FORMAT/NAME.EXTENSION`, and the reading or the error in `NAME.expected.json` next to it.

use std::{fs, path::PathBuf};

use adjudicate_evidence::{Format, read};
use adjudicate_tests::workspace_root;

/// The ending of the file with the expected reading.
pub(crate) const EXPECTED: &str = ".expected.json";

/// A report and the file of its expected reading.
pub(crate) struct Report {
    pub format: Format,
    /// The format and the name, for messages.
    pub name: String,
    pub file_name: String,
    pub text: Vec<u8>,
    pub expected: PathBuf,
}

impl Report {
    /// Reads all reports, in the order of their names.
    pub(crate) fn all() -> Vec<Self> {
        Format::ALL.iter().flat_map(|format| Self::of_format(*format)).collect()
    }

    fn of_format(format: Format) -> Vec<Self> {
        let folder = workspace_root().join("fixtures/reports").join(format.name());
        let files = fs::read_dir(&folder)
            .expect("each format has a folder")
            .map(|file| file.expect("it can be listed").path());
        let mut files: Vec<PathBuf> = files.collect();
        files.sort();
        let mut reports = Vec::new();
        for file in files {
            let file_name =
                file.file_name().and_then(|name| name.to_str()).expect("names are UTF-8").to_owned();
            if file_name.ends_with(EXPECTED) {
                continue;
            }
            let stem = file.file_stem().and_then(|stem| stem.to_str()).expect("names are UTF-8");
            reports.push(Self {
                format,
                name: format!("{}/{file_name}", format.name()),
                text: fs::read(&file).expect("a report can be read"),
                expected: folder.join(format!("{stem}{EXPECTED}")),
                file_name,
            });
        }
        reports
    }

    /// Returns the reading or the error as JSON.
    pub(crate) fn answer(&self) -> String {
        read(self.format, &self.text).map_or_else(|error| error.to_json(), |reading| reading.to_json())
    }
}

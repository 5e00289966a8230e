//! Running everything again whenever a file changes.
//!
//! Files are looked at a few times a second: what is watched are a handful of files that people edit, on whatever file
//! system they are.

use std::{
    fs, thread,
    time::{Duration, SystemTime},
};

use super::{Test, text};
use crate::{
    exit::Exit,
    failure::Failure,
    input::Source,
    output::{self, ReportFormat},
    table::counted,
};

/// How long to wait between two looks.
const PAUSE: Duration = Duration::from_millis(150);

/// What is looked at of a file: nothing if it is not there.
type Stamp = Option<(SystemTime, u64)>;

/// Runs until nobody reads the reports any more.
pub(super) fn run(args: &Test) -> Result<Exit, Failure> {
    loop {
        // Before anything is read, so that no change goes unseen.
        let seen = stamps(args);
        match super::report(args) {
            Ok(report) => drop(super::tell(&report, args)?),
            // A file that cannot be used is told of where the report would be, and may be mended.
            Err(error) => {
                let text = |width| text::error_page(&error).render(width);
                output::report(args.format, args.color, || error.to_json(), text)?;
            }
        }
        if args.format == ReportFormat::Text {
            let files = counted(args.sources().count(), "file");
            output::line(&format!("\nWatching {files}; press Ctrl-C to end\n"))?;
        }
        wait_for_change(args, &seen);
    }
}

/// Waits until some file is another, and all are then at rest.
fn wait_for_change(args: &Test, seen: &[Stamp]) {
    let mut latest = stamps(args);
    loop {
        thread::sleep(PAUSE);
        let now = stamps(args);
        let is_at_rest = now == latest;
        if is_at_rest && now != seen {
            return;
        }
        latest = now;
    }
}

fn stamps(args: &Test) -> Vec<Stamp> {
    let stamp = |source: &Source| {
        let Source::File(path) = source else { return None };
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    args.sources().map(stamp).collect()
}

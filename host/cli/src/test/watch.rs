//! Runs all tests again when a file changes.
//!
//! The files are polled a few times per second: they are few, and polling works on every file system.

use std::{
    fs, thread,
    time::{Duration, SystemTime},
};

use super::{Test, text};
use crate::{
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::Source,
    output::{self, ReportFormat},
    table::counted,
};

/// The time between two polls.
const PAUSE: Duration = Duration::from_millis(150);

/// The modification time and the size of a file; `None` for a missing file.
type Stamp = Option<(SystemTime, u64)>;

/// Runs until the reader closes the output.
pub(super) fn run(args: &Test, env: &Environment) -> Result<Exit, Failure> {
    loop {
        // Taken before the files are read, so that no change is missed.
        let seen = stamps(args, env);
        match super::report(args, env) {
            Ok(report) => drop(super::print_report(&report, args, env)?),
            // An invalid file is reported in place of the report, and can be fixed.
            Err(error) => {
                let text = |width| text::error_page(&error).render(width);
                output::report(env, args.format, args.color, || error.to_json(), text)?;
            }
        }
        if args.format == ReportFormat::Text {
            let files = counted(args.sources().count(), "file");
            output::line(env, &format!("\nWatching {files}; press Ctrl-C to end\n"))?;
        }
        wait_for_change(args, &seen, env);
    }
}

/// Waits until a file has changed, and no file changes any more.
fn wait_for_change(args: &Test, seen: &[Stamp], env: &Environment) {
    let mut latest = stamps(args, env);
    loop {
        thread::sleep(PAUSE);
        let now = stamps(args, env);
        let is_at_rest = now == latest;
        if is_at_rest && now != seen {
            return;
        }
        latest = now;
    }
}

fn stamps(args: &Test, env: &Environment) -> Vec<Stamp> {
    let stamp = |source: &Source| {
        let Source::File(path) = source else { return None };
        let metadata = fs::metadata(env.path(path)).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    args.sources().map(stamp).collect()
}

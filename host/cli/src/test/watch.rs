//! Running everything again whenever a file changes.
//!
//! Files are looked at a few times a second: what is watched are a handful of files that people edit, on whatever file
//! system they are.

use std::{
    fs,
    path::PathBuf,
    thread,
    time::{Duration, SystemTime},
};

use crate::{
    args::{ReportFormat, Test},
    exit::Exit,
    failure::Failure,
    output,
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
        match super::round(args) {
            // A file that cannot be used is told of, and may be mended.
            Err(Failure::Error { json, exit: Exit::Input }) => output::error_line(&json),
            Err(failure) => return Err(failure),
            Ok(_) => {}
        }
        if args.format == ReportFormat::Text {
            output::line(&format!("\nWatching {} files; press Ctrl-C to end\n", files(args).count()))?;
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

fn files(args: &Test) -> impl Iterator<Item = &PathBuf> {
    args.policies.iter().chain(&args.cases)
}

fn stamps(args: &Test) -> Vec<Stamp> {
    let stamp = |path: &PathBuf| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    files(args).map(stamp).collect()
}

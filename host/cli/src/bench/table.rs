//! The table of measurements.

use super::report::{BenchCase, BenchReport};
use crate::table::{BOLD, DIM, Line, PLAIN, Page, counted};

/// Returns the table: numbers in columns, then the name, which may be long.
pub(super) fn page(report: &BenchReport<'_>) -> Page {
    let mut page = Page::default();
    page.push(Line::at(0).text(report.module, BOLD));
    page.push(Line::at(0).verbatim(&row("fuel", "median", "p99", "memory"), DIM).text("case", DIM));
    for case in &report.cases {
        let numbers = row(
            &case.fuel.to_string(),
            &time(case.median_ns),
            &time(case.p99_ns),
            &format!("{} KiB", case.memory_bytes >> 10),
        );
        let style = if case.failed || case.regressed { BOLD } else { PLAIN };
        let line = Line::at(0).verbatim(&numbers, style).text(case.name, style);
        // A note stays on one line.
        page.push(notes(case).iter().fold(line, |line, note| line.verbatim(note, DIM)));
    }
    for name in &report.not_measured {
        page.push(Line::at(0).text("not measured, but in the baseline:", BOLD).text(name, PLAIN));
    }
    page.gap();
    let regressed = report.cases.iter().filter(|case| case.regressed).count();
    let failed = report.cases.iter().filter(|case| case.failed).count();
    let cases = counted(report.cases.len(), "case");
    page.push(Line::at(0).text(&format!("{cases}: {regressed} over the baseline, {failed} failed"), BOLD));
    page
}

/// The columns of numbers.
fn row(fuel: &str, median: &str, p99: &str, memory: &str) -> String {
    format!("{fuel:>12} {median:>10} {p99:>10} {memory:>10} ")
}

/// The error of a case, and the change of its fuel.
fn notes(case: &BenchCase<'_>) -> Vec<String> {
    let error = case.error.map(|code| format!("({code})"));
    let change = case.baseline_fuel.map(|before| match case.fuel.checked_sub(before) {
        Some(0) => "(as the baseline)".to_owned(),
        Some(more) => format!("(+{more} fuel)"),
        None => format!("(-{} fuel)", before.saturating_sub(case.fuel)),
    });
    error.into_iter().chain(change).collect()
}

/// A time with three digits or more.
fn time(nanoseconds: u64) -> String {
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => format!("{}.{} us", nanoseconds / 1_000, nanoseconds / 100 % 10),
        _ => format!("{}.{:02} ms", nanoseconds / 1_000_000, nanoseconds / 10_000 % 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_largest_unit_that_fits() {
        for (nanoseconds, text) in
            [(0, "0 ns"), (999, "999 ns"), (1_250, "1.2 us"), (999_999, "999.9 us"), (12_345_678, "12.34 ms")]
        {
            assert_eq!(time(nanoseconds), text);
        }
    }
}

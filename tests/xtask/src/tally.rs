//! The numbers of passed, failed and skipped tests, read from the summaries of test programs.

/// Counts of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Tally {
    /// Sums all summaries in the output of a test program.
    ///
    /// It reads the summaries of `cargo test` and wasm-bindgen's runner (`test result: ok. 3 passed; 0 failed; ...`),
    /// of `node --test` (`# pass 3` or `ℹ pass 3`, a line per count), and this program's last line (`3 passed, 0
    /// failed`). Ignored tests of Rust are not skipped: the step `tests-further` runs them.
    pub(crate) fn read(output: &str) -> Self {
        let mut sum = Self::default();
        for line in output.lines() {
            let line = line.trim();
            if let Some(counts) = line.strip_prefix("test result: ") {
                // The text before the first space is the verdict: `ok.` or `FAILED.`
                sum.add_pairs(counts.split_once(' ').map_or("", |(_, counts)| counts).split("; "));
            } else if let Some(count) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ ")) {
                sum.add_node(count);
            } else if line.ends_with(" failed") {
                sum.add_pairs(line.split(", "));
            }
        }
        sum
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// Adds `3 passed`, `1 failed`; anything else on the line is not a count.
    fn add_pairs<'a>(&mut self, pairs: impl Iterator<Item = &'a str>) {
        for (count, what) in pairs.filter_map(|pair| pair.split_once(' ')) {
            let Ok(count) = count.parse::<u64>() else { continue };
            match what.trim_end() {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                _ => {}
            }
        }
    }

    /// Adds a line of `node --test`: `pass 3`. Suites are not tests, and `tests` is the sum.
    fn add_node(&mut self, line: &str) {
        let Some((what, count)) = line.split_once(' ') else { return };
        let Ok(count) = count.parse::<u64>() else { return };
        match what {
            "pass" => self.passed += count,
            "fail" | "cancelled" => self.failed += count,
            "skipped" | "todo" => self.skipped += count,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_summaries_of_every_test_program() {
        let cases = [
            (
                "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.1s",
                (12, 0, 0),
            ),
            ("test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out", (2, 3, 0)),
            ("test result: ok. 1 passed; 0 failed;\n\ntest result: ok. 4 passed; 0 failed;", (5, 0, 0)),
            ("# tests 7\n# suites 1\n# pass 4\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 0", (4, 2, 1)),
            ("ℹ tests 3\nℹ pass 3\nℹ fail 0\nℹ duration_ms 12.5", (3, 0, 0)),
            ("70 passed, 2 failed", (70, 2, 0)),
            ("nothing here passed or was counted\n# a heading\nit failed", (0, 0, 0)),
            ("", (0, 0, 0)),
        ];
        for (output, (passed, failed, skipped)) in cases {
            assert_eq!(Tally::read(output), Tally { passed, failed, skipped }, "{output}");
        }
    }
}

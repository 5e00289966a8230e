//! `cargo xtask bench --plot`: how loading and evaluating grow with the number of rules.

use serde_json::Number;

use crate::{
    bench::Values,
    plot::{Line, Plot},
};

/// Where the plot is kept, for BENCHMARKS.md to show.
pub(crate) const FILE: &str = "tests/benches/plots/rules.svg";

const SIZES: [u32; 4] = [10, 100, 1_000, 10_000];

/// The plot of a run's results.
pub(crate) fn rules(values: &Values) -> String {
    let line = |name, what: &str| Line {
        name,
        points: SIZES
            .iter()
            .map(|rules| {
                let value = values.get(&format!("rules_{rules}_{what}_us")).and_then(Number::as_f64);
                (f64::from(*rules), value.unwrap_or(f64::NAN))
            })
            .collect(),
    };
    let plot = Plot {
        title: "A policy with 10 to 10,000 rules",
        description: "Microseconds to load a policy and to evaluate one envelope with it, with and without the \
                      index, by the number of its rules; both axes are logarithmic, so that what grows in \
                      proportion rises at 45 degrees.",
        x: "rules",
        y: "microseconds",
        lines: vec![
            line("load", "load"),
            line("evaluate", "evaluate"),
            line("evaluate without index", "scan"),
        ],
    };
    plot.svg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::parse;

    #[test]
    fn every_measured_size_is_drawn() {
        let sizes = SIZES.iter().flat_map(|rules| {
            ["load", "evaluate", "scan"].map(|what| format!(r#""rules_{rules}_{what}_us": {rules}.5"#))
        });
        let values = parse(&format!("{{{}}}", sizes.collect::<Vec<_>>().join(","))).unwrap();
        let svg = rules(&values);
        for mark in ["class=\"mark s0\"", "class=\"mark s1\"", "class=\"mark s2\""] {
            assert_eq!(svg.matches(mark).count(), SIZES.len(), "{mark}");
        }
    }

    #[test]
    fn what_was_not_measured_is_not_drawn() {
        assert!(!rules(&Values::new()).contains("class=\"mark"));
    }
}

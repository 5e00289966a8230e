//! `cargo xtask bench --plot`: the time of loading and evaluating by the number of rules, and the time of judging plans
//! by the number of nodes and diagnostics.

use serde_json::Number;

use crate::{
    plot::{Line, Plot},
    values::Values,
};

/// Draws one plot.
type Draw = fn(&Values) -> String;

/// The plots: the file of each, which docs/benchmarks.md shows, and the function that draws it.
pub(crate) const PLOTS: [(&str, Draw); 2] =
    [("docs/plots/rules.svg", rules), ("docs/plots/plans.svg", plans)];

const SIZES: [u32; 4] = [10, 100, 1_000, 10_000];

/// The plot of loading and evaluating policies.
fn rules(values: &Values) -> String {
    let line = |name, what: &str| {
        line(name, &SIZES.map(|rules| (rules, format!("rules_{rules}_{what}_us"))), values)
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

const NODES: [u32; 3] = [100, 1_000, 10_000];
const DIAGNOSTICS: [u32; 3] = [1_000, 10_000, 100_000];

/// The plot of plans and their diagnostics.
fn plans(values: &Values) -> String {
    let plot = Plot {
        title: "Plans of 100 to 10,000 nodes, and 1,000 to 100,000 diagnostics",
        description: "Microseconds to judge a plan, with three edges for each node and a constraint for every tenth, by \
                      the number of its nodes, and to merge diagnostics, by their number; both axes are logarithmic, so \
                      that what grows in proportion rises at 45 degrees.",
        x: "nodes, or diagnostics",
        y: "microseconds",
        lines: vec![
            line("validate_plan", &NODES.map(|nodes| (nodes, format!("plan_nodes_{nodes}_us"))), values),
            line(
                "merge_diagnostics",
                &DIAGNOSTICS.map(|count| (count, format!("diagnostics_{count}_us"))),
                values,
            ),
        ],
    };
    plot.svg()
}

/// A line through the measured values of a key, by size.
fn line<'n>(name: &'n str, points: &[(u32, String)], values: &Values) -> Line<'n> {
    let measured = |key: &str| values.get(key).and_then(Number::as_f64).unwrap_or(f64::NAN);
    Line { name, points: points.iter().map(|(size, key)| (f64::from(*size), measured(key))).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::parse;

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
    fn every_measured_plan_is_drawn() {
        let keys = NODES.map(|nodes| format!("plan_nodes_{nodes}_us"));
        let keys = keys.into_iter().chain(DIAGNOSTICS.map(|count| format!("diagnostics_{count}_us")));
        let sizes: Vec<_> = (1..).zip(keys).map(|(at, key)| format!(r#""{key}": {at}00.5"#)).collect();
        let svg = plans(&parse(&format!("{{{}}}", sizes.join(","))).unwrap());
        for mark in ["class=\"mark s0\"", "class=\"mark s1\""] {
            assert_eq!(svg.matches(mark).count(), 3, "{mark}");
        }
    }

    #[test]
    fn a_size_without_a_measurement_is_not_drawn() {
        for (_, draw) in PLOTS {
            assert!(!draw(&Values::new()).contains("class=\"mark"));
        }
    }
}

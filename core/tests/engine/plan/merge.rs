//! The laws of merging diagnostics, on random ones, and what becomes of calls that are not what they should be.

use adjudicate_core::{
    document,
    json::{self, ReadLimits, Tape},
    plan::{Diagnostic, merge, merge_text},
};
use proptest::{collection::vec, option, prelude::*, sample::select};

/// A diagnostic as JSON text; few values, so that many say the same.
fn diagnostic() -> impl Strategy<Value = String> {
    let ids = || option::of(select(vec!["a", "b", "*"]));
    let words = (
        select(vec!["hard", "soft", "informational"]),
        select(vec!["satisfied", "unsatisfied", "unknown"]),
        select(vec![
            "missing_producer",
            "missing_enforcer",
            "schema_incompatible",
            "unsatisfied_soft",
            "advisory",
        ]),
    );
    let others = (
        ids(),
        ids(),
        option::of(select(vec!["a", "x >= 1"])),
        option::of(select(vec!["do", "do\\nnot", "\\n not\\n\\ndo", " "])),
        option::of(select(vec![r#"{"code":"c","n":1}"#, r#"{"n":1.0,"code":"c"}"#, r#"{"n":1,"code":"c"}"#])),
        option::of(select(vec!["1", "[true]"])),
    );
    (words, others).prop_map(
        |((severity, status, cause), (id, node, constraint, suggestion, details, extra))| {
            let mut text = format!(r#"{{"cause":"{cause}","severity":"{severity}","status":"{status}""#);
            let strings = [
                ("constraintId", id),
                ("nodeId", node),
                ("constraint", constraint),
                ("suggestion", suggestion),
            ];
            for (name, value) in strings {
                text.extend(value.map(|value| format!(r#","{name}":"{value}""#)));
            }
            for (name, value) in [("details", details), ("x-extra", extra)] {
                text.extend(value.map(|value| format!(r#","{name}":{value}"#)));
            }
            text + "}"
        },
    )
}

#[expect(clippy::unwrap_used, reason = "the tests make these texts")]
fn read(text: &str) -> Tape<'_> {
    json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap()
}

#[expect(clippy::unwrap_used, reason = "the tests make these diagnostics")]
fn parse<'t>(tapes: &'t [Tape<'_>]) -> Vec<Diagnostic<'t>> {
    tapes.iter().map(|tape| document::read(tape.root()).unwrap()).collect()
}

fn call(diagnostics: &[String]) -> String {
    format!(r#"{{"diagnostics":[{}]}}"#, diagnostics.join(","))
}

proptest! {
    #[test]
    fn merging_is_associative_commutative_and_idempotent(
        left in vec(diagnostic(), 0..12), right in vec(diagnostic(), 0..12)
    ) {
        let (left_tapes, right_tapes) =
            (left.iter().map(|text| read(text)).collect::<Vec<_>>(), right.iter().map(|text| read(text)).collect::<Vec<_>>());
        let (left, right) = (parse(&left_tapes), parse(&right_tapes));
        let both = merge([left.clone(), right.clone()].concat());
        prop_assert_eq!(&merge([merge(left.clone()), right.clone()].concat()), &both);
        prop_assert_eq!(&merge([left.clone(), merge(right.clone())].concat()), &both);
        prop_assert_eq!(&merge([right, left].concat()), &both);
        prop_assert_eq!(&merge(both.clone()), &both);
    }

    #[test]
    fn the_order_of_diagnostics_does_not_reach_the_bundle(
        (given, shuffled) in vec(diagnostic(), 0..12)
            .prop_flat_map(|given| (Just(given.clone()), Just(given).prop_shuffle()))
    ) {
        prop_assert_eq!(merge_text(call(&given).as_bytes()).unwrap(), merge_text(call(&shuffled).as_bytes()).unwrap());
    }

    #[test]
    fn a_bundle_put_in_again_comes_out_again(given in vec(diagnostic(), 0..12)) {
        let bundle = merge_text(call(&given).as_bytes()).unwrap();
        let tape = read(&bundle);
        let buckets = ["failures", "warnings", "infos"].map(|name| tape.root().member(name).unwrap());
        let again: Vec<String> = buckets
            .iter()
            .flat_map(|bucket| bucket.items())
            .map(|item| document::read::<Diagnostic<'_>>(item).unwrap().to_json())
            .collect();
        prop_assert_eq!(merge_text(call(&again).as_bytes()).unwrap(), bundle);
    }

    #[test]
    fn no_finding_is_lost(given in vec(diagnostic(), 0..12)) {
        let tapes: Vec<_> = given.iter().map(|text| read(text)).collect();
        let given = parse(&tapes);
        let merged = merge(given.clone());
        for one in &given {
            let same = |other: &&Diagnostic<'_>| {
                let node = |one: &Diagnostic<'_>| one.node_id.as_deref().unwrap_or("*").to_owned();
                (other.constraint_id == one.constraint_id) && other.cause == one.cause && node(other) == node(one)
            };
            let survivors: Vec<_> = merged.iter().filter(same).collect();
            prop_assert!(survivors.iter().any(|survivor| survivor.level <= one.level), "{one:?}");
        }
    }
}

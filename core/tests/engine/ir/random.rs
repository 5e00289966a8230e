//! Random sources of every form, with unknown fields in all places, and random plans in canonical form.

use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::{Index, select},
};
use serde_json::{Map, Value, json};

const TEXTS: [&str; 10] = ["", "a", "b c", "x\ny", "ä☃", "\"q\"\\", "\u{1}\t", "/~", "low", "step-1"];
const IDS: [&str; 11] = ["a", "b", "c.d_E-1", "step-1", "step-2", "step-3", "step-4", "a b", "", "ä", "-x"];

/// Fields and words that stand for others in PlanIR; edges that say nothing more are the dependencies of steps.
pub(crate) const KNOWN: &[&str] = &[
    "name subtasks",
    "name id",
    "name action",
    "name target",
    "name instruction",
    "name implementation_steps",
    "name test_strategy",
    "name estimated_complexity",
    "name nodes",
    "name nodeId",
    "name label",
    "name kind",
    "name edges",
    "name from",
    "name to",
    "\"read\"",
    "\"edit\"",
];

pub(crate) fn text() -> impl Strategy<Value = &'static str> {
    select(&TEXTS[..])
}

/// Any value.
fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Short ones: `serde_json` reads long ones a little off.
        (-4_000_000..4_000_000).prop_map(|number| json!(f64::from(number) / 64.0)),
        text().prop_map(Value::from),
    ];
    scalar.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((select(&["k", "x-k", "id", "a/b", "~", "", "nodes"][..]), inner), 0..3)
                .prop_map(|members| object(members.into_iter().map(|(name, value)| (name, Some(value))))),
        ]
    })
}

fn object<'a>(members: impl IntoIterator<Item = (&'a str, Option<Value>)>) -> Value {
    let given = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    given.collect::<Map<_, _>>().into()
}

/// Fields of a source that no adapter knows.
fn unknown() -> impl Strategy<Value = Members> {
    others(&["note", "x-note", "x-source", "priority", "a/b", "depends_on", "risk", ""])
}

/// Fields of a step of a source that no adapter knows.
fn unknown_of_step() -> impl Strategy<Value = Members> {
    others(&["note", "x-note", "x-source", "priority", "a/b", "depends_on", "confidence", "analysis", ""])
}

/// Fields that PlanIR does not declare; some are close to those that it does.
fn undeclared() -> impl Strategy<Value = Members> {
    others(&["owner", "x-source", "x-a", "analysys", "max_iteration", "command", "stesp", "a/b", ""])
}

type Members = Vec<(&'static str, Option<Value>)>;

fn others(names: &'static [&'static str]) -> impl Strategy<Value = Members> {
    vec((select(names), value().prop_map(Some)), 0..3)
}

fn confidence() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(0.0)),
        Just(json!(1.0)),
        Just(json!(-0.0)),
        Just(json!(0)),
        Just(json!(1)),
        (0..=1024).prop_map(|number| json!(f64::from(number) / 1024.0))
    ]
}

fn maybe<T: Into<Value> + std::fmt::Debug>(
    of: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<Value>> {
    option::weighted(0.8, of.prop_map(Into::into))
}

fn adjutant() -> impl Strategy<Value = Value> {
    let action = select(&["read", "edit", "bash", "READ", "e_dit", "Bash"][..]);
    let item = (maybe(select(&IDS[..])), action, maybe(text()), maybe(text()), unknown_of_step()).prop_map(
        |(id, action, target, instruction, unknown)| {
            let known = [("id", id), ("action", Some(action.into())), ("target", target)];
            object(known.into_iter().chain([("instruction", instruction)]).chain(unknown))
        },
    );
    let wrapper = (any::<bool>(), option::of(confidence()), option::of(text()), unknown());
    (vec(item, 0..5), option::of(wrapper)).prop_map(|(items, wrapper)| match wrapper {
        Some((is_text, confidence, analysis, unknown)) => {
            let items = Value::from(items);
            let items = if is_text { items.to_string().into() } else { items };
            let known = [("subtasks", Some(items)), ("confidence", confidence)];
            object(known.into_iter().chain([("analysis", analysis.map(Value::from))]).chain(unknown))
        }
        None => items.into(),
    })
}

fn autopilot() -> impl Strategy<Value = Value> {
    let steps = prop_oneof![
        vec(text(), 0..4).prop_map(Value::from),
        vec((select(&["", "- ", " --", "\t"][..]), text()), 0..4).prop_map(|lines| {
            lines
                .into_iter()
                .map(|(before, line)| [before, line].concat())
                .collect::<Vec<_>>()
                .join("\n")
                .into()
        }),
        select(&[r#"["a","b"]"#, " []\n", "(1)"][..]).prop_map(Value::from),
    ];
    let complexity =
        select(&["low", "medium", "high", "very_high", "Simple", "EASY", "complex", "ha_rd"][..]);
    let observed = (option::of(text()), option::of(confidence()));
    (steps, maybe(text()), maybe(complexity), maybe(value()), observed, unknown()).prop_map(
        |(steps, strategy, complexity, files, (analysis, confidence), unknown)| {
            let known = [
                ("analysis", analysis.map(Value::from)),
                ("confidence", confidence),
                ("implementation_steps", Some(steps)),
                ("test_strategy", strategy),
                ("estimated_complexity", complexity),
                ("files_to_modify", files),
            ];
            object(known.into_iter().chain(unknown))
        },
    )
}

/// A graph without circles: edges go from nodes to later ones, in any order, some of them twice.
fn plan_graph() -> impl Strategy<Value = Value> {
    let kind = select(&["validation", "execution"][..]);
    let node =
        (select(&IDS[..]), maybe(text()), maybe(text()), maybe(text()), maybe(kind), unknown_of_step())
            .prop_map(|(id, label, rationale, capability, kind, unknown)| {
                let known = [("nodeId", Some(id.into())), ("label", label), ("rationale", rationale)];
                object(known.into_iter().chain([("capabilityId", capability), ("kind", kind)]).chain(unknown))
            });
    let edges = vec((any::<Index>(), any::<Index>(), option::weighted(0.1, text())), 0..8);
    (vec(node, 1..6), edges, option::of(0_u64..4), unknown()).prop_map(|(nodes, edges, version, unknown)| {
        let ids: Vec<&str> = nodes.iter().filter_map(|node| node.get("nodeId")?.as_str()).collect();
        let edge = |(one, other, reason): (Index, Index, Option<&str>)| {
            // If ids repeat, an edge means their first holders.
            let [one, other] = [one, other].map(|end| {
                let id = *end.get(&ids);
                (ids.iter().position(|known| *known == id), id)
            });
            let (from, to) = (one.min(other).1, one.max(other).1);
            let reason = reason.map(Value::from);
            (from != to)
                .then(|| object([("from", Some(from.into())), ("to", Some(to.into())), ("reason", reason)]))
        };
        let edges: Value = edges.into_iter().filter_map(edge).collect();
        let known = [("planVersion", version.map(Value::from)), ("nodes", Some(nodes.clone().into()))];
        object(known.into_iter().chain([("edges", Some(edges))]).chain(unknown))
    })
}

/// A plan as PlanIR has it, with undeclared fields; what is imported has other spellings and ids too.
pub(crate) fn planir(is_import: bool) -> impl Strategy<Value = Value> {
    let ids: &[&str] = if is_import { &IDS } else { &IDS[..7] };
    let intents = ["investigate", "modify", "verify", "synthesize", "Modify", "VERI_FY"];
    let intents = if is_import { intents.to_vec() } else { intents[..4].to_vec() };
    let complexities = ["low", "medium", "high", "very_high", "veryhigh", "Easy", "HARD"];
    let complexities = if is_import { complexities.to_vec() } else { complexities[..4].to_vec() };
    let step = (text(), select(intents), vec(text(), 0..3), vec(any::<Index>(), 0..3), 1_u8.., undeclared());
    let step = step.prop_map(|(description, intent, files, on, iterations, undeclared)| {
        let declared = [
            ("description", Some(json!(description))),
            ("intent", Some(json!(intent))),
            ("target_files", Some(json!(files))),
            ("max_iterations", Some(json!(iterations))),
        ];
        (object(declared.into_iter().chain(undeclared)), on)
    });
    let steps = (prop::sample::subsequence(ids.to_vec(), 0..5).prop_shuffle(), vec(step, 5));
    let steps = steps.prop_map(|(ids, mut steps)| {
        for (place, (id, (step, on))) in ids.iter().zip(&mut steps).enumerate() {
            // Steps depend on earlier ones alone, so that there is no circle.
            let earlier = ids.get(..place).filter(|earlier| !earlier.is_empty());
            let on: Vec<&str> = on.iter().filter_map(|on| Some(*on.get(earlier?))).collect();
            step["id"] = json!(id);
            step["depends_on"] = json!(on);
        }
        steps.into_iter().take(ids.len()).map(|(step, _)| step).collect::<Value>()
    });
    let strategy = (vec(text(), 0..2), text(), any::<u8>(), undeclared()).prop_map(
        |(commands, criteria, retries, undeclared)| {
            let declared = [
                ("commands", Some(json!(commands))),
                ("success_criteria", Some(json!(criteria))),
                ("max_retries", Some(json!(retries))),
            ];
            object(declared.into_iter().chain(undeclared))
        },
    );
    (text(), steps, strategy, select(complexities), confidence(), undeclared()).prop_map(
        |(analysis, steps, strategy, complexity, confidence, undeclared)| {
            let declared = [
                ("analysis", Some(json!(analysis))),
                ("steps", Some(steps)),
                ("verification_strategy", Some(strategy)),
                ("complexity", Some(json!(complexity))),
                ("confidence", Some(confidence)),
            ];
            object(declared.into_iter().chain(undeclared))
        },
    )
}

/// A source of any form.
pub(crate) fn source() -> impl Strategy<Value = Value> {
    prop_oneof![adjutant(), autopilot(), plan_graph(), planir(true)]
}

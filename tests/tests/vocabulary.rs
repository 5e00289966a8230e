//! The words of conditions for the playground's completion: `js/playground/build/vocabulary.json`, which `cargo xtask generate` writes.

use adjudicate_core::{
    logic::{Operator, OperatorSignature},
    policy::Fact,
};
use adjudicate_tests::generated::assert_current;
use serde::Serialize;

/// A word, as `js/playground/src/editor/shape.ts` has it.
#[derive(Serialize)]
struct Term {
    name: &'static str,
    form: String,
    about: String,
}

#[derive(Serialize)]
struct Vocabulary {
    operators: Vec<Term>,
    facts: Vec<Term>,
}

fn operands(row: &OperatorSignature) -> String {
    let count = match row.most {
        None => format!("{} or more", row.least),
        Some(most) if most == row.least => most.to_string(),
        Some(most) => format!("{} to {most}", row.least),
    };
    let plural = if count == "1" { "" } else { "s" };
    format!("{count} operand{plural}")
}

#[test]
fn the_words_of_conditions_are_current() {
    let operators = Operator::ALL.iter().map(|operator| {
        let row = operator.signature();
        Term { name: row.name, form: operands(row), about: operator.meaning().to_owned() }
    });
    let facts = Fact::ALL.iter().map(|fact| {
        let (row, meaning) = (fact.row(), fact.meaning());
        let about = row
            .unknown
            .map_or_else(|| meaning.to_owned(), |unknown| format!("{meaning}; unknown when {unknown}"));
        Term { name: row.variable, form: row.gives.to_string(), about }
    });
    let vocabulary = Vocabulary { operators: operators.collect(), facts: facts.collect() };
    let text = serde_json::to_string_pretty(&vocabulary).expect("it has a JSON form");
    assert_current("js/playground/build/vocabulary.json", &(text + "\n"));
}

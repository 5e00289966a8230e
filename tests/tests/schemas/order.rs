//! Every writer gives an answer its fields in the declared order.

use adjudicate_core::{
    document::{Content, Field, Others, Type},
    json::{self, Kind, Node, ReadLimits},
    schemas,
};
use adjudicate_tests::{Composition, Corpus};

use super::is_error;

/// Returns the first value that does not fit its description: the pointer to it, and the fault.
fn fault(kind: &Type, value: Node<'_>, path: &str) -> Result<(), String> {
    let is_fit = match kind {
        Type::Any => true,
        Type::Bool => matches!(value.kind(), Kind::Bool(_)),
        Type::Integer { .. } => value.kind() == Kind::Integer,
        Type::Number { .. } => matches!(value.kind(), Kind::Integer | Kind::Float),
        Type::Text { .. } => value.kind() == Kind::String,
        Type::Object => value.kind() == Kind::Object,
        Type::List(item) => {
            let mut items = value.items().enumerate();
            items.try_for_each(|(at, value)| fault(item, value, &format!("{path}/{at}")))?;
            value.kind() == Kind::Array
        }
        Type::Map(of) => {
            let mut members = value.members();
            members.try_for_each(|(name, value)| fault(of, value, &format!("{path}/{name}")))?;
            value.kind() == Kind::Object
        }
        Type::Nullable(of) => {
            return if value.kind() == Kind::Null { Ok(()) } else { fault(of, value, path) };
        }
        Type::Either(kinds) => kinds.iter().any(|kind| fault(kind, value, path).is_ok()),
        Type::Named(definition) => match definition.content {
            Content::Words(words) => words.iter().any(|word| value.as_str() == Some(word.name)),
            Content::Object { fields, others, .. } => return object(fields, others, value, path),
            Content::Tagged { tag, variants, others } => {
                let mut members = value.members();
                let tagged =
                    members.next().filter(|(name, _)| *name == tag).and_then(|(_, word)| word.as_str());
                let variant = variants.iter().find(|variant| Some(variant.name) == tagged);
                let Some(variant) = variant else { return Err(format!("{path}: `{tag}` is not first")) };
                return ordered(variant.fields, others, members, path);
            }
            Content::Type(describe) => return fault(&describe(), value, path),
            Content::Schema { .. } => true,
        },
    };
    if is_fit { Ok(()) } else { Err(format!("{path}: the value does not fit")) }
}

fn object(fields: &[Field], others: Others, value: Node<'_>, path: &str) -> Result<(), String> {
    if value.kind() != Kind::Object {
        return Err(format!("{path}: no object"));
    }
    ordered(fields, others, value.members(), path)
}

/// Declared fields come first, in their order. Required ones are there.
fn ordered<'t>(
    fields: &[Field],
    others: Others,
    members: impl Iterator<Item = (&'t str, Node<'t>)>,
    path: &str,
) -> Result<(), String> {
    let (mut left, mut is_behind) = (fields, false);
    for (name, value) in members {
        let path = format!("{path}/{name}");
        match left.iter().position(|field| field.name == name) {
            Some(at) if !is_behind => {
                if let Some(missing) = left[..at].iter().find(|field| field.is_required) {
                    return Err(format!("{path}: `{}` is missing or comes later", missing.name));
                }
                fault(&(left[at].describe)(), value, &path)?;
                left = &left[at + 1..];
            }
            _ if fields.iter().any(|field| field.name == name) => {
                return Err(format!("{path}: comes too late"));
            }
            _ if name.starts_with("x-") || others == Others::Carried => is_behind = true,
            _ => return Err(format!("{path}: not declared")),
        }
    }
    match left.iter().find(|field| field.is_required) {
        Some(missing) => Err(format!("{path}: `{}` is missing", missing.name)),
        None => Ok(()),
    }
}

#[track_caller]
fn assert_ordered(document: &str, answer: &str, name: &str) {
    let document = if is_error(answer) { "error" } else { document };
    let row = schemas::all().find(|row| row.name == document).expect("the answer has a row");
    let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER).expect("it is JSON");
    assert_eq!(fault(&(row.describe)(), tape.root(), ""), Ok(()), "{name}");
}

#[test]
fn answers_keep_the_declared_order_of_their_members() {
    let corpus = Corpus::read().expect("the corpus can be read");
    for fixture in &corpus.fixtures {
        let answer = fixture.answer.as_deref().expect("it has an answer");
        let name = format!("{}/{}", fixture.operation.name(), fixture.name);
        assert_ordered(fixture.operation.output(), answer, &name);
    }
    for composition in Composition::read_all().expect("the compositions can be read") {
        assert_ordered("composed-evaluation", &composition.native_answer(), &composition.name);
    }
}

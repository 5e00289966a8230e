//! The places that documents declare. A pattern that matches none of them would redact nothing.

use std::{collections::BTreeSet, sync::LazyLock};

use adjudicate_core::{
    Operation,
    document::{Content, Definition, Others, Type},
    schemas,
};

use super::pattern::{RedactionPattern, Segment};

/// The types at which patterns start: inputs, the documents of calls, and answers.
static STARTS: LazyLock<Vec<Type>> = LazyLock::new(|| {
    let mut starts = Vec::new();
    for operation in Operation::ALL {
        let input = described(operation.input());
        if operation.input().ends_with("-call") {
            documents(&input, &mut starts);
        }
        starts.extend([input, described(operation.output())]);
    }
    starts.extend(["composed-evaluation", "module-evaluation"].map(described));
    starts
});

fn described(name: &str) -> Type {
    schemas::all().find(|document| document.name == name).map_or(Type::Any, |document| (document.describe)())
}

/// Adds the types of a call's fields, and those of the items of lists there.
fn documents(call: &Type, starts: &mut Vec<Type>) {
    for field in object(call).into_iter().flat_map(Definition::fields) {
        let field = (field.describe)();
        starts.extend(item(&field));
        starts.push(field);
    }
}

impl RedactionPattern {
    /// True if an input or an answer declares a place that the pattern matches, or a value below which it may match. Another
    /// pattern would redact nothing.
    ///
    /// ```
    /// use adjudicate_trust::redaction::RedactionPattern;
    /// assert!(RedactionPattern::parse("/evidence/transcript_summary")?.is_declared());
    /// assert!(!RedactionPattern::parse("/evidence/transcript_sumary")?.is_declared());
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn is_declared(&self) -> bool {
        let search = || Search { segments: self.segments(), seen: BTreeSet::new() };
        STARTS.iter().any(|start| search().meets(start, 0))
    }
}

/// The search for a place in the types of one document.
struct Search<'p> {
    segments: &'p [Segment],
    /// The objects that were tried, each with the number of segments before it. Types can contain themselves.
    seen: BTreeSet<(&'static str, usize)>,
}

impl Search<'_> {
    /// True if the segments from this one on lead to a place in values of this type. A value of any type has all places, but a
    /// document of any type or with names of any kind declares none.
    fn meets(&mut self, of: &Type, at: usize) -> bool {
        let Some(segment) = self.segments.get(at) else { return true };
        if *segment == Segment::AnyDepth && self.meets(of, at + 1) {
            return true;
        }
        let below = at + usize::from(*segment != Segment::AnyDepth);
        match of {
            Type::Any | Type::Object => at > 0,
            Type::List(item) => segment.name().is_none_or(is_index) && self.meets(item, below),
            Type::Map(value) => at > 0 && self.meets(value, below),
            Type::Nullable(value) => self.meets(value, at),
            Type::Either(types) => types.iter().any(|of| self.meets(of, at)),
            Type::Named(definition) => {
                self.seen.insert((definition.source, at)) && self.meets_named(definition, at, below)
            }
            Type::Bool | Type::Integer { .. } | Type::Number { .. } | Type::Text { .. } => false,
        }
    }

    fn meets_named(&mut self, definition: &'static Definition, at: usize, below: usize) -> bool {
        let others = match definition.content {
            Content::Type(describe) => return self.meets(&describe(), at),
            Content::Schema { .. } => return at > 0,
            Content::Words(_) => return false,
            Content::Object { others, .. } | Content::Tagged { others, .. } => others,
        };
        let name = self.segments.get(at).and_then(Segment::name);
        let tag = match definition.content {
            Content::Tagged { tag, .. } => Some(tag),
            _ => None,
        };
        let is_last = below == self.segments.len();
        let mut fields =
            definition.fields().filter(|field| name.is_none_or(|name| name == field.name)).peekable();
        let is_carried =
            matches!(others, Others::Open | Others::Carried) && (name.is_none() || fields.peek().is_none());
        (at > 0 && is_carried)
            || (is_last && tag.is_some_and(|tag| name.is_none_or(|name| name == tag)))
            || fields.any(|field| self.meets(&(field.describe)(), below))
    }
}

fn is_index(name: &str) -> bool {
    name.parse::<usize>().is_ok_and(|index| index.to_string() == name)
}

/// The object that values of a type are. An input that is a call or an envelope is described as the call first.
fn object(of: &Type) -> Option<&'static Definition> {
    match of {
        Type::Nullable(value) => object(value),
        Type::Either(types) => types.iter().find_map(object),
        Type::Named(definition) => match definition.content {
            Content::Type(describe) => object(&describe()),
            _ => Some(definition),
        },
        _ => None,
    }
}

/// The type of the items, if values of a type can be lists.
fn item(of: &Type) -> Option<Type> {
    match of {
        Type::List(item) => Some(Type::clone(item)),
        Type::Nullable(value) => item(value),
        Type::Either(types) => types.iter().find_map(item),
        Type::Named(Definition { content: Content::Type(describe), .. }) => item(&describe()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_lead_to_declared_places() {
        for (pattern, expected) in [
            ("/evidence/transcript_summary", true),
            ("/envelope/evidence/transcript_summary", true),
            ("/evidence/transcript_sumary", false),
            ("/transcript_summary", false),
            ("/evidence/validation/exit_codes", true),
            ("/evidence/validation/exit_codes/ci~1acme", true),
            ("/evidence/validation/exit_codes/ci~1acme/x", false),
            ("/evidence/artifacts/0", true),
            ("/evidence/artifacts/00", false),
            ("/evidence/artifacts/first", false),
            ("/evidence/*", true),
            ("/run_id/*", false),
            ("/decision/next_step", true),
            ("/objective", true),
            ("/task/objective", true),
            ("/score", false),
            ("/outputContract/schema/properties/score", true),
            ("/schema/properties/score", true),
            ("/output/anything", true),
            ("/output/anything/below", true),
            ("/anything", false),
            ("/capabilityId", true),
            ("/capabilities/3/capabilityId", true),
            ("/plan/steps/0/description", true),
            ("/turns/*/question", false),
            ("/run_id", true),
            ("/run_id/x", false),
            ("/", false),
            ("/**", true),
            ("/*", true),
            ("/**/email", true),
        ] {
            assert_eq!(RedactionPattern::parse(pattern).unwrap().is_declared(), expected, "{pattern}");
        }
    }
}

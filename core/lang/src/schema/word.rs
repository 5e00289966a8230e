//! The keywords that mean something to validation: their names, where they are known, and which of them hold schemas.

use super::dialect::{Dialect, Draft};

/// Where a keyword's value holds schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nowhere.
    Data,
    /// It is one.
    One,
    /// It is a list of them.
    List,
    /// Its members are some.
    Map,
    /// It is one or a list of them.
    OneOrList,
    /// Those of its members that are no lists are some.
    MapBesideLists,
}

/// The drafts that know a keyword.
#[derive(Clone, Copy, Debug)]
enum Known {
    Draft7,
    Draft2020,
    Both,
}

/// The part of a draft that a keyword belongs to; a dialect may leave parts out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    Core = 1,
    Applicator = 2,
    Unevaluated = 4,
    Validation = 8,
    Format = 16,
}

struct Row {
    name: &'static str,
    known: Known,
    vocabulary: Vocabulary,
    shape: Shape,
}

/// Declares the keywords, in the order of their names.
macro_rules! words {
    ($($word:ident = $name:literal $known:ident $vocabulary:ident $shape:ident,)+) => {
        /// A keyword.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Word { $($word,)+ }

        impl Word {
            const ALL: &'static [Self] = &[$(Self::$word,)+];
        }

        static ROWS: &[Row] = &[$(Row {
            name: $name,
            known: Known::$known,
            vocabulary: Vocabulary::$vocabulary,
            shape: Shape::$shape,
        },)+];
    };
}

words! {
    Anchor = "$anchor" Draft2020 Core Data,
    Defs = "$defs" Draft2020 Core Map,
    DynamicAnchor = "$dynamicAnchor" Draft2020 Core Data,
    DynamicRef = "$dynamicRef" Draft2020 Core Data,
    Id = "$id" Both Core Data,
    Ref = "$ref" Both Core Data,
    Schema = "$schema" Both Core Data,
    AdditionalItems = "additionalItems" Draft7 Applicator One,
    AdditionalProperties = "additionalProperties" Both Applicator One,
    AllOf = "allOf" Both Applicator List,
    AnyOf = "anyOf" Both Applicator List,
    Const = "const" Both Validation Data,
    Contains = "contains" Both Applicator One,
    ContentSchema = "contentSchema" Draft2020 Core One,
    Definitions = "definitions" Both Core Map,
    Dependencies = "dependencies" Both Applicator MapBesideLists,
    DependentRequired = "dependentRequired" Draft2020 Validation Data,
    DependentSchemas = "dependentSchemas" Draft2020 Applicator Map,
    Else = "else" Both Applicator One,
    Enum = "enum" Both Validation Data,
    ExclusiveMaximum = "exclusiveMaximum" Both Validation Data,
    ExclusiveMinimum = "exclusiveMinimum" Both Validation Data,
    Format = "format" Both Format Data,
    If = "if" Both Applicator One,
    Items = "items" Both Applicator OneOrList,
    MaxContains = "maxContains" Draft2020 Validation Data,
    MaxItems = "maxItems" Both Validation Data,
    MaxLength = "maxLength" Both Validation Data,
    MaxProperties = "maxProperties" Both Validation Data,
    Maximum = "maximum" Both Validation Data,
    MinContains = "minContains" Draft2020 Validation Data,
    MinItems = "minItems" Both Validation Data,
    MinLength = "minLength" Both Validation Data,
    MinProperties = "minProperties" Both Validation Data,
    Minimum = "minimum" Both Validation Data,
    MultipleOf = "multipleOf" Both Validation Data,
    Not = "not" Both Applicator One,
    OneOf = "oneOf" Both Applicator List,
    Pattern = "pattern" Both Validation Data,
    PatternProperties = "patternProperties" Both Applicator Map,
    PrefixItems = "prefixItems" Draft2020 Applicator List,
    Properties = "properties" Both Applicator Map,
    PropertyNames = "propertyNames" Both Applicator One,
    Required = "required" Both Validation Data,
    Then = "then" Both Applicator One,
    Type = "type" Both Validation Data,
    UnevaluatedItems = "unevaluatedItems" Draft2020 Unevaluated One,
    UnevaluatedProperties = "unevaluatedProperties" Draft2020 Unevaluated One,
    UniqueItems = "uniqueItems" Both Validation Data,
}

impl Word {
    /// How many there are.
    pub(super) const COUNT: usize = Self::ALL.len();

    /// The keyword of that name, if the dialect has it.
    pub(super) fn find(name: &str, dialect: Dialect) -> Option<Self> {
        let at = ROWS.binary_search_by(|row| row.name.cmp(name)).ok()?;
        let row = ROWS.get(at)?;
        let known = match row.known {
            Known::Both => true,
            Known::Draft7 => dialect.draft == Draft::Draft7,
            Known::Draft2020 => dialect.draft == Draft::Draft2020,
        };
        (known && dialect.has(row.vocabulary)).then(|| Self::ALL.get(at).copied()).flatten()
    }

    /// As it is written.
    pub(super) fn name(self) -> &'static str {
        ROWS.get(self as usize).map_or("", |row| row.name)
    }

    /// Where its value holds schemas.
    pub(super) fn shape(self, dialect: Dialect) -> Shape {
        match ROWS.get(self as usize).map_or(Shape::Data, |row| row.shape) {
            Shape::OneOrList if dialect.draft == Draft::Draft2020 => Shape::One,
            shape => shape,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(ROWS.is_sorted_by(|left, right| left.name < right.name));
        assert_eq!(ROWS.len(), Word::COUNT);
    }
}

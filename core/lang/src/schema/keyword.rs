//! The keywords that validation knows: names, drafts, vocabularies, and the subschemas in their values.

use super::dialect::{Dialect, Draft, Vocabulary};

/// The position of schemas in the value of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SubschemaShape {
    /// The value has no schemas.
    Data,
    /// The value is a schema.
    One,
    /// The value is a list of schemas.
    List,
    /// The value is an object of schemas.
    Map,
    /// The value is a schema or a list of schemas.
    OneOrList,
    /// The value is an object of schemas and lists; the lists have no schemas.
    MapBesideLists,
}

/// The drafts that have a keyword.
#[derive(Clone, Copy, Debug)]
enum Drafts {
    Draft7,
    Draft2020,
    Both,
}

struct KeywordRow {
    name: &'static str,
    drafts: Drafts,
    vocabulary: Vocabulary,
    shape: SubschemaShape,
}

/// Declares the keywords, sorted by name.
macro_rules! keywords {
    ($($keyword:ident = $name:literal $drafts:ident $vocabulary:ident $shape:ident,)+) => {
        /// A keyword.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Keyword { $($keyword,)+ }

        impl Keyword {
            const ALL: &'static [Self] = &[$(Self::$keyword,)+];
        }

        static TABLE: &[KeywordRow] = &[$(KeywordRow {
            name: $name,
            drafts: Drafts::$drafts,
            vocabulary: Vocabulary::$vocabulary,
            shape: SubschemaShape::$shape,
        },)+];
    };
}

keywords! {
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

impl Keyword {
    /// The number of keywords.
    pub(super) const COUNT: usize = Self::ALL.len();

    /// Returns the keyword of this name, if the dialect has it.
    pub(super) fn find(name: &str, dialect: Dialect) -> Option<Self> {
        let at = TABLE.binary_search_by(|row| row.name.cmp(name)).ok()?;
        let row = TABLE.get(at)?;
        let known = match row.drafts {
            Drafts::Both => true,
            Drafts::Draft7 => dialect.draft == Draft::Draft7,
            Drafts::Draft2020 => dialect.draft == Draft::Draft2020,
        };
        (known && dialect.has(row.vocabulary)).then(|| Self::ALL.get(at).copied()).flatten()
    }

    /// Returns the name.
    pub(super) fn name(self) -> &'static str {
        TABLE.get(self as usize).map_or("", |row| row.name)
    }

    /// Returns the position of schemas in the value.
    pub(super) fn shape(self, dialect: Dialect) -> SubschemaShape {
        match TABLE.get(self as usize).map_or(SubschemaShape::Data, |row| row.shape) {
            SubschemaShape::OneOrList if dialect.draft == Draft::Draft2020 => SubschemaShape::One,
            shape => shape,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyword_table_is_sorted() {
        assert!(TABLE.is_sorted_by(|left, right| left.name < right.name));
        assert_eq!(TABLE.len(), Keyword::COUNT);
    }

    /// Keywords of `Core` only name schemas or refer to them; every other keyword can be violated.
    #[test]
    fn every_assertion_has_a_violation_in_a_test() {
        let violations = include_str!("../../tests/language/schema/violations.rs");
        for row in TABLE.iter().filter(|row| !matches!(row.vocabulary, Vocabulary::Core)) {
            let name = alloc::format!("\"{}\"", row.name);
            assert!(violations.contains(&name), "violations.rs lacks {name}");
        }
    }
}

//! JSON Schema, draft-07 and 2020-12 (SPEC section 6): compiled once, validated without allocation.
//!
//! ```text
//! JSON -> locate (URIs, anchors) -> compile (keyword by keyword) -> Schema -> run(instance, Steps) -> yes, no, [Violation]
//! ```
//!
//! - [`Schema`] is the compiled form: flat lists, a few numbers for each schema. It borrows nothing.
//! - [`Documents`] are what references may lead to, besides the meta-schemas of both drafts and their vocabularies, which the
//!   engine brings. Nothing is fetched.
//! - [`Violation`] is what is wrong with an instance, and where. [`check_text`] answers a whole call with all of them.
//! - [`Draft`] is what `$schema` names; [`Options`] says which one is meant where nothing does. Any other draft is refused.
//!   A meta-schema of one's own counts, with its `$vocabulary`, if it is handed in.
//!
//! # What keywords mean
//!
//! All keywords of both drafts that assert do what the drafts say; the public suite's required cases hold without
//! exception. Numbers are compared exactly, `multipleOf` divides decimals exactly, `1` and `1.0` are equal, lengths are
//! counted in code points. Patterns are those of [`pattern`](crate::pattern), which take linear time: look-around and
//! back-references are errors when a schema is compiled. In draft-07 nothing counts beside `$ref`. The drafts' unknown
//! keywords, content keywords and annotations say nothing.
//!
//! `format` annotates, as the drafts have it by default. Where it is asked to assert ([`Options::formats`], or the vocabulary
//! `format-assertion`), these formats do, and all others still annotate:
//!
//! | format | draft | what is allowed |
//! | --- | --- | --- |
#![doc = include_str!("formats.md")]
//!
//! # What is bounded
//!
//! Every schema that is applied, and every byte that is compared, takes from the budget. Schemas that branch again and again to
//! the same schema ask it once: verdicts are kept as soon as far more schemas have been applied than there are values. Only those
//! that branch without measure to others, as `$dynamicRef` can make them, end in `limit_exceeded`. A schema that leads back to
//! itself without a step into the instance is refused when it is compiled. Schemas are applied at most 576 deep inside of one
//! another, for the stack of a module is small: instances of schemas that contain themselves may be as deep as documents can be,
//! also where each level goes through `anyOf`, `allOf` and `unevaluatedProperties`. One instance has at most 10,000 violations.
//!
//! What is not here: what a schema is for. Where schemas come from, and what follows from a violation, is said by those who
//! validate.

mod apply;
mod call;
mod compile;
mod dialect;
mod documents;
mod faults;
mod guard;
mod key;
mod keywords;
mod lists;
mod locate;
mod lookup;
mod loops;
mod marks;
mod meta;
mod names;
mod place;
mod recall;
mod refer;
mod report;
mod run;
mod tree;
mod uri;
mod view;
mod violation;
mod word;

pub use call::check_text;
pub use dialect::Draft;
pub use documents::{Documents, Options};
pub use tree::Schema;
pub use view::{Keyword, Names, Says, Spot, View};
pub use violation::Violation;

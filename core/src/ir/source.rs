//! The inverse of the adapters: restores a source from its normalized plan.
//!
//! Reads the origins out of the report, and writes the kept fields back. The fields of each form are in its adapter's file.

use alloc::string::String;

use adjudicate_lang::{
    Error,
    document::{self, Document, Object},
    json::Node,
};

use super::{PlanIr, adapters::write_source, origins::Origins};
use crate::documents::plan_ir::AdapterReport;

/// Restores the source of a plan from `answer`, the whole answer of `normalize_plan`; its report marks the values that are not the
/// source's.
///
/// Values return as they were, numbers digit by digit, except confidences: `1` becomes `1.0`. The order of fields may change.
///
/// # Errors
///
/// The first error of an answer that `normalize_plan` cannot give, with a pointer that begins at the answer.
///
/// ```
/// use adjudicate_core::{ir::{normalize_text, source_text}, json::{self, ReadLimits}};
/// let source = r#"[{"id":"1","action":"Bash","instruction":"run the tests","target":"cargo test","effort":1.50}]"#;
/// let call = format!(r#"{{"plan":{source}}}"#);
/// let tape = json::read(call.as_bytes(), ReadLimits::DOCUMENT)?;
/// let answer = normalize_text(tape.root())?;
/// let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
/// let back = source_text(tape.root())?;
/// assert_eq!(back, r#"[{"id":"1","instruction":"run the tests","action":"Bash","target":"cargo test","effort":1.50}]"#);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn source_text(answer: Node<'_>) -> Result<String, Error> {
    let Source { plan, adapter, .. } = document::read(answer)?;
    write_source(&plan, &Origins::new(adapter))
}

/// The answer of `normalize_plan`, with its plan read.
#[derive(Document)]
#[document(expecting = "an object")]
#[expect(dead_code, reason = "of some only the shape matters")]
struct Source<'a> {
    plan: PlanIr<'a>,
    plan_hash: &'a str,
    adapter: AdapterReport<'a>,
    plan_start: Object<'a>,
    quality: Object<'a>,
}

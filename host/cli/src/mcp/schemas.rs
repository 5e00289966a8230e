//! The schemas of arguments and answers: those of the documents, as objects without references to other files.

use adjudicate_core::{Error, schemas::DocumentRow};
use rmcp::model::JsonObject;
use serde_json::Value;

use crate::{codes, documents};

/// The field with the definitions.
const DEFINITIONS: &str = "$defs";

/// Returns the schema of the arguments. Many hosts accept no alternatives at the root, so of those the first stays: the call.
pub(super) fn arguments(row: &DocumentRow) -> Result<JsonObject, Error> {
    let mut schema = read(row)?;
    let alternatives = schema.remove("anyOf");
    let call = alternatives.as_ref().and_then(|all| all.get(0)?.get("$ref")?.as_str());
    if let Some(name) = call.and_then(|call| call.rsplit('/').next())
        && let Some(definitions) = schema.get_mut(DEFINITIONS).and_then(Value::as_object_mut)
        && let Some(Value::Object(call)) = definitions.remove(name)
    {
        schema.extend(call);
    }
    Ok(schema)
}

/// Returns the schema of an answer, which may be an error.
pub(super) fn answer(row: &DocumentRow) -> Result<JsonObject, Error> {
    let (mut answer, mut error) = (read(row)?, read(document("error")?)?);
    let mut definitions = JsonObject::new();
    for schema in [&mut answer, &mut error] {
        if let Some(Value::Object(own)) = schema.remove(DEFINITIONS) {
            definitions.extend(own);
        }
    }
    Ok(JsonObject::from_iter([
        ("type".to_owned(), "object".into()),
        ("anyOf".to_owned(), vec![Value::Object(answer), Value::Object(error)].into()),
        (DEFINITIONS.to_owned(), Value::Object(definitions)),
    ]))
}

/// Reads the schema of a document. Without its dialect, a host takes that of MCP, which is the same.
fn read(row: &DocumentRow) -> Result<JsonObject, Error> {
    let mut schema: JsonObject = serde_json::from_str(&row.schema()).map_err(|error| {
        Error::caused_by(codes::HOST_FAULT, format!("the schema of `{}`", row.name), error)
    })?;
    schema.remove("$schema");
    schema.remove("$id");
    Ok(schema)
}

/// Returns the row of a document.
pub(super) fn document(name: &str) -> Result<&'static DocumentRow, Error> {
    documents::all()
        .find(|row| row.name == name)
        .ok_or_else(|| Error::new(codes::HOST_FAULT, format!("there is no document `{name}`")))
}

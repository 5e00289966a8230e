//! Schemas through the public interface: the public suite, tables, hostile input, laws.

mod call;
mod compile;
mod hostile;
mod laws;
mod meta;
mod suite;
mod violations;

use adjudicate_lang::{
    Error, Steps,
    json::{self, ReadLimits, Tape},
    schema::{Documents, Draft, Options, Schema, Violation},
};

/// Reads a document.
fn read(text: &str) -> Tape<'_> {
    json::read(text.as_bytes(), ReadLimits::DOCUMENT).expect("it is JSON")
}

/// Compiles a schema.
fn compiled(schema: &str, draft: Draft, steps: &mut Steps) -> Result<Schema, Error> {
    Schema::compile(read(schema).root(), &Documents::default(), Options { draft, formats: true }, steps)
}

/// Returns the violations of an instance.
fn found(schema: &str, draft: Draft, instance: &str) -> Result<Vec<Violation>, Error> {
    let schema = compiled(schema, draft, &mut Steps::default())?;
    let instance = read(instance);
    let found = schema.validate(instance.root(), &mut Steps::default())?;
    assert_eq!(schema.is_valid(instance.root(), &mut Steps::default())?, found.is_empty());
    Ok(found)
}

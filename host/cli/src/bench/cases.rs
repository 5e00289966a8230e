//! The inputs to measure: cases, envelopes, and the tests of a module.

use std::collections::BTreeSet;

use adjudicate_core::{
    Error,
    json::{self, Kind, ReadLimits, shorten},
    policy::Test,
};
use adjudicate_sandbox::Module;

use crate::{
    codes,
    environment::Environment,
    input::{InputFormat, Source},
    test::read_cases,
};

/// An input to measure.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) text: String,
}

/// Reads the inputs. Their names are distinct, because a baseline is compared by them.
pub(super) fn load(
    sources: &[Source],
    module: &Module,
    given: Option<InputFormat>,
    env: &Environment,
) -> Result<Vec<Input>, Error> {
    let mut inputs = Vec::new();
    for source in sources {
        let file = source.name();
        let text = source.part(&file, given, env)?;
        inputs.extend(read(&text, &file, module).map_err(|error| error.within(&file))?);
    }
    if sources.is_empty() {
        inputs.extend(
            module
                .manifest()
                .tests()?
                .iter()
                .map(|test: &Test| Input { name: test.name().to_owned(), text: test.input().to_owned() }),
        );
    }
    if inputs.is_empty() {
        let message = "there is no case to measure: name case files or envelopes";
        return Err(Error::new(codes::INVALID_VALUE, message));
    }
    let mut names = BTreeSet::new();
    match inputs.iter().find(|input| !names.insert(&input.name)) {
        Some(twice) => {
            let message = format!("two cases have the name `{}`", shorten(&twice.name));
            Err(Error::new(codes::INVALID_VALUE, message))
        }
        None => Ok(inputs),
    }
}

/// Reads a file of cases, or an envelope, which has no field `input`.
fn read(text: &[u8], file: &str, module: &Module) -> Result<Vec<Input>, Error> {
    let tape = json::read(text, ReadLimits::DOCUMENT)?;
    let root = tape.root();
    let is_envelope = !matches!(root.kind(), Kind::Array) && root.member("input").is_none();
    if is_envelope {
        return Ok(vec![Input { name: file.to_owned(), text: json::canonical(root) }]);
    }
    let known = [module.policy().map_or("", |policy| policy.name()), &*module.manifest().name];
    let cases = read_cases(text, file)?;
    let mut inputs = Vec::new();
    for case in cases {
        if let Some((policy, pointer)) = case.policy.filter(|(policy, _)| !known.contains(&&**policy)) {
            let message = format!("no policy that is measured has the name `{}`", shorten(&policy));
            return Err(Error::new(codes::INVALID_VALUE, message).at(pointer));
        }
        inputs.push(Input { name: case.name, text: case.input });
    }
    Ok(inputs)
}

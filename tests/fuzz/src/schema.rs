//! Any bytes as `{schema, instance}`: refused, or the validity and the list of violations of the instance agree.
#![no_main]

use adjudicate_core::{
    Steps,
    json::{self, ReadLimits},
    schema::{Documents, Options, Schema},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|call: &[u8]| {
    let Ok(tape) = json::read(call, ReadLimits::DOCUMENT) else { return };
    let [Some(schema), Some(instance)] = ["schema", "instance"].map(|name| tape.root().member(name)) else {
        return;
    };
    let options = Options::default();
    let Ok(schema) = Schema::compile(schema, &Documents::default(), options, &mut Steps::default()) else {
        return;
    };
    let is_valid = schema.is_valid(instance, &mut Steps::default());
    let violations = schema.validate(instance, &mut Steps::default());
    if let (Ok(is_valid), Ok(violations)) = (is_valid, violations) {
        assert_eq!(is_valid, violations.is_empty());
    }
});

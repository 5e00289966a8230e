//! Modules written for the tests, in WebAssembly text.

use adjudicate_core::Operation;
use adjudicate_sandbox::{Host, HostSettings, Limits, Module, manifest};

/// A minimal envelope.
pub(crate) const ENVELOPE: &str = adjudicate_tests::envelope!();

pub(crate) const MANIFEST: &str =
    r#"{"abi":1,"name":"test","version":"0.1.0","operations":["evaluate"],"x-home":"tests"}"#;

/// The answer of the engine to [`ENVELOPE`].
pub(crate) fn answer() -> String {
    Operation::Evaluate.call(ENVELOPE.as_bytes()).unwrap()
}

/// The parts of a module. [`Parts::default`] is a good module with the answer of the engine.
pub(crate) struct Parts {
    pub(crate) memory: &'static str,
    /// Bodies of the exported functions.
    pub(crate) abi: &'static str,
    pub(crate) alloc: &'static str,
    pub(crate) call: &'static str,
    /// Further definitions.
    pub(crate) more: &'static str,
    /// The memory from 1024 on. The record at 16 points to it.
    pub(crate) reply: Vec<u8>,
    pub(crate) manifest: Option<&'static str>,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            memory: r#"(memory (export "memory") 2 16)"#,
            abi: "(i32.const 0)",
            alloc: "(i32.const 65536)",
            call: "(i32.const 16)",
            more: "",
            reply: format!(r#"{{"ok":{}}}"#, answer()).into_bytes(),
            manifest: Some(MANIFEST),
        }
    }
}

impl Parts {
    pub(crate) fn build(&self) -> Vec<u8> {
        let Self { memory, abi, alloc, call, more, reply, manifest } = self;
        let record = [1024_u32.to_le_bytes(), u32::try_from(reply.len()).unwrap().to_le_bytes()].concat();
        let module = wat(&format!(
            r#"(module {memory} {more}
                (func (export "adjudicate_abi_1") (result i32) {abi})
                (func (export "adjudicate_alloc") (param $len i32) (result i32) {alloc})
                (func $call (export "adjudicate_call") (param $op i32) (param $ptr i32) (param $len i32) (result i32) {call})
                (data (i32.const 16) "{}")
                (data (i32.const 1024) "{}"))"#,
            escape(&record),
            escape(reply)
        ));
        match manifest {
            Some(text) => manifest::append(&module, text).unwrap(),
            None => module,
        }
    }
}

/// Assembles WebAssembly text.
pub(crate) fn wat(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A module with an additional custom section.
pub(crate) fn with_section(module: &[u8], name: &str, data: &[u8]) -> Vec<u8> {
    let text = format!(r#"(module (@custom "{name}" "{}"))"#, escape(data));
    [module, &wat(&text)[8..]].concat()
}

/// The good module.
pub(crate) fn good() -> Vec<u8> {
    Parts::default().build()
}

/// A host of one instance with tight limits, so that hostile modules end soon.
pub(crate) fn host() -> Host {
    host_with(Limits { fuel: 1_000_000, ..Limits::default() })
}

pub(crate) fn host_with(limits: Limits) -> Host {
    Host::new(HostSettings { limits, instances: 1, ..HostSettings::default() }).unwrap()
}

/// Calls a module with [`ENVELOPE`]. Returns its answer, or the code of the error.
pub(crate) fn ask(module: &Module) -> Result<String, String> {
    module.call(Operation::Evaluate, ENVELOPE.as_bytes()).map_err(|error| error.code().to_owned())
}

fn escape(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}

/// A good module with these tests.
pub(crate) fn with_tests(tests: &str) -> Parts {
    let manifest = MANIFEST.replace(r#""x-home":"tests""#, &format!(r#""x-tests":{tests}"#));
    Parts { manifest: Some(manifest.leak()), ..Parts::default() }
}

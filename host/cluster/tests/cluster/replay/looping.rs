//! Modules for the tests of replays, in WebAssembly text. Included by the tests of the command, too.

use adjudicate_core::Operation;
use adjudicate_sandbox::manifest;

/// A module with the answer of the engine to this envelope for every input, after a loop with this many turns.
pub(crate) fn looping(name: &str, turns: u32, envelope: &str) -> Vec<u8> {
    let answer = Operation::Evaluate.call(envelope.as_bytes()).unwrap();
    let reply = format!(r#"{{"ok":{answer}}}"#).into_bytes();
    let record = [1024_u32.to_le_bytes(), u32::try_from(reply.len()).unwrap().to_le_bytes()].concat();
    let text = format!(
        r#"(module (memory (export "memory") 2 16)
            (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
            (func (export "adjudicate_alloc") (param $len i32) (result i32) (i32.const 65536))
            (func (export "adjudicate_call") (param $op i32) (param $ptr i32) (param $len i32) (result i32) (local $turn i32)
                (local.set $turn (i32.const {turns}))
                (loop $again
                    (local.set $turn (i32.sub (local.get $turn) (i32.const 1)))
                    (br_if $again (i32.gt_s (local.get $turn) (i32.const 0))))
                (i32.const 16))
            (data (i32.const 16) "{}")
            (data (i32.const 1024) "{}"))"#,
        escape(&record),
        escape(&reply)
    );
    let about = format!(r#"{{"abi":1,"name":"{name}","version":"0.1.0","operations":["evaluate"]}}"#);
    manifest::append(&wat::parse_str(text).unwrap(), &about).unwrap()
}

fn escape(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}

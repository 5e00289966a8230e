//! Any bytes as a module: refused with a code of its own, or loaded and called within its limits.
#![no_main]

use std::sync::OnceLock;

use adjudicate_core::Operation;
use adjudicate_host::{Host, Limits, Settings};
use libfuzzer_sys::fuzz_target;

fn host() -> &'static Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    HOST.get_or_init(|| {
        let limits = Limits { module_bytes: 64 << 10, fuel: 100_000, ..Limits::default() };
        Host::new(Settings { limits, instances: 1, ..Settings::default() }).expect("the settings are sound")
    })
}

fuzz_target!(|module: &[u8]| match host().load(module) {
    Ok(module) => {
        if let Err(error) = module.call(Operation::Evaluate, b"{}") {
            assert!(!error.code().starts_with("host_"), "{error}");
        }
    }
    Err(error) => {
        let code = error.code().as_str();
        assert!(code.starts_with("module_") || code == "unsupported_operation", "{error}");
    }
});

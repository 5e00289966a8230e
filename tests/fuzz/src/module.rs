//! Any bytes as a module: refused with a documented code, or loaded and called within its limits. If its signatures can
//! be read, the module can be signed again, over the same content.
#![no_main]

use std::sync::OnceLock;

use adjudicate_core::Operation;
use adjudicate_sandbox::{Host, HostSettings, Limits};
use adjudicate_trust::{Credentials, SecretKey, sign, signature::MAX_SIGNATURES};
use libfuzzer_sys::fuzz_target;

fn host() -> &'static Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    HOST.get_or_init(|| {
        let limits = Limits { module_bytes: 64 << 10, fuel: 100_000, ..Limits::default() };
        Host::new(HostSettings { limits, instances: 1, ..HostSettings::default() })
            .expect("the settings are sound")
    })
}

fuzz_target!(|module: &[u8]| {
    check_signing(module);
    match host().load(module) {
        Ok(module) => {
            if let Err(error) = module.call(Operation::Evaluate, b"{}") {
                assert!(!error.code().starts_with("host_"), "{error}");
            }
        }
        Err(error) => {
            let code = error.code().as_str();
            assert!(code.starts_with("module_") || code == "unsupported_operation", "{error}");
        }
    }
});

fn check_signing(module: &[u8]) {
    let before = match Credentials::read(module) {
        Ok(credentials) => credentials,
        Err(error) => return assert!(error.code().as_str().starts_with("module_"), "{error}"),
    };
    if before.signatures().len() < MAX_SIGNATURES {
        let Ok(signed) = sign(module, &SecretKey::from_seed(&[1; 32])) else {
            // The module already has a good signature of this key. Only the corpus can contain one, because no other
            // program has the key.
            return assert!(!before.signatures().is_empty(), "what can be read can be signed");
        };
        let after = Credentials::read(&signed).expect("what was signed here can be read");
        assert_eq!(after.content_digest(), before.content_digest());
        assert_eq!(after.signatures().split_last().map(|(_, first)| first), Some(before.signatures()));
    }
}

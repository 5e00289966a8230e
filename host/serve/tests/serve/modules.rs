//! Modules, and a server with a store to put them in.

use std::path::Path;

use adjudicate_core::Operation;
use adjudicate_host::{ChangeReason, Composition, InstallOptions, SlotSettings, Slots, Store, TokenRole};
use adjudicate_sandbox::{Host, HostSettings, manifest};
use adjudicate_serve::{Native, Server, ServerSettings};
use tempfile::TempDir;

use crate::client::{Client, ENVELOPE, Reply, request};

/// A module that gives always this reply, after `before`.
pub(crate) fn replying(version: &str, reply: &str, before: &str) -> Vec<u8> {
    let bytes = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\{byte:02x}")).collect::<String>();
    let record = [1024_u32.to_le_bytes(), u32::try_from(reply.len()).unwrap().to_le_bytes()].concat();
    let text = format!(
        r#"(module (memory (export "memory") 2 16)
            (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
            (func (export "adjudicate_alloc") (param i32) (result i32) (i32.const 65536))
            (func (export "adjudicate_call") (param i32 i32 i32) (result i32) {before} (i32.const 16))
            (data (i32.const 16) "{}") (data (i32.const 1024) "{}"))"#,
        bytes(&record),
        bytes(reply.as_bytes())
    );
    let manifest = format!(r#"{{"abi":1,"name":"judge","version":"{version}","operations":["evaluate"]}}"#);
    manifest::append(&wat::parse_str(text).unwrap(), &manifest).unwrap()
}

/// Returns the engine's answer to the envelope with one more flag.
pub(crate) fn answer_with(flag: &str) -> String {
    let answer = Operation::Evaluate.call(ENVELOPE.as_bytes()).unwrap();
    answer.replacen(r#""risk_flags":[]"#, &format!(r#""risk_flags":["{flag}"]"#), 1)
}

/// A module that answers so.
pub(crate) fn flagging(version: &str, flag: &str) -> Vec<u8> {
    replying(version, &format!(r#"{{"ok":{}}}"#, answer_with(flag)), "")
}

/// A module that traps.
pub(crate) fn trapping(version: &str) -> Vec<u8> {
    replying(version, "{}", "(unreachable)")
}

/// A module that reports an error of its own, laid out over several lines.
pub(crate) fn reporting(version: &str) -> Vec<u8> {
    replying(version, "{\"error\":{\"code\":\"too_blue\",\n\"message\":\"too blue\",\"path\":\"\"}}", "")
}

/// A server with a store, and a token of each role.
pub(crate) struct TestStore {
    pub(crate) server: Server,
    pub(crate) slots: Slots,
    pub(crate) evaluate: String,
    pub(crate) admin: String,
    _directory: TempDir,
}

pub(crate) fn open(directory: &Path) -> Slots {
    let store = Store::open(&directory.join("store")).unwrap();
    let settings = HostSettings { cache: Some(store.cache().unwrap()), ..HostSettings::default() };
    Slots::open(store, Host::new(settings).unwrap()).unwrap()
}

/// Creates a slot in which this module is active.
pub(crate) fn activate(slots: &Slots, name: &str, settings: SlotSettings, module: &[u8]) {
    let terms = InstallOptions { slot: None, unsigned: true };
    let installed = slots.install(module, &terms).unwrap();
    let slot = slots.create(name, settings, &ChangeReason::default()).unwrap();
    slot.activate(Composition::new(installed.module.digest).unsigned(), &ChangeReason::default()).unwrap();
}

impl TestStore {
    pub(crate) fn new() -> Self {
        Self::with(ServerSettings::default())
    }

    pub(crate) fn with(settings: ServerSettings) -> Self {
        let directory = TempDir::new().unwrap();
        let slots = open(directory.path());
        let token =
            |name, role| slots.store().create_token(name, role, None, 0).unwrap().1.as_str().to_owned();
        let (evaluate, admin) = (token("evaluate", TokenRole::Evaluate), token("admin", TokenRole::Admin));
        let server = Server::start(settings, Native::default(), Some(slots.clone())).unwrap();
        Self { server, slots, evaluate, admin, _directory: directory }
    }

    /// The same, with a slot in which this module is active.
    pub(crate) fn deciding(module: &[u8]) -> Self {
        let place = Self::new();
        activate(&place.slots, "release", SlotSettings::default(), module);
        place
    }

    /// Asks with a token.
    pub(crate) fn ask(
        &self,
        token: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> Reply {
        let bearer = format!("Bearer {token}");
        let headers = [&[("authorization", bearer.as_str())], headers].concat();
        Client::to(self.server.address()).ask(request(method, path, &headers, body))
    }
}

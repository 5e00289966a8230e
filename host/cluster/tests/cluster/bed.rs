//! Hosts for tests, each with a store and slots that follow one cluster, and modules for them.

use std::{path::Path, time::Duration};

use adjudicate_cluster::{Cluster, ClusterSettings, Following};
use adjudicate_core::Operation;
use adjudicate_host::{
    ChangeReason, Composition, InstallOptions, Slot, SlotEntry, SlotSettings, Slots, Store, codes,
    trust::{SecretKey, sign},
};
use adjudicate_sandbox::{Digest, Host, HostSettings, manifest};
use tempfile::TempDir;

use crate::nats::{Nats, until};

/// A minimal envelope.
pub(crate) const ENVELOPE: &str = adjudicate_tests::envelope!();

/// The slot of most tests.
pub(crate) const SLOT: &str = "release";

pub(crate) fn settings(nats: &Nats) -> ClusterSettings {
    ClusterSettings { patience: Duration::from_secs(30), ..ClusterSettings::at(nats.url()) }
}

pub(crate) fn connect(nats: &Nats) -> Cluster {
    Cluster::connect(&settings(nats)).unwrap()
}

/// A signing key by number.
pub(crate) fn key(who: u8) -> SecretKey {
    SecretKey::from_seed(&[who; 32])
}

/// An unsigned module with the answer of the engine and a flag of its own.
pub(crate) fn unsigned(version: &str, flag: &str) -> Vec<u8> {
    let answer = Operation::Evaluate.call(ENVELOPE.as_bytes()).unwrap();
    let answer = answer.replacen(r#""risk_flags":[]"#, &format!(r#""risk_flags":["{flag}"]"#), 1);
    let reply = format!(r#"{{"ok":{answer}}}"#).into_bytes();
    let escape = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\{byte:02x}")).collect::<String>();
    let record = [1024_u32.to_le_bytes(), u32::try_from(reply.len()).unwrap().to_le_bytes()].concat();
    let text = format!(
        r#"(module (memory (export "memory") 2 16)
            (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
            (func (export "adjudicate_alloc") (param $len i32) (result i32) (i32.const 65536))
            (func (export "adjudicate_call") (param i32 i32 i32) (result i32) (i32.const 16))
            (data (i32.const 16) "{}")
            (data (i32.const 1024) "{}"))"#,
        escape(&record),
        escape(&reply)
    );
    let about = format!(r#"{{"abi":1,"name":"gate","version":"{version}","operations":["evaluate"]}}"#);
    manifest::append(&wat::parse_str(text).unwrap(), &about).unwrap()
}

/// The same module, signed.
pub(crate) fn signed(version: &str, flag: &str, who: u8) -> Vec<u8> {
    sign(&unsigned(version, flag), &key(who)).unwrap()
}

/// A trust policy with this key.
pub(crate) fn trusting(who: u8) -> String {
    format!(r#"{{"keys":[{{"name":"who","public_key":"{}"}}]}}"#, key(who).public())
}

/// A host that shares its slots. It trusts key 1 unless a test changes that.
pub(crate) struct Bed {
    pub(crate) cluster: Cluster,
    pub(crate) slots: Slots,
    pub(crate) following: Option<Following>,
    pub(crate) directory: TempDir,
}

impl Bed {
    pub(crate) fn join(nats: &Nats) -> Self {
        let bed = Self::alone(nats, tempfile::tempdir().unwrap());
        bed.slots.set_trust(None, &trusting(1)).unwrap();
        bed.following()
    }

    /// A host that does not follow yet.
    pub(crate) fn alone(nats: &Nats, directory: TempDir) -> Self {
        let cluster = connect(nats);
        let slots = open(&cluster, directory.path()).unwrap();
        Self { cluster, slots, following: None, directory }
    }

    pub(crate) fn following(mut self) -> Self {
        self.following = Some(self.cluster.follow(&self.slots).unwrap());
        self
    }

    pub(crate) fn store(&self) -> &Store {
        self.slots.store()
    }

    /// Creates the slot without an active module.
    pub(crate) fn create(&self) -> Slot {
        self.slots.create(SLOT, SlotSettings::default(), &ChangeReason::default()).unwrap()
    }

    pub(crate) fn install(&self, module: &[u8]) -> Digest {
        self.slots.install(module, &InstallOptions::default()).unwrap().module.digest
    }

    /// Installs a module and activates it.
    pub(crate) fn activate(&self, module: &[u8]) -> SlotEntry {
        let digest = self.install(module);
        self.slots.slot(SLOT).unwrap().activate(Composition::new(digest), &ChangeReason::default()).unwrap()
    }

    /// The number of the slot's entry; 0 if there is no slot.
    pub(crate) fn entry(&self) -> i64 {
        self.slots.slot(SLOT).map_or(0, |slot| slot.entry().id)
    }

    /// The flag of the slot's module.
    pub(crate) fn flag(&self) -> String {
        let decided = self.slots.slot(SLOT).and_then(|slot| {
            slot.call(Operation::Evaluate, ENVELOPE.as_bytes())
                .map_err(|error| adjudicate_core::Error::new(codes::HOST_FAULT, error.to_string()))
        });
        let text = decided.map_or_else(|error| error.to_string(), |decided| decided.text);
        let flags = text.split_once(r#""risk_flags":[""#).and_then(|(_, rest)| rest.split_once('"'));
        flags.map_or(text.clone(), |(flag, _)| flag.to_owned())
    }

    /// Waits until the entry is active and in the store.
    pub(crate) fn reaches(&self, entry: i64) {
        until(&format!("entry {entry}, {:?}", self.slots.problems()), || {
            self.entry() == entry && self.store().slot(SLOT).is_ok_and(|found| found.id == entry)
        });
    }

    /// The problem of the slot, or an empty text.
    pub(crate) fn problem(&self) -> String {
        self.slots.problems().get(SLOT).map(ToString::to_string).unwrap_or_default()
    }

    /// Waits until the slot has a problem with this text.
    pub(crate) fn is_troubled(&self, by: &str) {
        until(&format!("trouble `{by}`, not {:?}", self.slots.problems()), || self.problem().contains(by));
    }

    pub(crate) fn is_well(&self) {
        until(&format!("no trouble, not {:?}", self.slots.problems()), || self.slots.problems().is_empty());
    }
}

/// Opens the slots of a store that belongs to the cluster.
pub(crate) fn open(cluster: &Cluster, directory: &Path) -> Result<Slots, adjudicate_core::Error> {
    let store = Store::open(&directory.join("store"))?;
    let host =
        Host::new(HostSettings { cache: store.cache().ok(), instances: 2, ..HostSettings::default() })?;
    Slots::open_shared(store, host, cluster.ledger(), false)
}

/// Writes a value into the bucket directly. Returns its number.
pub(crate) fn put_raw(cluster: &Cluster, key: &str, value: impl Into<Vec<u8>>) -> i64 {
    let (jetstream, bucket, key, value) =
        (cluster.jetstream(), format!("{}-slots", cluster.name()), key.to_owned(), value.into());
    let number = cluster.handle().block_on(async move {
        jetstream.get_key_value(bucket).await.unwrap().put(key, value.into()).await.unwrap()
    });
    i64::try_from(number).unwrap()
}

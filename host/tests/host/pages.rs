//! Damaged pages of the database: the store reports an error, or decides as before.

use std::{collections::BTreeSet, fs, path::Path};

use adjudicate_core::{Error, Operation};
use adjudicate_host::{ChangeReason, InstallOptions, SlotSettings, Slots, Store};
use adjudicate_sandbox::{Digest, Host, HostSettings};

use crate::{
    guests::ENVELOPE,
    slots::{alone, flagging},
};

/// Damages to a page: zeros, noise, its old second half, another page.
const DAMAGES: [fn(&mut [u8], usize, usize); 4] = [
    |file, page, size| file[page * size..][..size].fill(0),
    |file, page, size| {
        let mut noise = 0x9e37_79b9_u32 + u32::try_from(page).unwrap();
        for byte in &mut file[page * size..][..size] {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = noise.to_be_bytes()[0];
        }
    },
    |file, page, size| file[page * size + size / 2..][..size / 2].fill(0),
    |file, page, size| {
        let other = (page + 1) % (file.len() / size);
        file.copy_within(other * size..(other + 1) * size, page * size);
    },
];

/// A store with a slot in which the second of two modules is active.
fn fill(path: &Path) -> Digest {
    let slots = open(path).unwrap();
    let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
    let settings = SlotSettings::parse(br#"{"records":{}}"#).unwrap();
    let slot = slots.create("release", settings, &ChangeReason::default()).unwrap();
    let mut active = None;
    for flag in ["one", "two"] {
        let digest = slots.install(&flagging("test", "1.0.0", flag), &terms).unwrap().module.digest;
        slot.activate(alone(digest), &ChangeReason::default()).unwrap();
        slot.call(Operation::Evaluate, ENVELOPE.as_bytes()).unwrap();
        active = Some(digest);
    }
    active.unwrap()
}

fn open(path: &Path) -> Result<Slots, Error> {
    let host = Host::new(HostSettings { instances: 1, ..HostSettings::default() }).unwrap();
    Slots::open(Store::open(path)?, host)
}

/// The modules that decided and their answer, or the code of the error.
fn decide(path: &Path) -> Result<(Vec<Digest>, String), String> {
    let code = |error: Error| error.code().as_str().to_owned();
    let slot = open(path).map_err(code)?.slot("release").map_err(code)?;
    let decided = slot.call(Operation::Evaluate, ENVELOPE.as_bytes());
    decided.map(|decided| (decided.modules, decided.text)).map_err(|error| error.code().to_owned())
}

#[test]
fn a_damaged_page_is_an_error_or_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let active = fill(&path);
    let whole = decide(&path).unwrap();
    assert_eq!(whole.0, [active]);
    let database = path.join("adjudicate.db");
    // All pages must be in the one file.
    let connection = rusqlite::Connection::open(&database).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(connection);
    let sound = fs::read(&database).unwrap();
    let size = usize::from(u16::from_be_bytes([sound[16], sound[17]]));
    let pages = sound.len() / size;
    assert!(pages > 10, "{pages} pages of {size} bytes");
    let (mut refused, mut codes) = (0, BTreeSet::new());
    for page in 0..pages {
        for damage in DAMAGES {
            let mut file = sound.clone();
            damage(&mut file, page, size);
            for log in ["adjudicate.db-wal", "adjudicate.db-shm"] {
                let _ = fs::remove_file(path.join(log));
            }
            fs::write(&database, file).unwrap();
            match decide(&path) {
                Ok(decided) => assert_eq!(decided, whole, "page {page}"),
                Err(code) => {
                    refused += 1;
                    codes.insert(code);
                }
            }
        }
    }
    // A row that is lost with its page is unknown.
    let known = ["store_fault", "unknown_module", "unknown_slot"];
    assert!(codes.iter().all(|code| known.contains(&code.as_str())), "{codes:?}");
    assert!(refused > pages, "{refused}");
}

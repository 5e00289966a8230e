//! Compiled modules on disk: which entries are used, and which are not.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use adjudicate_sandbox::{Cache, Host, HostSettings, Limits};
use tempfile::TempDir;

use crate::guests::{Parts, answer, ask, good};

fn host(directory: &Path) -> Host {
    let cache = Some(Cache::open(directory).unwrap());
    Host::new(HostSettings { cache, instances: 1, ..HostSettings::default() }).unwrap()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(directory).unwrap().map(|file| file.unwrap().path());
    let mut entries: Vec<_> = files.filter(|path| path.file_name().unwrap() != "key").collect();
    entries.sort();
    entries
}

/// A cache with the good module, and the path of its entry.
fn filled() -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    let cache = directory.path().join("cache");
    host(&cache).load(&good()).unwrap();
    let [entry] = &entries(&cache)[..] else { panic!("one entry") };
    (directory, entry.clone())
}

/// True if loading the module replaces the entry, because its content was not used.
fn is_replaced(entry: &Path) -> bool {
    let before = fs::metadata(entry).unwrap().ino();
    let module = host(entry.parent().unwrap()).load(&good()).unwrap();
    assert_eq!(ask(&module), Ok(answer()));
    before != fs::metadata(entry).unwrap().ino()
}

#[test]
fn a_good_entry_is_used() {
    let (_directory, entry) = filled();
    let long_ago = std::time::UNIX_EPOCH;
    fs::File::options().write(true).open(&entry).unwrap().set_modified(long_ago).unwrap();
    assert!(!is_replaced(&entry));
    assert!(!is_replaced(&entry));
    // A used entry stays longest.
    assert!(fs::metadata(&entry).unwrap().modified().unwrap() > long_ago);
}

#[test]
fn the_cache_is_for_its_owner_alone() {
    let (_directory, entry) = filled();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let cache = entry.parent().unwrap();
    assert_eq!((mode(cache), mode(&cache.join("key")), mode(&entry)), (0o700, 0o600, 0o600));
}

#[test]
fn damaged_entries_are_ignored_and_replaced() {
    let (_directory, entry) = filled();
    let whole = fs::read(&entry).unwrap();
    for damage in [
        whole[..whole.len() - 1].to_vec(),
        whole[..32].to_vec(),
        whole[..10].to_vec(),
        Vec::new(),
        [&whole[..], b"x"].concat(),
        flipped(&whole, 0),
        flipped(&whole, 40),
        flipped(&whole, whole.len() - 1),
        // A compiled module without a seal.
        whole[32..].to_vec(),
    ] {
        fs::write(&entry, &damage).unwrap();
        assert!(is_replaced(&entry));
        assert!(!is_replaced(&entry), "the replacement is good");
    }
}

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 1;
    bytes
}

#[test]
fn an_entry_of_another_module_is_ignored() {
    let (_directory, entry) = filled();
    let other = Parts { reply: br#"{"ok":{}}"#.to_vec(), ..Parts::default() }.build();
    host(entry.parent().unwrap()).load(&other).unwrap();
    let others = entries(entry.parent().unwrap());
    let other = others.iter().find(|path| **path != entry).unwrap();
    // The same cache sealed it for another module.
    fs::copy(other, &entry).unwrap();
    assert!(is_replaced(&entry));
}

#[test]
fn an_entry_of_another_cache_is_ignored() {
    let (_directory, entry) = filled();
    let (_elsewhere, foreign) = filled();
    assert_eq!(entry.file_name(), foreign.file_name());
    fs::copy(foreign, &entry).unwrap();
    assert!(is_replaced(&entry));
}

#[test]
fn an_entry_for_another_configuration_is_another_entry() {
    let (_directory, entry) = filled();
    let cache = entry.parent().unwrap();
    let module = good();
    let settings = HostSettings {
        cache: Some(Cache::open(cache).unwrap()),
        known_engines: [adjudicate_sandbox::Digest::sha256(&module)].into(),
        ..HostSettings::default()
    };
    Host::new(settings).unwrap().load(&module).unwrap();
    assert_eq!(entries(cache).len(), 2);
    let settings = HostSettings {
        cache: Some(Cache::open(cache).unwrap()),
        limits: Limits { fuel: 5_000_000, ..Limits::default() },
        ..HostSettings::default()
    };
    // Fuel is set at run time, not at compile time.
    Host::new(settings).unwrap().load(&module).unwrap();
    assert_eq!(entries(cache).len(), 2);
}

#[test]
fn a_damaged_key_invalidates_only_its_entries() {
    let (_directory, entry) = filled();
    let key = entry.with_file_name("key");
    for damage in [&b""[..], b"short", &[0; 65]] {
        fs::write(&key, damage).unwrap();
        assert!(is_replaced(&entry));
        assert_eq!(fs::read(&key).unwrap().len(), 64);
        assert!(!is_replaced(&entry));
    }
}

#[test]
fn a_cache_that_is_open_to_others_is_not_used() {
    let (_directory, entry) = filled();
    let cache = entry.parent().unwrap();
    for (path, mode, closed) in [(cache, 0o750, 0o700), (&cache.join("key"), 0o640, 0o600)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let error = Cache::open(cache).unwrap_err();
        assert!(error.message().contains("accessible to other users"), "{error}");
        fs::set_permissions(path, fs::Permissions::from_mode(closed)).unwrap();
        assert!(Cache::open(cache).is_ok());
    }
}

#[test]
fn a_key_that_is_a_link_is_not_followed() {
    let (_directory, entry) = filled();
    let key = entry.with_file_name("key");
    let elsewhere = entry.with_file_name("elsewhere");
    fs::rename(&key, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &key).unwrap();
    assert!(Cache::open(entry.parent().unwrap()).is_err());
}

#[test]
fn an_unusable_directory_is_an_error() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(Cache::open(&file).is_err());
    assert!(Cache::open(&file.join("below")).is_err());
}

#[test]
fn the_oldest_entries_go_and_no_other_files() {
    let directory = TempDir::new().unwrap();
    let cache = directory.path().join("cache");
    let host = host(&cache);
    for index in 0..70 {
        fs::write(cache.join(format!("{index}.cwasm-new")), "left over").unwrap();
        fs::write(cache.join(format!("{index}.txt")), "somebody's").unwrap();
    }
    host.load(&good()).unwrap();
    let ending = |ending: &str| {
        let left = entries(&cache).into_iter();
        left.filter(|path| path.extension().is_some_and(|extension| extension == ending)).count()
    };
    assert_eq!((ending("cwasm"), ending("cwasm-new"), ending("txt")), (1, 63, 70));
}

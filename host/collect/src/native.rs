//! Collections on the host of this process.

use std::{
    future::Future,
    path::{Path, PathBuf},
    pin::pin,
};

use adjudicate_evidence::collect::{OwnedConfiguration, OwnedStoredBaseline};

use crate::{
    CollectError, CollectOptions, Collected, Decided, collection, decide,
    host::Host,
    repository,
    system::{Step, System},
};

/// Collects the evidence, and returns the envelope. The state keeps the id and the base of the run, and spends nothing.
///
/// # Errors
///
/// [`CollectError`] if the state cannot be read or written, if another process collects in the same root, or if the base is no commit.
pub fn collect(
    root: &Path,
    configuration: &OwnedConfiguration,
    options: &CollectOptions<'_>,
) -> Result<Collected, CollectError> {
    let system = System::default();
    drive(&system, options, collection::collect(&system, root, configuration, options))
}

/// Returns the results of the validators on the base revision. They run unless the stored ones are of this base and configuration, or if
/// `again` is true.
///
/// # Errors
///
/// [`CollectError::Baseline`] if the base cannot be checked out, if the setup fails or if the host stops the validators. Errors of the
/// folder of the run, and of a base that is no commit.
pub fn baseline(
    root: &Path,
    configuration: &OwnedConfiguration,
    again: bool,
    options: &CollectOptions<'_>,
) -> Result<OwnedStoredBaseline, CollectError> {
    let system = System::default();
    drive(&system, options, crate::baseline::baseline(&system, root, configuration, again, options))
}

/// Collects the evidence, evaluates and refines it with the native engine, and stores the new state of the run. `policy` is the JSON text
/// of a policy document.
///
/// The new state is on the disk when this returns. So a decision that a caller has seen is always part of the state.
///
/// # Errors
///
/// Those of [`collect`], and [`CollectError::Document`] if the policy is damaged.
pub fn run(
    root: &Path,
    configuration: &OwnedConfiguration,
    policy: Option<&str>,
    options: &CollectOptions<'_>,
) -> Result<Decided, CollectError> {
    let system = System::default();
    drive(&system, options, decide::run(&system, root, configuration, policy, options))
}

/// Returns the configuration file of the nearest folder, from `folder` upwards. Its parent is the root.
///
/// # Errors
///
/// [`CollectError::NoConfiguration`] and [`CollectError::SeveralConfigurations`].
pub fn locate(folder: &Path) -> Result<PathBuf, CollectError> {
    let system = System::default();
    drive(&system, &CollectOptions::default(), repository::locate(&system, folder))
}

/// Answers the requests of a collection until it ends.
pub(crate) fn drive<T>(
    system: &System,
    options: &CollectOptions<'_>,
    collection: impl Future<Output = T>,
) -> T {
    let mut host = Host::new(options);
    let mut collection = pin!(collection);
    let mut answer = None;
    loop {
        match system.resume(collection.as_mut(), answer.take()) {
            Step::Call(request) => answer = Some(host.answer(request)),
            Step::End(end) => return end,
        }
    }
}

//! The reports of `push` and `pull`.

use adjudicate_core::document::Describe;
use adjudicate_host::Installed;
use adjudicate_registry::{self as registry, Reference};
use adjudicate_sandbox::{Digest, Inspection, manifest::ModuleVersion};
use serde::Serialize;

use crate::table::{BOLD, DIM, Line, PLAIN, Page, counted};

/// The report of a push.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct PushReport {
    /// The complete reference, with registry, repository, and tag or digest.
    reference: String,
    /// The digest of the module.
    digest: Digest,
    /// The digest of the manifest in the registry, which names this module for good.
    manifest_digest: Digest,
    /// The size of the module in bytes.
    bytes: usize,
    /// The name in the module's manifest.
    name: String,
    /// The version in the module's manifest.
    #[document(described = "ModuleVersion")]
    version: String,
    /// True if the tag already named this manifest, so that nothing was sent.
    unchanged: bool,
    /// The digest of the other manifest that the tag named before; null if it named none.
    replaced: Option<String>,
}

impl PushReport {
    /// Returns the report; `before` is the digest that the tag named before.
    pub(super) fn new(
        reference: &Reference,
        module: &Inspection,
        registry::Pushed { manifest, before }: registry::Pushed,
    ) -> Self {
        let manifest_text = manifest.to_string();
        Self {
            reference: reference.to_string(),
            digest: module.digest,
            manifest_digest: manifest,
            bytes: module.bytes,
            name: module.manifest.name.to_string(),
            version: module.manifest.version.to_string(),
            unchanged: before.as_ref() == Some(&manifest_text),
            replaced: before.filter(|before| *before != manifest_text),
        }
    }

    pub(super) fn page(&self) -> Page {
        let done = if self.unchanged { "UNCHANGED" } else { "PUSHED" };
        let mut page = head(done, &self.reference, self.digest, self.manifest_digest);
        if let Some(replaced) = &self.replaced {
            page.row("before", replaced);
        }
        about(&mut page, &self.name, &self.version, self.bytes);
        page
    }
}

/// The report of a pull.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct PullReport {
    /// The complete reference, with registry, repository, and tag or digest.
    reference: String,
    /// The digest of the module.
    digest: Digest,
    /// The digest of the manifest in the registry, which names this module for good.
    manifest_digest: Digest,
    /// The size of the module in bytes.
    bytes: usize,
    /// The name in the module's manifest.
    name: String,
    /// The version in the module's manifest.
    #[document(described = "ModuleVersion")]
    version: String,
    /// The file of the module, as the arguments name it; null without `--output`.
    pub(super) file: Option<String>,
    /// The report of the installation; null without `--install`.
    pub(super) installed: Option<Installed>,
}

impl PullReport {
    pub(super) fn new(reference: &Reference, module: &Inspection, manifest: Digest) -> Self {
        Self {
            reference: reference.to_string(),
            digest: module.digest,
            manifest_digest: manifest,
            bytes: module.bytes,
            name: module.manifest.name.to_string(),
            version: module.manifest.version.to_string(),
            file: None,
            installed: None,
        }
    }

    pub(super) fn page(&self) -> Page {
        let mut page = head("PULLED", &self.reference, self.digest, self.manifest_digest);
        about(&mut page, &self.name, &self.version, self.bytes);
        if let Some(file) = &self.file {
            page.row("file", file);
        }
        if let Some(installed) = &self.installed {
            let news = if installed.is_new { "installed" } else { "was installed before" };
            let tests = counted(installed.tests, "test");
            page.row("state", &format!("{news}, {tests} of its own passed"));
        }
        page
    }
}

fn head(done: &str, reference: &str, module: Digest, manifest: Digest) -> Page {
    let mut page = Page::default();
    page.push(Line::at(0).text(done, BOLD).text(reference, PLAIN));
    page.gap();
    // A digest is 71 columns wide. It stays on one line, so that it can be copied.
    page.push(Line::at(0).label("module", DIM, 9).text(&module.to_string(), PLAIN));
    page.push(Line::at(0).label("manifest", DIM, 9).text(&manifest.to_string(), PLAIN));
    page.gap();
    page
}

fn about(page: &mut Page, name: &str, version: &str, bytes: usize) {
    page.row("module", &format!("{name} {version}"));
    page.row("size", &format!("{bytes} bytes"));
}

//! What the verbs of registries print.

use adjudicate_host::Installed;
use adjudicate_registry::{self as registry, Reference};
use adjudicate_sandbox::{Digest, Inspection};
use serde::Serialize;

use crate::table::{BOLD, DIM, Line, PLAIN, Page, counted};

/// What a push came to.
#[derive(Debug, Serialize)]
pub(super) struct Pushed {
    reference: String,
    /// Of the module.
    digest: Digest,
    manifest_digest: Digest,
    /// Of the module.
    bytes: usize,
    name: String,
    version: String,
    /// Whether the tag named this very manifest before, so that nothing was sent.
    unchanged: bool,
    /// The digest of the other manifest that the tag named before.
    replaced: Option<String>,
}

impl Pushed {
    /// The report on a module under a tag that named this before.
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
            name: module.manifest.name.clone(),
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

/// What a pull came to.
#[derive(Debug, Serialize)]
pub(super) struct Pulled {
    reference: String,
    /// Of the module.
    digest: Digest,
    manifest_digest: Digest,
    /// Of the module.
    bytes: usize,
    name: String,
    version: String,
    /// Where it was written.
    pub(super) file: Option<String>,
    /// What `install` says, if it was installed.
    pub(super) installed: Option<Installed>,
}

impl Pulled {
    pub(super) fn new(reference: &Reference, module: &Inspection, manifest: Digest) -> Self {
        Self {
            reference: reference.to_string(),
            digest: module.digest,
            manifest_digest: manifest,
            bytes: module.bytes,
            name: module.manifest.name.clone(),
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
    // A digest is 71 columns wide and is copied as a whole.
    page.push(Line::at(0).label("module", DIM, 9).text(&module.to_string(), PLAIN));
    page.push(Line::at(0).label("manifest", DIM, 9).text(&manifest.to_string(), PLAIN));
    page.gap();
    page
}

fn about(page: &mut Page, name: &str, version: &str, bytes: usize) {
    page.row("module", &format!("{name} {version}"));
    page.row("size", &format!("{bytes} bytes"));
}

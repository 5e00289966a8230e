//! The table of a module.

use adjudicate_core::Operation;
use adjudicate_sandbox::{Inspection, manifest::ABI};
use adjudicate_trust::{Credentials, KeyId};

use super::SignatureJson;
use crate::table::{BOLD, Line, PLAIN, Page, counted};

/// Returns the table of an inspection.
pub(super) fn page(inspection: &Inspection, credentials: &Credentials) -> Page {
    let manifest = &inspection.manifest;
    let mut page = Page::default();
    page.push(Line::at(0).text(&manifest.name, BOLD).text(&manifest.version.to_string(), PLAIN));
    if let Some(description) = &manifest.description {
        page.push(Line::at(0).text(description, PLAIN));
    }
    page.gap();
    page.digest("digest", &inspection.digest.to_string());
    let mut row = |label: &str, line_text: &str| page.row(label, line_text);
    row("size", &format!("{} bytes, {}", inspection.bytes, counted(inspection.functions, "function")));
    row(
        "memory",
        &format!("{} to {}", kib(inspection.memory.initial_bytes), kib(inspection.memory.maximum_bytes)),
    );
    row("interface", &ABI.to_string());
    row(
        "operations",
        &manifest
            .operations
            .iter()
            .map(|operation: &Operation| operation.name())
            .collect::<Vec<_>>()
            .join(", "),
    );
    if let Some(engine) = &manifest.engine {
        row("engine", &format!("{} {}", engine.name.0, engine.version));
    }
    if let Some(policy) = &manifest.policy {
        row(
            "policy",
            &format!(
                "{} {}, {}, {}",
                policy.name.0,
                policy.version,
                counted(policy.rules.len(), "rule"),
                policy.digest
            ),
        );
    }
    if let Some(license) = &manifest.license {
        row("licence", license);
    }
    match manifest.tests() {
        Ok(tests) => row("tests", &tests.len().to_string()),
        Err(error) => row("tests", &format!("malformed at {}: {}", error.path(), error.message())),
    }
    row("exports", &inspection.exports.join(", "));
    signatures(&mut page, &SignatureJson::all(credentials));
    page
}

fn kib(bytes: u64) -> String {
    format!("{} KiB", bytes >> 10)
}

/// Adds the row with the keys that the signatures name.
pub(crate) fn signatures(page: &mut Page, signatures: &[SignatureJson]) {
    let id = |key: Option<KeyId>| key.map_or_else(|| "(unnamed)".to_owned(), |id| id.to_string());
    let ids: Vec<_> = signatures.iter().map(|SignatureJson { key }| id(*key)).collect();
    let line_text = if ids.is_empty() { "none".to_owned() } else { ids.join(", ") };
    page.row("signed by", &line_text);
}

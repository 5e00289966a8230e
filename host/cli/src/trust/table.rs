//! The tables of keys, signatures and verdicts.

use adjudicate_trust::{Grounds, Standing, TrustVerdict};

use super::report::{KeyPair, SignReport};
use crate::{
    inspect::signatures,
    table::{BOLD, DIM, Line, PLAIN, Page, counted},
};

/// The column of labelled text.
const HANG: usize = 12;

/// Returns the table of a new key pair.
pub(super) fn key_pair(pair: &KeyPair) -> Page {
    let mut page = Page::default();
    page.push(Line::at(0).text(&pair.key.name, BOLD));
    page.gap();
    page.row("id", &pair.key.id.to_string());
    page.row("public key", &pair.key.public_key);
    page.row("private", &pair.private_file);
    page.row("public", &pair.public_file);
    page
}

/// Returns the table of a signed module.
pub(super) fn signed(report: &SignReport) -> Page {
    let mut page = Page::default();
    page.push(Line::at(0).text("SIGNED", BOLD).text(&report.file, PLAIN));
    page.gap();
    page.digest("digest", &report.digest.to_string());
    page.digest("content", &report.content_digest.to_string());
    signatures(&mut page, &report.signatures);
    page
}

/// Returns the table of a verdict.
pub(super) fn verdict(verdict: &TrustVerdict) -> Page {
    let mut page = Page::default();
    let version = verdict.version.to_string();
    page.push(Line::at(0).text("TRUSTED", BOLD).text(&verdict.name, PLAIN).text(&version, PLAIN));
    let grounds = match verdict.accepted {
        Grounds::Signatures => {
            let threshold = counted(verdict.threshold, "trusted signature");
            format!("{threshold} asked for, {} counted", verdict.counted)
        }
        Grounds::Pin => "the digest is pinned; no signature is required".to_owned(),
        Grounds::Unsigned => "it has no signature; none is required".to_owned(),
    };
    page.push(Line::at(0).text(&grounds, PLAIN));
    page.gap();
    page.digest("digest", &verdict.digest.to_string());
    page.digest("content", &verdict.content_digest.to_string());
    if verdict.pinned == Some(true) {
        page.row("pinned", "yes");
    }
    if let Some(least) = &verdict.minimum_version {
        page.row("least", &least.to_string());
    }
    if !verdict.signatures.is_empty() {
        page.heading("Signatures");
    }
    for signature in &verdict.signatures {
        let id = signature.key.map_or_else(|| "(unnamed)".to_owned(), |id| id.to_string());
        let line = Line::at(2).label(word(signature.standing), BOLD, 2 + HANG);
        let line = signature.name.iter().fold(line, |line, name| line.text(name, PLAIN));
        page.push(line.text(&id, DIM));
    }
    page
}

fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Counted => "counted",
        Standing::Repeated => "repeated",
        Standing::NotYetValid => "early",
        Standing::Expired => "expired",
        Standing::Revoked => "revoked",
        Standing::Unknown => "unknown",
    }
}

//! The reports of the commands of the store.

use adjudicate_core::{
    document::Describe,
    json::{self, ReadLimits},
};
use adjudicate_host::{
    ComposedModule, Composition, DeletedSlot, DifferenceList, History, Installed, InstalledModule, Removals,
    ShadowDifference, SlotAction, SlotEntry, Uninstalled, trust::TrustPolicy,
};
use adjudicate_sandbox::Digest;
use serde::Serialize;

use crate::{
    layout,
    table::{BOLD, DIM, Line, PLAIN, Page, counted, format_time, value},
};

/// The column of labelled text.
const HANG: usize = 12;

/// A report. Its JSON is an object.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum StoreReport<'a> {
    Installed(&'a Installed),
    List(StoreContent),
    Entry(&'a SlotEntry),
    Deleted(&'a DeletedSlot),
    Uninstalled(&'a Uninstalled),
    Collected(&'a Removals),
    History(History),
    Differences(DifferenceList),
    Trust(ActiveTrust),
}

/// The modules and the slots of a store.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct StoreContent {
    /// The modules, by name, version and digest.
    pub(super) modules: Vec<InstalledModule>,
    /// The current entry of each slot, by the name of the slot.
    pub(super) slots: Vec<SlotEntry>,
}

/// The trust policy that applies.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct ActiveTrust {
    /// The document as it was set; null if there is none, and no key is trusted.
    #[document(described = "TrustPolicy")]
    pub(super) trust: Option<serde_json::Value>,
}

impl StoreReport<'_> {
    /// Returns the report for humans.
    pub(super) fn page(&self) -> Page {
        let mut page = Page::default();
        match self {
            Self::Installed(installed) => {
                module(&mut page, &installed.module);
                let news = if installed.is_new { "installed" } else { "was installed before" };
                let tests = counted(installed.tests, "test");
                row(&mut page, "state", &format!("{news}, {tests} of its own passed"));
            }
            Self::List(StoreContent { modules, slots }) => {
                page.push(Line::at(0).text("Modules", BOLD));
                modules.iter().for_each(|each| module(&mut page, each));
                page.heading("Slots");
                slots.iter().for_each(|each| entry(&mut page, each));
            }
            Self::Entry(each) => entry(&mut page, each),
            Self::Deleted(DeletedSlot { deleted }) => {
                entry(&mut page, deleted);
                row(&mut page, "state", "deleted");
            }
            Self::Uninstalled(Uninstalled { uninstalled }) => {
                module(&mut page, uninstalled);
                row(&mut page, "state", "uninstalled");
            }
            Self::Collected(collected) => collection(&mut page, collected),
            Self::History(History { history }) => history.iter().for_each(|each| entry(&mut page, each)),
            Self::Differences(DifferenceList { differences }) if differences.is_empty() => {
                page.push(Line::at(0).text("no differences", DIM));
            }
            Self::Differences(DifferenceList { differences }) => {
                differences.iter().for_each(|each| difference(&mut page, each))
            }
            Self::Trust(ActiveTrust { trust }) => {
                let json = layout::json(trust);
                return json::read(json.as_bytes(), ReadLimits::ANSWER)
                    .map_or_else(|_| Page::default(), |tape| value(Some(tape.root())));
            }
        }
        page
    }
}

fn row(page: &mut Page, label: &str, line_text: &str) {
    page.push(Line::at(2).label(label, DIM, HANG + 2).text(line_text, PLAIN));
}

fn module(page: &mut Page, module: &InstalledModule) {
    page.push(Line::at(0).text(&module.name, BOLD).text(&module.version.to_string(), PLAIN));
    // A digest is 71 columns wide. It stays on one line, so that it can be copied.
    page.push(Line::at(2).label("digest", DIM, 9).text(&module.digest.to_string(), PLAIN));
    row(page, "installed", &format!("{}, {} bytes", format_time(module.installed_at), module.bytes));
}

fn collection(page: &mut Page, collected: &Removals) {
    let Removals { dry_run, modules, differences, compiled, bytes, freed } = collected;
    modules.iter().for_each(|each| module(page, each));
    let heading = if *dry_run { "Would be removed" } else { "Removed" };
    page.push(Line::at(0).text(heading, BOLD));
    row(page, "modules", &modules.len().to_string());
    row(page, "compiled", &counted(compiled, "file"));
    row(page, "differences", &differences.to_string());
    row(page, "bytes", &bytes.to_string());
    if !dry_run {
        row(page, "freed", &format!("{freed} bytes of the file system"));
    }
}

fn entry(page: &mut Page, entry: &SlotEntry) {
    let head = Line::at(0).text(&entry.slot, BOLD).text(&format!("entry {}", entry.id), PLAIN);
    page.push(head.text(&format!("{} {}", done(entry.action), format_time(entry.at)), DIM));
    if !entry.note.is_empty() {
        row(page, "note", &entry.note);
    }
    match &entry.state.active {
        Some(active) => row(page, "active", &composition(active)),
        None => row(page, "active", "none"),
    }
    if let Some(shadow) = &entry.state.shadow {
        row(page, "shadow", &composition(shadow));
    }
    if let Some(canary) = &entry.state.canary {
        row(
            page,
            "canary",
            &format!("{} of 1000 runs: {}", canary.permille, composition(&canary.composition)),
        );
    }
}

/// Returns the words for a kind of change.
fn done(action: SlotAction) -> &'static str {
    match action {
        SlotAction::Configure => "configured",
        SlotAction::Activate => "activated",
        SlotAction::Shadow => "shadow set",
        SlotAction::Canary => "canary set",
        SlotAction::Rollback => "rolled back",
        SlotAction::AutomaticRollback => "rolled back by the host",
        SlotAction::CanaryWithdrawn => "canary withdrawn by the host",
    }
}

fn composition(composition: &Composition) -> String {
    let member = |member: &ComposedModule| {
        let unsigned = if member.unsigned { " (needs no signature)" } else { "" };
        format!("{}{unsigned}", short(member.module))
    };
    let mut line_text = member(&composition.base);
    if let Some(overriding) = &composition.overrides {
        line_text += &format!(", overridden by {}", member(overriding));
    }
    for restricting in &composition.restrictions {
        line_text += &format!(", restricted by {}", member(restricting));
    }
    line_text
}

/// Returns the beginning of a digest. It names a module, unless another digest begins with it, too.
fn short(digest: Digest) -> String {
    digest.to_string().chars().take("sha256:".len() + 12).collect()
}

fn difference(page: &mut Page, difference: &ShadowDifference) {
    let run = difference.run_id.as_deref().unwrap_or("no run");
    page.push(
        Line::at(0).text(run, BOLD).text(&difference.operation, PLAIN).text(&format_time(difference.at), DIM),
    );
    row(page, "answer", &difference.answer);
    row(page, "shadow", &difference.shadow);
    row(page, "input", &difference.input);
}

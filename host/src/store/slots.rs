//! Slots and their histories. A change adds a row and moves the slot's pointer to it.

use adjudicate_core::{
    Error,
    document::{self, Document},
    json::ReadLimits,
};
use rusqlite::{Row, Transaction, params};
use semver::Version;

use super::{Aborted, Store, cluster, first_row, modules, rows, unreadable};
use crate::{
    codes,
    history::{Composition, SlotAction, SlotEntry, SlotSettings, SlotState, check_name},
};

/// The highest version of a module's name that was active in a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActiveVersion {
    pub(crate) name: String,
    pub(crate) version: Version,
}

/// The new entry that a change makes.
#[derive(Clone, Debug)]
pub(crate) struct SlotChange {
    pub(crate) action: SlotAction,
    pub(crate) note: String,
    pub(crate) state: SlotState,
    pub(crate) settings: SlotSettings,
    /// The versions that become active.
    pub(crate) active_versions: Vec<ActiveVersion>,
}

pub(super) const ENTRY: &str =
    "SELECT h.id, h.slot, h.at, h.action, h.note, h.state, h.settings, h.unjudged FROM history h";

impl Store {
    /// The largest number of slots in a store, because each is loaded, watched and measured.
    pub const MOST_SLOTS: usize = 4096;

    /// The current entry of each slot, by name.
    ///
    /// # Errors
    ///
    /// [`codes::STORE_FAULT`] if the store cannot be read.
    pub fn slots(&self) -> Result<Vec<SlotEntry>, Error> {
        let sql = format!("{ENTRY} JOIN slots s ON s.entry = h.id ORDER BY s.name");
        self.read(|read| Ok(rows(read, &sql, [], entry)?))
    }

    /// The current entry of a slot.
    ///
    /// # Errors
    ///
    /// [`codes::UNKNOWN_SLOT`] if there is none; [`codes::STORE_FAULT`].
    pub fn slot(&self, name: &str) -> Result<SlotEntry, Error> {
        self.find_slot(name)?.ok_or_else(|| unknown_slot(name))
    }

    /// The history of a slot, latest entry first.
    ///
    /// # Errors
    ///
    /// [`codes::UNKNOWN_SLOT`] if there is none; [`codes::STORE_FAULT`].
    pub fn history(&self, slot: &str, most: u32) -> Result<Vec<SlotEntry>, Error> {
        let sql = format!("{ENTRY} WHERE h.slot = ?1 ORDER BY h.id DESC LIMIT ?2");
        let entries = self.read(|read| Ok(rows(read, &sql, params![slot, most], entry)?))?;
        if entries.is_empty() && most > 0 { Err(unknown_slot(slot)) } else { Ok(entries) }
    }

    /// An entry of a slot's history.
    ///
    /// # Errors
    ///
    /// [`codes::UNKNOWN_VERSION`] if there is none; [`codes::STORE_FAULT`].
    pub fn entry(&self, slot: &str, id: i64) -> Result<SlotEntry, Error> {
        let sql = format!("{ENTRY} WHERE h.slot = ?1 AND h.id = ?2");
        let found = self.read(|read| Ok(first_row(read, &sql, params![slot, id], entry)?))?;
        found.ok_or_else(|| {
            Error::new(codes::UNKNOWN_VERSION, format!("the history of the slot `{slot}` has no entry {id}"))
        })
    }

    /// Rejects a new slot if the store has as many as it may have.
    pub(crate) fn check_room(&self, slot: &str) -> Result<(), Error> {
        self.read(|read| check_room(read, slot))
    }

    /// The current entry of a slot, if the slot exists.
    pub(crate) fn find_slot(&self, name: &str) -> Result<Option<SlotEntry>, Error> {
        self.read(|read| Ok(current(read, name)?))
    }

    /// The candidates for a rollback from this entry, each with whether this host judged it. The first is the latest earlier entry
    /// with another active composition that no rollback replaced since and that is not in `passed`. While the candidates are not
    /// judged, further ones follow. So a second rollback does not lead to the version that the first one left.
    pub(crate) fn entries_before(
        &self,
        slot: &str,
        than: &SlotEntry,
        passed: &[Composition],
    ) -> Result<Vec<(SlotEntry, bool)>, Error> {
        self.read(|read| entries_before(read, slot, than, passed))
    }

    /// The highest version of a module's name that was active in the slot.
    pub(crate) fn height(&self, slot: &str, name: &str) -> Result<Option<Version>, Error> {
        self.read(|read| Ok(height(read, slot, name)?))
    }

    /// Changes a slot. `change` gets the current entry and returns the new one. It decides inside of the transaction, so concurrent
    /// changes do not overwrite each other. For slots of a ledger, see [`Store::store_entry`].
    pub(crate) fn change_slot(
        &self,
        slot: &str,
        now: i64,
        change: impl FnOnce(Option<&SlotEntry>) -> Result<SlotChange, Error>,
    ) -> Result<SlotEntry, Error> {
        check_name(slot)?;
        self.write(|transaction| {
            cluster::check(transaction, None)?;
            check_room(transaction, slot)?;
            let before = current(transaction, slot)?;
            let SlotChange { action, note, state, settings, active_versions } = change(before.as_ref())?;
            check_members(transaction, before.as_ref(), &state)?;
            let slot = slot.to_owned();
            let mut entry = SlotEntry { id: 0, slot, at: now, action, note, state, settings };
            entry.id = insert(transaction, None, &entry, false)?;
            point(transaction, &entry.slot, entry.id)?;
            raise(transaction, &entry.slot, &active_versions)?;
            Ok(entry)
        })
    }
}

/// The changes that replace a composition because it is worse than an earlier one.
const GIVING_UP: [SlotAction; 2] = [SlotAction::Rollback, SlotAction::AutomaticRollback];

/// See [`Store::entries_before`].
pub(super) fn entries_before(
    read: &Transaction<'_>,
    slot: &str,
    than: &SlotEntry,
    passed: &[Composition],
) -> Result<Vec<(SlotEntry, bool)>, Aborted> {
    let sql = format!("{ENTRY} WHERE h.slot = ?1 AND h.id <= ?2 ORDER BY h.id DESC");
    let mut found = read.prepare_cached(&sql)?;
    let (mut given_up, mut was_given_up) = (passed.to_vec(), false);
    let mut rows = found.query(params![slot, than.id])?;
    let (mut last, mut last_was_judged, mut before) = (String::new(), true, Vec::new());
    while let Some(row) = rows.next()? {
        let text = |column| Ok::<_, rusqlite::Error>(row.get_ref(column)?.as_str()?);
        let (action, state) = (text(3)?, text(5)?);
        // A slot may be configured a thousand times with the same state. Only another state counts, or the fact that this state was
        // judged.
        let says_more = !last_was_judged && is_judged(row)?;
        let gives_up = GIVING_UP.iter().any(|giving_up| action == giving_up.as_str());
        if !was_given_up && state == last && !gives_up && !says_more {
            continue;
        }
        state.clone_into(&mut last);
        last_was_judged = is_judged(row)?;
        let (entry, is_judged) = (entry(row)?, is_judged(row)?);
        let Some(active) = &entry.state.active else {
            was_given_up |= gives_up;
            continue;
        };
        if was_given_up {
            given_up.push(active.clone());
        }
        was_given_up = gives_up;
        let is_other = entry.id < than.id && Some(active) != than.state.active.as_ref();
        if is_other && !given_up.contains(active) {
            before.push((entry, is_judged));
            if is_judged {
                break;
            }
        }
    }
    Ok(before)
}

/// Rejects a new slot if the store has as many as it may have.
pub(super) fn check_room(read: &Transaction<'_>, slot: &str) -> Result<(), Aborted> {
    if read.prepare_cached("SELECT 1 FROM slots WHERE name = ?1")?.exists([slot])? {
        return Ok(());
    }
    let count: u32 = read.prepare_cached("SELECT count(*) FROM slots")?.query_row([], |row| row.get(0))?;
    if usize::try_from(count).is_ok_and(|count| count < Store::MOST_SLOTS) {
        return Ok(());
    }
    let message = format!(
        "the store has {count} slots, so `{slot}` cannot be added; the limit is {}",
        Store::MOST_SLOTS
    );
    Err(Error::new(codes::LIMIT_EXCEEDED, message).into())
}

/// Rejects a state with a module that was removed after it was judged. Modules of the previous state need no check: the slot needs
/// them, so they cannot be removed.
pub(super) fn check_members(
    read: &Transaction<'_>,
    before: Option<&SlotEntry>,
    next: &SlotState,
) -> Result<(), Aborted> {
    let known: Vec<_> = before.iter().flat_map(|before| before.state.modules()).collect();
    let fresh = next.modules().filter(|module| !known.contains(module));
    match modules::lacking(read, fresh)?.first() {
        None => Ok(()),
        Some(module) => {
            let message = format!("the module {module} was removed at the same time; nothing was changed");
            Err(Error::new(codes::UNKNOWN_MODULE, message).into())
        }
    }
}

/// Stores an entry under this number, or under the next one. Returns the number.
pub(super) fn insert(
    change: &Transaction<'_>,
    id: Option<i64>,
    entry: &SlotEntry,
    unjudged: bool,
) -> Result<i64, Aborted> {
    let [state, settings] = [serde_json::to_string(&entry.state), serde_json::to_string(&entry.settings)];
    let unwritable = |error: serde_json::Error| {
        Error::caused_by(codes::STORE_FAULT, "a slot's state cannot be written", error)
    };
    change.execute(
        "INSERT INTO history (id, slot, at, action, note, state, settings, unjudged)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            id,
            entry.slot,
            entry.at,
            entry.action.as_str(),
            entry.note,
            state.map_err(unwritable)?,
            settings.map_err(unwritable)?,
            unjudged
        ],
    )?;
    Ok(change.last_insert_rowid())
}

/// Makes an entry of the history the current one.
pub(super) fn point(change: &Transaction<'_>, slot: &str, id: i64) -> Result<(), rusqlite::Error> {
    let sql = "INSERT INTO slots (name, entry) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET entry = ?2";
    change.execute(sql, params![slot, id]).map(drop)
}

/// Records the active versions that are higher than before.
pub(super) fn raise(
    change: &Transaction<'_>,
    slot: &str,
    active_versions: &[ActiveVersion],
) -> Result<(), rusqlite::Error> {
    for ActiveVersion { name, version } in active_versions {
        if height(change, slot, name)?.is_none_or(|highest| highest < *version) {
            change.execute(
                "INSERT INTO heights (slot, name, version) VALUES (?1, ?2, ?3)
                 ON CONFLICT (slot, name) DO UPDATE SET version = ?3",
                params![slot, name, version.to_string()],
            )?;
        }
    }
    Ok(())
}

pub(super) fn current(read: &Transaction<'_>, slot: &str) -> Result<Option<SlotEntry>, rusqlite::Error> {
    first_row(read, &format!("{ENTRY} JOIN slots s ON s.entry = h.id WHERE s.name = ?1"), [slot], entry)
}

/// The entry with this number in any slot.
pub(super) fn numbered(read: &Transaction<'_>, id: i64) -> Result<Option<SlotEntry>, rusqlite::Error> {
    first_row(read, &format!("{ENTRY} WHERE h.id = ?1"), [id], entry)
}

fn height(read: &Transaction<'_>, slot: &str, name: &str) -> Result<Option<Version>, rusqlite::Error> {
    let sql = "SELECT name, version FROM heights WHERE slot = ?1 AND name = ?2";
    Ok(first_row(read, sql, [slot, name], height_of)?.map(|height| height.version))
}

/// A name and a version from a row.
pub(super) fn height_of(row: &Row<'_>) -> Result<ActiveVersion, rusqlite::Error> {
    let text: String = row.get(1)?;
    let version = Version::parse(&text).map_err(|error| unreadable(1, error))?;
    Ok(ActiveVersion { name: row.get(0)?, version })
}

/// True if this host judged the entry of a row of [`ENTRY`].
pub(super) fn is_judged(row: &Row<'_>) -> Result<bool, rusqlite::Error> {
    row.get::<_, bool>(7).map(std::ops::Not::not)
}

pub(super) fn entry(row: &Row<'_>) -> Result<SlotEntry, rusqlite::Error> {
    let [action, state, settings] = [row.get::<_, String>(3)?, row.get(5)?, row.get(6)?];
    let action = SlotAction::ALL.iter().copied().find(|known| known.as_str() == action);
    Ok(SlotEntry {
        id: row.get(0)?,
        slot: row.get(1)?,
        at: row.get(2)?,
        action: action.ok_or_else(|| unreadable(3, "no such action"))?,
        note: row.get(4)?,
        state: document(5, &state)?,
        settings: document(6, &settings)?,
    })
}

pub(super) fn document<T: for<'t> Document<'t>>(column: usize, text: &str) -> Result<T, rusqlite::Error> {
    document::parse(text.as_bytes(), ReadLimits::ANSWER).map_err(|error| unreadable(column, error))
}

pub(crate) fn unknown_slot(name: &str) -> Error {
    let shown: String = name.chars().take(64).collect();
    Error::new(codes::UNKNOWN_SLOT, format!("unknown slot `{shown}`"))
}

#[cfg(test)]
mod tests {
    use adjudicate_sandbox::Digest;

    use super::*;

    #[test]
    fn documents_of_earlier_versions_are_read() {
        let module = Digest::sha256(b"");
        let composition = format!(r#"{{"base":{{"module":"{module}","unsigned":true}}}}"#);
        let state =
            format!(r#"{{"active":{composition},"canary":{{"composition":{composition},"permille":7}}}}"#);
        let state: SlotState = document(5, &state).unwrap();
        assert_eq!(state.active, Some(Composition::new(module).unsigned()));
        assert_eq!(document::<SlotState>(5, "{}").unwrap(), SlotState::default());
        // The first version had no records and accepted rates of faults that are now rejected.
        let settings = r#"{"on_fault":"fail_closed","limits":{"fuel":5},"rollback":{"faults":1,"calls":1}}"#;
        let read: SlotSettings = document(6, settings).unwrap();
        assert_eq!((read.limits.fuel, read.rollback.map(|rate| rate.calls)), (Some(5), Some(1)));
        assert!(SlotSettings::parse(settings.as_bytes()).is_err());
        let error = document::<SlotState>(5, r#"{"active":7}"#).unwrap_err();
        assert!(error.to_string().contains("index: 5"), "{error}");
    }
}

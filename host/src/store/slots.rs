//! Slots and their history: a change is one more row, and one pointer to it.

use adjudicate_core::Error;
use adjudicate_sandbox::Digest;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use semver::Version;

use super::{Aborted, Store, blob::Blob, cluster, unreadable};
use crate::{
    codes,
    history::{Action, Composition, Entry, SlotSettings, State, check_name},
};

/// The highest version of a module's name that was in force in a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Height {
    pub(crate) name: String,
    pub(crate) version: Version,
}

/// What a change makes of a slot.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) action: Action,
    pub(crate) note: String,
    pub(crate) state: State,
    pub(crate) settings: SlotSettings,
    /// The modules that are in force with it.
    pub(crate) heights: Vec<Height>,
}

pub(super) const ENTRY: &str =
    "SELECT h.id, h.slot, h.at, h.action, h.note, h.state, h.settings, h.unjudged FROM history h";

impl Store {
    /// How many slots a store may have: each is loaded, watched and measured.
    pub const MOST_SLOTS: usize = 4096;

    /// The slots, by name, each with the entry of its history that it is in.
    ///
    /// # Errors
    ///
    /// [`codes::STORE_FAULT`].
    pub fn slots(&self) -> Result<Vec<Entry>, Error> {
        self.read(|read| {
            let mut found =
                read.prepare_cached(&format!("{ENTRY} JOIN slots s ON s.entry = h.id ORDER BY s.name"))?;
            let rows = found.query_map([], entry)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// What a slot is set to.
    ///
    /// # Errors
    ///
    /// [`codes::UNKNOWN_SLOT`], [`codes::STORE_FAULT`].
    pub fn slot(&self, name: &str) -> Result<Entry, Error> {
        self.find_slot(name)?.ok_or_else(|| unknown_slot(name))
    }

    /// The history of a slot, the latest first.
    ///
    /// # Errors
    ///
    /// [`codes::UNKNOWN_SLOT`], [`codes::STORE_FAULT`].
    pub fn history(&self, slot: &str, most: u32) -> Result<Vec<Entry>, Error> {
        let entries: Vec<Entry> = self.read(|read| {
            let sql = format!("{ENTRY} WHERE h.slot = ?1 ORDER BY h.id DESC LIMIT ?2");
            let mut found = read.prepare_cached(&sql)?;
            let rows = found.query_map(params![slot, most], entry)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        if entries.is_empty() && most > 0 { Err(unknown_slot(slot)) } else { Ok(entries) }
    }

    /// One entry of a slot's history.
    ///
    /// # Errors
    ///
    /// [`codes::UNKNOWN_VERSION`], [`codes::STORE_FAULT`].
    pub fn entry(&self, slot: &str, id: i64) -> Result<Entry, Error> {
        let found = self.read(|read| {
            let sql = format!("{ENTRY} WHERE h.slot = ?1 AND h.id = ?2");
            Ok(read.prepare_cached(&sql)?.query_row(params![slot, id], entry).optional()?)
        })?;
        found.ok_or_else(|| {
            Error::new(codes::UNKNOWN_VERSION, format!("the history of the slot `{slot}` has no entry {id}"))
        })
    }

    /// Refuses a slot that is not there yet where there are as many as a store may have.
    pub(crate) fn check_room(&self, slot: &str) -> Result<(), Error> {
        self.read(|read| check_room(read, slot))
    }

    /// What a slot is set to, if it is there.
    pub(crate) fn find_slot(&self, name: &str) -> Result<Option<Entry>, Error> {
        self.read(|read| Ok(current(read, name)?))
    }

    /// The entries to go back to from this one, each with whether it was judged here: the latest before it with another active
    /// composition, which no host had to give up since and which is not among `passed`, and as long as they were not judged,
    /// further ones. So two versions that both fail do not take turns for ever.
    pub(crate) fn entries_before(
        &self,
        slot: &str,
        than: &Entry,
        passed: &[Composition],
    ) -> Result<Vec<(Entry, bool)>, Error> {
        self.read(|read| entries_before(read, slot, than, passed))
    }

    /// The highest version that modules of this name had in the slot.
    pub(crate) fn height(&self, slot: &str, name: &str) -> Result<Option<Version>, Error> {
        self.read(|read| Ok(height(read, slot, name)?))
    }

    /// Changes a slot: `change` sees what it is set to now, and says what to make of it. Whatever is decided about a slot is
    /// decided in here, so two who change it at once do not overlook each other. Slots that several hosts share are changed by
    /// [`Store::take_entry`].
    pub(crate) fn change_slot(
        &self,
        slot: &str,
        now: i64,
        change: impl FnOnce(Option<&Entry>) -> Result<Change, Error>,
    ) -> Result<Entry, Error> {
        check_name(slot)?;
        self.write(|transaction| {
            cluster::check(transaction, None)?;
            check_room(transaction, slot)?;
            let before = current(transaction, slot)?;
            let Change { action, note, state, settings, heights } = change(before.as_ref())?;
            check_members(transaction, before.as_ref(), &state)?;
            let slot = slot.to_owned();
            let mut entry = Entry { id: 0, slot, at: now, action, note, state, settings };
            entry.id = insert(transaction, None, &entry, false)?;
            point(transaction, &entry.slot, entry.id)?;
            raise(transaction, &entry.slot, &heights)?;
            Ok(entry)
        })
    }
}

/// See [`Store::entries_before`].
pub(super) fn entries_before(
    read: &Transaction<'_>,
    slot: &str,
    than: &Entry,
    passed: &[Composition],
) -> Result<Vec<(Entry, bool)>, Aborted> {
    let sql = format!("{ENTRY} WHERE h.slot = ?1 AND h.id <= ?2 ORDER BY h.id DESC");
    let mut found = read.prepare_cached(&sql)?;
    let (mut given_up, mut was_given_up) = (passed.to_vec(), false);
    let mut rows = found.query(params![slot, than.id])?;
    let (mut last, mut last_was_judged, mut before) = (String::new(), true, Vec::new());
    while let Some(row) = rows.next()? {
        let text = |column| Ok::<_, rusqlite::Error>(row.get_ref(column)?.as_str()?);
        let (action, state) = (text(3)?, text(5)?);
        // A slot may be configured a thousand times and stay in one state: only another one says something new, or that
        // it was judged after all.
        let says_more = !last_was_judged && is_judged(row)?;
        if !was_given_up && state == last && action != Action::AutomaticRollback.as_str() && !says_more {
            continue;
        }
        state.clone_into(&mut last);
        last_was_judged = is_judged(row)?;
        let (entry, is_judged) = (entry(row)?, is_judged(row)?);
        let gives_up = entry.action == Action::AutomaticRollback;
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

/// Refuses a slot that is not there yet where there are as many as a store may have.
pub(super) fn check_room(read: &Transaction<'_>, slot: &str) -> Result<(), Aborted> {
    if read.prepare_cached("SELECT 1 FROM slots WHERE name = ?1")?.exists([slot])? {
        return Ok(());
    }
    let count: u32 = read.prepare_cached("SELECT count(*) FROM slots")?.query_row([], |row| row.get(0))?;
    if usize::try_from(count).is_ok_and(|count| count < Store::MOST_SLOTS) {
        return Ok(());
    }
    let message = format!(
        "the store has {count} slots, so there is no room for `{slot}`: it may have {}",
        Store::MOST_SLOTS
    );
    Err(Error::new(codes::LIMIT_EXCEEDED, message).into())
}

/// Refuses a state that names a module which was removed after it was judged. Modules of the state before need no check: the slot
/// needs them, so they cannot be removed.
pub(super) fn check_members(
    read: &Transaction<'_>,
    before: Option<&Entry>,
    next: &State,
) -> Result<(), Aborted> {
    let members = |state: &State| -> Vec<Digest> {
        state.compositions().flat_map(Composition::members).map(|member| member.module).collect()
    };
    let known = before.map(|before| members(&before.state)).unwrap_or_default();
    let mut found = read.prepare_cached("SELECT 1 FROM modules WHERE digest = ?1")?;
    for digest in members(next).into_iter().filter(|digest| !known.contains(digest)) {
        if !found.exists([Blob(digest)])? {
            let message = format!("the module {digest} was removed at the same time; nothing was changed");
            return Err(Error::new(codes::UNKNOWN_MODULE, message).into());
        }
    }
    Ok(())
}

/// Writes an entry down under this number, or the next one; answers which it has.
pub(super) fn insert(
    change: &Transaction<'_>,
    id: Option<i64>,
    entry: &Entry,
    unjudged: bool,
) -> Result<i64, Aborted> {
    let [state, settings] = [serde_json::to_string(&entry.state), serde_json::to_string(&entry.settings)];
    let unwritable =
        |error: serde_json::Error| super::fault(format!("a slot's state cannot be written: {error}"));
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

/// Puts a slot into an entry of its history.
pub(super) fn point(change: &Transaction<'_>, slot: &str, id: i64) -> Result<(), rusqlite::Error> {
    let sql = "INSERT INTO slots (name, entry) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET entry = ?2";
    change.execute(sql, params![slot, id]).map(drop)
}

/// Notes which versions are in force, where they are higher than those before.
pub(super) fn raise(change: &Transaction<'_>, slot: &str, heights: &[Height]) -> Result<(), rusqlite::Error> {
    for Height { name, version } in heights {
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

pub(super) fn current(read: &Transaction<'_>, slot: &str) -> Result<Option<Entry>, rusqlite::Error> {
    let sql = format!("{ENTRY} JOIN slots s ON s.entry = h.id WHERE s.name = ?1");
    read.prepare_cached(&sql)?.query_row([slot], entry).optional()
}

/// The entry with this number, of whichever slot.
pub(super) fn numbered(read: &Transaction<'_>, id: i64) -> Result<Option<Entry>, rusqlite::Error> {
    read.prepare_cached(&format!("{ENTRY} WHERE h.id = ?1"))?.query_row([id], entry).optional()
}

fn height(read: &Transaction<'_>, slot: &str, name: &str) -> Result<Option<Version>, rusqlite::Error> {
    let mut found = read.prepare_cached("SELECT name, version FROM heights WHERE slot = ?1 AND name = ?2")?;
    Ok(found.query_row([slot, name], height_of).optional()?.map(|height| height.version))
}

/// A name, and a version beside it.
pub(super) fn height_of(row: &Row<'_>) -> Result<Height, rusqlite::Error> {
    let text: String = row.get(1)?;
    let version = Version::parse(&text).map_err(|error| unreadable(1, error.to_string()))?;
    Ok(Height { name: row.get(0)?, version })
}

/// Whether an entry was judged here; see [`ENTRY`].
pub(super) fn is_judged(row: &Row<'_>) -> Result<bool, rusqlite::Error> {
    row.get::<_, bool>(7).map(std::ops::Not::not)
}

pub(super) fn entry(row: &Row<'_>) -> Result<Entry, rusqlite::Error> {
    let [action, state, settings] = [row.get::<_, String>(3)?, row.get(5)?, row.get(6)?];
    let action = Action::ALL.into_iter().find(|known| known.as_str() == action);
    Ok(Entry {
        id: row.get(0)?,
        slot: row.get(1)?,
        at: row.get(2)?,
        action: action.ok_or_else(|| unreadable(3, "no such action"))?,
        note: row.get(4)?,
        state: serde_json::from_str(&state).map_err(|error| unreadable(5, error))?,
        settings: serde_json::from_str(&settings).map_err(|error| unreadable(6, error))?,
    })
}

pub(crate) fn unknown_slot(name: &str) -> Error {
    let shown: String = name.chars().take(64).collect();
    Error::new(codes::UNKNOWN_SLOT, format!("there is no slot `{shown}`"))
}

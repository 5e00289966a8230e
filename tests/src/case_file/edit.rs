//! Changes of a call at a JSON Pointer, as in files of cases of `adjudicate test`. A pointer to nothing is an error.

use adjudicate_core::json::unescape_segment;

use super::tree::{Tree, unquoted};

impl Tree {
    /// Sets the value at a pointer: replaces a value, adds a field to the end of an object, or appends to a list.
    pub(super) fn set(&mut self, pointer: &str, new: &Self) -> Result<(), String> {
        let (parent, last) = self.parent(pointer)?;
        match parent {
            Self::Object(fields) => match fields.iter_mut().find(|(name, _)| unquoted(name) == last) {
                Some((_, value)) => *value = new.clone(),
                None => fields.push((format!("\"{last}\""), new.clone())),
            },
            Self::List(items) => match (last.parse::<usize>().ok(), items.len()) {
                (Some(index), length) if index == length => items.push(new.clone()),
                (Some(index), _) => *items.get_mut(index).ok_or_else(|| nowhere(pointer))? = new.clone(),
                (None, _) => return Err(nowhere(pointer)),
            },
            Self::Token(_) => return Err(nowhere(pointer)),
        }
        Ok(())
    }

    /// Removes the value at a pointer.
    pub(super) fn remove(&mut self, pointer: &str) -> Result<(), String> {
        let (parent, last) = self.parent(pointer)?;
        let index = match parent {
            Self::Object(fields) => fields.iter().position(|(name, _)| unquoted(name) == last),
            Self::List(items) => last.parse().ok().filter(|index| *index < items.len()),
            Self::Token(_) => None,
        };
        match (parent, index) {
            (Self::Object(fields), Some(index)) => drop(fields.remove(index)),
            (Self::List(items), Some(index)) => drop(items.remove(index)),
            _ => return Err(nowhere(pointer)),
        }
        Ok(())
    }

    /// The container of a pointer's last segment, and the segment.
    fn parent(&mut self, pointer: &str) -> Result<(&mut Self, String), String> {
        let (parent, last) = pointer.rsplit_once('/').ok_or_else(|| nowhere(pointer))?;
        let mut container = self;
        for segment in parent.split('/').skip(1).map(unescape_segment) {
            let inner = match container {
                Self::Object(fields) => {
                    fields.iter_mut().find(|(name, _)| unquoted(name) == segment).map(|(_, value)| value)
                }
                Self::List(items) => segment.parse().ok().and_then(|index: usize| items.get_mut(index)),
                Self::Token(_) => None,
            };
            container = inner.ok_or_else(|| nowhere(pointer))?;
        }
        Ok((container, unescape_segment(last)))
    }
}

fn nowhere(pointer: &str) -> String {
    format!("`{pointer}` leads to nothing in the input")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_set_and_removed() {
        let mut tree = Tree::parse(r#"{"a":{"b/c":[1,2]},"d":1.0}"#).unwrap();
        let new = Tree::parse(r#"{"x":1e2}"#).unwrap();
        for pointer in ["/a/b~1c/2", "/a/b~1c/0", "/e"] {
            tree.set(pointer, &new).unwrap();
        }
        assert_eq!(tree.to_text(), r#"{"a":{"b/c":[{"x":1e2},2,{"x":1e2}]},"d":1.0,"e":{"x":1e2}}"#);
        for pointer in ["/a/b~1c/0", "/e", "/d"] {
            tree.remove(pointer).unwrap();
        }
        assert_eq!(tree.to_text(), r#"{"a":{"b/c":[2,{"x":1e2}]}}"#);
    }

    #[test]
    fn a_pointer_to_nothing_is_an_error() {
        let mut tree = Tree::parse(r#"{"a":[1],"b":2}"#).unwrap();
        for pointer in ["", "a", "/x/y", "/a/2", "/a/x", "/b/c", "/a/0/0"] {
            assert!(tree.set(pointer, &Tree::List(vec![])).is_err(), "{pointer}");
            assert!(tree.remove(pointer).is_err(), "{pointer}");
        }
        assert!(tree.remove("/a/1").is_err() && tree.remove("/c").is_err());
    }
}

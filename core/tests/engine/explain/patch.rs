//! Making changes, independently of the engine.

use serde_json::Value;

/// The envelope with the changes made in their order. A place beyond the end of a list is its end: for sets of changes
/// of which some are left out.
pub(crate) fn patched(envelope: &Value, changes: &[Value]) -> Value {
    let mut envelope = envelope.clone();
    for change in changes {
        let path = change["path"].as_str().unwrap();
        let (parent, name) = path.rsplit_once('/').unwrap();
        let name = name.replace("~1", "/").replace("~0", "~");
        match (change["op"].as_str().unwrap(), envelope.pointer_mut(parent)) {
            ("add" | "replace", Some(Value::Object(members))) => {
                members.insert(name, change["value"].clone());
            }
            ("remove", Some(Value::Object(members))) => drop(members.remove(&name)),
            ("add", Some(Value::Array(items))) => {
                items.insert(name.parse::<usize>().unwrap().min(items.len()), change["value"].clone());
            }
            ("replace", Some(Value::Array(items))) => {
                items[name.parse::<usize>().unwrap()] = change["value"].clone()
            }
            ("remove", Some(Value::Array(items))) => drop(items.remove(name.parse().unwrap())),
            (op, place) => panic!("`{op}` at {path}: {place:?}"),
        }
    }
    envelope
}

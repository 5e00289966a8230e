//! The tree of a report that is made of several.

use alloc::{collections::BTreeSet, string::String, vec::Vec};

/// The trees of several reports that become one.
#[derive(Default)]
pub(super) struct ReportTrees(BTreeSet<String>);

impl ReportTrees {
    /// Adds the tree of a report, if it is known.
    pub(super) fn add(&mut self, tree: Option<&str>) {
        self.0.extend(tree.map(String::from));
    }

    /// Returns the only tree, or all of them: a text that no tree equals.
    pub(super) fn into_tree(self) -> Option<String> {
        let trees: Vec<String> = self.0.into_iter().collect();
        (!trees.is_empty()).then(|| trees.join("+"))
    }
}

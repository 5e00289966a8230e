//! The entries of a text in a `-z` form.

/// The entries of a text.
#[derive(Clone)]
pub(super) struct Tokens<'a>(pub core::str::Split<'a, char>);

impl<'a> Tokens<'a> {
    /// The next entry as a name.
    pub(super) fn name(&mut self) -> Option<&'a str> {
        self.next().filter(|name| !name.is_empty())
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.0.next()
    }
}

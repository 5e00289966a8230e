//! The parts between the NUL characters of git's output with `-z`.

/// The remaining parts: status codes and names, in turn.
#[derive(Clone)]
pub(super) struct Tokens<'a>(pub core::str::Split<'a, char>);

impl<'a> Tokens<'a> {
    /// Returns the next part, which is a name, unless it is empty or missing.
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

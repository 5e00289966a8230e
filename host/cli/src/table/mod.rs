//! What a person wants to read: the decision, the reasons, what to fix, and what a module is.
//!
//! A table tells what the JSON says, in its order, and nothing that is not in it. It is for eyes, so its layout may
//! change between versions; programs read the JSON. Text that came from elsewhere is shown with its control and
//! invisible characters escaped, so that it cannot write on the terminal nor seem what it is not.

mod decision;
mod findings;
mod inspection;
mod page;
mod visible;

pub(crate) use decision::evaluation;
pub(crate) use inspection::inspection;
pub(crate) use page::Page;

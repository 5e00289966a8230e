//! The server as a process of its own: what is left of it after an attack, and how it ends.

mod attacks;
mod drain;
mod engines;
mod memory;
mod soak;
mod tls;
mod tokens;

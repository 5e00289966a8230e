//! `push` and `pull` with a registry that others wrote: the program in `ADJUDICATE_REGISTRY`, which is Debian's
//! `docker-registry`.

mod access;
mod command;
mod layout;
mod modules;
mod registry;

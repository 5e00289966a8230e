//! Replays by the hosts of a cluster: the report is the local one, or there is an error.

mod faults;
mod garbage;
mod hosts;
mod loans;
mod looping;
mod modules;
mod permitted;
mod reports;

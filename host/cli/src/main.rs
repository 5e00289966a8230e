//! The program `adjudicate`.

use std::process::ExitCode;

fn main() -> ExitCode {
    adjudicate::main()
}

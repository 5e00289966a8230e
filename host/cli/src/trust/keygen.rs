//! The command `keygen`.

use std::path::{Path, PathBuf};

use adjudicate_core::Error;
use adjudicate_host::trust::SecretKey;
use clap::Args;
use serde::Serialize;

use super::table;
use crate::{
    codes,
    exit::{self, Exit},
    failure::Failure,
    options::Printed,
};

/// Create a key pair to sign policy modules with.
#[derive(Debug, Args)]
#[command(after_help = exit::KEYGEN_HELP)]
pub(crate) struct Keygen {
    /// The files to write: NAME.key, which only its owner may read, and NAME.pub. Neither may exist
    #[arg(long, value_name = "NAME")]
    pub(crate) out: PathBuf,
    /// The name of the key in trust policies, instead of the last part of NAME
    #[arg(long, value_name = "WHO")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) printed: Printed,
}

/// What was made.
#[derive(Serialize)]
pub(crate) struct KeyPair {
    /// An entry for the `keys` of a trust policy, as it is.
    pub(crate) key: PolicyKey,
    pub(crate) private_file: String,
    pub(crate) public_file: String,
}

#[derive(Serialize)]
pub(crate) struct PolicyKey {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) public_key: String,
}

pub(crate) fn run(args: &Keygen) -> Result<Exit, Failure> {
    let is_directory = args.out.to_string_lossy().ends_with(std::path::is_separator);
    let Some(last) = args.out.file_name().filter(|_| !is_directory) else {
        let message = format!("`{}` names a directory and no key in it", args.out.display());
        return Err(Error::new(codes::WRONG_USAGE, message).into());
    };
    let (private, public) = (with_ending(&args.out, "key"), with_ending(&args.out, "pub"));
    let name = args.name.clone().unwrap_or_else(|| last.to_string_lossy().into_owned());
    if name.is_empty() {
        let message = "the name of a key is not empty; give one by `--name`";
        return Err(Error::new(codes::WRONG_USAGE, message).into());
    }
    let key = SecretKey::generate()?;
    key.write_files(&private, &public)?;
    let public_key = key.public();
    let pair = KeyPair {
        key: PolicyKey { id: public_key.id().to_string(), name, public_key: public_key.to_string() },
        private_file: private.display().to_string(),
        public_file: public.display().to_string(),
    };
    args.printed.print(&pair, table::key_pair)
}

/// The path with an ending after whatever it ends in.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(".");
    path.push(ending);
    path.into()
}

//! Who the command is at a registry: what its command line says, else the docker config file.

use std::{
    env,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use adjudicate_core::Error;
use adjudicate_sandbox::{codes, io_reason};
use docker_credential::{CredentialRetrievalError, DockerCredential, get_credential_from_reader};

/// How large a password, and a docker config file, may be.
const PASSWORD_BYTES: u64 = 64 << 10;
const CONFIG_BYTES: u64 = 4 << 20;

/// A name at a registry, and its password.
#[derive(Clone, Debug)]
pub struct SignIn {
    /// The name; without a colon.
    pub username: String,
    /// Where the password is read from.
    pub password: Password,
}

/// Where a password is read from, up to 64 KiB; the end of its line is not part of it.
#[derive(Clone, Debug)]
pub enum Password {
    /// A file.
    File(PathBuf),
    /// Standard input.
    StandardInput,
}

/// Who the command is. It is not printed.
pub(crate) enum Credentials {
    Anonymous,
    Password {
        user: String,
        password: String,
    },
    /// What a registry hands out in place of a password; it buys tokens.
    Identity(String),
}

impl Credentials {
    /// What is said, or kept, for a registry.
    ///
    /// # Errors
    ///
    /// [`codes::UNREADABLE_INPUT`] for a file or a helper that cannot be read, [`codes::WRONG_USAGE`] for a name that cannot
    /// be sent.
    pub(crate) fn find(sign_in: Option<&SignIn>, account: &str) -> Result<Self, Error> {
        let Some(SignIn { username: user, password: from }) = sign_in else { return kept(account) };
        if user.contains(':') {
            // It ends the name where both are sent.
            let message = format!("`--username`: there is a colon in `{user}`");
            return Err(Error::new(codes::WRONG_USAGE, message));
        }
        let password = match from {
            Password::File(path) => File::open(path)
                .and_then(password)
                .map_err(|error| unreadable(&format!("`{}`", path.display()), &error))?,
            Password::StandardInput => {
                password(io::stdin()).map_err(|error| unreadable("standard input", &error))?
            }
        };
        Ok(Self::Password { user: user.clone(), password })
    }

    /// Texts that no message may have in it.
    pub(crate) fn secrets(&self) -> Option<&str> {
        match self {
            Self::Anonymous => None,
            Self::Password { password: secret, .. } | Self::Identity(secret) => Some(secret),
        }
    }
}

/// A password, without the end of its line.
fn password(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    from.take(PASSWORD_BYTES).read_to_string(&mut text)?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    match text.is_empty() {
        true => Err(io::Error::other("there is no password in it")),
        false => Ok(text.to_owned()),
    }
}

fn unreadable(what: &str, error: &io::Error) -> Error {
    Error::new(codes::UNREADABLE_INPUT, format!("cannot read {what}: {}", io_reason(error)))
}

/// `$DOCKER_CONFIG/config.json`, or `~/.docker/config.json`.
fn config_file() -> Option<PathBuf> {
    let home = || Some(Path::new(&env::var_os("HOME").filter(|home| !home.is_empty())?).join(".docker"));
    let folder = env::var_os("DOCKER_CONFIG").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    Some(folder.or_else(home)?.join("config.json"))
}

/// What the docker config file, or a helper that it names, has for a registry.
fn kept(account: &str) -> Result<Credentials, Error> {
    let Some(path) = config_file() else { return Ok(Credentials::Anonymous) };
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Credentials::Anonymous),
        Err(error) => return Err(unreadable(&format!("`{}`", path.display()), &error)),
    };
    use CredentialRetrievalError as Reason;
    let reason = match get_credential_from_reader(file.take(CONFIG_BYTES), account) {
        Ok(DockerCredential::UsernamePassword(user, password)) => {
            return Ok(Credentials::Password { user, password });
        }
        Ok(DockerCredential::IdentityToken(token)) => return Ok(Credentials::Identity(token)),
        Err(Reason::NoCredentialConfigured | Reason::ConfigNotFound) => return Ok(Credentials::Anonymous),
        // The one failure by which helpers say that they have nothing.
        Err(Reason::HelperFailure { stdout, .. }) if stdout.contains("credentials not found") => {
            return Ok(Credentials::Anonymous);
        }
        // What it printed may be a secret.
        Err(Reason::HelperFailure { helper, .. }) => format!("the helper `{helper}` that it names fails"),
        Err(Reason::HelperCommunicationError) => "the helper that it names cannot be run".to_owned(),
        Err(Reason::MalformedHelperResponse) => "the helper that it names answers something else".to_owned(),
        Err(Reason::ConfigReadError) => "it is no docker config file".to_owned(),
        Err(Reason::CredentialDecodingError | Reason::CredentialMismatchError) => {
            format!("what it has for `{account}` cannot be read")
        }
    };
    let message = format!("`{}`: {reason}; `--username` goes without it", path.display());
    Err(Error::new(codes::UNREADABLE_INPUT, message))
}

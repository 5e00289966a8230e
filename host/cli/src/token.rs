//! The command `token`.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::{Path, PathBuf},
};

use adjudicate_core::{Error, document::Describe};
use adjudicate_host::{Token, TokenRole};
use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;
use serde::Serialize;

use crate::{
    codes,
    environment::Environment,
    exit::Exit,
    failure::Failure,
    layout,
    options::{self, ReportOptions},
    output,
    store_location::{self, StoreLocation},
    table::{BOLD, DIM, Line, PLAIN, Page, format_time},
};

/// Create, list and revoke tokens of the server.
#[derive(Debug, Args)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    action: TokenAction,
}

/// A command on tokens.
#[derive(Debug, Subcommand)]
enum TokenAction {
    /// Create a token and print it once
    ///
    /// The store has only the hash of the token.
    Create {
        /// The role of the token
        #[arg(long, value_enum)]
        role: RoleArgument,
        /// The name of the token
        #[arg(long, value_name = "NAME")]
        name: String,
        /// The time at which the token expires, such as 2027-01-31T12:00:00Z
        #[arg(long, value_name = "TIME", value_parser = options::parse_timestamp)]
        expires: Option<Timestamp>,
        /// Write the token to this new file, instead of printing it
        ///
        /// Only the owner of the file may read it.
        #[arg(long, value_name = "FILE")]
        token_file: Option<PathBuf>,
        #[command(flatten)]
        location: StoreLocation,
    },
    /// List the tokens, including those that are no longer valid
    List {
        #[command(flatten)]
        location: StoreLocation,
        #[command(flatten)]
        report_options: ReportOptions,
    },
    /// Revoke a token
    Revoke {
        /// The token's id or name
        #[arg(value_name = "TOKEN")]
        token: String,
        #[command(flatten)]
        location: StoreLocation,
    },
}

/// The role of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RoleArgument {
    /// Calls: every operation, of the built-in engine and of slots
    Evaluate,
    /// Calls, and changes of modules, slots and trust
    Admin,
}

impl From<RoleArgument> for TokenRole {
    fn from(role: RoleArgument) -> Self {
        match role {
            RoleArgument::Evaluate => Self::Evaluate,
            RoleArgument::Admin => Self::Admin,
        }
    }
}

/// The tokens of a store.
#[derive(Describe, Serialize)]
pub(crate) struct Tokens<'a> {
    /// All tokens, also those that are no longer valid, in the order of their creation.
    tokens: &'a [Token],
}

pub(crate) fn run(args: &TokenArgs, env: &Environment) -> Result<Exit, Failure> {
    let now = Timestamp::now();
    match &args.action {
        TokenAction::Create { role, name, expires, token_file, location } => {
            let store = store_location::open(location, env)?;
            let ends = expires.map(Timestamp::as_millisecond);
            let (token, text) = store.create_token(name, (*role).into(), ends, now.as_millisecond())?;
            let written = match token_file {
                None => output::line(env, &text),
                Some(path) => {
                    write(&env.path(path), &text).map_err(|error| output::unwritable(path, error).into())
                }
            };
            if let Err(failure) = written {
                // The caller did not receive the token, so it must not be valid.
                store.revoke_token(&token.id, now.as_millisecond())?;
                return Err(failure);
            }
            if token_file.is_some() {
                output::line(env, &layout::json(&token))?;
            }
        }
        TokenAction::List { location, report_options } => {
            let tokens = store_location::open(location, env)?.tokens()?;
            report_options.print(&Tokens { tokens: &tokens }, |_| page(&tokens, now), env)?;
        }
        TokenAction::Revoke { token, location } => {
            let revoked = store_location::open(location, env)?.revoke_token(token, now.as_millisecond());
            let revoked = revoked.map_err(|error| match error.code() {
                codes::WRONG_USAGE => {
                    let message = format!("{}; `adjudicate token list` prints all", error.message());
                    Error::new(codes::WRONG_USAGE, message)
                }
                _ => error,
            })?;
            output::line(env, &layout::json(&revoked))?;
        }
    }
    Ok(Exit::Answered)
}

/// Writes a token to a new file that only its owner may read.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    writeln!(file, "{text}")?;
    file.sync_all()
}

fn page(tokens: &[Token], now: Timestamp) -> Page {
    let mut page = Page::default();
    if tokens.is_empty() {
        page.push(Line::at(0).text("no tokens", DIM));
    }
    for token in tokens {
        let state = match (token.revoked_at, token.expires_at) {
            (Some(at), _) => format!("revoked {}", format_time(at)),
            (None, Some(at)) if token.is_valid(now.as_millisecond()) => format!("until {}", format_time(at)),
            (None, Some(at)) => format!("expired {}", format_time(at)),
            (None, None) => "valid".to_owned(),
        };
        let line = Line::at(0).text(&token.name, BOLD).text(token.role.as_str(), PLAIN);
        page.push(line.text(&token.id, DIM).text(&state, PLAIN));
    }
    page
}

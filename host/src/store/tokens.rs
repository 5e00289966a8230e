//! Tokens of the HTTP interface. Revoked and expired tokens stay in the store, so that entries of a log can be explained.

use adjudicate_core::Error;
use adjudicate_sandbox::Digest;
use rusqlite::{Row, params};
use zeroize::Zeroizing;

use super::{Store, first_row, rows, unreadable};
use crate::{
    codes,
    token::{self, HashedToken, Keyring, Token, TokenRole},
};

const COLUMNS: &str = "id, name, role, created_at, expires_at, revoked_at, hash";

impl Store {
    /// Creates a token. Also returns its text, which is stored nowhere.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for an invalid name, for the name of a token that is not revoked, and for a time of expiry in the
    /// past; [`codes::STORE_FAULT`].
    pub fn create_token(
        &self,
        name: &str,
        role: TokenRole,
        expires_at: Option<i64>,
        now: i64,
    ) -> Result<(Token, Zeroizing<String>), Error> {
        let (HashedToken { token, hash }, text) = token::issue(name, role, expires_at, now)?;
        self.write(|change| {
            if change.prepare("SELECT 1 FROM tokens WHERE name = ?1 AND revoked_at IS NULL")?.exists([name])? {
                let message = format!("there is a token `{name}` already; revoke it, or use another name");
                return Err(Error::new(codes::WRONG_USAGE, message).into());
            }
            change.execute(
                "INSERT INTO tokens (id, name, role, hash, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![token.id, token.name, token.role.as_str(), hash.as_bytes(), token.created_at, token.expires_at],
            )?;
            Ok(())
        })?;
        Ok((token, text))
    }

    /// All tokens, including revoked and expired ones, oldest first.
    ///
    /// # Errors
    ///
    /// [`codes::STORE_FAULT`] if the store cannot be read.
    pub fn tokens(&self) -> Result<Vec<Token>, Error> {
        Ok(self.hashed_tokens()?.into_iter().map(|hashed| hashed.token).collect())
    }

    /// All tokens, for checking requests.
    ///
    /// # Errors
    ///
    /// [`codes::STORE_FAULT`] if the store cannot be read.
    pub fn keyring(&self) -> Result<Keyring, Error> {
        Ok(Keyring::new(self.hashed_tokens()?))
    }

    /// Revokes the token with this id or name at `now`, in Unix seconds, and returns it. Of several tokens with the name, this is the one that
    /// is not revoked, or else the one that was revoked last. A revoked token keeps its time.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] if no token has this id or name; [`codes::STORE_FAULT`] if the store cannot be written.
    pub fn revoke_token(&self, meant: &str, now: i64) -> Result<Token, Error> {
        self.write(|change| {
            let sql = format!(
                "SELECT {COLUMNS} FROM tokens WHERE id = ?1 OR name = ?1 ORDER BY revoked_at IS NOT NULL, revoked_at DESC LIMIT 1"
            );
            let Some(HashedToken { mut token, .. }) = first_row(change, &sql, [meant], hashed)? else {
                let shown: String = meant.chars().take(100).collect();
                return Err(Error::new(codes::WRONG_USAGE, format!("unknown token `{shown}`")).into());
            };
            let revoked_at = *token.revoked_at.get_or_insert(now);
            change.execute("UPDATE tokens SET revoked_at = ?2 WHERE id = ?1", params![token.id, revoked_at])?;
            Ok(token)
        })
    }

    fn hashed_tokens(&self) -> Result<Vec<HashedToken>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM tokens ORDER BY created_at, id");
        self.read(|read| Ok(rows(read, &sql, [], hashed)?))
    }
}

fn hashed(row: &Row<'_>) -> Result<HashedToken, rusqlite::Error> {
    let role: String = row.get(2)?;
    let role = TokenRole::ALL.iter().copied().find(|known| known.as_str() == role);
    Ok(HashedToken {
        token: Token {
            id: row.get(0)?,
            name: row.get(1)?,
            role: role.ok_or_else(|| unreadable(2, "no such role"))?,
            created_at: row.get(3)?,
            expires_at: row.get(4)?,
            revoked_at: row.get(5)?,
        },
        hash: Digest::from_bytes(row.get(6)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_lives_from_creation_to_revocation() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store");
        let store = Store::open(&path).unwrap();
        assert!(store.keyring().unwrap().is_empty());
        let (token, text) = store.create_token("ci", TokenRole::Evaluate, Some(100), 1).unwrap();
        let other = Store::open(&path).unwrap();
        assert_eq!(other.tokens().unwrap(), std::slice::from_ref(&token));
        assert_eq!(other.keyring().unwrap().find(&text, 2), Some(&token));
        let error = store.create_token("ci", TokenRole::Admin, None, 2).unwrap_err();
        assert_eq!(error.code(), codes::WRONG_USAGE);

        let revoked = other.revoke_token("ci", 3).unwrap();
        assert_eq!((revoked.revoked_at, &revoked.id), (Some(3), &token.id));
        assert_eq!(store.keyring().unwrap().find(&text, 2), None);
        assert!(!store.keyring().unwrap().is_empty());
        // A second revocation changes nothing. The name is free again, and then names the new token.
        assert_eq!(store.revoke_token(&token.id, 4).unwrap().revoked_at, Some(3));
        let (second, _) = store.create_token("ci", TokenRole::Admin, None, 5).unwrap();
        assert_eq!(store.revoke_token("ci", 6).unwrap().id, second.id);
        assert_eq!(store.revoke_token("nobody", 6).unwrap_err().code(), codes::WRONG_USAGE);
        assert_eq!(store.tokens().unwrap().len(), 2);
    }

    #[test]
    fn the_database_has_no_secret_in_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store");
        let store = Store::open(&path).unwrap();
        let (_, text) = store.create_token("ci", TokenRole::Evaluate, None, 1).unwrap();
        let secret = text.rsplit('_').next().unwrap().as_bytes();
        for file in std::fs::read_dir(&path).unwrap() {
            let file = file.unwrap().path();
            let bytes = if file.is_file() { std::fs::read(file).unwrap() } else { Vec::new() };
            assert!(!bytes.windows(secret.len()).any(|window| window == secret));
        }
    }
}

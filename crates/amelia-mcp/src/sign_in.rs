//! Signing in to servers that ask for it (OAuth 2.1). `rmcp` finds the authorization server, registers Amelia there, and
//! exchanges and refreshes tokens; this says where they are kept: one private file per address of a server.

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use amelia_core::problem::Hinted;
use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthClient, AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession,
    CredentialRefreshGuard, CredentialStore, OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest,
    StoredCredentials,
};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Where the tokens of servers are kept.
#[derive(Debug, Clone)]
pub struct SignIns(PathBuf);

/// What a person says about a sign-in; usually nothing.
#[derive(Debug, Clone, Default)]
pub struct SignInOptions {
    /// The id under which Amelia is registered already, for authorization servers that register no clients by themselves.
    pub client_id: Option<String>,
    /// What to ask for, instead of what the server suggests.
    pub scopes: Vec<String>,
}

/// A sign-in that a person completes in a browser.
pub struct PendingSignIn(AuthorizationSession);

/// Why a person is not signed in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignInError {
    #[error("{url} has no sign-in (OAuth)")]
    NotOffered { url: String },
    #[error("{url} does not register Amelia as a client: {reason}")]
    NotRegistered { url: String, reason: String },
    #[error("the sign-in failed: {0}")]
    Failed(String),
}

impl Hinted for SignInError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::NotOffered { .. } => Some("if it takes a token, put it into its `headers`".to_owned()),
            Self::NotRegistered { .. } => {
                Some("register Amelia there yourself, and pass its id with --client-id".to_owned())
            }
            Self::Failed(_) => None,
        }
    }
}

impl SignIns {
    #[must_use]
    pub fn at(directory: PathBuf) -> Self {
        Self(directory)
    }

    /// Whether there is a token for a server.
    #[must_use]
    pub fn has(&self, url: &str) -> bool {
        self.file(url).path.exists()
    }

    /// The secrets that are kept for a server.
    #[must_use]
    pub fn secrets(&self, url: &str) -> Vec<String> {
        let kept = std::fs::read(self.file(url).path).unwrap_or_default();
        let kept: Value = serde_json::from_slice(&kept).unwrap_or_default();
        let names = ["access_token", "refresh_token", "id_token"];
        let kept = kept.get("token_response");
        let tokens = names.into_iter().filter_map(|name| kept?.get(name)?.as_str());
        tokens.map(str::to_owned).collect()
    }

    /// Deletes what is kept for a server, and says whether there was something.
    pub fn forget(&self, url: &str) -> std::io::Result<bool> {
        self.file(url).delete()
    }

    /// Asks the server where people sign in, and makes the address that a browser has to open. The browser comes back to
    /// `redirect`.
    pub async fn begin(
        &self,
        url: &str,
        redirect: &str,
        options: SignInOptions,
    ) -> Result<PendingSignIn, SignInError> {
        let failed = |error: AuthError| failure(url, &error);
        let mut manager = self.manager(url).await.map_err(failed)?;
        let found = manager.resolve_metadata().await.map_err(failed)?;
        if !found.source.is_discovered() {
            return Err(SignInError::NotOffered { url: url.to_owned() });
        }
        manager.set_metadata(found.metadata);
        // What the server needs, and not all that the site could give.
        let mut request = AuthorizationRequest::new(redirect)
            .with_client_name("Amelia")
            .with_initial_scope_selection()
            .with_scopes(options.scopes);
        if let Some(id) = options.client_id {
            request = request.with_preregistered_client(id);
        }
        let session = AuthorizationSession::new(manager, request).await;
        session.map(PendingSignIn).map_err(|(_, error)| failed(error))
    }

    async fn manager(&self, url: &str) -> Result<AuthorizationManager, AuthError> {
        // A person has named this server: the sign-in of a company may well be inside its network.
        let mut manager = AuthorizationManager::new_allowing_private_addresses(url).await?;
        manager.set_credential_store(self.file(url));
        Ok(manager)
    }

    fn file(&self, url: &str) -> TokenFile {
        let hash: String = Sha256::digest(url).iter().map(|byte| format!("{byte:02x}")).collect();
        TokenFile { path: self.0.join(format!("{hash}.json")) }
    }
}

/// A client that adds the token of the server to its requests and refreshes it, if a person has signed in to it.
pub(crate) async fn authorized<C>(
    sign_ins: Option<&SignIns>,
    url: &str,
    client: C,
) -> Result<AuthClient<C>, SignInError> {
    let failed = |error: AuthError| failure(url, &error);
    let manager = match sign_ins.filter(|sign_ins| sign_ins.has(url)) {
        Some(sign_ins) => {
            let mut manager = sign_ins.manager(url).await.map_err(failed)?;
            manager.initialize_from_store().await.map_err(failed)?;
            manager
        }
        None => {
            AuthorizationManager::new_with_oauth_http_client(url, Arc::new(NoSignIn)).await.map_err(failed)?
        }
    };
    Ok(AuthClient::new(client, manager))
}

/// For servers that no person has signed in to: there is no token to refresh.
struct NoSignIn;

impl OAuthHttpClient for NoSignIn {
    fn execute(&self, _: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async { Err("there is no sign-in".into()) })
    }
}

impl PendingSignIn {
    /// What a person opens in a browser.
    #[must_use]
    pub fn address(&self) -> &str {
        self.0.get_authorization_url()
    }

    /// Takes the address that the browser came back to, and keeps the tokens.
    pub async fn complete(&self, redirected: &str) -> Result<(), SignInError> {
        if let Some(reason) = refusal_of(redirected) {
            return Err(SignInError::Failed(reason));
        }
        let tokens = self.0.handle_callback_url(redirected).await;
        tokens.map(drop).map_err(|error| SignInError::Failed(error.to_string()))
    }
}

/// What the authorization server says when it does not let a person in.
fn refusal_of(redirected: &str) -> Option<String> {
    let url = reqwest::Url::parse(redirected).ok()?;
    let value =
        |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let code = value("error")?;
    Some(value("error_description").map_or(code.clone(), |text| format!("{text} ({code})")))
}

fn failure(url: &str, error: &AuthError) -> SignInError {
    let url = url.to_owned();
    match error {
        AuthError::NoAuthorizationSupport => SignInError::NotOffered { url },
        AuthError::RegistrationFailed(reason) => SignInError::NotRegistered { url, reason: reason.clone() },
        other => SignInError::Failed(other.to_string()),
    }
}

/// The tokens of one server. `rmcp` reads and writes it.
struct TokenFile {
    path: PathBuf,
}

impl TokenFile {
    fn read(&self) -> std::io::Result<Option<StoredCredentials>> {
        match std::fs::read(&self.path) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whole or not at all, and for its owner alone.
    fn write(&self, credentials: &StoredCredentials) -> std::io::Result<()> {
        let directory = self.path.parent().unwrap_or(Path::new("."));
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let made = self.path.with_extension(format!("{}.new", std::process::id()));
        let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&made)?;
        file.write_all(&serde_json::to_vec(credentials)?)?;
        std::fs::rename(&made, &self.path)
    }

    fn delete(&self) -> std::io::Result<bool> {
        match std::fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn failed(&self, error: &std::io::Error) -> AuthError {
        AuthError::CredentialStoreError(format!("{}: {error}", self.path.display()))
    }
}

#[async_trait]
impl CredentialStore for TokenFile {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.read().map_err(|error| self.failed(&error))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.write(&credentials).map_err(|error| self.failed(&error))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.delete().map(drop).map_err(|error| self.failed(&error))
    }

    /// Commands and the server refresh the same token: a refresh token often works only once.
    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let path = self.path.with_extension("lock");
        let locked = tokio::task::spawn_blocking(move || {
            let file = File::options().write(true).create(true).truncate(false).mode(0o600).open(path)?;
            file.lock()?;
            Ok(file)
        });
        let locked = locked.await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        locked.map(|file| Some(CredentialRefreshGuard::new(file))).map_err(|error| self.failed(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_sign_in_says_why() {
        let refused = "http://127.0.0.1:1/callback?error=access_denied&error_description=Not%20you&state=s";
        assert_eq!(refusal_of(refused).as_deref(), Some("Not you (access_denied)"));
        assert_eq!(
            refusal_of("http://127.0.0.1:1/callback?error=server_error").as_deref(),
            Some("server_error")
        );
        assert_eq!(refusal_of("http://127.0.0.1:1/callback?code=c&state=s"), None);
    }

    #[tokio::test]
    async fn a_damaged_file_is_named_and_kept() {
        let directory = tempfile::tempdir().unwrap();
        let sign_ins = SignIns::at(directory.path().to_owned());
        let file = sign_ins.file("https://example.org/mcp");
        std::fs::write(&file.path, "{").unwrap();
        let error = file.load().await.unwrap_err().to_string();
        assert!(error.contains(&file.path.display().to_string()), "{error}");
        assert!(sign_ins.has("https://example.org/mcp"));
        assert_eq!(sign_ins.secrets("https://example.org/mcp"), Vec::<String>::new());
        assert!(sign_ins.forget("https://example.org/mcp").unwrap());
        assert!(!sign_ins.forget("https://example.org/mcp").unwrap());
    }
}

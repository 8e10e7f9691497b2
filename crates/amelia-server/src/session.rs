//! Who is signed in, and for how long: as long as the token is the one that they had. A new token ends what was opened
//! with the old one.

use std::sync::{PoisonError, RwLock};

use amelia_core::config::secret::Secret;
use subtle::ConstantTimeEq;
use tokio_util::sync::CancellationToken;

/// The token, and what was opened with it.
pub(crate) struct Sessions {
    current: RwLock<Current>,
    /// The end of the server is the end of every session.
    closing: CancellationToken,
}

struct Current {
    token: Secret,
    session: CancellationToken,
}

/// Over when the token is replaced, or the server ends. A request that was let in carries it.
#[derive(Clone)]
pub(crate) struct Session(pub(crate) CancellationToken);

impl Sessions {
    pub(crate) fn new(token: Secret, closing: CancellationToken) -> Self {
        let session = closing.child_token();
        Self { current: RwLock::new(Current { token, session }), closing }
    }

    /// The session of whoever has this token. Found out in a time that does not depend on where a wrong one differs.
    pub(crate) fn of(&self, given: &str) -> Option<Session> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let token = current.token.reveal().as_bytes();
        let is_right = !token.is_empty() && bool::from(token.ct_eq(given.as_bytes()));
        is_right.then(|| Session(current.session.clone()))
    }

    /// The session of everybody, where nobody is asked for a token.
    pub(crate) fn open(&self) -> Session {
        Session(self.current.read().unwrap_or_else(PoisonError::into_inner).session.clone())
    }

    /// From now on only this token counts, and whoever came with another has to go.
    pub(crate) fn replace(&self, token: Secret) {
        let session = self.closing.child_token();
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *current, Current { token, session });
        old.session.cancel();
    }
}

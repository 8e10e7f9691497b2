//! Who is signed in, and for how long. A caller shows the token; a browser shows a session id that it got for the token, or
//! for a link that works once. A new token ends everything that was opened with the old one.

mod kept;

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use amelia_core::config::secret::Secret;
use jiff::{SignedDuration, Timestamp};
use parking_lot::RwLock;
use subtle::ConstantTimeEq;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Browsers that are signed in at a time; the one that came first makes room for another.
const MAX_SESSIONS: usize = 64;
/// Links that wait for their browser.
const MAX_LINKS: usize = 64;
/// A link that was not followed by then is worth nothing.
const LINK_LIFETIME: SignedDuration = SignedDuration::from_mins(2);

/// The token, and what was opened with it.
pub(crate) struct Sessions {
    current: RwLock<Current>,
    /// Browsers stay signed in when the server is started anew.
    file: PathBuf,
    /// The end of the server is the end of every session.
    closing: CancellationToken,
}

struct Current {
    token: Secret,
    session: CancellationToken,
    /// Session ids of browsers, oldest first.
    browsers: VecDeque<String>,
    /// Codes of links, and until when they work.
    links: HashMap<String, Timestamp>,
}

/// Over when the token is replaced, or the server ends. A request that was authenticated carries it.
#[derive(Clone)]
pub(crate) struct Session(pub(crate) CancellationToken);

impl Sessions {
    /// Browsers that were signed in before are in `file`.
    pub(crate) fn new(token: Secret, file: PathBuf, closing: CancellationToken) -> Self {
        let browsers = kept::read(&file, MAX_SESSIONS);
        let current = Current { token, session: closing.child_token(), browsers, links: HashMap::new() };
        Self { current: RwLock::new(current), file, closing }
    }

    /// The session of the caller who has this token. Found out in a time that does not depend on where a wrong one differs.
    pub(crate) fn of(&self, given: &str) -> Option<Session> {
        let current = self.current.read();
        is_same(current.token.reveal(), given).then(|| Session(current.session.clone()))
    }

    /// The session of a browser with this id.
    pub(crate) fn of_browser(&self, id: &str) -> Option<Session> {
        let current = self.current.read();
        let is_known = current.browsers.iter().any(|known| is_same(known, id));
        is_known.then(|| Session(current.session.clone()))
    }

    /// The session of everybody, where no token is asked for.
    pub(crate) fn open(&self) -> Session {
        Session(self.current.read().session.clone())
    }

    /// Signs a browser in.
    pub(crate) fn sign_in(&self) -> String {
        let id = random();
        let mut current = self.current.write();
        current.browsers.push_back(id.clone());
        while current.browsers.len() > MAX_SESSIONS {
            current.browsers.pop_front();
        }
        kept::write(&self.file, &current.browsers);
        id
    }

    /// Signs a browser out.
    pub(crate) fn sign_out(&self, id: &str) {
        let mut current = self.current.write();
        current.browsers.retain(|known| known != id);
        kept::write(&self.file, &current.browsers);
    }

    /// A code that signs one browser in, once.
    pub(crate) fn new_link(&self, now: Timestamp) -> String {
        let code = random();
        let until = now.checked_add(LINK_LIFETIME).unwrap_or(Timestamp::MAX);
        let mut current = self.current.write();
        current.links.retain(|_, until| *until > now);
        if current.links.len() < MAX_LINKS {
            current.links.insert(code.clone(), until);
        }
        code
    }

    /// Whether a code is valid and unused. It is used up by this call.
    pub(crate) fn take_link(&self, code: &str, now: Timestamp) -> bool {
        self.current.write().links.remove(code).is_some_and(|until| until > now)
    }

    /// From now on only this token counts, and callers with another have to go.
    pub(crate) fn replace(&self, token: Secret) {
        let (browsers, links) = (VecDeque::new(), HashMap::new());
        let new = Current { token, session: self.closing.child_token(), browsers, links };
        let mut current = self.current.write();
        let old = std::mem::replace(&mut *current, new);
        kept::write(&self.file, &current.browsers);
        drop(current);
        old.session.cancel();
    }
}

fn is_same(known: &str, given: &str) -> bool {
    !known.is_empty() && bool::from(known.as_bytes().ct_eq(given.as_bytes()))
}

/// Two random UUIDs: 244 random bits.
fn random() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(file: &std::path::Path) -> Sessions {
        Sessions::new(Secret::new("token"), file.to_owned(), CancellationToken::new())
    }

    #[test]
    fn a_browser_stays_signed_in_over_a_restart_until_it_signs_out_or_the_token_changes() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("sessions");
        let (first, second) = (sessions(&file).sign_in(), sessions(&file).sign_in());
        let mode = std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        let next = sessions(&file);
        assert!(next.of_browser(&first).is_some() && next.of_browser(&second).is_some());
        assert!(next.of_browser("").is_none() && next.of_browser("token").is_none());
        next.sign_out(&first);
        assert!(next.of_browser(&first).is_none() && sessions(&file).of_browser(&first).is_none());
        next.replace(Secret::new("another"));
        assert!(next.of_browser(&second).is_none() && sessions(&file).of_browser(&second).is_none());
    }

    #[test]
    fn a_link_works_once_and_not_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let sessions = sessions(&dir.path().join("sessions"));
        let now = Timestamp::UNIX_EPOCH;
        let (used, old) = (sessions.new_link(now), sessions.new_link(now));
        assert!(sessions.take_link(&used, now) && !sessions.take_link(&used, now));
        let later = now.checked_add(LINK_LIFETIME).unwrap();
        assert!(!sessions.take_link(&old, later));
    }

    #[test]
    fn many_browsers_push_the_oldest_out() {
        let dir = tempfile::tempdir().unwrap();
        let sessions = sessions(&dir.path().join("sessions"));
        let ids: Vec<String> = (0..=MAX_SESSIONS).map(|_| sessions.sign_in()).collect();
        assert!(sessions.of_browser(&ids[0]).is_none() && sessions.of_browser(&ids[1]).is_some());
    }
}

//! Programs that are agents: `claude`, `codex`, and all that speak the Agent Client Protocol. Those that a profile uses
//! must be there; any other may be missing. No model is asked, and what is in a sign-in stays unread.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use amelia_core::config::agent::{DriverConfig, DriverType};
use amelia_core::config::profile::Profile;
use amelia_drivers::{claude, codex};

use super::check::DoctorCheck;
use super::programs::{Program, SignIn, stored, succeeds, version};
use crate::home::Home;

/// A kind of program, and what is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Claude,
    Codex,
    Acp,
}

/// Where `claude` looks for its model, when a person starts it.
const CLAUDE_URL: &str = "ANTHROPIC_BASE_URL";

/// What profiles want of a program. The default is that none does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Uses {
    /// The profiles that name it.
    profiles: Vec<String>,
    /// The active one is among them.
    is_active: bool,
    /// A profile relies on the program's own sign-in.
    by_itself: bool,
    /// A profile has it talk to a model through our proxy.
    by_proxy: bool,
}

/// What was found on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
struct InstalledProgram {
    path: Option<PathBuf>,
    version: Program,
    sign_in: SignIn,
}

/// A program that is an agent, as it is on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramHere {
    /// Nothing when that cannot be seen without changing something.
    pub is_signed_in: Option<bool>,
}

/// `claude` or `codex`, if it is there.
pub async fn program_here(driver: DriverType) -> Option<ProgramHere> {
    let (kind, name) = match driver {
        DriverType::Claude => (Kind::Claude, "claude"),
        DriverType::Codex => (Kind::Codex, "codex"),
        DriverType::Api | DriverType::Acp | DriverType::Scripted => return None,
    };
    let path = locate(name)?;
    Some(ProgramHere::with(sign_in(kind, &path.to_string_lossy()).await))
}

/// A program that speaks the Agent Client Protocol, if it is there.
#[must_use]
pub fn acp_program_here(program: &str) -> Option<ProgramHere> {
    locate(program).map(|path| ProgramHere::with(acp_sign_in(&path)))
}

impl ProgramHere {
    fn with(sign_in: SignIn) -> Self {
        let is_signed_in = match sign_in {
            SignIn::Stored | SignIn::Variable(_) => Some(true),
            SignIn::NotSeen => Some(false),
            SignIn::NotChecked => None,
        };
        Self { is_signed_in }
    }
}

/// A program that cannot do the work of these roles yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnreadyProgram {
    pub(super) roles: Vec<String>,
    pub(super) problem: String,
    pub(super) hint: String,
    /// Without it, no work is possible; without a sign-in, its own configuration may name a model that needs none.
    pub(super) is_missing: bool,
}

/// The first program of a profile that is not installed, or relies on its own sign-in and has none.
pub(super) async fn unready(profile: &Profile) -> Option<UnreadyProgram> {
    let mut roles_of: BTreeMap<(Kind, String, bool), Vec<String>> = BTreeMap::new();
    for (role, agent) in &profile.agents {
        let Ok(config) = agent.driver_config() else { continue };
        let (Some(kind), Some(program)) = (Kind::of(&config), config.program()) else { continue };
        // Through our proxy it needs no sign-in.
        let by_itself = config.upstream().is_none();
        roles_of.entry((kind, program.to_owned(), by_itself)).or_default().push(role.clone());
    }
    for ((kind, program, by_itself), roles) in roles_of {
        let found = locate(&program);
        let is_missing = found.is_none();
        let (problem, hint) = match found {
            None => (format!("`{program}` is not installed"), kind.how_to_get(&program)),
            Some(_) if !by_itself => continue,
            Some(path) => match sign_in(kind, &path.to_string_lossy()).await {
                SignIn::NotSeen => {
                    let problem = format!("`{program}` is installed, but not signed in");
                    (problem, kind.how_to_sign_in().to_owned())
                }
                SignIn::Stored | SignIn::Variable(_) | SignIn::NotChecked => continue,
            },
        };
        return Some(UnreadyProgram { roles, problem, hint, is_missing });
    }
    None
}

/// Whether a program is found when it is started by its name.
#[must_use]
pub fn is_on_path(program: &str) -> bool {
    locate(program).is_some()
}

pub(super) async fn checks(
    home: &Home,
    profiles: &BTreeMap<String, Profile>,
    active: &str,
) -> Vec<DoctorCheck> {
    let uses = uses(profiles, active);
    let by_proxy = uses.iter().any(|((kind, _), uses)| *kind == Kind::Codex && uses.by_proxy);
    let looked = uses.iter().map(async |((kind, program), uses)| {
        let found = look(*kind, program).await;
        judge(*kind, program, uses, &found)
    });
    let mut checks = futures_util::future::join_all(looked).await;
    let by_itself = uses.iter().find(|((kind, _), uses)| *kind == Kind::Claude && uses.by_itself);
    if let (Some((_, uses)), Some(_)) = (by_itself, std::env::var_os(CLAUDE_URL)) {
        checks.push(unused_url(uses));
    }
    let temporary = std::env::temp_dir();
    if by_proxy && is_below(home.path(), &temporary) {
        checks.push(misplaced(home.path(), &temporary));
    }
    checks
}

/// Every program that a profile names; `claude` and `codex` also when none does.
fn uses(profiles: &BTreeMap<String, Profile>, active: &str) -> BTreeMap<(Kind, String), Uses> {
    let mut all: BTreeMap<_, Uses> = BTreeMap::new();
    for (name, profile) in profiles {
        for agent in profile.agents.values() {
            // A profile that is wrong was reported as such.
            let Ok(config) = agent.driver_config() else { continue };
            let (Some(kind), Some(program)) = (Kind::of(&config), config.program()) else { continue };
            let uses = all.entry((kind, program.to_owned())).or_default();
            if !uses.profiles.contains(name) {
                uses.profiles.push(name.clone());
            }
            uses.is_active |= name == active;
            let by_proxy = config.upstream().is_some();
            uses.by_proxy |= by_proxy;
            uses.by_itself |= !by_proxy;
        }
    }
    for (kind, name) in [(Kind::Claude, "claude"), (Kind::Codex, "codex")] {
        if !all.keys().any(|(used, _)| *used == kind) {
            all.insert((kind, name.to_owned()), Uses::default());
        }
    }
    all
}

async fn look(kind: Kind, program: &str) -> InstalledProgram {
    let Some(path) = locate(program) else {
        return InstalledProgram { path: None, version: Program::Missing, sign_in: SignIn::NotChecked };
    };
    let name = path.to_string_lossy();
    let (version, sign_in) = tokio::join!(version(&name), sign_in(kind, &name));
    InstalledProgram { path: Some(path), version, sign_in }
}

/// Each by the way that changes nothing: `claude auth status` writes files, `codex login status` does not.
async fn sign_in(kind: Kind, program: &str) -> SignIn {
    match kind {
        Kind::Claude => {
            match stored(&[("CLAUDE_CONFIG_DIR", ".credentials.json")], ".claude/.credentials.json") {
                // There, it is kept by the system, which would ask the person at the screen.
                SignIn::NotSeen if cfg!(target_os = "macos") => SignIn::NotChecked,
                seen => seen,
            }
        }
        Kind::Codex => match succeeds(program, &["login", "status"]).await {
            Some(true) => SignIn::Stored,
            Some(false) => SignIn::NotSeen,
            None => SignIn::NotChecked,
        },
        Kind::Acp => acp_sign_in(Path::new(program)),
    }
}

/// Without the file that is known of it, such a program may still have a key, or a model that needs none.
fn acp_sign_in(program: &Path) -> SignIn {
    let places: &[(&[(&str, &str)], &str)] = match program.file_name().and_then(|name| name.to_str()) {
        Some("opencode") => {
            &[(&[("XDG_DATA_HOME", "opencode/auth.json")], ".local/share/opencode/auth.json")]
        }
        Some("gemini") => &[(&[], ".gemini/oauth_creds.json"), (&[], ".gemini/.env")],
        Some(_) | None => &[],
    };
    let is_stored = places.iter().any(|(named, default)| stored(named, default) == SignIn::Stored);
    if is_stored { SignIn::Stored } else { SignIn::NotChecked }
}

/// Where a program is, as it would be found when it is started.
fn locate(program: &str) -> Option<PathBuf> {
    let is_program =
        |file: &PathBuf| file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok();
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(is_program);
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(program)).find(is_program)
}

fn judge(kind: Kind, program: &str, uses: &Uses, found: &InstalledProgram) -> DoctorCheck {
    let name = kind.name();
    let used = uses.used_by();
    let Some(path) = &found.path else {
        let missing = if uses.profiles.is_empty() { "not installed (optional)" } else { "not found" };
        let message = format!("`{program}` is {missing}{used}");
        return uses.judge(
            name,
            message,
            format!("{}, or set its path in the profile", kind.how_to_get(program)),
        );
    };
    let path = path.display();
    let shown = match &found.version {
        Program::Found(line) => format!("{line} in {path}"),
        Program::Missing | Program::Silent if kind == Kind::Acp => format!("{path}"),
        Program::Missing | Program::Silent => {
            let message = format!("{path} does not report its version{used}");
            return uses.judge(name, message, format!("run `{path} --version` to see why"));
        }
    };
    if let (Program::Found(line), Some(oldest)) = (&found.version, kind.oldest())
        && numbers(line).is_some_and(|numbers| numbers < oldest)
    {
        let (major, minor, patch) = oldest;
        let message = format!("{shown} is too old: {major}.{minor}.{patch} or newer is needed{used}");
        return uses.judge(name, message, kind.how_to_update());
    }
    judge_sign_in(kind, &shown, uses, found.sign_in)
}

/// A program that is as it should be; whether an account is signed in counts where a profile relies on it.
fn judge_sign_in(kind: Kind, shown: &str, uses: &Uses, sign_in: SignIn) -> DoctorCheck {
    let (name, used) = (kind.name(), uses.used_by());
    if kind == Kind::Acp && sign_in == SignIn::NotChecked {
        return DoctorCheck::ok(name, format!("{shown}; it signs in by itself, which was not checked{used}"));
    }
    if uses.by_proxy && !uses.by_itself {
        return DoctorCheck::ok(name, format!("{shown}; it uses the proxy and needs no sign-in{used}"));
    }
    match sign_in {
        SignIn::Stored | SignIn::Variable(_) => {
            DoctorCheck::ok(name, format!("{shown}; a sign-in is stored, but was not checked{used}"))
        }
        SignIn::NotChecked => DoctorCheck::ok(name, format!("{shown}; its sign-in was not checked{used}")),
        SignIn::NotSeen => {
            let message = format!("{shown}; not signed in{used}");
            let hint = format!(
                "{}, or set api_key_env in the profile: then it uses the proxy",
                kind.how_to_sign_in()
            );
            match uses.by_itself {
                // Its own configuration may name a model that needs no sign-in: work may be possible.
                true => DoctorCheck::warning(name, message, hint),
                false => DoctorCheck { hint: Some(hint), ..DoctorCheck::optional(name, message) },
            }
        }
    }
}

/// A person who has set it for `claude` expects that it counts here, too.
fn unused_url(uses: &Uses) -> DoctorCheck {
    let message = format!(
        "{CLAUDE_URL} is set, but runs do not use it: in a run, claude does not see that variable{}",
        uses.used_by()
    );
    let hint = "set base_url for claude in the profile, or run amelia init --force --agent claude";
    DoctorCheck::warning("claude", message, hint)
}

fn misplaced(home: &Path, temporary: &Path) -> DoctorCheck {
    let (home, temporary) = (home.display(), temporary.display());
    let message = format!(
        "the home {home} is below {temporary}: with the proxy, codex keeps its files there, and its sandbox does not work below the temporary directory"
    );
    DoctorCheck::warning("codex", message, "set --home or AMELIA_HOME to another directory")
}

fn is_below(path: &Path, parent: &Path) -> bool {
    let real = |path: &Path| super::home::existing(path).canonicalize().unwrap_or_else(|_| path.to_owned());
    real(path).starts_with(real(parent))
}

/// The first three numbers in `2.1.197 (Claude Code)` or `codex-cli 0.166.0`. What is written otherwise is not taken for
/// an old one.
fn numbers(line: &str) -> Option<(u32, u32, u32)> {
    let version = line.split(' ').find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let mut parts = version.split(['.', '-', '+']).map(|part| part.parse::<u32>().ok());
    Some((parts.next()??, parts.next()??, parts.next()??))
}

impl Uses {
    fn used_by(&self) -> String {
        match self.profiles.is_empty() {
            true => "; no profile uses it".to_owned(),
            false => {
                let noun = if self.profiles.len() == 1 { "profile" } else { "profiles" };
                format!("; used by the {noun} {}", self.profiles.join(", "))
            }
        }
    }

    /// Something is wrong with it: how bad that is depends on who wants it.
    fn judge(&self, name: &'static str, message: String, hint: String) -> DoctorCheck {
        match (self.profiles.is_empty(), self.is_active) {
            (true, _) => DoctorCheck { hint: Some(hint), ..DoctorCheck::optional(name, message) },
            (false, false) => DoctorCheck::warning(name, message, hint),
            (false, true) => DoctorCheck::error(name, message, hint),
        }
    }
}

impl Kind {
    fn of(config: &DriverConfig) -> Option<Self> {
        match config {
            DriverConfig::Claude(_) => Some(Self::Claude),
            DriverConfig::Codex { .. } => Some(Self::Codex),
            DriverConfig::Acp(_) => Some(Self::Acp),
            DriverConfig::Api(_) | DriverConfig::Scripted => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Acp => "acp",
        }
    }

    fn oldest(self) -> Option<(u32, u32, u32)> {
        match self {
            Self::Claude => Some(claude::OLDEST),
            Self::Codex => Some(codex::OLDEST),
            Self::Acp => None,
        }
    }

    fn how_to_get(self, program: &str) -> String {
        match self {
            Self::Claude => "npm install -g @anthropic-ai/claude-code".to_owned(),
            Self::Codex => "npm install -g @openai/codex".to_owned(),
            Self::Acp => format!("install `{program}` (see its documentation)"),
        }
    }

    fn how_to_update(self) -> String {
        match self {
            Self::Claude => "claude update".to_owned(),
            Self::Codex => "npm install -g @openai/codex".to_owned(),
            Self::Acp => "update it (see its documentation)".to_owned(),
        }
    }

    fn how_to_sign_in(self) -> &'static str {
        match self {
            Self::Claude => "sign in by running `claude` once",
            Self::Codex => "sign in with `codex login`",
            Self::Acp => "sign in with the program itself",
        }
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::config::agent::{AgentConfig, DriverType};
    use serde_json::{Value, json};

    use super::super::check::CheckState;
    use super::*;

    fn agent(driver: DriverType, options: &Value) -> AgentConfig {
        AgentConfig { options: options.as_object().cloned().unwrap(), ..AgentConfig::new(driver, "m") }
    }

    fn profile(name: &str, agents: Vec<AgentConfig>) -> (String, Profile) {
        let agents = (0..).zip(agents).map(|(number, agent)| (format!("a{number}"), agent)).collect();
        (name.to_owned(), Profile { agents, ..Profile::new(name, "/r") })
    }

    fn found(version: &str, sign_in: SignIn) -> InstalledProgram {
        let version = Program::Found(version.to_owned());
        InstalledProgram { path: Some("/bin/x".into()), version, sign_in }
    }

    #[test]
    fn every_program_of_every_profile_is_looked_at_once() {
        let profiles = [
            profile(
                "a",
                vec![
                    agent(DriverType::Claude, &json!({})),
                    agent(DriverType::Claude, &json!({"api_key_env": "K"})),
                    agent(DriverType::Claude, &json!({"program": "/opt/claude"})),
                    agent(DriverType::Api, &json!({})),
                ],
            ),
            profile("b", vec![agent(DriverType::Acp, &json!({"command": ["gemini", "--experimental-acp"]}))]),
        ];
        let uses = uses(&profiles.into(), "b");
        let shown: Vec<_> =
            uses.iter().map(|((_, program), uses)| (program.as_str(), uses.clone())).collect();
        let of = |profile: &str, is_active, by_itself, by_proxy| Uses {
            profiles: vec![profile.to_owned()],
            is_active,
            by_itself,
            by_proxy,
        };
        let expected = [
            ("/opt/claude", of("a", false, true, false)),
            ("claude", of("a", false, true, true)),
            ("codex", Uses::default()),
            ("gemini", of("b", true, true, false)),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_is_missing_or_old_is_as_bad_as_who_wants_it() {
        let nobody = Uses::default();
        let other = Uses { profiles: vec!["p".to_owned()], by_itself: true, ..Uses::default() };
        let active = Uses { is_active: true, ..other.clone() };
        let missing = InstalledProgram { path: None, version: Program::Missing, sign_in: SignIn::NotChecked };
        let old = found("codex-cli 0.149.9", SignIn::Stored);
        for (uses, state) in
            [(nobody, CheckState::Optional), (other, CheckState::Warning), (active, CheckState::Error)]
        {
            assert_eq!(judge(Kind::Codex, "codex", &uses, &missing).state, state);
            let judged = judge(Kind::Codex, "codex", &uses, &old);
            assert_eq!(judged.state, state);
            assert_eq!(judged.hint.as_deref(), Some("npm install -g @openai/codex"));
        }
    }

    #[test]
    fn a_sign_in_counts_where_somebody_relies_on_it() {
        let found = |sign_in| found("2.1.197 (Claude Code)", sign_in);
        let state = |uses: &Uses, sign_in| judge(Kind::Claude, "claude", uses, &found(sign_in)).state;
        let own = Uses { profiles: vec!["p".to_owned()], by_itself: true, ..Uses::default() };
        let proxied = Uses { by_proxy: true, by_itself: false, ..own.clone() };
        assert_eq!(state(&own, SignIn::Stored), CheckState::Ok);
        assert_eq!(state(&own, SignIn::NotChecked), CheckState::Ok);
        assert_eq!(state(&own, SignIn::NotSeen), CheckState::Warning);
        assert_eq!(state(&proxied, SignIn::NotSeen), CheckState::Ok);
        assert_eq!(
            state(&Uses::default(), SignIn::NotSeen),
            CheckState::Optional,
            "it could not be used now"
        );
    }

    #[test]
    fn a_version_that_cannot_be_read_may_be_newer_than_us() {
        assert_eq!(numbers("2.1.197 (Claude Code)"), Some((2, 1, 197)));
        assert_eq!(numbers("codex-cli 0.166.0-alpha.3"), Some((0, 166, 0)));
        assert_eq!(numbers("codex nightly"), None);
        let odd = found("codex nightly", SignIn::Stored);
        assert_eq!(judge(Kind::Codex, "codex", &Uses::default(), &odd).state, CheckState::Ok);
    }

    #[test]
    fn a_home_that_is_not_made_yet_is_where_it_will_be() {
        let dir = tempfile::tempdir().unwrap();
        assert!(is_below(&dir.path().join("none/yet"), dir.path()));
        assert!(!is_below(Path::new("/"), dir.path()));
    }
}

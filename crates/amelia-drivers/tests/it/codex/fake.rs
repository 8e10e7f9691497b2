//! With programs that misbehave: a few lines of shell in the place of the real one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::config::agent::CodexMode;
use amelia_core::driver::{AgentMessage, DriverError};
use amelia_core::id::SessionId;
use amelia_core::message::Role;
use amelia_core::problem::Problem;
use amelia_core::recording::Channel;
use amelia_core::tool::Risk;
use amelia_core::tool::ToolBox;
use amelia_drivers::codex::{CodexDriver, CodexSettings};
use amelia_drivers::program::{Launch, Launcher, ProgramOutput, RunningProgram, TalkContext};
use async_trait::async_trait;

use super::{settings, with};
use crate::fixture::{ConversationFixture, fake, message, notices, result};

const HELLO: &str =
    r#"read hello; echo '{"id":1,"result":{"userAgent":"amelia/0.166.0 (here)"}}'; read ready"#;
const OPEN: &str = r#"read open; echo '{"id":2,"result":{"thread":{"id":"t1"}}}'"#;
const TURN: &str = r#"read turn; echo '{"id":3,"result":{"turn":{"id":"u1"}}}'"#;
const SAID: &str = r#"echo '{"method":"item/completed","params":{"threadId":"t1","item":{"type":"agentMessage","id":"m1","text":"ok"}}}'"#;
const DONE: &str = r#"echo '{"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u1","status":"completed"}}}'"#;

fn plain(program: &str) -> CodexSettings {
    CodexSettings { is_proxied: false, ..settings(program) }
}

async fn ended(fixture: &ConversationFixture, body: &str) -> (Vec<AgentMessage>, Result<(), DriverError>) {
    let program = fake(fixture, body);
    let (said, ended, _) = fixture.start(with(plain(&program))).all().await;
    (said, ended)
}

/// How it ends when the program greets, opens, begins a turn, and then does this.
async fn in_a_turn(
    fixture: &ConversationFixture,
    then: &str,
) -> (Vec<AgentMessage>, Result<(), DriverError>) {
    ended(fixture, &format!("{HELLO}; {OPEN}; {TURN}; {then}")).await
}

fn problem(ended: &Result<(), DriverError>) -> String {
    Problem::from(ended.as_ref().unwrap_err()).to_text()
}

#[tokio::test]
async fn it_is_not_there() {
    for mode in [CodexMode::Server, CodexMode::Exec] {
        let fixture = ConversationFixture::new();
        let settings = CodexSettings { mode, ..plain("no-such-program-anywhere") };
        let (_, ended, _) = fixture.start(with(settings)).all().await;
        assert!(problem(&ended).contains("not installed"), "{ended:?}");
    }
}

#[tokio::test]
async fn it_is_too_old() {
    let old = r#"read hello; echo '{"id":1,"result":{"userAgent":"amelia/0.42.0 (here)"}}'; cat"#;
    let (_, ended) = ended(&ConversationFixture::new(), old).await;
    assert!(problem(&ended).contains("0.42.0 is too old"), "{ended:?}");
}

/// `exec` of an older time: the prompt comes on its standard input, and has an end.
const ONLY_EXEC: &str = r#"
if [ "$1" = app-server ]; then echo "error: unrecognized subcommand 'app-server'" >&2; exit 2; fi
told=$(cat)
echo '{"type":"thread.started","thread_id":"t9"}'
printf '{"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"I was told: %s"}}\n' "$told"
echo '{"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":2}}'"#;

#[tokio::test]
async fn one_that_cannot_be_spoken_with_is_told_once() {
    let fixture = ConversationFixture::new();
    let (said, done) = ended(&fixture, ONLY_EXEC).await;
    assert_eq!(done, Ok(()), "{said:?}");
    assert_eq!(result(&said), "I was told: Do it.");
    assert!(notices(&said).iter().any(|text| text.contains("too old for a conversation")), "{said:?}");
}

#[tokio::test]
async fn nobody_who_wants_to_be_asked_is_passed_over() {
    let fixture = ConversationFixture::new();
    let program = fake(&fixture, ONLY_EXEC);
    let (_, ended, _) = fixture.start(with(CodexSettings { asks: true, ..plain(&program) })).all().await;
    assert!(problem(&ended).contains("cannot ask for permission"), "{ended:?}");
}

#[tokio::test]
async fn it_is_not_signed_in() {
    let (_, ended) = in_a_turn(
        &ConversationFixture::new(),
        r#"echo '{"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u1","status":"failed","error":{"message":"Your access token could not be refreshed","codexErrorInfo":"unauthorized"}}}}'"#,
    )
    .await;
    assert!(problem(&ended).contains("run `codex` once to sign in"), "{ended:?}");
}

#[tokio::test]
async fn it_is_killed_from_outside() {
    let (said, ended) = in_a_turn(&ConversationFixture::new(), "echo 'about to die' >&2; kill -9 $$").await;
    assert!(matches!(said.first(), Some(AgentMessage::Session(_))), "{said:?}");
    let problem = problem(&ended);
    assert!(problem.contains("killed") && problem.contains("about to die"), "{problem}");
}

#[tokio::test]
async fn it_ends_well_and_has_said_nothing() {
    let (_, ended) = in_a_turn(&ConversationFixture::new(), "exit 0").await;
    assert!(problem(&ended).contains("code 0 before it had finished"), "{ended:?}");
}

#[tokio::test]
async fn it_hangs() {
    let mut fixture = ConversationFixture::new();
    fixture.silence = Duration::from_millis(50);
    for body in [
        format!("{HELLO}; cat >/dev/null"),
        format!("{HELLO}; {OPEN}; {TURN}; cat >/dev/null"),
        "cat >/dev/null".to_owned(),
    ] {
        let (_, ended) = ended(&fixture, &body).await;
        assert!(problem(&ended).contains("printed nothing"), "{ended:?}");
    }
}

/// Says what it was given to say, and then nothing.
struct Recited(VecDeque<ProgramOutput>);

#[async_trait]
impl RunningProgram for Recited {
    async fn hear(&mut self) -> ProgramOutput {
        match self.0.pop_front() {
            Some(heard) => heard,
            None => std::future::pending().await,
        }
    }

    async fn say(&mut self, _: &str) {}

    async fn close(&mut self) {}
}

#[async_trait]
impl Launcher for Recited {
    async fn launch(
        &self,
        _: Launch,
        _: &Channel,
        _: &Arc<dyn ToolBox>,
    ) -> Result<Box<dyn RunningProgram>, DriverError> {
        Ok(Box::new(Self(self.0.clone())))
    }
}

/// The watchdog looks away while a person thinks.
#[tokio::test]
async fn a_permission_that_nobody_answers_is_no_hanging() {
    let lines = [
        r#"{"id":1,"result":{"userAgent":"amelia/0.166.0 (here)"}}"#,
        r#"{"id":2,"result":{"thread":{"id":"t1"}}}"#,
        r#"{"id":3,"result":{"turn":{"id":"u1"}}}"#,
        r#"{"id":0,"method":"item/commandExecution/requestApproval","params":{"itemId":"c1","command":"/bin/bash -lc 'rm a'"}}"#,
    ];
    let silent = || ProgramOutput::Silent(Duration::from_secs(60));
    let done =
        r#"{"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u1","status":"completed"}}}"#;
    let mut heard: VecDeque<ProgramOutput> = lines.map(|line| ProgramOutput::Line(line.to_owned())).into();
    heard.extend([silent(), silent(), ProgramOutput::Line(done.to_owned())]);
    let mut fixture = ConversationFixture::new();
    fixture.opinion = |_, _| None;
    let driver = |stage: TalkContext| CodexDriver {
        stage: TalkContext { launcher: Arc::new(Recited(heard)), ..stage },
        settings: plain("codex"),
    };
    let (said, ended, tools) = fixture.start(driver).all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(*tools.asked.lock().unwrap(), [("shell".to_owned(), Risk::Execute)]);
}

#[tokio::test]
async fn it_prints_what_is_no_message() {
    let noise = r#"echo 'Warning: old node'; echo '[Debug] x'; echo '{"method":"brand/new","params":{"x":1}}'; echo '{broken'; printf '\377\376\n'; echo '{"method":"item/completed"}'; echo '{"method":"item/completed","params":{"threadId":"t1","item":{"type":"commandExecution","id":7}}}'; echo '{"id":77,"result":{}}'; echo '[]'; echo '{"method":"item/started","params":{"threadId":"t1","item":{"type":"hologram","id":"h"}}}'"#;
    let (said, ended) = in_a_turn(&ConversationFixture::new(), &format!("{noise}; {SAID}; {DONE}")).await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(result(&said), "ok");
    assert_eq!(notices(&said).len(), 1, "{said:?}");
}

#[tokio::test]
async fn it_asks_what_we_do_not_know() {
    let ask = r#"echo '{"id":"q","method":"brand/new","params":{}}'; read answer"#;
    let check = r#"case "$answer" in *'"error"'*'"id":"q"'*) ;; *) exit 9;; esac"#;
    let (said, ended) =
        in_a_turn(&ConversationFixture::new(), &format!("{ask}; {check}; {SAID}; {DONE}")).await;
    assert_eq!(ended, Ok(()), "{said:?}");
}

#[tokio::test]
async fn it_prints_a_line_of_megabytes() {
    let long = r#"printf '{"method":"item/completed","params":{"threadId":"t1","item":{"type":"agentMessage","id":"m","text":"'; head -c 5000000 /dev/zero | tr '\0' x; echo '"}}}'"#;
    let (said, ended) = in_a_turn(&ConversationFixture::new(), &format!("{long}; {DONE}")).await;
    assert_eq!(ended, Ok(()));
    assert_eq!(result(&said).len(), 5_000_000);
}

#[tokio::test]
async fn its_last_line_has_no_end() {
    let whole = DONE.replace("echo", "printf %s");
    let (said, done) = in_a_turn(&ConversationFixture::new(), &format!("{SAID}; {whole}")).await;
    assert_eq!(done, Ok(()));
    assert_eq!(result(&said), "ok");
    let (_, half) = in_a_turn(&ConversationFixture::new(), r#"printf '{"method":"turn/comp'"#).await;
    assert!(problem(&half).contains("before it had finished"), "{half:?}");
}

#[tokio::test]
async fn a_conversation_that_it_does_not_know_is_begun_anew() {
    let gone = r#"read open; echo '{"id":2,"error":{"code":-32600,"message":"no rollout found"}}'"#;
    let open = r#"read open; echo '{"id":3,"result":{"thread":{"id":"t1"}}}'"#;
    let turn = r#"read turn; echo '{"id":4,"result":{"turn":{"id":"u1"}}}'"#;
    let mut fixture = ConversationFixture::new();
    fixture.session = Some(SessionId::new("t0").unwrap());
    let (said, ended) = ended(&fixture, &format!("{HELLO}; {gone}; {open}; {turn}; {SAID}; {DONE}")).await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert!(notices(&said).iter().any(|text| text.contains("a new one starts")), "{said:?}");
}

#[tokio::test]
async fn its_account_is_used_up_until_a_moment_that_it_names() {
    let limits = r#"echo '{"method":"account/rateLimits/updated","params":{"rateLimits":{"primary":{"usedPercent":100,"resetsAt":1800000000},"secondary":{"usedPercent":12,"resetsAt":1900000000}}}}'"#;
    let failed = r#"echo '{"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u1","status":"failed","error":{"message":"You have hit your usage limit.","codexErrorInfo":"usageLimitExceeded"}}}}'"#;
    let (_, ended) = in_a_turn(&ConversationFixture::new(), &format!("{limits}; {failed}")).await;
    let Err(DriverError::Quota { resets_at: Some(at), .. }) = ended else { panic!("{ended:?}") };
    assert_eq!(at.as_second(), 1_800_000_000);
}

#[tokio::test]
async fn words_that_come_too_late_for_a_turn_are_said_in_the_next() {
    let late = r#"read steer; echo '{"id":4,"error":{"code":-32600,"message":"no active turn to steer"}}'"#;
    let again = r#"read turn; case "$turn" in *turn/start*"Make it blue"*) ;; *) exit 9;; esac; echo '{"id":5,"result":{"turn":{"id":"u2"}}}'"#;
    let fixture = ConversationFixture::new();
    let program =
        fake(&fixture, &format!("{HELLO}; {OPEN}; {TURN}; {SAID}; {late}; {DONE}; {again}; {SAID}; {DONE}"));
    let mut work = fixture.start(with(plain(&program)));
    work.until(|m| matches!(m, AgentMessage::Said(_))).await;
    work.say.send(message(Role::User, "Make it blue.")).unwrap();
    let (said, ended, _) = work.all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(result(&said), "ok");
}

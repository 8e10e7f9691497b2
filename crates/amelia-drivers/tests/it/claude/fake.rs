//! With programs that misbehave: a few lines of shell in the place of the real one.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use amelia_core::driver::{AgentMessage, DriverError};
use amelia_core::id::SessionId;
use amelia_core::problem::Problem;

use super::fixture::Claude;
use crate::fixture::result;

const INIT: &str =
    r#"echo '{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.0"}'"#;
const DONE: &str =
    r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"ok","session_id":"s1"}'"#;

/// A program that does this.
fn fake(body: &str) -> Claude {
    let mut fixture = Claude::new(&PathBuf::new());
    let program = fixture.directory.path().join("claude");
    std::fs::write(&program, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    fixture.program = program;
    fixture
}

async fn ended(fixture: &Claude) -> (Vec<AgentMessage>, Result<(), DriverError>) {
    let (said, ended, _) = fixture.start().all().await;
    (said, ended)
}

fn problem(ended: &Result<(), DriverError>) -> String {
    Problem::from(ended.as_ref().unwrap_err()).to_text()
}

#[tokio::test]
async fn it_is_not_there() {
    let fixture = Claude::new(&PathBuf::from("no-such-program-anywhere"));
    let (_, ended) = ended(&fixture).await;
    assert!(problem(&ended).contains("not installed"), "{ended:?}");
}

#[tokio::test]
async fn it_is_too_old() {
    let fixture = fake(
        r#"echo '{"type":"system","subtype":"init","session_id":"s","claude_code_version":"1.0.3"}'; cat"#,
    );
    let (_, ended) = ended(&fixture).await;
    assert!(problem(&ended).contains("1.0.3 is too old"), "{ended:?}");
}

#[tokio::test]
async fn it_is_killed_from_outside() {
    let fixture = fake(&format!("{INIT}; echo 'about to die' >&2; kill -9 $$"));
    let (said, ended) = ended(&fixture).await;
    assert!(matches!(said.first(), Some(AgentMessage::Session(_))), "{said:?}");
    let problem = problem(&ended);
    assert!(problem.contains("killed") && problem.contains("about to die"), "{problem}");
}

#[tokio::test]
async fn a_conversation_that_it_never_saved_is_worth_a_notice_only_after_an_interruption() {
    let lost = "case \"$*\" in *--resume=*) echo 'No conversation found' >&2; exit 1;; esac";
    let mut fixture = fake(&format!("{lost}; {INIT}; {DONE}; cat > /dev/null"));
    fixture.session = Some(SessionId::new("01234567-89ab-cdef-0123-456789abcdef").unwrap());
    for is_heard in [false, true] {
        fixture.is_heard = is_heard;
        let (said, ended) = ended(&fixture).await;
        assert_eq!(ended, Ok(()), "{said:?}");
        let notices = said.iter().filter(|said| matches!(said, AgentMessage::Notice { .. })).count();
        assert_eq!(notices, usize::from(is_heard), "{said:?}");
    }
}

#[tokio::test]
async fn it_ends_well_and_has_said_nothing() {
    let (_, ended) = ended(&fake(&format!("{INIT}; exit 0"))).await;
    assert!(problem(&ended).contains("code 0 before it had finished"), "{ended:?}");
}

#[tokio::test]
async fn it_hangs() {
    let mut fixture = fake(&format!("{INIT}; sleep 1000"));
    fixture.silence = Duration::from_millis(50);
    let (_, ended) = ended(&fixture).await;
    assert!(problem(&ended).contains("printed nothing"), "{ended:?}");
}

#[tokio::test]
async fn it_prints_what_is_no_message() {
    let noise = r#"echo 'Warning: old node'; echo '[Debug] x'; echo '{"type":"brand_new_thing","x":1}'; echo '{"type":"assistant"}'; echo '{broken'; printf '\377\376\n'"#;
    let (said, ended) = ended(&fake(&format!("{INIT}; {noise}; {DONE}"))).await;
    assert_eq!(ended, Ok(()));
    assert_eq!(result(&said), "ok");
    let told = said.iter().filter(|m| matches!(m, AgentMessage::Notice { .. })).count();
    assert_eq!(told, 1, "{said:?}");
}

#[tokio::test]
async fn it_prints_a_line_of_megabytes() {
    let long = r#"printf '{"type":"assistant","message":{"content":[{"type":"text","text":"'; head -c 5000000 /dev/zero | tr '\0' x; echo '"}]}}'"#;
    let (said, ended) = ended(&fake(&format!("{INIT}; {long}; {DONE}"))).await;
    assert_eq!(ended, Ok(()));
    let length = said.iter().find_map(|m| match m {
        AgentMessage::Said(said) => Some(said.text().len()),
        _ => None,
    });
    assert_eq!(length, Some(5_000_000));
}

#[tokio::test]
async fn its_last_line_has_no_end() {
    let whole = DONE.replace("echo", "printf");
    let (said, done) = ended(&fake(&format!("{INIT}; {whole}"))).await;
    assert_eq!(done, Ok(()));
    assert_eq!(result(&said), "ok");
    let (_, half) = ended(&fake(&format!(r#"{INIT}; printf '{{"type":"result","subtype":"succ'"#))).await;
    assert!(problem(&half).contains("before it had finished"), "{half:?}");
}

/// It may still print a lot that is not needed.
#[tokio::test]
async fn it_writes_its_conversation_down_before_it_ends() {
    let says_more = "yes '{\"type\":\"system\",\"subtype\":\"more\"}' | head -n 20000";
    let failed = r#"echo '{"type":"result","subtype":"error_max_turns","is_error":true,"session_id":"s1"}'"#;
    for (end, is_done) in [(DONE, true), (failed, false)] {
        let fixture = fake(&format!("{INIT}; {end}; cat >/dev/null; {says_more}; echo all > \"$HOME/kept\""));
        let (said, done) = ended(&fixture).await;
        assert_eq!(done.is_ok(), is_done, "{said:?} {done:?}");
        let kept = std::fs::read_to_string(fixture.directory.path().join("home/kept"));
        assert_eq!(kept.unwrap_or_default(), "all\n", "{end}");
    }
}

#[tokio::test]
async fn it_does_not_end_when_it_is_done() {
    let fixture = fake(&format!("{INIT}; echo $$ > \"$HOME/pid\"; {DONE}; exec sleep 1000"));
    let (said, done) = ended(&fixture).await;
    assert_eq!((result(&said).as_str(), done), ("ok", Ok(())));
    let pid = std::fs::read_to_string(fixture.directory.path().join("home/pid")).unwrap();
    let state = || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    while !(state().is_empty() || state().contains(") Z ")) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn its_account_is_used_up() {
    let limit = r#"echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1800000000,"rateLimitType":"five_hour"}}'; cat"#;
    let (_, ended) = ended(&fake(&format!("{INIT}; {limit}"))).await;
    let Err(DriverError::Quota { resets_at: Some(at), .. }) = ended else { panic!("{ended:?}") };
    assert_eq!(at.as_second(), 1_800_000_000);
}

#[tokio::test]
async fn its_account_goes_on_with_usage_that_is_paid_for() {
    let limit = r#"echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","isUsingOverage":true,"rateLimitType":"five_hour"}}'"#;
    let (said, ended) = ended(&fake(&format!("{INIT}; {limit}; {limit}; {DONE}"))).await;
    assert_eq!(ended, Ok(()));
    let told = |m: &&AgentMessage| matches!(m, AgentMessage::Notice { text } if text.contains("extra usage"));
    assert_eq!(said.iter().filter(told).count(), 1, "{said:?}");
}

#[tokio::test]
async fn a_tool_was_denied_by_rules_of_its_own() {
    let denied = r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"ok","permission_denials":[{"tool_name":"Bash","tool_use_id":"t"}]}'"#;
    let (said, ended) = ended(&fake(&format!("{INIT}; {denied}"))).await;
    assert_eq!(ended, Ok(()));
    assert!(
        said.iter().any(|m| matches!(m, AgentMessage::Notice { text } if text.contains("Bash"))),
        "{said:?}"
    );
}

#[tokio::test]
async fn a_helper_of_it_speaks_inside_its_call() {
    let nested = r#"echo '{"type":"assistant","parent_tool_use_id":"task1","message":{"content":[{"type":"text","text":"I look."}]}}'"#;
    let (said, ended) = ended(&fake(&format!("{INIT}; {nested}; {DONE}"))).await;
    assert_eq!(ended, Ok(()));
    let is_nested =
        |m: &AgentMessage| matches!(m, AgentMessage::Nested { call, .. } if call.as_str() == "task1");
    assert!(said.iter().any(is_nested), "{said:?}");
}

#[tokio::test]
async fn its_retries_are_told_with_their_number() {
    let retry = r#"echo '{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":600,"error_status":529}'"#;
    let (said, ended) = ended(&fake(&format!("{INIT}; {retry}; {DONE}"))).await;
    assert_eq!(ended, Ok(()));
    let told = |m: &AgentMessage| matches!(m, AgentMessage::Retry { text } if text.ends_with("did not answer (529); trying again in 0.6 s (2 of 11)"));
    assert!(said.iter().any(told), "{said:?}");
}

#[tokio::test]
async fn its_failure_counts_the_tries_that_it_made() {
    let retry = r#"echo '{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":1,"error_status":529}'"#;
    let failed = r#"echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":529,"result":"overloaded"}'"#;
    let (_, ended) = ended(&fake(&format!("{INIT}; {retry}; {retry}; {failed}"))).await;
    assert!(matches!(ended, Err(DriverError::Unavailable { tries: 3, .. })), "{ended:?}");
}

#[tokio::test]
async fn a_model_that_it_cannot_reach_is_told_with_its_address() {
    let retry = r#"echo '{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":600,"error_status":null,"error":"unknown"}'"#;
    let failed = r#"echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":null,"result":"API Error: Unable to connect to API (ConnectionRefused)"}'"#;
    let (said, ended) = ended(&fake(&format!("{INIT}; {retry}; {failed}"))).await;
    let told = |m: &AgentMessage| matches!(m, AgentMessage::Retry { text } if text.ends_with("at https://api.anthropic.com; trying again in 0.6 s (2 of 11)"));
    assert!(said.iter().any(told), "{said:?}");
    assert_eq!(
        ended.unwrap_err().to_string(),
        "claude is not available after 2 tries: it cannot reach its model at https://api.anthropic.com: Unable to \
         connect to API (ConnectionRefused)"
    );
}

#[tokio::test]
async fn a_refused_key_is_not_tried_for_minutes() {
    let retry = |attempt: u32| {
        format!(
            r#"echo '{{"type":"system","subtype":"api_retry","attempt":{attempt},"max_retries":10,"retry_delay_ms":1,"error_status":401}}'"#
        )
    };
    let (said, ended) = ended(&fake(&format!("{INIT}; {}; {}; sleep 600", retry(1), retry(2)))).await;
    let once = |m: &AgentMessage| matches!(m, AgentMessage::Retry { text } if text.ends_with("trying once more in 0.0 s"));
    assert!(said.iter().any(once), "a sign-in may be renewed: {said:?}");
    let error = ended.unwrap_err();
    assert_eq!(error.to_string(), "the provider of claude refused the key: it answered 401 twice");
}

#[tokio::test]
async fn what_it_says_in_the_place_of_a_model_is_not_said_by_the_agent() {
    let said = r#"echo '{"type":"assistant","message":{"model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"Not logged in · Please run /login"}]}}'"#;
    let failed = r#"echo '{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login"}'"#;
    let (said, ended) = ended(&fake(&format!("{INIT}; {said}; {failed}"))).await;
    assert!(!said.iter().any(|m| matches!(m, AgentMessage::Said(_))), "{said:?}");
    assert!(problem(&ended).contains("is not signed in"), "{ended:?}");
}

#[tokio::test]
async fn a_refused_key_is_not_called_a_missing_sign_in() {
    let failed = r#"echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Please run /login · API Error: 401 invalid x-api-key"}'"#;
    let (_, ended) = ended(&fake(&format!("{INIT}; {failed}"))).await;
    let error = ended.unwrap_err();
    assert_eq!(error.to_string(), "the provider of claude refused the key: API Error: 401 invalid x-api-key");
}

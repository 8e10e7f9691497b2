//! Kimi, after platform.moonshot.ai, "Using thinking models", kimi.com/code/docs, "Error reference", and the refusals that
//! its users quote (mastra#12592, kimi-cli#2011, nanobot#3939).

use amelia_core::driver::DriverError;
use amelia_drivers::model::{Provider, WireFormat};
use serde_json::{Value, json};

use super::chat::{calling_turns, delta, finish, pairs, says};
use super::fake::{Answer, Fake, Refusal, Rules, sse};
use super::{ModelCase, converse, opening};

/// A model that always thinks.
struct Kimi;

/// Its errors have a message and a type, and no code.
fn error(kind: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": kind}})
}

fn refuse(message: &str) -> Result<(), Refusal> {
    Err((400, error("invalid_request_error", message)))
}

impl Rules for Kimi {
    fn check(&self, path: &str, body: &Value) -> Result<(), Refusal> {
        assert_eq!(path, "/v1/chat/completions");
        if body.get("temperature").is_some_and(|temperature| *temperature != json!(1)) {
            return refuse("invalid temperature: only 1 is allowed for this model");
        }
        if body.get("thinking").is_some() && body.get("reasoning_effort").is_some() {
            return refuse("cannot specify both 'thinking' and 'reasoning_effort'");
        }
        for turn in calling_turns(body) {
            // Its calls are numbered over the whole conversation.
            let number = turn["tool_calls"][0]["id"].as_str().unwrap().split(':').nth(1).unwrap();
            if !turn["reasoning_content"].is_string() {
                return refuse(&format!(
                    "thinking is enabled but reasoning_content is missing in assistant tool call message at index {number}"
                ));
            }
            assert_eq!(turn["reasoning_content"], format!("hm {number}"), "as it was");
        }
        pairs(body)
    }

    fn calling(&self, turn: usize, count: usize) -> String {
        let first = if turn == 0 { 0 } else { turn + 1 };
        let mut events = vec![
            delta(&json!({"role": "assistant", "content": "", "reasoning_content": "hm "})),
            delta(&json!({"reasoning_content": first.to_string()})),
        ];
        for place in 0..count {
            let id = format!("functions.look:{}", first + place);
            let begin = json!({"index": place, "id": id, "type": "function",
                "function": {"name": "look", "arguments": ""}});
            let more = json!({"index": place, "function": {"arguments": "{\"at\": \"x\"}"}});
            events.extend([delta(&json!({"tool_calls": [begin]})), delta(&json!({"tool_calls": [more]}))]);
        }
        events.push(finish("tool_calls"));
        sse(&events) + "data: [DONE]\n\n"
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        says(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        let message = "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)";
        (400, error("invalid_request_error", message))
    }

    fn hiccup(&self, turn: usize) -> Option<Answer> {
        let message = "The engine is currently overloaded, please try again later";
        (turn == 3).then(|| Answer::Refused((429, error("engine_overloaded_error", message))))
    }
}

#[tokio::test]
async fn kimi() {
    let asked = ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, "kimi-k3").thinking("high");
    let (_, fake) = converse(asked, Kimi).await;
    let first = &fake.requests()[0];
    assert_eq!((&first["reasoning_effort"], first.get("temperature")), (&json!("high"), None));
    assert_eq!(first["messages"][1]["content"][1]["type"], "image_url");
}

#[tokio::test]
async fn a_kimi_of_another_name_is_corrected_by_its_refusals() {
    let asked = ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, "a-copy").thinking("high");
    let (talked, _) = converse(asked, Kimi).await;
    let told = |words: &str| talked.notices.iter().filter(|notice| notice.contains(words)).count();
    assert_eq!(
        (told("no temperature"), told("expects its earlier reasoning back")),
        (1, 1),
        "{:?}",
        talked.notices
    );
}

/// Its account is used up.
struct UsedUp(Refusal);

impl Rules for UsedUp {
    fn check(&self, _: &str, _: &Value) -> Result<(), Refusal> {
        Err(self.0.clone())
    }

    fn calling(&self, turn: usize, count: usize) -> String {
        Kimi.calling(turn, count)
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        Kimi.saying(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        Kimi.overflow()
    }
}

#[tokio::test]
async fn a_used_up_account_at_kimi_is_a_quota_and_not_a_wrong_key() {
    let open_bill = "Your account org-1 <ak-1> is suspended, please check your plan and billing details";
    let month = "You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle.";
    for refusal in [
        (429, error("exceeded_current_quota_error", open_bill)),
        (403, error("permission_denied_error", month)),
    ] {
        let fake = Fake::start(UsedUp(refusal.clone())).await;
        let asked = ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, "kimi-k3");
        let talked = asked.run(&fake.url, opening()).await;
        assert!(matches!(talked.end, Err(Some(DriverError::Quota { .. }))), "{refusal:?}: {:?}", talked.end);
        assert_eq!(fake.requests().len(), 1, "asked once");
    }
}

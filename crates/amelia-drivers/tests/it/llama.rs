//! The API driver against a real model server: llama.cpp with a small model. Needs Python; the first run needs a
//! network. What the model says is its own business; that it is understood is ours.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use amelia_core::driver::{AgentMessage, AnswerShape, DeltaKind, ModelOptions};
use amelia_drivers::model::WireFormat;
use serde_json::{Value, json};

use crate::asking::{Asking, result};
use crate::programs::set_up_here;

/// The server, ended with its standard input.
struct Llama {
    child: Child,
    url: String,
}

impl Drop for Llama {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().ok();
    }
}

fn started() -> Option<Llama> {
    let venv = set_up_here("setup-llama.sh", "llama.cpp")?;
    let mut child = Command::new(venv.join("bin/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llama/serve.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    assert!(url.starts_with("http://"), "no address: {url:?}");
    Some(Llama { child, url: url.trim().to_owned() })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_server_is_understood_on_every_wire_and_gives_the_answer_its_shape() {
    let Some(llama) = tokio::task::spawn_blocking(started).await.unwrap() else { return };
    let url = format!("{}/v1", llama.url);
    for wire in [WireFormat::Chat, WireFormat::Responses, WireFormat::Messages] {
        streams(&Asking { options: brief(), ..Asking::new(url.clone(), wire) }).await;
    }
    gives_a_shape(&Asking { options: brief(), ..Asking::new(url.clone(), WireFormat::Chat) }).await;
    let too_long = Asking::new(url, WireFormat::Chat).ask(&"word ".repeat(4000)).await.1;
    let message = too_long.unwrap().to_string();
    assert!(message.starts_with("the conversation is too long for `scripted`"), "{message}");
    tokio::task::spawn_blocking(move || drop(llama)).await.unwrap();
}

/// The same answer every time, and not a long one: the model is slow.
fn brief() -> ModelOptions {
    ModelOptions { temperature: Some(0.0), max_tokens: Some(60), reasoning: None }
}

/// The answer comes in pieces that together are the answer, and what it took is told.
async fn streams(asking: &Asking) {
    let (said, error) = asking.ask("What is the capital of France? Answer in one short sentence.").await;
    assert_eq!(error, None, "{}", asking.wire);
    let mut pieces = Vec::new();
    let mut used = None;
    for message in &said {
        match message {
            AgentMessage::Delta { kind: DeltaKind::Text, text } => pieces.push(text.as_str()),
            AgentMessage::Usage(usage) => used = Some(usage),
            _ => {}
        }
    }
    let answer = result(&said).unwrap();
    assert!(pieces.len() > 1, "{}: {said:?}", asking.wire);
    assert_eq!(pieces.concat(), answer, "{}", asking.wire);
    assert!(answer.contains("Paris"), "{}: {answer}", asking.wire);
    let used = used.unwrap();
    assert!(used.input_tokens > Some(10) && used.output_tokens > Some(1), "{}: {used:?}", asking.wire);
    assert_eq!(used.cost_usd, None, "nobody knows what it costs");
}

async fn gives_a_shape(asking: &Asking) {
    let schema = json!({
        "type": "object",
        "properties": {
            "city": {"type": "string", "maxLength": 20},
            "is_capital": {"type": "boolean"},
            "size": {"type": "string", "enum": ["small", "large"]},
        },
        "required": ["city", "is_capital", "size"],
        "additionalProperties": false,
    });
    let answer = Some(AnswerShape { name: "city".to_owned(), schema: schema.clone(), is_binding: true });
    let asking = Asking { answer, options: brief(), ..Asking::new(asking.base_url.clone(), asking.wire) };
    let (said, error) = asking.ask("Describe Paris.").await;
    assert_eq!(error, None, "{said:?}");
    let answer: Value = serde_json::from_str(result(&said).unwrap()).unwrap();
    assert!(jsonschema::is_valid(&schema, &answer), "{answer}");
}

//! Which conventions and skills of a repository the real programs show to their model by themselves, as we start them. What
//! they are told in the prompt of a role (`amelia-agents/src/briefing.rs`) relies on it: all conventions, and all skills.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use amelia_scripted::ScriptedServer;

use crate::claude::fixture::{Claude, at};
use crate::fixture::{ConversationFixture, TestGate, model, result};
use crate::{codex, programs};

const RULES: &str = "
  - when: {system: title}
    reply: {text: A title}
  - reply: {text: Done.}";

/// Each file, and what only it says.
const FILES: [(&str, &str); 6] = [
    ("AGENTS.md", "marker-agents"),
    ("CLAUDE.md", "marker-claude"),
    ("deep/AGENTS.md", "marker-deep-agents"),
    ("deep/CLAUDE.md", "marker-deep-claude"),
    (".agents/skills/one/SKILL.md", "marker-skill-agents"),
    (".claude/skills/two/SKILL.md", "marker-skill-claude"),
];

/// A repository with all of them.
fn furnish(tree: &Path) {
    for (path, marker) in FILES {
        let text = match path.ends_with("SKILL.md") {
            true => format!("---\nname: {marker}\ndescription: Use it for {marker}.\n---\nDo it.\n"),
            false => format!("Follow {marker}.\n"),
        };
        let file = tree.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    // Programs look for the root of the repository that they are in.
    let made = std::process::Command::new("git").args(["init", "-q"]).current_dir(tree).status().unwrap();
    assert!(made.success());
}

/// What the model was shown of them with the first question.
fn shown(server: &ScriptedServer) -> BTreeSet<&'static str> {
    let asked: String = server.requests().iter().map(|request| request.body.to_string()).collect();
    FILES.into_iter().filter(|(_, marker)| asked.contains(marker)).map(|(path, _)| path).collect()
}

#[tokio::test]
async fn claude_shows_none_of_them() {
    let Some(program) = programs::find("claude").await else { return };
    let mut fixture = Claude::new(&program);
    furnish(&fixture.tree());
    let server = model(RULES).await;
    fixture.env = at(&server);
    let (said, ended, _) = fixture.start().all().await;
    assert_eq!((ended, result(&said).as_str()), (Ok(()), "Done."), "{said:?}");
    assert_eq!(shown(&server), BTreeSet::new());
}

#[tokio::test]
async fn codex_shows_some_skills_and_no_conventions() {
    let Some(program) = programs::find("codex").await else { return };
    let server = model(RULES).await;
    let mut fixture = ConversationFixture::new();
    furnish(&fixture.tree());
    fixture.gate = Some(Arc::new(TestGate { url: server.url(), metered: Mutex::default() }));
    let (said, ended, _) = fixture.start(codex::with(codex::settings(program.to_str().unwrap()))).all().await;
    assert_eq!((ended, result(&said).as_str()), (Ok(()), "Done."), "{said:?}");
    assert_eq!(shown(&server), BTreeSet::from([".agents/skills/one/SKILL.md"]));
}

//! Definitions come from a checkout of the user. What an agent writes into its worktree defines nothing.

use serde_json::{Value, json};

use crate::workflows::{ESSAY, define, exit, said, world};

/// A team of one agent.
fn team(name: &str) -> String {
    let agent = json!({"name": "writer", "role": "writer", "prompt_template": "You write.",
        "llm_config": {"provider": "openai-compatible", "model": "left", "base_url": "http://127.0.0.1:1/v1"}});
    json!({"name": name, "agents": [agent], "collaboration_pattern": "sequential"}).to_string()
}

fn server(name: &str) -> String {
    json!({"servers": {name: {"transport": "stdio", "config": {"command": "true"}}}}).to_string()
}

#[test]
fn in_the_worktree_of_a_run_the_definitions_of_the_checkout_count() {
    let world = world();
    define(&world, "teams/ours.yaml", &team("ours"));
    define(&world, "mcp_servers.yaml", &server("ours"));
    let asked = world.amelia(&["workflow", "run", "essay", "About rivers", "--input", "topic=rivers"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    let worktree = world.worktree();
    let planted = worktree.join(".amelia");
    for (file, text) in [
        ("workflows/planted.yaml", ESSAY.replace("name: essay", "name: planted")),
        ("teams/planted.yaml", team("planted")),
        ("mcp_servers.yaml", server("planted")),
    ] {
        let path = planted.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    for directory in [&worktree, &planted] {
        let there = |arguments: &[&str]| world.command(arguments).current_dir(directory).output().unwrap();
        for (command, ours) in [
            (&["workflow", "list", "--json"], "essay"),
            (&["team", "list", "--json"], "ours"),
            (&["mcp", "list", "--json"], "ours"),
        ] {
            let listed = said(&there(command));
            assert!(listed.contains(ours) && !listed.contains("planted"), "{command:?}: {listed}");
        }
        let refused = there(&["workflow", "run", "planted", "x"]);
        assert_eq!(exit(&refused), 4, "{}", said(&refused));
        assert!(said(&refused).contains("there is no workflow `planted`"), "{}", said(&refused));
    }
    // Trust is that of the checkout, too.
    let trust = world.command(&["trust", "--yes"]).current_dir(&worktree).output().unwrap();
    assert_eq!(exit(&trust), 0, "{}", said(&trust));
    let listed = world.amelia(&["trust", "--list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let checkout = world.repository().canonicalize().unwrap();
    assert_eq!(listed["items"][0]["repository"], json!(checkout), "{listed}");
}

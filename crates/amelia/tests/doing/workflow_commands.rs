//! The commands that look at definitions: drawn, shown, checked, and the schemas of all files that people write.

use serde_json::{Value, json};

use crate::workflows::{define, exit, said, world};

#[test]
fn a_workflow_is_drawn_as_a_flowchart_and_as_json() {
    let world = world();
    let drawn = world.amelia(&["workflow", "draw", "essay"]);
    let text = said(&drawn);
    assert!(exit(&drawn) == 0 && text.starts_with("flowchart TD\n"), "{text}");
    for part in ["write", "review", "gate", "save", "state['score'] >= 0.8"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let drawn = world.amelia(&["workflow", "draw", "both", "--json"]);
    let drawing: Value = serde_json::from_slice(&drawn.stdout).unwrap();
    let nodes: Vec<&str> =
        drawing["nodes"].as_array().unwrap().iter().map(|node| node.as_str().unwrap()).collect();
    for node in ["look", "left", "right", "decide", "save", "save.approve"] {
        assert!(nodes.contains(&node), "{node}: {drawing}");
    }
    assert_eq!(drawing["kinds"]["left"], "agent", "{drawing}");
    let missing = world.amelia(&["workflow", "draw", "absent"]);
    assert_eq!(exit(&missing), 4, "{}", said(&missing));
}

#[test]
fn a_definition_is_shown_in_the_words_of_its_file() {
    let world = world();
    let show = |kind: &str, name: &str| -> Value {
        let shown = world.amelia(&[kind, "show", name]);
        serde_json::from_slice(&shown.stdout).unwrap_or_else(|_| panic!("{}", said(&shown)))
    };
    let essay = show("workflow", "essay");
    assert_eq!((&essay["name"], &essay["entry_point"]), (&json!("essay"), &json!("write")));
    assert_eq!(essay["nodes"]["review"]["outputs"], json!(["score", "feedback"]), "{essay}");
    assert_eq!(essay["edges"].as_array().unwrap().len(), 4, "{essay}");
    let writer = show("agent", "writer");
    assert_eq!((&writer["role"], &writer["tools"]), (&json!("writer"), &json!(["write_file"])), "{writer}");
    assert_eq!(writer["llm_config"]["model"], "writer", "{writer}");
    for kind in ["workflow", "agent"] {
        let missing = world.amelia(&[kind, "show", "absent"]);
        assert_eq!(exit(&missing), 4, "{}", said(&missing));
        assert!(said(&missing).contains("available: "), "{}", said(&missing));
        define(&world, &format!("{kind}s/broken.yaml"), "name: broken\n");
        let refused = world.amelia(&[kind, "show", "broken"]);
        assert!(exit(&refused) == 2 && said(&refused).contains("broken.yaml:1:1"), "{}", said(&refused));
    }
}

#[test]
fn agents_are_checked_all_or_by_name_or_as_files() {
    let world = world();
    let validate = |names: &[&str]| world.amelia(&[&["agent", "validate"], names].concat());
    let all = validate(&[]);
    assert!(exit(&all) == 0 && said(&all).contains("4 agents valid"), "{}", said(&all));
    define(
        &world,
        "agents/bad.yaml",
        "name: bad\nrole: x\nsystem_prompt: y\ntools: [fly]\nmax_iterations: 0\n",
    );
    for names in [&[][..], &["bad"], &[".amelia/agents/bad.yaml"]] {
        let refused = validate(names);
        let text = said(&refused);
        assert_eq!(exit(&refused), 2, "{text}");
        assert!(text.contains("bad.yaml:4:9: ") && text.contains("`fly`"), "{text}");
        assert!(text.contains("bad.yaml:5:"), "all problems at once: {text}");
    }
    let text = said(&validate(&[]));
    assert!(text.contains("4 agents valid, 1 not valid"), "{text}");
    assert_eq!(exit(&validate(&["left"])), 0, "only what is named is checked");
}

#[test]
fn every_file_that_people_write_has_a_schema() {
    let world = world();
    for (name, keys) in [
        ("agent", ["name", "system_prompt", "max_iterations"]),
        ("workflow", ["entry_point", "nodes", "checkpoints"]),
        ("team", ["agents", "handoff_rules", "execution_config"]),
        ("profile", ["agents", "repo_root", "mcp_tools"]),
        ("mcp", ["servers", "tool_overrides", "mcp_envs"]),
        ("retention", ["default_days", "by_task", "by_status"]),
    ] {
        let printed = world.amelia(&["schema", name]);
        let schema: Value =
            serde_json::from_slice(&printed.stdout).unwrap_or_else(|_| panic!("{}", said(&printed)));
        for key in keys {
            assert!(schema["properties"][key].is_object(), "{name}: {key}: {schema}");
        }
        assert_eq!(schema["additionalProperties"], false, "{name}: a typing error is found");
    }
    let printed = world.amelia(&["schema", "script"]);
    let schema: Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert!(schema["properties"]["rules"].is_object(), "{schema}");
    assert_eq!(exit(&world.amelia(&["schema", "poem"])), 2);
}

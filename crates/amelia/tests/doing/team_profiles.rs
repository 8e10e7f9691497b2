//! What files of teams and workflows have to do with the profile of the repository.

use crate::programs_writing::world_of;
use crate::workflows::{define, said};
use crate::world::text;

#[test]
fn a_new_team_uses_the_model_of_the_profile_and_a_workflow_that_cannot_is_noted() {
    let world = world_of("#!/bin/sh\n");
    for template in ["writer-critic", "research", "delivery", "board"] {
        let made = world.amelia(&["team", "new", template, "--template", template]);
        assert!(made.status.success(), "{}", said(&made));
        let file = world.repository().join(format!(".amelia/teams/{template}.yaml"));
        let written = std::fs::read_to_string(file).unwrap();
        assert!(written.contains("default_llm: { provider: claude, model: default }\n"), "{written}");
    }
    let checked = world.amelia(&["team", "validate"]);
    assert_eq!(text(&checked.stdout), "4 teams valid\n", "{}", said(&checked));

    define(&world, "agents/writer.yaml", "name: writer\nrole: writes\nsystem_prompt: You write.\n");
    let workflow =
        "name: essay\nnodes:\n  write: { type: agent, agent: writer }\nedges: []\nentry_point: write\n";
    define(&world, "workflows/essay.yaml", workflow);
    for (kind, file) in [("agent", "agents/writer"), ("workflow", "workflows/essay")] {
        let checked = world.amelia(&[kind, "validate"]);
        assert!(checked.status.success(), "{}", said(&checked));
        let note = format!(
            "note: .amelia/{file}.yaml: the agent `writer` has no `llm_config`, and the developer of the profile `work` is \
             `claude`, which is a program"
        );
        assert!(said(&checked).contains(&note), "{}", said(&checked));
    }
}

//! The script of the main job in the documents does the main job.

use crate::crew::{cast_profile, commits, logs, start};
use crate::documented::script;
use crate::world::{World, text};

#[test]
fn the_documented_script_plays_all_four_roles() {
    let world = World::new(&script("A script for `amelia start`"));
    cast_profile(&world, &crate::crew::ROLES, "repo_root", "");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(commits(&world), ["feat(S-1): Print a greeting"]);
    assert_eq!(world.git(&["show", "amelia/s-1:hello.sh"]), "echo Hello\n");
    let log = logs(&world);
    for role in ["Architect", "Developer", "Reviewer", "Evaluator"] {
        assert!(log.contains(role), "{role}: {log}");
    }
}

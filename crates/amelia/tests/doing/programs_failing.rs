//! Programs that die, or make the same mistake for ever.

use crate::programs_writing::{world_of, world_with};
use crate::world::text;

#[test]
fn the_end_of_a_program_that_was_killed_is_not_told_again_and_again() {
    let init = r#"echo '{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.0"}'"#;
    let world = world_of(&format!("#!/bin/sh\n{init}\necho 'about to die' >&2\nkill -9 $$\n"));
    let failed = world.amelia(&["do", "look around"]);
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stderr));
    let all = format!("{}{}", text(&failed.stdout), text(&failed.stderr));
    assert_eq!(all.matches("it was killed before it had finished").count(), 1, "{all}");
}

#[test]
fn a_program_that_calls_a_tool_that_does_not_exist_again_and_again_is_stopped() {
    let script = r#"#!/bin/sh
echo '{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.0"}'
for i in 1 2 3 4 5 6 7 8 9; do
  echo '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t'$i'","name":"mcp__amelia__nope","input":{}}]}}'
  echo '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t'$i'","content":"No such tool available","is_error":true}]}}'
done
echo '{"type":"result","subtype":"success","is_error":false,"result":"It is done.","session_id":"s1"}'
"#;
    let world = world_of(script);
    let stopped = world.amelia(&["do", "look around"]);
    let message = text(&stopped.stderr);
    assert_eq!(stopped.status.code(), Some(6), "{message}");
    assert!(message.contains("the agent made the same failing call 4 times: mcp__amelia__nope"), "{message}");
}

#[test]
fn a_program_that_was_given_no_key_is_not_called_one_whose_key_is_wrong() {
    let script = r#"#!/bin/sh
echo '{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.0"}'
echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"API Error: 401 no key"}'
"#;
    let world = world_with(script, "base_url: 'http://127.0.0.1:9/v1'");
    let failed = world.amelia(&["do", "look around"]);
    let message = text(&failed.stderr);
    assert!(message.contains("the provider of claude needs a key, and none was sent"), "{message}");
    assert!(message.contains("set the variable `ANTHROPIC_API_KEY` to the key"), "{message}");
}

use amelia_core::id::CallId;
use amelia_core::tool::{CallOptions, Risk, ToolBox, ToolCall, ToolName, ToolResult};
use serde_json::json;

use super::*;
use crate::Tools;

struct Program {
    directory: tempfile::TempDir,
    spec: ToolSpec,
    retry: RetryConfig,
    function: Option<String>,
    file: &'static str,
}

impl Program {
    fn new(file: &'static str, text: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(file);
        std::fs::write(&path, text).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).unwrap();
        let spec = ToolSpec::builtin("count", "", Risk::Read, json!({"type": "object"}));
        let retry = RetryConfig { max_retries: 0, base_delay: 0.1, max_delay: 1.0 };
        Self { directory, spec, retry, function: None, file }
    }

    async fn call(&self, args: Value) -> ToolResult {
        let path = self.directory.path().join(self.file);
        let file = ProgramFile { path, function: self.function.clone(), check: Arc::new(|| Ok(())) };
        let environment = Arc::new(Environment::new(std::env::vars_os(), &[], "test"));
        let at = ProgramSurroundings { directory: self.directory.path().to_owned(), environment };
        let tool: Arc<dyn Tool> = Arc::new(ProgramTool::new(self.spec.clone(), file, at, self.retry));
        let Value::Object(args) = args else { panic!("arguments") };
        let (id, tool_name) = (CallId::new("c").unwrap(), ToolName::builtin("count"));
        let call = ToolCall { id, tool: tool_name, args, at: None, options: CallOptions::default() };
        ToolBox::call(&Tools::new([tool]).unwrap(), &ToolCx::default(), &call).await
    }
}

#[tokio::test]
async fn a_program_reads_arguments_and_its_standard_output_is_the_result() {
    let mut program = Program::new("count.sh", "#!/bin/sh\necho \"$1:$(cat)\"; echo noise >&2\n");
    program.function = Some("words".to_owned());
    let result = program.call(json!({"a": [1]})).await;
    assert_eq!((result.output.as_str(), result.error), ("words:{\"a\":[1]}\n", None));
}

#[tokio::test]
async fn a_program_that_fails_is_an_error_with_what_it_wrote() {
    let program = Program::new("count.sh", "#!/bin/sh\necho half; echo 'no such book' >&2; exit 3\n");
    let result = program.call(json!({})).await;
    assert_eq!(result.error.as_deref(), Some("no such book\n(exit code 3)"));
    assert_eq!((result.exit_code, result.output.as_str()), (Some(3), "half\n"));
}

#[tokio::test]
async fn a_function_of_python_is_called_with_the_arguments() {
    let text =
        "def count(text, factor=1):\n    print('noise')\n    return {'words': len(text.split()) * factor}\n";
    let mut program = Program::new("count.py", text);
    program.function = Some("count".to_owned());
    assert_eq!(program.call(json!({"text": "a b", "factor": 3})).await.output, r#"{"words": 6}"#);
    let refused = program.call(json!({"other": 1})).await.error.unwrap();
    assert!(refused.contains("unexpected keyword argument 'other'"), "{refused}");
    program.function = Some("gone".to_owned());
    let refused = program.call(json!({})).await.error.unwrap();
    assert!(refused.starts_with("there is no function gone in"), "{refused}");
}

#[tokio::test]
async fn a_result_is_checked_against_the_output_schema() {
    let mut program = Program::new("count.sh", "#!/bin/sh\ncat\n");
    program.spec.output_schema =
        Some(json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}));
    assert_eq!(program.call(json!({"n": 1})).await.error, None);
    let wrong = program.call(json!({"n": "one"})).await.error.unwrap();
    assert!(wrong.starts_with("the result does not match the output schema of `count`:"), "{wrong}");
    assert!(wrong.contains("`/n`"), "{wrong}");
    let mut text = Program::new("count.sh", "#!/bin/sh\necho words\n");
    text.spec.output_schema = program.spec.output_schema.clone();
    let wrong = text.call(json!({})).await.error.unwrap();
    assert!(wrong.starts_with("the result must be JSON"), "{wrong}");
}

#[tokio::test]
async fn a_program_is_run_again_as_often_as_its_author_says() {
    let text = "#!/bin/sh\necho x >> tries; test $(wc -l < tries) -ge 3\n";
    let mut program = Program::new("count.sh", text);
    assert!(program.call(json!({})).await.error.is_some());
    std::fs::remove_file(program.directory.path().join("tries")).unwrap();
    program.retry.max_retries = 2;
    assert_eq!(program.call(json!({})).await.error, None);
    assert_eq!(std::fs::read_to_string(program.directory.path().join("tries")).unwrap(), "x\nx\nx\n");
}

#[tokio::test]
async fn a_program_that_takes_too_long_is_ended() {
    let mut program = Program::new("count.sh", "#!/bin/sh\nsleep 60\n");
    program.spec.timeout_seconds = 1;
    let result = program.call(json!({})).await;
    assert_eq!(result.error.as_deref(), Some("timed out after 1 s"));
}

use super::*;

fn write(directory: &Path, file: &str, text: &str) {
    let path = directory.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

const AGENT: &str = "name: writer\nrole: writes\nsystem_prompt: Write.\nllm_config: {endpoint: http://127.0.0.1:1, model: m}\n";

#[test]
fn the_repository_comes_before_the_home() {
    let (home, repository) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(repository.path(), ".git/HEAD", "");
    write(home.path(), "agents/writer.yaml", AGENT);
    write(home.path(), "agents/01a1-a-run/scratch.yaml", "not a definition");
    let inside = repository.path().join("src");
    std::fs::create_dir(&inside).unwrap();
    let of_home = Definitions::find(&Home::at(home.path()), &inside);
    assert!(!of_home.file(DefinitionKind::Agent, "writer").unwrap().is_of_repository);
    write(repository.path(), ".amelia/agents/writer.json", "{\"name\": \"writer\"}");
    let both = Definitions::find(&Home::at(home.path()), &inside);
    let file = both.file(DefinitionKind::Agent, "writer").unwrap();
    assert!(file.is_of_repository && both.list(DefinitionKind::Agent).len() == 1);
    let refused = both.agent(file).unwrap_err().to_string();
    assert!(refused.contains("writer.json:1:1: `role` is missing"), "{refused}");
}

#[test]
fn a_broken_file_of_servers_is_told_where_a_server_is_needed() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), "config/mcp_servers.yaml", "servers:\n  memory: { transport: pigeon }\n");
    let read = |tools: &str| {
        write(home.path(), "agents/writer.yaml", &format!("{AGENT}tools: [{tools}]\n"));
        let all = Definitions::of_home(&Home::at(home.path()));
        all.agent(all.file(DefinitionKind::Agent, "writer").unwrap()).map_err(|refused| refused.to_string())
    };
    assert!(read("read_file").is_ok(), "it needs no server");
    let refused = read("\"memory:*\"").unwrap_err();
    assert!(refused.contains("mcp_servers.yaml:2:13"), "{refused}");
}

#[test]
fn a_file_of_a_repository_sends_a_key_only_to_its_provider_and_leads_nowhere_else() {
    let (home, repository) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(repository.path(), ".git/HEAD", "");
    let read = |endpoint: &str| {
        let model = format!("model: m, api_key_env: OPENAI_API_KEY, endpoint: {endpoint}");
        let text = AGENT.replace("endpoint: http://127.0.0.1:1, model: m", &model);
        write(repository.path(), ".amelia/agents/writer.yaml", &text);
        let all = Definitions::find(&Home::at(home.path()), repository.path());
        all.agent(all.file(DefinitionKind::Agent, "writer").unwrap()).map_err(|refused| refused.to_string())
    };
    assert!(read("https://api.openai.com/v1/").is_ok());
    for elsewhere in
        ["https://api.openai.com.example.org/v1", "https://api.groq.com/openai/v1", "http://127.0.0.1:1"]
    {
        let refused = read(elsewhere).unwrap_err();
        assert!(refused.contains("cannot send `OPENAI_API_KEY`"), "{refused}");
    }
    for literal in ["api_key: sk-secret-1234", "api_key_env: sk-secret-1234", "api_key_env: gsk_secret_1234"]
    {
        let model = format!("model: m, {literal}, endpoint: http://127.0.0.1:1");
        let text = AGENT.replace("endpoint: http://127.0.0.1:1, model: m", &model);
        write(repository.path(), ".amelia/agents/writer.yaml", &text);
        let all = Definitions::find(&Home::at(home.path()), repository.path());
        let refused = all.agent(all.file(DefinitionKind::Agent, "writer").unwrap()).unwrap_err().to_string();
        assert!(!refused.contains("secret"), "{refused}");
    }
    let outside = home.path().join("secret.yaml");
    std::fs::write(&outside, "password: x").unwrap();
    std::os::unix::fs::symlink(&outside, repository.path().join(".amelia/agents/linked.yaml")).unwrap();
    let all = Definitions::find(&Home::at(home.path()), repository.path());
    assert!(all.file(DefinitionKind::Agent, "linked").is_err());
}

#[test]
fn an_agent_is_read_with_its_defaults_and_a_key_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let read = |text: &str| {
        write(home.path(), "agents/writer.yaml", text);
        let all = Definitions::find(&Home::at(home.path()), home.path());
        all.agent(all.file(DefinitionKind::Agent, "writer").unwrap()).map_err(|refused| refused.to_string())
    };
    let agent = read(AGENT).unwrap();
    assert_eq!((agent.max_iterations, agent.temperature, agent.tools.len()), (10, 0.7, 0));
    let with_key = |key: &str| AGENT.replace("model: m", &format!("model: m, api_key: {key}"));
    assert_eq!(
        read(&with_key("\"${THE_KEY}\"")).unwrap().llm_config.unwrap().api_key_env.unwrap(),
        "THE_KEY"
    );
    let refused = read(&with_key("sk-secret-1234")).unwrap_err();
    assert!(refused.contains(":4:") && refused.contains("api_key: must be `${NAME}`"), "{refused}");
    assert!(!refused.contains("sk-secret"), "{refused}");
    let refused = read(&AGENT.replace("name: writer", "name: other")).unwrap_err();
    assert!(refused.contains(":1:1: name: `other` is not the name of the file, `writer`"), "{refused}");
    let refused = read(&format!("{AGENT}tools: [read_file, teleport]\ntemperature: 3\n")).unwrap_err();
    assert!(refused.contains("tools[1]") && refused.contains("temperature"), "{refused}");
}

/// The same document, written as JSON and read as a file again.
fn written_and_read<W>(kind: DefinitionKind, text: &str)
where
    W: Incoming + serde::Serialize + From<W::Core>,
    W::Core: Clone + PartialEq + std::fmt::Debug,
{
    let read = |text: &str| {
        let (document, _) = amelia_yaml::read::<Value>(text, schema(kind)).unwrap();
        amelia_wire::read::read::<W>(document).unwrap()
    };
    let core = read(text);
    let json = serde_json::to_string(&W::from(core.clone())).unwrap();
    assert_eq!(read(&json), core, "{json}");
}

/// What the API shows of a definition can be sent to it.
#[test]
fn every_example_stays_the_same_as_json() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut counts = [0; 3];
    for (index, directory) in ["workflows/agents", "workflows/workflows", "teams"].into_iter().enumerate() {
        for entry in std::fs::read_dir(examples.join(directory)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if !name.ends_with(".yaml") || name.ends_with(".script.yaml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            match index {
                0 => written_and_read::<Agent>(DefinitionKind::Agent, &text),
                1 => written_and_read::<WorkflowFile>(DefinitionKind::Workflow, &text),
                _ => written_and_read::<amelia_wire::agentx::team::TeamConfig>(DefinitionKind::Team, &text),
            }
            counts[index] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count >= 5), "{counts:?}");
}

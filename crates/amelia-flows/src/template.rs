//! Templates in files that people write: Jinja, without access to anything but the state, and with a limit on their work.

use amelia_core::object::Object;
use minijinja::value::Serde;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value as JinjaValue, context};
use serde_json::Value;

use crate::chat::Chat;
use crate::condition::{Variables as _, is_field};

/// Steps that a template may take.
const FUEL: u64 = 200_000;
/// As much text as a template may make.
const MAX_OUTPUT: usize = 1024 * 1024;

/// What is wrong with a template before it is used.
pub fn problem(template: &str) -> Option<String> {
    let parsed = match expression_of(template) {
        Some(expression) => environment().compile_expression(expression).map(drop),
        None => environment().template_from_str(template).map(drop),
    };
    let parsed = parsed.and_then(|()| check_names(template));
    parsed.err().map(|error| reason(&error)).or_else(|| unknown_variable(template))
}

/// Variables of templates.
const VARIABLES: [&str; 4] = ["state", "messages", "last", "agent"];

/// What a template looks at that never exists.
fn unknown_variable(template: &str) -> Option<String> {
    let environment = environment();
    let parsed = environment.template_from_str(template).ok()?;
    let is_known =
        |name: &str| VARIABLES.contains(&name) || environment.globals().any(|(global, _)| global == name);
    let mut unknown: Vec<String> =
        parsed.undeclared_variables(false).into_iter().filter(|name| !is_known(name)).collect();
    unknown.sort();
    let name = unknown.first()?;
    Some(format!(
        "there is no variable `{name}`; the variables are {}; values that agents set are `state.{name}`",
        VARIABLES.join(", ")
    ))
}

/// The values of the state that a template looks at.
pub fn keys(template: &str) -> Vec<String> {
    let environment = environment();
    let Ok(parsed) = environment.template_from_str(template) else { return Vec::new() };
    let names = parsed.undeclared_variables(true);
    let keys = names.iter().filter_map(|name| name.strip_prefix("state.")?.split('.').next());
    keys.map(str::to_owned).collect()
}

/// Refuses filters and functions that do not exist. They are found only when a template is used: it is tried without values,
/// of which nothing else is wanted.
fn check_names(template: &str) -> Result<(), Error> {
    let mut environment = environment();
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    let is_name = |kind: ErrorKind| {
        matches!(kind, ErrorKind::UnknownFilter | ErrorKind::UnknownFunction | ErrorKind::UnknownTest)
    };
    match environment.render_str(template, values(&Chat::default())) {
        Err(error) if is_name(error.kind()) => Err(error),
        _ => Ok(()),
    }
}

/// The text of a template.
pub fn render(template: &str, state: &Chat) -> Result<String, String> {
    let rendered = environment().render_str(template, values(state));
    let is_undefined = |error: &Error| error.kind() == ErrorKind::UndefinedError;
    match &rendered {
        Err(error) if is_undefined(error) => Err(not_set(template, state)),
        _ => limited(rendered),
    }
}

/// Which values a template misses, as far as that is known.
fn not_set(template: &str, state: &Chat) -> String {
    let is_unset = |key: &String| !is_field(key) && state.metadata(key).is_null();
    let mut unset: Vec<String> =
        keys(template).into_iter().filter(is_unset).map(|key| format!("`{key}`")).collect();
    unset.sort();
    unset.dedup();
    match unset.as_slice() {
        [] => "it uses a value that is not set".to_owned(),
        [only] => format!("it uses {only}, which is not set"),
        several => format!("it uses {}, which are not set", several.join(", ")),
    }
}

/// The text of a template that sees these values and nothing else.
pub fn render_with(template: &str, values: &Object) -> Result<String, String> {
    match environment().render_str(template, given(values)) {
        Err(error) if error.kind() == ErrorKind::UndefinedError => Err(absent(template, values)),
        rendered => limited(rendered),
    }
}

/// Which value a template looks at that these values do not have, and what stands there instead.
fn absent(template: &str, values: &Object) -> String {
    let environment = environment();
    let parsed = environment.template_from_str(template).ok();
    let mut names: Vec<String> =
        parsed.map(|parsed| parsed.undeclared_variables(true).into_iter().collect()).unwrap_or_default();
    // Values of the state may have a default in the template.
    names.sort_by_key(|name| (name.starts_with("state."), name.clone()));
    let told = names.iter().find_map(|name| missing_step(name, values));
    told.unwrap_or_else(|| reason(&Error::from(ErrorKind::UndefinedError)))
}

/// The first step of a dotted name that does not exist, if one does not.
fn missing_step(name: &str, values: &Object) -> Option<String> {
    let mut steps = name.split('.');
    let (mut path, mut fields) =
        (steps.next()?.to_owned(), values.get(name.split('.').next()?)?.as_object()?);
    for step in steps {
        let found = fields.get(step);
        let Some(found) = found else {
            let known: Vec<&str> = fields.keys().map(String::as_str).collect();
            return Some(match known.as_slice() {
                [] => format!("`{path}.{step}` is not set"),
                known => format!("`{path}.{step}` is not set; `{path}` has {}", known.join(", ")),
            });
        };
        path = format!("{path}.{step}");
        fields = found.as_object()?;
    }
    None
}

/// What is wrong with a template that will see such values, with the line.
pub fn problem_with(template: &str, sample: &Object) -> Option<String> {
    let environment = environment();
    let located = |error: &Error| {
        let reason = match error.kind() {
            ErrorKind::UndefinedError => absent(template, sample),
            _ => reason(error),
        };
        match error.line() {
            Some(line) => format!("line {line}: {reason}"),
            None => reason,
        }
    };
    let parsed = match environment.template_from_str(template) {
        Ok(parsed) => parsed,
        Err(error) => return Some(located(&error)),
    };
    let is_known =
        |name: &str| sample.contains_key(name) || environment.globals().any(|(global, _)| global == name);
    let mut unknown: Vec<String> =
        parsed.undeclared_variables(false).into_iter().filter(|name| !is_known(name)).collect();
    unknown.sort();
    if let Some(name) = unknown.first() {
        let known: Vec<&str> = sample.keys().map(String::as_str).collect();
        return Some(format!("there is no variable `{name}`; the variables are {}", known.join(", ")));
    }
    match parsed.render(given(sample)) {
        Ok(text) => limited(Ok(text)).err(),
        Err(error) => Some(located(&error)),
    }
}

fn given(values: &Object) -> JinjaValue {
    JinjaValue::from(Serde(Value::Object(values.clone())))
}

fn limited(rendered: Result<String, Error>) -> Result<String, String> {
    let text = rendered.map_err(|error| reason(&error))?;
    if text.len() > MAX_OUTPUT {
        return Err(format!("it produces more than {} KB of text", MAX_OUTPUT / 1024));
    }
    Ok(text)
}

/// A command line for a shell: every value stands there as one word, with any content. `{{ value | safe }}` is inserted as
/// it is.
pub fn command_line(template: &str, state: &Chat) -> Result<String, String> {
    if let Some(problem) = command_problem(template) {
        return Err(problem);
    }
    let mut environment = environment();
    environment.set_formatter(|out, _, value| {
        if value.is_undefined() {
            return Err(Error::from(ErrorKind::UndefinedError));
        }
        let text = value.to_string();
        let unusable = |_| Error::new(ErrorKind::InvalidOperation, "a command cannot have a NUL character");
        let word = if value.is_safe() { text.into() } else { shlex::try_quote(&text).map_err(unusable)? };
        out.write_str(&word).map_err(|_| Error::from(ErrorKind::WriteFailure))
    });
    limited(environment.render_str(template, values(state)))
}

/// Why values cannot be inserted into a command line as words: between quotes, and in text that the shell reads itself, a
/// quoted value is no word.
pub fn command_problem(template: &str) -> Option<String> {
    if !template.contains("{{") {
        return problem(template);
    }
    if template.contains("{%") || template.contains("<<") || template.contains('`') {
        return Some("a command with values has no `{%`, no `<<` and no backticks".to_owned());
    }
    let mut open: Option<char> = None;
    let mut rest = template;
    while let Some(first) = rest.chars().next() {
        if let Some(inner) = rest.strip_prefix("{{") {
            if open.is_some() {
                return Some(
                    "values are quoted automatically: remove the quotes around `{{ … }}`".to_owned(),
                );
            }
            rest = inner.split_once("}}").map_or("", |(_, after)| after);
            continue;
        }
        let mut after = rest.chars();
        after.next();
        match first {
            '\\' if open != Some('\'') => drop(after.next()),
            '\'' | '"' if open.is_none() => open = Some(first),
            quote if open == Some(quote) => open = None,
            _ => {}
        }
        rest = after.as_str();
    }
    problem(template)
}

/// Values with templates in their texts. A text that is one expression, such as `{{ state.items }}`, is its value.
pub fn fill(value: &Value, state: &Chat) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => match expression_of(text) {
            Some(expression) => evaluate(expression, state)?,
            None => Value::String(render(text, state)?),
        },
        Value::Array(items) => items.iter().map(|item| fill(item, state)).collect::<Result<_, _>>()?,
        Value::Object(fields) => Value::Object(fill_object(fields, state)?),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    })
}

/// The same for every field of an object.
pub fn fill_object(fields: &Object, state: &Chat) -> Result<Object, String> {
    let filled = |(key, value): (&String, &Value)| match fill(value, state) {
        Ok(value) => Ok((key.clone(), value)),
        Err(error) => Err(format!("{key}: {error}")),
    };
    fields.iter().map(filled).collect()
}

fn evaluate(expression: &str, state: &Chat) -> Result<Value, String> {
    let environment = environment();
    let compiled = environment.compile_expression(expression).map_err(|error| reason(&error))?;
    let value = compiled.eval(values(state)).map_err(|error| reason(&error))?;
    if value.is_undefined() {
        return Err(format!("`{expression}` is not set"));
    }
    serde_json::to_value(&value).map_err(|error| error.to_string())
}

/// What stands between the braces, when a text is nothing but one expression.
fn expression_of(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("{{")?.strip_suffix("}}")?;
    (!inner.contains("{{") && !inner.contains("}}")).then(|| inner.trim())
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(FUEL));
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment
}

fn values(state: &Chat) -> JinjaValue {
    context! {
        state => Serde(Value::Object(state.seen())),
        messages => Serde(state.variable("messages")),
        last => Serde(state.variable("last")),
        agent => Serde(state.variable("agent")),
    }
}

fn reason(error: &Error) -> String {
    match error.kind() {
        ErrorKind::UndefinedError => "it uses a value that is not set".to_owned(),
        ErrorKind::OutOfFuel => "it does not terminate".to_owned(),
        _ => error.detail().map_or_else(|| error.kind().to_string(), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn state() -> Chat {
        let metadata = serde_json::from_value(json!({"topic": "rust", "items": [1, 2]})).unwrap();
        Chat::begin("Write", metadata, jiff::Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn a_single_expression_keeps_its_type() {
        let arguments = json!({"q": "about {{ state.topic }}", "all": "{{ state.items }}", "n": 3});
        let filled = fill(&arguments, &state()).unwrap();
        assert_eq!(filled, json!({"q": "about rust", "all": [1, 2], "n": 3}));
        assert_eq!(render("{{ last }} {{ messages | length }}", &state()).unwrap(), "Write 1");
    }

    #[test]
    fn a_filter_that_does_not_exist_is_found_before_it_is_used() {
        for unknown in ["{{ state.notes | tojsn }}", "a {{ state.a.b | nope }}", "{{ nope() }}"] {
            assert!(problem(unknown).unwrap().contains("unknown"), "{unknown}");
        }
        for fine in ["{{ state.notes | tojson }}", "{{ state.a.b | upper }}", "{{ state.list[0].text }}"] {
            assert_eq!(problem(fine), None, "{fine}");
        }
    }

    #[test]
    fn a_variable_that_does_not_exist_is_found_and_a_value_that_is_not_set_is_named() {
        let unknown = problem("Hello {{ nosuch.x }}").unwrap();
        assert!(unknown.starts_with("there is no variable `nosuch`; the variables are state"), "{unknown}");
        assert_eq!(problem("{% for one in state.items %}{{ one }}{{ loop.index }}{% endfor %}"), None);
        assert_eq!(problem("{% set a = last %}{{ a }} {{ range(3) }}"), None);
        let missing = render("{{ state.topic }} {{ state.tone }}", &state()).unwrap_err();
        assert_eq!(missing, "it uses `tone`, which is not set");
    }

    #[test]
    fn a_value_that_is_not_set_is_named_with_those_that_are_there() {
        let values: Object =
            serde_json::from_value(json!({"task": {"id": "t", "prompt": "p"}, "state": {}})).unwrap();
        let expected = "`task.promt` is not set; `task` has id, prompt";
        assert_eq!(render_with("Do {{ task.promt }}", &values).unwrap_err(), expected);
        assert_eq!(problem_with("Do\n{{ task.promt }}", &values).unwrap(), format!("line 2: {expected}"));
        assert_eq!(render_with("{{ state.tone }}", &values).unwrap_err(), "`state.tone` is not set");
        assert_eq!(render_with("{{ task.prompt }}", &values).unwrap(), "p");
    }

    #[test]
    fn values_in_a_command_line_are_words_whatever_is_in_them() {
        let metadata = json!({"name": "x; rm -rf / $(id) 'q' \"d\"\n", "flags": "-l -a", "n": 3});
        let state = Chat::begin("", serde_json::from_value(metadata).unwrap(), jiff::Timestamp::UNIX_EPOCH);
        let line =
            command_line("ls {{ state.flags | safe }} {{ state.name }} {{ state.n }}", &state).unwrap();
        let words = shlex::split(&line).unwrap();
        assert_eq!(words, ["ls", "-l", "-a", "x; rm -rf / $(id) 'q' \"d\"\n", "3"]);
        assert_eq!(command_line("{{ state.flags }}", &state).unwrap(), "'-l -a'");
        assert!(command_line("ls {{ state.absent }}", &state).is_err());
        for unsafe_place in [
            "echo \"{{ state.name }}\"",
            "echo 'a {{ state.name }}'",
            "cat <<E\n{{ state.name }}\nE",
            "echo `{{ state.name }}`",
            "{% if true %}\"{% endif %}{{ state.name }}",
        ] {
            assert!(command_problem(unsafe_place).is_some(), "{unsafe_place}");
            assert!(command_line(unsafe_place, &state).is_err(), "{unsafe_place}");
        }
        for good in [
            "echo \"a b\" {{ state.name }} 'c'",
            "echo \\\" {{ state.n }}",
            "cat <<E\nx\nE",
            "echo it\\'s {{ state.n }}",
        ] {
            assert_eq!(command_problem(good), None, "{good}");
        }
    }

    #[test]
    fn what_cannot_be_filled_in_is_an_error() {
        for template in ["{{ state.absent }}", "x {{ state.absent }}", "{{ unknown }}", "{% include 'x' %}"] {
            assert!(fill(&json!(template), &state()).is_err(), "{template}");
        }
        let endless = "{% for i in range(1000) %}{% for j in range(1000) %}{% if j %}{% endif %}{% endfor %}{% endfor %}";
        assert_eq!(render(endless, &state()).unwrap_err(), "it does not terminate");
        let loud = "{% for i in range(1000) %}{{ last }}{% endfor %}";
        let state = Chat::begin(&"x".repeat(10_000), Object::new(), jiff::Timestamp::UNIX_EPOCH);
        assert!(render(loud, &state).unwrap_err().starts_with("it produces more than "));
        assert!(problem("{{ state.").is_some() && problem("{% if %}").is_some());
        assert_eq!(problem("{{ state.topic }} and {% if last %}x{% endif %}"), None);
    }
}

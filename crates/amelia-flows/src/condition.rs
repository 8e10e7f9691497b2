//! Conditions on edges: CEL expressions over the state. They are parsed and checked when a file is read, so that what can
//! still go wrong in a run is a value of another type in `metadata`.

mod kind;
mod plain;
mod python;
mod steps;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cel::common::ast::operators;
use cel::common::ast::{Expr, IdedExpr, LiteralValue};
use cel::{Context, Env, ParseErrors, Program, Value as CelValue};
use serde_json::{Map, Value};

use crate::condition::kind::Kind;

/// Variables, and what they are. Keys of `state` and `metadata` are looked up when the expression is evaluated.
const VARIABLES: [(&str, Kind); 13] = [
    ("state", Kind::Map),
    ("messages", Kind::List),
    ("last", Kind::Text),
    ("agent", Kind::Text),
    ("routing_key", Kind::Any),
    ("next_action", Kind::Any),
    ("metadata", Kind::Map),
    ("turns", Kind::Number),
    ("steps", Kind::Number),
    ("tokens", Kind::Number),
    ("cost_usd", Kind::Number),
    ("elapsed_seconds", Kind::Number),
    ("plan", Kind::List),
];

/// Functions, and what they return.
const FUNCTIONS: [(&str, Kind); 12] = [
    ("size", Kind::Number),
    ("matches", Kind::Bool),
    ("contains", Kind::Bool),
    ("startsWith", Kind::Bool),
    ("endsWith", Kind::Bool),
    ("int", Kind::Number),
    ("uint", Kind::Number),
    ("double", Kind::Number),
    ("string", Kind::Text),
    ("bool", Kind::Bool),
    ("type", Kind::Any),
    ("dyn", Kind::Any),
];

/// A longer expression may be deep in another way than by brackets.
const MAX_FLAT: usize = 200;
/// Enough for the deepest expression that is accepted.
const PARSER_STACK: usize = 16 * 1024 * 1024;

/// A longer expression is not one that a person wrote.
const MAX_LENGTH: usize = 2_000;

/// An expression that cannot be used, and where in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct ConditionError {
    /// From 1, in characters of the expression.
    pub column: usize,
    pub message: String,
}

/// What an expression says about the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Bool(bool),
    /// The label of an edge.
    Label(String),
}

/// A checked expression.
#[derive(Clone)]
pub struct Condition {
    program: Arc<Program>,
    needs: Needs,
    /// It is a text, so it can only be the label of an edge.
    is_label: bool,
}

/// What an expression looks at: only this is handed to it.
#[derive(Debug, Clone, Default)]
struct Needs {
    variables: BTreeSet<String>,
    /// Keys of `state`.
    state: BTreeSet<String>,
    /// Keys of `metadata`.
    metadata: BTreeSet<String>,
}

/// What an expression can look at. A name that it asks for and that is not there is null.
pub trait Variables {
    /// The value of a variable other than `state` and `metadata`.
    fn variable(&self, name: &str) -> Value;
    /// The value of a key of `metadata`.
    fn metadata(&self, key: &str) -> Value;
}

impl Condition {
    /// Reads an expression; Python's spelling is accepted.
    pub fn parse(text: &str) -> Result<Self, ConditionError> {
        Self::parse_with(text, &[])
    }

    /// The same where there are more variables, of any kind.
    pub fn parse_with(text: &str, more: &[&str]) -> Result<Self, ConditionError> {
        if text.len() > MAX_LENGTH {
            let message = format!("the expression is longer than {MAX_LENGTH} characters");
            return Err(ConditionError { column: 1, message });
        }
        let written = python::to_cel(text)?;
        let program = compiled(&written.text)?.map_err(|errors| {
            let first = errors.errors.first();
            let column = first.map_or(0, |error| usize::try_from(error.pos.1).unwrap_or(0));
            let reason = first.map_or_else(|| errors.to_string(), |error| error.msg.clone());
            let message = format!("this is not an expression: {}", plain::syntax(&reason));
            ConditionError { column: written.column(column.saturating_sub(1)), message }
        })?;
        let mut check =
            Check { program: &program, written: &written, more, bound: Vec::new(), needs: Needs::default() };
        let kind = check.kind(program.expression())?;
        if !matches!(kind, Kind::Bool | Kind::Text | Kind::Any) {
            let message = format!("must be true, false or a label, but this is {}", kind.name());
            return Err(ConditionError { column: 1, message });
        }
        let needs = check.needs;
        Ok(Self { program: Arc::new(program), needs, is_label: kind == Kind::Text })
    }

    /// Whether it is a text, and so neither true nor false.
    #[must_use]
    pub fn is_label(&self) -> bool {
        self.is_label
    }

    /// Whether it is always true.
    #[must_use]
    pub fn is_always_true(&self) -> bool {
        let nothing: BTreeMap<String, Value> = BTreeMap::new();
        self.needs.variables.is_empty() && self.evaluate(&nothing) == Ok(Verdict::Bool(true))
    }

    /// The values of the state that it looks at, without the fields that every state has.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let keys = self.needs.state.iter().filter(|key| !is_field(key));
        keys.chain(&self.needs.metadata).map(String::as_str)
    }

    /// Whether it looks at this variable.
    #[must_use]
    pub fn needs(&self, variable: &str) -> bool {
        self.needs.variables.contains(variable)
    }

    /// Evaluates it. `Err` says why the values do not fit the expression.
    pub fn evaluate(&self, variables: &dyn Variables) -> Result<Verdict, String> {
        let mut context = Context::default();
        for name in &self.needs.variables {
            let value = match name.as_str() {
                "state" => object(&self.needs.state, |key| match is_field(key) {
                    true => variables.variable(key),
                    false => variables.metadata(key),
                }),
                "metadata" => object(&self.needs.metadata, |key| variables.metadata(key)),
                name => variables.variable(name),
            };
            context.add_variable_from_value(name.as_str(), values::cel_value(value));
        }
        if let Some(reason) = steps::problem(self.program.expression(), &context) {
            return Err(reason);
        }
        let executed = self.program.execute(&context);
        match executed.map_err(|error| plain::evaluation(&error, &self.values(variables)))? {
            CelValue::Bool(value) => Ok(Verdict::Bool(value)),
            CelValue::String(label) => Ok(Verdict::Label(label.to_string())),
            CelValue::Null => {
                let reason = "its value is missing".to_owned();
                Err(plain::with_values(reason, &self.values(variables)))
            }
            _ => {
                let reason = "it must be true, false or a label".to_owned();
                Err(plain::with_values(reason, &self.values(variables)))
            }
        }
    }

    /// The values that it looks at, as people set them.
    fn values(&self, variables: &dyn Variables) -> Vec<(String, Value)> {
        let plain = |name: &&String| matches!(name.as_str(), "routing_key" | "next_action");
        let own = self.needs.variables.iter().filter(plain).chain(self.needs.state.iter().filter(plain));
        let own = own.map(|name| (name.clone(), variables.variable(name)));
        let own: Vec<(String, Value)> = own.collect();
        let set = self.keys().map(|key| (key.to_owned(), variables.metadata(key)));
        let mut all: BTreeMap<String, Value> = own.into_iter().collect();
        all.extend(set);
        all.into_iter().collect()
    }
}

/// The parser calls itself a hundred times for each pair of parentheses: it has a stack of its own, unless nothing is
/// nested. To start a thread takes longer than to parse most conditions.
fn compiled(text: &str) -> Result<Result<Program, ParseErrors>, ConditionError> {
    if text.len() <= MAX_FLAT && !text.contains(['(', '[', '{', '?', '!', '-']) {
        return Ok(Env::stdlib().compile(text));
    }
    let parser = std::thread::Builder::new().stack_size(PARSER_STACK);
    let failed = |_| ConditionError { column: 1, message: "the expression cannot be read now".to_owned() };
    std::thread::scope(|scope| {
        let parsing = parser.spawn_scoped(scope, || Env::stdlib().compile(text)).map_err(|_| failed(()))?;
        parsing.join().map_err(|_| failed(()))
    })
}

/// The fields of a state. Every other key of `state` is one of `metadata`.
pub fn is_field(key: &str) -> bool {
    matches!(key, "messages" | "next_action" | "current_agent" | "routing_key")
}

fn object(keys: &BTreeSet<String>, value: impl Fn(&str) -> Value) -> Value {
    Value::Object(keys.iter().map(|key| (key.clone(), value(key))).collect::<Map<_, _>>())
}

/// Goes through an expression: which names there are, and whether the types fit.
struct Check<'a> {
    program: &'a Program,
    written: &'a python::Rewritten,
    /// Variables beside those that there are everywhere.
    more: &'a [&'a str],
    /// Variables of macros, such as `m` in `messages.exists(m, …)`.
    bound: Vec<String>,
    needs: Needs,
}

impl Check<'_> {
    fn error<T>(&self, at: &IdedExpr, message: impl Into<String>) -> Result<T, ConditionError> {
        let offset = self.program.source_info().offset_for(at.id).map_or(0, |(start, _)| start);
        let column = self.written.column(usize::try_from(offset).unwrap_or(0));
        Err(ConditionError { column, message: message.into() })
    }

    fn kind(&mut self, at: &IdedExpr) -> Result<Kind, ConditionError> {
        match &at.expr {
            Expr::Ident(name) => self.variable(at, name),
            Expr::Literal(value) => Ok(kind_of(value)),
            Expr::Select(select) if select.test => {
                self.error(at, "`has` is not needed: a missing key is null (`state.x != null`)")
            }
            Expr::Select(select) => self.select(at, &select.operand, &select.field),
            Expr::Call(call) if call.func_name == operators::INDEX => self.index(at, &call.args),
            Expr::Call(call) => {
                let mut kinds = Vec::new();
                for part in call.target.iter().map(AsRef::as_ref).chain(&call.args) {
                    kinds.push(self.kind(part)?);
                }
                self.call(at, &call.func_name, &kinds)
            }
            Expr::List(list) => {
                for item in &list.elements {
                    self.kind(item)?;
                }
                Ok(Kind::List)
            }
            Expr::Comprehension(each) => {
                if !self.bound.is_empty() {
                    return self.error(at, "`exists`, `all`, `map` and `filter` cannot be nested");
                }
                self.kind(&each.iter_range)?;
                self.bound = vec![each.iter_var.clone(), each.accu_var.clone()];
                self.bound.extend(each.iter_var2.clone());
                self.kind(&each.loop_step)?;
                self.kind(&each.loop_cond)?;
                let kind = self.kind(&each.accu_init)?;
                self.bound.clear();
                Ok(if kind == Kind::Number { Kind::Bool } else { kind })
            }
            Expr::Map(_) | Expr::Struct(_) | Expr::Unspecified => {
                self.error(at, "a condition cannot contain a mapping")
            }
        }
    }

    fn variable(&mut self, at: &IdedExpr, name: &str) -> Result<Kind, ConditionError> {
        if self.bound.iter().any(|bound| bound == name) {
            return Ok(Kind::Any);
        }
        if self.more.contains(&name) {
            self.needs.variables.insert(name.to_owned());
            return Ok(Kind::Any);
        }
        let Some((_, kind)) = VARIABLES.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> =
                VARIABLES.iter().map(|(known, _)| *known).chain(self.more.iter().copied()).collect();
            let message = format!("there is no variable `{name}`; the variables are {}", known.join(", "));
            return self.error(at, format!("{message}; values that agents set are `state.{name}`"));
        };
        self.needs.variables.insert(name.to_owned());
        Ok(*kind)
    }

    /// A key of `state` or `metadata`, or a part of another value.
    fn select(&mut self, at: &IdedExpr, of: &IdedExpr, key: &str) -> Result<Kind, ConditionError> {
        match &of.expr {
            Expr::Ident(name) if name == "state" => {
                self.variable(of, name)?;
                self.needs.state.insert(key.to_owned());
                Ok(if key == "messages" { Kind::List } else { Kind::Any })
            }
            Expr::Ident(name) if name == "metadata" => {
                self.variable(of, name)?;
                self.needs.metadata.insert(key.to_owned());
                Ok(Kind::Any)
            }
            _ => match self.kind(of)? {
                Kind::Any | Kind::Map => Ok(Kind::Any),
                kind => self.error(at, format!("{} has no key `{key}`", kind.name())),
            },
        }
    }

    fn index(&mut self, at: &IdedExpr, parts: &[IdedExpr]) -> Result<Kind, ConditionError> {
        let [of, key] = parts else { return self.error(at, "this is not an index") };
        let is_state = matches!(&of.expr, Expr::Ident(name) if name == "state" || name == "metadata");
        match (&key.expr, is_state) {
            (Expr::Literal(LiteralValue::String(key)), true) => self.select(at, of, key.inner()),
            (_, true) => self.error(key, "a key must be a literal, such as `state['score']`"),
            (_, false) => {
                self.kind(key)?;
                match self.kind(of)? {
                    Kind::Any | Kind::Map | Kind::List => Ok(Kind::Any),
                    kind => self.error(at, format!("{} has no elements", kind.name())),
                }
            }
        }
    }

    fn call(&self, at: &IdedExpr, name: &str, kinds: &[Kind]) -> Result<Kind, ConditionError> {
        if let Some(known) = kind::of_operator(name, kinds) {
            return known.or_else(|message| self.error(at, message));
        }
        match FUNCTIONS.iter().find(|(known, _)| *known == name) {
            Some((_, kind)) => Ok(*kind),
            None => {
                let known: Vec<&str> = FUNCTIONS.iter().map(|(known, _)| *known).collect();
                self.error(
                    at,
                    format!("there is no function `{name}`; the functions are {}", known.join(", ")),
                )
            }
        }
    }
}

fn kind_of(value: &LiteralValue) -> Kind {
    match value {
        LiteralValue::Boolean(_) => Kind::Bool,
        LiteralValue::Double(_) | LiteralValue::Int(_) | LiteralValue::UInt(_) => Kind::Number,
        LiteralValue::String(_) => Kind::Text,
        LiteralValue::Bytes(_) | LiteralValue::Null => Kind::Any,
    }
}

/// Variables that are given as a map, for tests and for values that are known beforehand.
impl Variables for BTreeMap<String, Value> {
    fn variable(&self, name: &str) -> Value {
        self.get(name).cloned().unwrap_or(Value::Null)
    }

    fn metadata(&self, key: &str) -> Value {
        self.get("metadata").and_then(|all| all.get(key)).cloned().unwrap_or(Value::Null)
    }
}

#[cfg(test)]
#[path = "condition_tests.rs"]
mod tests;

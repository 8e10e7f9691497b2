//! How long runs are kept: `config/retention_policy.yaml` of the home, read when it is needed.

use std::sync::Arc;

use amelia_core::config::retention::RetentionPolicy;
use amelia_orchestrator::run_retention::PolicySource;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::maf::files::RETENTION_POLICY;
use amelia_wire::maf::retention::{RetentionPolicy as PolicyFile, retention_schema};

use crate::home::Home;
use crate::home_file::read_file;
use crate::refused_file::RefusedFile;

/// What the file says; `None` if there is none.
pub fn policy(home: &Home) -> Result<Option<RetentionPolicy>, RefusedFile> {
    read_file::<PolicyFile>(home, RETENTION_POLICY, retention_schema())
}

pub(crate) fn source(home: &Home) -> PolicySource {
    let home = home.clone();
    Arc::new(move || policy(&home).map_err(|refused| ServiceError::invalid(refused.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_has_the_usual_days_and_a_wrong_one_says_where() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::at(directory.path());
        assert_eq!(policy(&home).unwrap(), None, "runs are kept until a person says otherwise");
        std::fs::create_dir(directory.path().join("config")).unwrap();
        let file = directory.path().join(RETENTION_POLICY);
        for empty in ["{}\n", "", "# default_days: 3\n\n"] {
            std::fs::write(&file, empty).unwrap();
            assert_eq!(policy(&home).unwrap(), Some(RetentionPolicy::default()), "{empty}");
        }
        std::fs::write(&file, "by_task:\n  debug: 0\n").unwrap();
        let refused = policy(&home).unwrap_err().to_string();
        assert!(refused.contains("retention_policy.yaml:2:"), "{refused}");
    }
}

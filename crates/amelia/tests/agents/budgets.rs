//! Limits in money hold over every driver.

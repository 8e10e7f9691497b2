//! Ids that follow from names, so that a repeated visit finds what it made before.

use sha2::{Digest as _, Sha256};

/// An id that follows from a name, the same for ever.
pub(crate) fn id_of(name: &[u8]) -> uuid::Uuid {
    let digest = Sha256::digest(name);
    let bytes = digest.first_chunk::<16>().copied().unwrap_or_default();
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

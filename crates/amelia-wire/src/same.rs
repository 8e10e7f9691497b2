//! Structs that differ from the core's only in what they may hold on the wire.

/// Moves every field across, both ways, for two structs with the same field names.
macro_rules! same_fields {
    ($wire:ty = $core:ty { $($field:ident),* $(,)? }) => {
        impl From<$core> for $wire {
            fn from(core: $core) -> Self {
                Self { $($field: core.$field.into()),* }
            }
        }

        impl From<$wire> for $core {
            fn from(wire: $wire) -> Self {
                Self { $($field: wire.$field.into()),* }
            }
        }
    };
}

/// The wire's defaults are the core's.
macro_rules! default_of_core {
    ($wire:ty = $core:ty) => {
        impl Default for $wire {
            fn default() -> Self {
                <$core>::default().into()
            }
        }
    };
}

//! The values that are wrong by themselves, one row each.
//!
//! Must not judge values together, or numbers: `validate` does.

use super::error::PolicyError;
use super::{
    Arithmetic, Cleanup, Deciding, DriftSign, Elapsed, Extension, ExtensionChecks, ExtensionQuorumOf,
    OnError, Policy, QuorumOf, Reacquire, Release, ReleaseKey, ReleaseScope, RenewalOnRelease, Repair,
    TtlUnit, Validity, WhenLate,
};

/// The first row that describes the policy: its field and value; key and value in a file; what is wrong with it; and what
/// would be sound.
macro_rules! first {
    ($policy:ident; $($field:ident $value:path, $key:literal $word:literal: $why:literal, $sound:literal;)*) => {
        None$(.or_else(|| {
            let error = PolicyError::Unsound { key: $key, value: $word, why: $why, sound: $sound };
            ($policy.$field == $value).then_some(error)
        }))*
    };
}

/// The first word of this policy that is unsound whatever the others are.
pub(super) fn word(policy: &Policy) -> Option<PolicyError> {
    first! { policy;
        drift_sign DriftSign::Added, "sign" "added": "promises more than keys live", "subtracted";
        validity Validity::ZeroPasses, "validity" "zero-passes": "hands out a lock with nothing left of it", "checked";
        arithmetic Arithmetic::Wrapping, "arithmetic" "wrapping": "makes an endless promise of a late grant", "checked";
        elapsed Elapsed::WholeS, "elapsed" "whole-s": "promises up to a second too much", "exact";
        quorum_of QuorumOf::Connected, "quorum_of" "connected": "lets clients win apart that reach other voters", "voters";
        deciding Deciding::AtQuorumOfBoth, "deciding" "at-quorum-of-both": "never answers an even split", "all";
        on_error OnError::AbortAfterQuorum, "on_error" "abort-after-quorum": "leaves a quorum of keys to nobody", "count";
        release_on_failure ReleaseScope::None, "release_on_failure" "none": "leaves the keys of failed attempts", "all";
        release_when_late WhenLate::None, "release_when_late" "none": "leaves a quorum of keys to nobody", "as-failure";
        cleanup Cleanup::CallersContext, "cleanup" "callers-context": "leaves the keys of a call given up", "foreground";
        repair Repair::Zero, "repair" "zero": "prolongs the keys of others", "none";
        repair Repair::ZeroAndMissing, "repair" "zero-and-missing": "prolongs the keys of others", "none";
        ttl_unit TtlUnit::SForMs, "ttl_unit" "s-for-ms": "makes keys live a thousand times too long", "ms";
        release Release::GetThenDel, "release" "get-then-del": "can delete what came in between", "compare-and-delete";
        release Release::WatchGetDel, "release" "watch-get-del": "can delete what came in between", "watch-multi-exec";
        release_key ReleaseKey::Other, "release_key" "other": "leaves the key that was taken", "own";
        extension Extension::SetXx, "extension" "set-xx": "takes the lock from whoever has it", "compare";
        extension_quorum_of ExtensionQuorumOf::Acquired, "extension_quorum_of" "acquired": "is content with less than a majority of all", "voters";
        extension_checks ExtensionChecks::Nothing, "extension_checks" "nothing": "promises more than keys live", "validity";
        reacquire Reacquire::Asks, "reacquire" "asks": "gives the own hold away", "refused";
        renewal_on_release RenewalOnRelease::Survives, "renewal_on_release" "survives": "renews what nobody holds", "ends";
    }
}

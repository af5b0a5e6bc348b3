//! How to read a timeline and a verdict: the legend, with an example.
//!
//! Must not be needed to run anything: it is text for people, shown by `run --legend`.

/// What every column and mark means.
pub const LEGEND: &str = "       world  actor      its mono  its wall  what happened
[2]    5.218  client-2   7005.218    +5.218  GRANTED grant 2 until its mono clock shows 7015.115

[2]         evidence: the verdict below names the records that prove a violation by these numbers
world       seconds of the harness since the start of the run; no process can see it
actor       the process it happened at; counted from 1
its mono    that process's monotonic clock in seconds; each process starts at another thousand
its wall    that process's wall clock in seconds since the wall time at which runs start
grant N     grants count over the whole run; a smaller number was decided earlier
call N      calls of acquire count per client over the whole run
client-1#1>node-3:acquire.2.set.1:request
            client 1 in its first life, to node 3: the first SET of its second attempt to acquire, request
held        exercised and never violated        violated       proved by two records
not-exercised  the conditions never arose       n/a            cannot arise in this scenario
";

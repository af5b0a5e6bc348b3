//! Latencies: of every message, and of those on single links.

use super::super::LinkLatency;
use super::super::error::{InputErrorKind, Wrong};
use super::super::shape::{LinkKeys, Network, NumberOrQuantiles};
use super::Scope;
use super::number::in_range;
use super::quantiles::{Unit, constant, quantiles};
use crate::name::Process;
use crate::plan::Quantiles;
use toml::Spanned;

impl Scope {
    /// The latency of all links, and of those that have their own, sorted by link.
    pub(super) fn latencies(self, network: &Network) -> Result<(Quantiles, Vec<LinkLatency>), Wrong> {
        let mut links: Vec<LinkLatency> = Vec::new();
        for keys in &network.link {
            self.link(keys, &mut links)?;
        }
        Ok((latency(&network.latency_us)?, links))
    }

    fn link(self, keys: &LinkKeys, links: &mut Vec<LinkLatency>) -> Result<(), Wrong> {
        let latency = latency(&keys.latency_us)?;
        let [clients, peers] = keys.between.get_ref().as_slice() else {
            let message = "a link lies between two sides: [clients, peers]";
            return Err(Wrong::new(InputErrorKind::Value, keys.between.span(), message));
        };
        let peers = self.processes(peers)?;
        for client in self.processes(clients)? {
            let Process::Client(id) = client.process else {
                let message = format!("{} is no client; a link goes from clients to peers", client.process);
                return Err(Wrong::new(InputErrorKind::Name, client.span, message).meant("client-1"));
            };
            for peer in &peers {
                if let Process::Client(_) = peer.process {
                    let message = format!("{} is no peer of a client; nodes and the store are", peer.process);
                    return Err(Wrong::new(InputErrorKind::Name, peer.span.clone(), message).meant("node-1"));
                }
                match links.binary_search_by_key(&(id, peer.process), LinkLatency::link) {
                    Err(at) => {
                        let latency = latency.clone();
                        links.insert(at, LinkLatency { client: id, peer: peer.process, latency });
                    }
                    Ok(_) => {
                        let message = format!("{id}>{} already has a latency of its own", peer.process);
                        return Err(Wrong::contradiction(peer.span.clone(), message));
                    }
                }
            }
        }
        Ok(())
    }
}

fn latency(keys: &Spanned<NumberOrQuantiles>) -> Result<Quantiles, Wrong> {
    let unit = Unit::Microseconds;
    match keys.get_ref() {
        NumberOrQuantiles::Number(number) => {
            in_range(*number, keys.span(), "latency_us", 0..=unit.most()).map(constant)
        }
        NumberOrQuantiles::Quantiles(inner) => quantiles(inner, "latency_us", unit),
    }
}

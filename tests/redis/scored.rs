//! Commands on sorted sets.

use super::{Server, check};

#[test]
fn members_are_added_with_options() {
    check(&[
        ("zadd z 1 a 2 b 3 c", ":3"),
        ("zadd z 5 a", ":0"),
        ("zadd z CH 6 a 7 d", ":2"),
        ("zadd z nx 9 a 9 e", ":1"),
        ("zscore z a", "$6"),
        ("zadd z xx ch 4 a 4 f", ":1"),
        ("zscore z f", "_"),
        ("zadd z gt ch 3 a", ":0"),
        ("zadd z GT ch 8 a", ":1"),
        ("zadd z lt ch 9 a", ":0"),
        ("zadd z LT ch 2 a", ":1"),
        ("zadd z gt 1 g", ":1"),
        ("zadd z xx gt 9 h", ":0"),
        ("zadd z incr 10 a", "$12"),
        ("zadd z nx incr 10 a", "_"),
        ("zadd z xx incr 1 i", "_"),
        ("zadd z incr 3 i", "$3"),
        ("type z", "+zset"),
        ("zrange z 0 -1 withscores", "[$g $1 $b $2 $c $3 $i $3 $d $7 $e $9 $a $12]"),
        ("zadd z xx 1 only", ":0"),
        ("zadd fresh xx 1 only", ":0"),
        ("exists fresh", ":0"),
    ]);
}

#[test]
fn adding_refuses_in_redis_order() {
    let not_a_float = "-ERR value is not a valid float";
    let gt_lt_nx = "-ERR GT, LT, and/or NX options at the same time are not compatible";
    check(&[
        ("zadd z 1", "-ERR wrong number of arguments for 'zadd' command"),
        ("zadd z 1 a 2", "-ERR syntax error"),
        ("zadd z nx xx", "-ERR syntax error"),
        ("zadd z nx xx 1 a", "-ERR XX and NX options at the same time are not compatible"),
        ("zadd z gt lt 1 a", gt_lt_nx),
        ("zadd z nx gt 1 a", gt_lt_nx),
        ("zadd z incr 1 a 2 b", "-ERR INCR option supports a single increment-element pair"),
        ("zadd z x a", not_a_float),
        ("zadd z 1 a nan b", not_a_float),
        ("zadd z \"\" a", not_a_float),
        ("zadd z \" 1\" a", not_a_float),
        ("exists z", ":0"),
        ("zincrby z x a", not_a_float),
        ("zadd z 1e3 a 5.0 b +7 c -0 d", ":4"),
        ("zrange z 0 -1 withscores", "[$d $0 $b $5 $c $7 $a $1000]"),
    ]);
}

/// Scores are whole numbers here: what Redis takes and this server does not is refused, never rounded.
#[test]
fn a_score_that_is_not_whole_is_refused() {
    let refused = "-ERR fencepost: a score is a whole number of at most 2^53";
    let mut server = Server::new();
    for score in ["1.5", "-0.1", "1e-1", "inf", "-inf", "9007199254740993", "1e17"] {
        assert_eq!(server.line(&format!("zadd z {score} a")), refused, "{score}");
        assert_eq!(server.line(&format!("zincrby z {score} a")), refused, "{score}");
    }
    assert_eq!(server.line("exists z"), ":0");
    assert_eq!(server.line("zadd z 9007199254740992 a"), ":1");
    assert_eq!(server.line("zincrby z 1 a"), refused);
    assert_eq!(server.line("zscore z a"), "$9007199254740992");
}

#[test]
fn members_are_ranked_counted_and_removed() {
    check(&[
        ("zadd z 1 a 2 b 2 bb 3 c", ":4"),
        ("zcard z", ":4"),
        ("zrank z bb", ":2"),
        ("zrank z nosuch", "_"),
        ("zcount z 2 3", ":3"),
        ("zcount z (2 3", ":1"),
        ("zcount z 1.5 (3", ":2"),
        ("zcount z -inf +inf", ":4"),
        ("zcount z -1.5 0.5", ":0"),
        ("zcount z (1 (2", ":0"),
        ("zcount z x 1", "-ERR min or max is not a float"),
        ("zincrby z 5 a", "$6"),
        ("zincrby z -1 new", "$-1"),
        ("zrange z 0 -1", "[$new $b $bb $c $a]"),
        ("zrange z 1 2", "[$b $bb]"),
        ("zrange z 0 0 rev", "[$a]"),
        ("zrange z 0 1 rev withscores", "[$a $6 $c $3]"),
        ("zrevrange z 0 1", "[$a $c]"),
        ("zrevrange z -2 -1 withscores", "[$b $2 $new $-1]"),
        ("zrange z 0 -1 foo", "-ERR syntax error"),
        ("zrange z x -1", "-ERR value is not an integer or out of range"),
        ("zrange nosuch 0 -1", "[]"),
        ("zrangebyscore z 2 3", "[$b $bb $c]"),
        ("zrangebyscore z -inf (3 withscores", "[$new $-1 $b $2 $bb $2]"),
        ("zrangebyscore z -inf +inf limit 1 2", "[$b $bb]"),
        ("zrangebyscore z -inf +inf limit 2 -1", "[$bb $c $a]"),
        ("zrangebyscore z -inf +inf limit 1", "-ERR syntax error"),
        ("zremrangebyscore z -inf 2", ":3"),
        ("zremrangebyscore z x 2", "-ERR min or max is not a float"),
        ("zrem z a nosuch", ":1"),
        ("zrem z c", ":1"),
        ("exists z", ":0"),
        ("zcard z", ":0"),
        ("zscore z a", "_"),
    ]);
}

#[test]
fn a_sorted_set_keeps_its_deadline_until_it_is_empty() {
    check(&[
        ("zadd z 1 a", ":1"),
        ("pexpire z 1000", ":1"),
        ("zadd z 2 b", ":1"),
        ("pttl z", ":1000"),
        ("zremrangebyscore z -inf +inf", ":2"),
        ("zadd z 2 b", ":1"),
        ("pttl z", ":-1"),
    ]);
}

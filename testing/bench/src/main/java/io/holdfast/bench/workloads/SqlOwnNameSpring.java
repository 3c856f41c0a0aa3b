package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Workload;
import java.util.List;

/** The same as {@link SqlOwnName}, against Spring Integration. */
public final class SqlOwnNameSpring implements Workload {
    private final SqlOwnName same = new SqlOwnName();

    /** For {@link java.util.ServiceLoader}. */
    public SqlOwnNameSpring() {}

    @Override
    public String id() {
        return "sql-own-name-spring";
    }

    @Override
    public String question() {
        return same.question() + ", against Spring Integration";
    }

    @Override
    public List<Contestant> contestants() {
        return same.contestants().stream()
                .filter(contestant -> contestant.name().equals(SqlPeers.HOLDFAST.title())
                        || contestant.name().equals(SqlPeers.SPRING.title()))
                .toList();
    }

    @Override
    public String baseline() {
        return SqlPeers.SPRING.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(SqlPeers.HOLDFAST.title(), RepeatedWork.RATE, Bar.Relation.AT_LEAST, 2.2));
    }
}

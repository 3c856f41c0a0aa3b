package io.holdfast.bench.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The section that a lock under measurement protects. It does nothing but notice whether the lock works: that no other
 * thread is inside, that tokens grow in the order of entry, and that no update of a plain counter is lost.
 */
public final class Section {
    private static final int MOST_VIOLATIONS = 5;
    private static final long NO_TOKEN = Long.MIN_VALUE;

    private final AtomicInteger violationCount = new AtomicInteger();
    private final List<String> violations = new ArrayList<>();
    private volatile int inside;
    private long lastToken = NO_TOKEN;
    private long entered;

    /** Enters and leaves. {@code who} is the number of a thread, not zero and different for every thread. */
    public void pass(int who) {
        enter(who);
        leave(who);
    }

    /** Enters and leaves under this fencing token; 0 is none. */
    public void pass(int who, long token) {
        enter(who, token);
        leave(who);
    }

    /** How often the section was entered, as a counter without any protection but the lock's has it. */
    public long entered() {
        return entered;
    }

    /** What went wrong, given how often threads say that they entered. */
    public List<String> violations(long passes) {
        if (entered != passes) {
            report(passes + " passes left the unprotected counter at " + entered);
        }
        synchronized (violations) {
            int more = violationCount.get() - violations.size();
            List<String> all = new ArrayList<>(violations);
            if (more > 0) {
                all.add("and " + more + " more");
            }
            return all;
        }
    }

    public void enter(int who) {
        int other = inside;
        if (other != 0) {
            report("thread " + who + " entered while thread " + other + " was inside");
        }
        inside = who;
        entered++;
    }

    /** Enters under this fencing token; 0 is none. */
    public void enter(int who, long token) {
        enter(who);
        if (token == 0) {
            return;
        }
        if (token <= lastToken) {
            report("token " + token + " was granted after token " + lastToken);
        }
        lastToken = token;
    }

    public void leave(int who) {
        int now = inside;
        if (now != who) {
            report("thread " + now + " entered while thread " + who + " was inside");
        }
        inside = 0;
    }

    private void report(String violation) {
        violationCount.incrementAndGet();
        synchronized (violations) {
            if (violations.size() < MOST_VIOLATIONS) {
                violations.add(violation);
            }
        }
    }
}

package io.holdfast.sim.check;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.fence.Guard;
import io.holdfast.fence.MemoryGuard;
import io.holdfast.sim.plan.PlantedBug;
import java.util.HashMap;
import java.util.Map;

/**
 * The protected resources: one counter per lock name, behind a guard. A holder reads it and writes back what it read plus
 * one. Messages to it are as slow as any other, so a write may arrive long after its lease has ended.
 */
public final class GuardedCounters {
    private static final class Cell {
        final Guard guard;
        long value;
        long highest;
        long highestExclusive;

        Cell(String name) {
            guard = MemoryGuard.of("counter of " + name, name);
        }
    }

    private final GrantLedger ledger;
    private final Rules rules;
    private final PlantedBug planted;
    private final Map<String, Cell> cells = new HashMap<>();

    public GuardedCounters(GrantLedger ledger, Rules rules, PlantedBug planted) {
        this.ledger = ledger;
        this.rules = rules;
        this.planted = planted;
    }

    /** Marks, then reads (U1). Minus one if the guard refuses. */
    public long read(Sequencer sequencer) {
        Cell cell = cell(sequencer.lockName());
        if (planted != PlantedBug.GUARD_AT_WRITE_ONLY && !admit(cell, sequencer)) {
            return -1;
        }
        return cell.value;
    }

    /** Writes what follows from {@code read}; false if the guard refuses. */
    public boolean write(Sequencer sequencer, long read) {
        Cell cell = cell(sequencer.lockName());
        if (!admit(cell, sequencer)) {
            return false;
        }
        rules.require(
                Rule.U1_LOST_UPDATE,
                cell.value == read || ledger.areTokensExcused(sequencer.lockName()),
                () -> sequencer + " writes what follows from " + read + " over " + cell.value);
        cell.value = read + 1;
        return true;
    }

    private boolean admit(Cell cell, Sequencer sequencer) {
        long token = sequencer.token();
        boolean exclusive = sequencer.mode() == Mode.EXCLUSIVE;
        try {
            cell.guard.admit(sequencer);
        } catch (StaleTokenException e) {
            return false;
        }
        rules.require(
                Rule.P2_GUARD,
                exclusive ? token >= cell.highest : token > cell.highestExclusive,
                () -> "the guard admitted " + sequencer + " after " + cell.highest + "/" + cell.highestExclusive);
        cell.highest = Math.max(cell.highest, token);
        cell.highestExclusive = exclusive ? Math.max(cell.highestExclusive, token) : cell.highestExclusive;
        return true;
    }

    private Cell cell(String name) {
        return cells.computeIfAbsent(name, Cell::new);
    }
}

package io.holdfast;

/**
 * What a holder is told when its lease is lost, and a candidate when its leadership has ended.
 *
 * @param lockName the lock
 * @param token the token of the lost lease; guards refuse it as soon as a newer one was admitted
 * @param reason why
 * @param detail one sentence for a log
 */
public record Loss(String lockName, long token, LossReason reason, String detail) {}

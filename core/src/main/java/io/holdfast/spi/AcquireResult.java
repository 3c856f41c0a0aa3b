package io.holdfast.spi;

/** The answer to {@link LockStore#tryAcquire}. */
public sealed interface AcquireResult permits Granted, Refused {}

package io.holdfast.etcd;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;

/**
 * Answers are given on the thread that reads them. gRPC would hand each to a pool, whose thread has to be woken before it
 * wakes the one who waits for the answer. What the store does with an answer never blocks, so it needs no such thread.
 *
 * <p>Not with a login: jetcd logs in within the call that needs it and waits for that, and the answer could only come on
 * the thread that waits.
 */
final class OnTheIoThread implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return next.newCall(method, options.withExecutor(Runnable::run));
    }
}

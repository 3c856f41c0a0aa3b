package io.holdfast.etcd.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;

/**
 * Completes calls on the I/O thread that reads their answers. By default gRPC hands each answer to a thread pool, whose
 * thread is woken and then wakes the thread that waits for the answer. The store never blocks when it handles an
 * answer, so it needs no such thread.
 *
 * <p>Not for clients with a login: jetcd logs in inside the call that needs the login and blocks for the answer, which
 * could arrive only on the blocked thread.
 */
public final class IoThreadInterceptor implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return next.newCall(method, options.withExecutor(Runnable::run));
    }
}

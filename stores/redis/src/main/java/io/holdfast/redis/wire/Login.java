package io.holdfast.redis.wire;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import org.jspecify.annotations.Nullable;

/** User and password of an address, set in a way that all versions of Lettuce from 6.6 on have. */
public final class Login {
    private Login() {}

    /** Gives an address a login; without a user it is the password of the default user. */
    public static void give(RedisURI uri, @Nullable String user, String password) {
        uri.setCredentialsProvider(
                RedisCredentialsProvider.from(() -> RedisCredentials.just(user, password.toCharArray())));
    }
}

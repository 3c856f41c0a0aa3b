package io.holdfast.redlock.config;

import io.holdfast.spi.StoreUrl;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import java.io.File;

/**
 * Whether the nodes speak TLS, and how they are known.
 *
 * @param on whether they do
 * @param verify what of a certificate is checked
 * @param ca a file with the certificates that are trusted; empty for those of the JVM
 */
public record NodeTls(boolean on, SslVerifyMode verify, String ca) {
    static final NodeTls NONE = new NodeTls(false, SslVerifyMode.FULL, "");

    static NodeTls of(StoreUrl url) {
        String mode = url.option("tlsVerify").orElse("full");
        SslVerifyMode verify = switch (mode) {
            case "full" -> SslVerifyMode.FULL;
            case "ca" -> SslVerifyMode.CA;
            case "none" -> SslVerifyMode.NONE;
            default -> throw RedlockConfig.wrong(url, "option tlsVerify is full, ca or none, not '" + mode + "'");
        };
        String ca = url.option("tlsCa").orElse("");
        if (!ca.isEmpty() && !new File(ca).canRead()) {
            throw RedlockConfig.wrong(url, "option tlsCa: cannot read '" + ca + "'");
        }
        return new NodeTls(RedlockConfig.choice(url, "tls", "false", "true"), verify, ca);
    }

    public SslOptions options() {
        SslOptions.Builder ssl = SslOptions.builder().jdkSslProvider();
        return ca.isEmpty() ? ssl.build() : ssl.trustManager(new File(ca)).build();
    }
}

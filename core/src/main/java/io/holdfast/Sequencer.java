package io.holdfast;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A fencing token made portable: which lock, in which mode, under which token, optionally signed. Chubby's sequencer.
 *
 * <p>Its {@link #text() text} is plain ASCII without spaces or quotes, so it can travel in a header, a column or an
 * environment variable: {@code hf1.x.1763200000000000.c3RvY2s.1f8fa3e6}. The parts are the version, the mode ({@code x}
 * for exclusive, {@code s} for shared, {@code p} for a permit), the token, the name in unpadded base64url, and the
 * signature or, without one, the CRC-32 of what stands before it in eight hexadecimal digits. So a text that was cut
 * off anywhere, or mistyped, is an error and not the sequencer of another lock.
 *
 * <p>Unsigned sequencers are believed inside one trust boundary only: anybody can make one up.
 *
 * @param lockName the lock
 * @param mode how it is held
 * @param token the token
 * @param signature unpadded base64url of an HMAC-SHA-256, or empty
 */
public record Sequencer(String lockName, Mode mode, long token, String signature) {
    /** The longest text that is parsed. */
    public static final int LONGEST_TEXT = 4096;

    /** The shortest key that signs, in bytes. */
    public static final int SHORTEST_KEY = 16;

    private static final String PREFIX = "hf";
    private static final int VERSION = 1;
    private static final Pattern SIGNATURE = Pattern.compile("[A-Za-z0-9_-]{43}");
    private static final Pattern CHECK = Pattern.compile("[0-9a-f]{8}");
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

    /** Checks the parts. */
    public Sequencer {
        LockNames.check(lockName);
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(signature, "signature");
        if (token <= 0) {
            throw new IllegalArgumentException("token " + token + " is not positive");
        }
        if (!signature.isEmpty() && !SIGNATURE.matcher(signature).matches()) {
            throw new IllegalArgumentException("a signature is 43 base64url characters, not " + signature.length());
        }
    }

    /** Without a signature. */
    public Sequencer(String lockName, Mode mode, long token) {
        this(lockName, mode, token, "");
    }

    /** The portable form. */
    public String text() {
        String body = body();
        return body + "." + (signature.isEmpty() ? check(body) : signature);
    }

    /** This sequencer with a signature by {@code key}, which the checking side must have too. */
    public Sequencer signedWith(byte[] key) {
        return new Sequencer(lockName, mode, token, ENCODER.encodeToString(mac(key)));
    }

    /** Whether there is a signature. {@link #isSignedWith} tells whether it is right. */
    public boolean isSigned() {
        return !signature.isEmpty();
    }

    /** Whether the signature was made with {@code key}. Takes the same time whatever is wrong with it. */
    public boolean isSignedWith(byte[] key) {
        byte[] given;
        try {
            given = DECODER.decode(signature);
        } catch (IllegalArgumentException e) {
            return false;
        }
        return MessageDigest.isEqual(mac(key), given);
    }

    /**
     * Reads the portable form. The signature is not checked here.
     *
     * @throws IllegalArgumentException if it is malformed, truncated or of a newer version
     */
    public static Sequencer parse(String text) {
        Objects.requireNonNull(text, "sequencer");
        if (text.length() > LONGEST_TEXT) {
            throw malformed(text, "it is longer than " + LONGEST_TEXT + " characters");
        }
        String[] parts = text.split("\\.", -1);
        checkVersion(text, parts[0]);
        if (parts.length != 5) {
            throw malformed(text, "it has " + parts.length + " parts instead of 5; was it cut off? Copy all of it");
        }
        boolean signed = SIGNATURE.matcher(parts[4]).matches();
        if (!signed) {
            checkUnsigned(text, parts[4]);
        }
        try {
            return new Sequencer(
                    decodeName(text, parts[3]), mode(text, parts[1]), token(text, parts[2]), signed ? parts[4] : "");
        } catch (IllegalArgumentException e) {
            if (e.getMessage() != null && e.getMessage().startsWith("sequencer ")) {
                throw e;
            }
            throw malformed(text, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public String toString() {
        return text();
    }

    private String body() {
        return PREFIX + VERSION + "." + letter(mode) + "." + token + "."
                + ENCODER.encodeToString(lockName.getBytes(StandardCharsets.UTF_8));
    }

    private byte[] mac(byte[] key) {
        if (key.length < SHORTEST_KEY) {
            throw new IllegalArgumentException(
                    "a signing key needs at least " + SHORTEST_KEY + " bytes, but this one has " + key.length);
        }
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(body().getBytes(StandardCharsets.US_ASCII));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no HmacSHA256", e);
        }
    }

    private static String check(String body) {
        CRC32 crc = new CRC32();
        crc.update(body.getBytes(StandardCharsets.US_ASCII));
        return String.format("%08x", crc.getValue());
    }

    private static void checkUnsigned(String text, String check) {
        if (!CHECK.matcher(check).matches()) {
            throw malformed(
                    text,
                    "its last part is neither a signature (43 characters) nor a checksum (8); was it cut off?"
                            + " Copy all of it");
        }
        if (!check(text.substring(0, text.lastIndexOf('.'))).equals(check)) {
            throw malformed(text, "its checksum does not match; was it mistyped or cut off? Copy all of it");
        }
    }

    private static void checkVersion(String text, String prefix) {
        if (!prefix.matches(PREFIX + "[0-9]{1,4}")) {
            throw malformed(
                    text,
                    "it does not begin with '" + PREFIX + VERSION
                            + ".': give what lease.sequencer() or HOLDFAST_SEQUENCER says");
        }
        int version = Integer.parseInt(prefix.substring(PREFIX.length()));
        if (version != VERSION) {
            throw malformed(
                    text,
                    "it is of version " + version + " and this Holdfast knows version " + VERSION
                            + "; upgrade the side that checks");
        }
    }

    private static long token(String text, String digits) {
        if (!digits.matches("[1-9][0-9]{0,18}")) {
            throw malformed(text, "its token is not a positive number: copy all of it");
        }
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            throw malformed(text, "its token is larger than 2^63 - 1");
        }
    }

    private static Mode mode(String text, String letter) {
        for (Mode mode : Mode.values()) {
            if (letter(mode).equals(letter)) {
                return mode;
            }
        }
        throw malformed(text, "its mode is none of x, s, p");
    }

    private static String letter(Mode mode) {
        return switch (mode) {
            case EXCLUSIVE -> "x";
            case SHARED -> "s";
            case PERMIT -> "p";
        };
    }

    private static String decodeName(String text, String encoded) {
        byte[] bytes;
        try {
            bytes = DECODER.decode(encoded);
        } catch (IllegalArgumentException e) {
            throw malformed(text, "its lock name is not base64url; was it cut off?");
        }
        if (!ENCODER.encodeToString(bytes).equals(encoded)) {
            throw malformed(text, "its lock name is not in canonical base64url");
        }
        try {
            CharBuffer name = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return name.toString();
        } catch (CharacterCodingException e) {
            throw malformed(text, "its lock name is not UTF-8");
        }
    }

    private static IllegalArgumentException malformed(String text, String why) {
        String head = text.length() <= 60 ? text : text.substring(0, 60) + "…";
        return new IllegalArgumentException(
                "sequencer '" + head.replaceAll("[^\\x20-\\x7e…]", "?") + "' cannot be read: " + why);
    }
}

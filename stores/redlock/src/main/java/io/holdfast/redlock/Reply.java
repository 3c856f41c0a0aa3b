package io.holdfast.redlock;

import io.holdfast.Holder;
import io.holdfast.Mode;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * What a script answered: {@code state left epoch forgot max}, then what it was asked for.
 *
 * @param state C counts, Q in quarantine, L must relearn its fences; {@link #UNSAID} in the short answer to a release
 * @param leftMillis how much of the quarantine is left
 * @param epoch of the node's memory; another one means that it forgot in between
 * @param forgot whether it noticed that just now
 * @param maxTtlMillis the deployment's {@code maxTtl} as this node keeps it
 * @param rest the answer proper
 */
record Reply(char state, long leftMillis, String epoch, boolean forgot, long maxTtlMillis, String rest) {
    /** In place of a state: the answer is all there is. */
    static final char UNSAID = '-';

    static Reply parse(String text) {
        if (text.length() == 1) {
            return new Reply(UNSAID, 0, "", false, 0, text);
        }
        int left = text.indexOf(' ') + 1;
        int epoch = text.indexOf(' ', left) + 1;
        int forgot = text.indexOf(' ', epoch) + 1;
        int max = text.indexOf(' ', forgot) + 1;
        int end = max;
        while (end < text.length() && Character.isDigit(text.charAt(end))) {
            end++;
        }
        return new Reply(
                text.charAt(0),
                Long.parseLong(text, left, epoch - 1, 10),
                text.substring(epoch, forgot - 1),
                text.charAt(forgot) == '1',
                Long.parseLong(text, max, end, 10),
                end == text.length() ? "" : text.substring(end + 1));
    }

    /**
     * One vote that a node keeps.
     *
     * @param id the holder id of the claim
     * @param attempt the proposal (U8)
     * @param firm whether the node counted when it cast this vote
     * @param revoked whether it ends at its expiry
     * @param closedMillis how long it keeps the name closed, lock-delay included
     * @param holder who it is for
     */
    record Vote(String id, String attempt, boolean firm, boolean revoked, long closedMillis, Holder holder) {
        boolean inForce() {
            return !holder.remaining().isZero();
        }

        static Vote parse(String text) {
            String[] words = text.split(" ");
            Holder holder = new Holder(
                    word(words[9]),
                    word(words[10]),
                    words[7].equals("X") ? Mode.EXCLUSIVE : Mode.SHARED,
                    Long.parseLong(words[5]),
                    Integer.parseInt(words[6]),
                    Duration.ofMillis(Long.parseLong(words[8])),
                    Duration.ofMillis(Long.parseLong(words[3])));
            return new Vote(
                    words[0],
                    words[1],
                    !words[2].contains("u"),
                    words[2].contains("r"),
                    Long.parseLong(words[4]),
                    holder);
        }
    }

    /** Client and label as two words without spaces. */
    static String who(String clientId, String label) {
        return '.' + URLEncoder.encode(clientId, StandardCharsets.UTF_8) + " ."
                + URLEncoder.encode(label, StandardCharsets.UTF_8);
    }

    private static String word(String word) {
        return URLDecoder.decode(word.substring(1), StandardCharsets.UTF_8);
    }
}

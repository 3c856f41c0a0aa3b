package io.holdfast.redlock.node;

import io.holdfast.Holder;
import io.holdfast.Mode;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * What a script answered: {@code tag state left epoch forgot settings}, then what it was asked for. The tag is the
 * request's own (U29).
 *
 * @param state C counts, Q in quarantine, L must relearn its fences; {@link #UNSAID} in the short answer to a release
 * @param leftMillis how much of the quarantine is left
 * @param epoch of the node's memory; another one means that it forgot in between
 * @param forgot whether it noticed that just now
 * @param settings the deployment's, as this node keeps them; empty in the short answer
 * @param rest the answer proper
 */
public record Reply(char state, long leftMillis, String epoch, boolean forgot, String settings, String rest) {
    /** In place of a state: the answer is all there is. */
    static final char UNSAID = '-';

    /**
     * Reads the answer to the request with this tag.
     *
     * @throws IllegalStateException if it is not the answer to that request, or no answer of a script (U29)
     */
    public static Reply parse(String tag, String text) {
        int state = tag.length() + 1;
        if (text.length() <= state || !text.startsWith(tag) || text.charAt(state - 1) != ' ') {
            throw new IllegalStateException("an answer that belongs to another request");
        }
        if (text.length() == state + 1) {
            return new Reply(UNSAID, 0, "", false, "", text.substring(state));
        }
        try {
            return parse(text, state);
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            throw new IllegalStateException("an answer that is none of a script", e);
        }
    }

    private static Reply parse(String text, int state) {
        int left = state + 2;
        int epoch = text.indexOf(' ', left) + 1;
        int forgot = text.indexOf(' ', epoch) + 1;
        int settings = text.indexOf(' ', forgot) + 1;
        int end = settings;
        while (end < text.length() && text.charAt(end) != ' ' && text.charAt(end) != '\n') {
            end++;
        }
        return new Reply(
                text.charAt(state),
                Long.parseLong(text, left, epoch - 1, 10),
                text.substring(epoch, forgot - 1),
                text.charAt(forgot) == '1',
                text.substring(settings, end),
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
     * @param holder the holder that it is for
     */
    public record Vote(String id, String attempt, boolean firm, boolean revoked, long closedMillis, Holder holder) {
        public boolean inForce() {
            return !holder.remaining().isZero();
        }

        public static Vote parse(String text) {
            String[] words = text.split(" ");
            Holder holder = new Holder(
                    text(words[9]),
                    text(words[10]),
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

    /** A text as one word without spaces that is not empty. */
    public static String word(String text) {
        return '.' + URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String text(String word) {
        return URLDecoder.decode(word.substring(1), StandardCharsets.UTF_8);
    }
}

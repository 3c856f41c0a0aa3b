package io.holdfast.redis.claim;

/**
 * Encodes text without spaces and control characters, because the scripts separate records at spaces and line ends. A
 * {@code %} and four hexadecimal digits stand for a character; a single {@code %} stands for the empty text.
 */
final class Words {
    private Words() {}

    static String encode(String text) {
        if (text.isEmpty()) {
            return "%";
        }
        int at = 0;
        while (at < text.length() && plain(text.charAt(at))) {
            at++;
        }
        if (at == text.length()) {
            return text;
        }
        StringBuilder encoded = new StringBuilder(text.length() + 16).append(text, 0, at);
        for (; at < text.length(); at++) {
            char c = text.charAt(at);
            if (plain(c)) {
                encoded.append(c);
            } else {
                encoded.append('%').append(Integer.toHexString(c | 0x10000), 1, 5);
            }
        }
        return encoded.toString();
    }

    static String decode(String word) {
        int at = word.indexOf('%');
        if (at < 0) {
            return word;
        }
        StringBuilder text = new StringBuilder(word.length());
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if (c == '%' && i + 5 <= word.length()) {
                text.append((char) Integer.parseInt(word.substring(i + 1, i + 5), 16));
                i += 4;
            } else if (c != '%') {
                text.append(c);
            }
        }
        return text.toString();
    }

    private static boolean plain(char c) {
        // A lone surrogate would not survive UTF-8; everything else outside of ASCII does.
        return c > ' ' && c != '%' && c != 0x7f && c != 0x85 && c != 0xa0 && !Character.isSurrogate(c);
    }
}

package io.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoreUrlTest {
    @Test
    void aUrlIsTakenApart() {
        StoreUrl url = StoreUrl.parse("SQLite:/var/lib/app/locks.db?busy=2s&label=a%20b%26c");

        assertThat(url.scheme()).isEqualTo("sqlite");
        assertThat(url.rest()).isEqualTo("/var/lib/app/locks.db");
        assertThat(url.option("label")).contains("a b&c");
        assertThat(url.option("missing")).isEmpty();
        assertThat(url.options()).containsOnlyKeys("busy", "label");
        assertThat(url.duration("busy", Duration.ZERO)).isEqualTo(Duration.ofSeconds(2));
        assertThat(url.duration("missing", Duration.ofMillis(5))).isEqualTo(Duration.ofMillis(5));
        assertThat(StoreUrl.parse("memory:").rest()).isEmpty();
    }

    /** Every secret in these is "hunter2", sometimes with a character that should have been escaped. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://:hunter2@localhost:6379",
                "redis://user:hunter2@localhost:6379/0?wait=pull",
                "redis://hunter2@localhost",
                "rediss://user:hun%20ter2hunter2@localhost",
                "redis://user:hun@hunter2@localhost:6379",
                "redis://user:hun/hunter2@localhost:6379",
                "redis://user:hun?hunter2@localhost:6379",
                "redis://user:hun#hunter2@localhost:6379",
                "redis://user:hun?a=hunter2@localhost:6379",
                "redlock://:hunter2@h1,:hunter2@h2,h3",
                "redis://:hunter2",
                "redis://:hunter2/0",
                "redis://me:hunter2",
                "redis://me:hunter2?wait=pull",
                "redlock://h1:7001,me:hunter2",
                "redis://localhost?auth=hunter2",
                "redis://localhost?password=hunter2",
                "redis://localhost?PASSWORD=hunter2&wait=pull",
                "redis://localhost?wait=pull&auth-token=hunter2",
                "redis://localhost?password=hun;hunter2",
                "redis://localhost?password=hun&hunter2&wait=pull",
                "redis://localhost?password=hun=hunter2",
                "redis://localhost?p%61ssword=hunter2",
                "redis://localhost?passphrase=hunter2",
                "redis://localhost?clientSecret=hunter2",
                "jdbc:postgresql://localhost/db?user=me&password=hunter2",
                "jdbc:postgresql://me:hunter2@localhost/db",
                "jdbc:postgresql://localhost/db?user=me@corp&password=hunter2&ssl=true",
                "jdbc:mariadb://localhost:3306/db?user=root&password=hunter2&keyStorePassword=hunter2",
                "jdbc:mysql://address=(host=h)(port=1)(user=u)(password=hunter2)/db",
                "jdbc:mysql://(host=h,port=1,user=u,password=hunter2)/db",
                "jdbc:sqlserver://localhost;user=sa;password=hunter2;encrypt=true",
                "jdbc:sqlserver://localhost;user=sa;password={hun;hunter2};encrypt=true",
                "jdbc:h2:tcp://localhost/db;USER=sa;PASSWORD=hunter2",
                "jdbc:oracle:thin:scott/hunter2@//localhost:1521/db",
                "jdbc:oracle:thin:scott/hunter2@localhost:1521:db",
                "me:hunter2@localhost/db",
                "etcd://root:hunter2@h1:2379,h2:2379",
                "https://locks.example.com?token=hunter2"
            })
    void aPasswordIsNeverShownWhateverTheForm(String text) {
        String shown;
        try {
            shown = StoreUrl.parse(text).toString();
        } catch (IllegalArgumentException e) {
            shown = String.valueOf(e.getMessage());
        }

        assertThat(shown).doesNotContain("hunter2").contains("***");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "memory:",
                "sqlite:",
                "sqlite:/home/me@corp/locks.db",
                "sqlite:C:/data/locks.db",
                "redis://localhost:6379/0?wait=pull&replicas=2",
                "redis://[::1]:6379",
                "redlock://h1:7001,h2:7001,h3",
                "zk://h1:2181,h2:2181/chroot",
                "jdbc:postgresql://localhost:5432/db?user=me@corp&ssl=true",
                "https://locks.example.com/team"
            })
    void whatIsNoSecretStaysReadable(String text) {
        assertThat(StoreUrl.parse(text)).hasToString(text);
    }

    @Test
    void theHostStaysReadableBesideAPassword() {
        assertThat(StoreUrl.parse("redis://user:hunter2@cache.example.com:6379/0?wait=pull"))
                .hasToString("redis://***@cache.example.com:6379/0?wait=pull");
        assertThat(StoreUrl.parse("jdbc:postgresql://db.example.com/app?password=hunter2&ssl=true"))
                .hasToString("jdbc:postgresql://db.example.com/app?password=***&ssl=true");
    }

    @Test
    void aLongPasswordInAUrlWithoutSchemeDoesNotShowItsHead() {
        assertThatThrownBy(() -> StoreUrl.parse("//me:" + "hunter2".repeat(40) + "@localhost"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("//***@localhost")
                .hasMessageContaining("needs a scheme")
                .message()
                .doesNotContain("hunter2");
    }

    @Test
    void unknownOptionsAreRefusedWithTheKnownOnes() {
        StoreUrl url = StoreUrl.parse("redis://:hunter2@localhost?replica=2");

        assertThatThrownBy(() -> url.allowOnly(Set.of("wait", "replicas", "evict")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("store URL 'redis://***@localhost?replica=***' has the unknown option 'replica';"
                        + " known are evict, replicas, wait");
        url.allowOnly(Set.of("replica"));
    }

    @Test
    void aPasswordThatLooksLikeAPortIsHiddenIfThereIsNoHost() {
        assertThat(StoreUrl.parse("redis://:12345")).hasToString("redis://:***");
        assertThat(StoreUrl.parse("redis://cache:12345")).hasToString("redis://cache:12345");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "locks.db | needs a scheme",
                "/var/lib/locks.db | needs a scheme",
                "://x | needs a scheme",
                "sqlite:x?wait | written name=value",
                "sqlite:x?=1 | written name=value",
                "sqlite:x?a=1&&b=2 | written name=value",
                "sqlite:x?a=1&a=2 | has the option 'a' twice",
                "sqlite:x?a=%zz | broken % escape"
            })
    void aUrlWithATypoNamesTheValueAndTheRemedy(String text, String why) {
        assertThatThrownBy(() -> StoreUrl.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'")
                .hasMessageContaining(why);
    }

    @Test
    void anEndlessUrlIsRefusedWithoutRepeatingIt() {
        assertThatThrownBy(() -> StoreUrl.parse("sqlite:" + "x".repeat(9_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8192")
                .message()
                .hasSizeLessThan(200);
    }

    @ParameterizedTest
    @CsvSource({
        "0ms, PT0S",
        "5ns, PT0.000000005S",
        "7us, PT0.000007S",
        "15ms, PT0.015S",
        "2s, PT2S",
        "5m, PT5M",
        "1h, PT1H",
        "2d, PT48H",
        "PT1M30S, PT1M30S"
    })
    void durationsAreWrittenWithAUnit(String text, Duration expected) {
        assertThat(StoreUrl.parseDuration("wait", text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "5",
                "s",
                "-5s",
                "1.5s",
                "5 s",
                "5S",
                "5sec",
                "PT-5S",
                "999999999999999d",
                "9999999999999999s",
                "1e3s"
            })
    void anythingElseIsRefusedByNameAndValue(String text) {
        assertThatThrownBy(() -> StoreUrl.parseDuration("--wait", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("--wait: ")
                .hasMessageContaining(text)
                .hasMessageContaining("30s");
    }
}

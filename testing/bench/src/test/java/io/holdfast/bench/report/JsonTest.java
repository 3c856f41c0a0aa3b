package io.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("quick")
class JsonTest {
    @Test
    void valuesAreWrittenAsJson() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("text", "a \"b\" \\ \n\t\u0001 ü");
        map.put("numbers", List.of(1, 2.5, 3.0, -0.125, 1e300));
        map.put("empty", Map.of());
        map.put("none", List.of());
        map.put("yes", true);
        assertThat(Json.write(map)).isEqualTo("""
                        {
                          "text": "a \\"b\\" \\\\ \\n\\t\\u0001 ü",
                          "numbers": [
                            1,
                            2.5,
                            3,
                            -0.125,
                            1.0E300
                          ],
                          "empty": {},
                          "none": [],
                          "yes": true
                        }
                        """);
    }

    @Test
    void nullIsWritten() {
        assertThat(Json.write(null)).isEqualTo("null\n");
    }

    @Test
    void whatJsonCannotSayIsRefused() {
        assertThatThrownBy(() -> Json.write(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    }
}

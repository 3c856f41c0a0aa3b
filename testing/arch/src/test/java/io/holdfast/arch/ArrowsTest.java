package io.holdfast.arch;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every rule holds for the real code, and fails for the sample that breaks it, naming that sample. */
class ArrowsTest {
    private static final String REAL_ROOT = "io.holdfast";
    private static final String BROKEN_ROOT = "io.holdfast.arch.broken";
    private static final JavaClasses REAL = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(REAL_ROOT);
    private static final JavaClasses BROKEN = new ClassFileImporter().importPackages(BROKEN_ROOT);

    /**
     * A rule and the sample that breaks it.
     *
     * @param what the rule as a sentence
     * @param rule the rule, for a root package
     * @param sample the class below the broken root, named in the violation
     */
    private record Proof(String what, Function<Arrows, ArchRule> rule, String sample) {}

    private static Stream<Proof> proofs() {
        return Stream.of(
                new Proof("the API sees itself only", Arrows::apiSeesItselfOnly, "ApiSeesTheEngine"),
                new Proof("the contract sees the API only", Arrows::spiSeesTheApiOnly, "spi.SpiSeesTheEngine"),
                new Proof("fencing sees the API only", Arrows::fenceSeesTheApiOnly, "fence.FenceSeesTheSpi"),
                new Proof("core has no dependency", Arrows::coreHasNoRuntimeDependency, "engine.EngineSeesAssertj"),
                new Proof("a store sees no engine", storeRule("memory"), "memory.StoreSeesTheEngine"),
                new Proof("a store sees no other store", storeRule("sql"), "sql.StoreSeesAnotherStore"),
                new Proof("the command sees no engine", Arrows::usersOfTheApiSeeNoEngine, "cli.CommandSeesTheEngine"),
                new Proof("core reads no clock", Arrows::coreReadsNoClockAndNeverSleeps, "engine.EngineReadsTheClock"),
                new Proof("core never sleeps", Arrows::coreReadsNoClockAndNeverSleeps, "engine.EngineSleeps"),
                new Proof("core starts no thread", Arrows::coreStartsNoThread, "engine.EngineStartsAThread"),
                new Proof("core stays off the common pool", Arrows::coreStartsNoThread, "engine.EngineUsesCommonPool"),
                new Proof("packages are null-marked", Arrows::packagesAreNullMarked, "unmarked.Unmarked"),
                new Proof("names say the mechanism", Arrows::namesSayTheMechanism, "engine.QueueManager"));
    }

    @TestFactory
    Stream<DynamicTest> theRealCodeKeepsEveryRule() {
        Stream<DynamicTest> rules = proofs().map(proof -> DynamicTest.dynamicTest(
                proof.what(), () -> proof.rule().apply(new Arrows(REAL_ROOT)).check(REAL)));
        Stream<DynamicTest> stores = Arrows.STORES.stream()
                .sorted()
                .map(store -> DynamicTest.dynamicTest(
                        store + " sees only the contract",
                        () -> new Arrows(REAL_ROOT)
                                .storeSeesNoEngineAndNoOtherStore(store)
                                .check(REAL)));
        return Stream.concat(rules, stores);
    }

    @TestFactory
    Stream<DynamicTest> everyRuleFailsForTheSampleThatBreaksIt() {
        return proofs().map(proof -> DynamicTest.dynamicTest(proof.sample(), () -> {
            var result = proof.rule().apply(new Arrows(BROKEN_ROOT)).evaluate(BROKEN);

            assertThat(result.hasViolation()).as(proof.what()).isTrue();
            assertThat(result.getFailureReport().getDetails())
                    .anyMatch(line -> line.contains(BROKEN_ROOT + "." + proof.sample()));
        }));
    }

    @Test
    void theRealCodeWasReallyRead() {
        assertThat(REAL.contain("io.holdfast.Holdfast")).isTrue();
        assertThat(REAL.contain("io.holdfast.spi.LockStore")).isTrue();
        assertThat(REAL.contain("io.holdfast.engine.HoldfastClient")).isTrue();
        assertThat(REAL.contain("io.holdfast.fence.MemoryGuard")).isTrue();
        assertThat(REAL.contain(BROKEN_ROOT + ".ApiSeesTheEngine")).isFalse();
    }

    @Test
    void everyFolderUnderStoresIsAStoreThatTheRulesKnow() throws IOException {
        try (Stream<Path> folders = Files.list(Repository.root().resolve("stores"))) {
            Set<String> found = folders.filter(folder -> Files.exists(folder.resolve("pom.xml")))
                    .map(folder -> folder.getFileName().toString())
                    .collect(Collectors.toSet());

            assertThat(found).isNotEmpty().isSubsetOf(Arrows.STORES);
        }
    }

    private static Function<Arrows, ArchRule> storeRule(String store) {
        return arrows -> arrows.storeSeesNoEngineAndNoOtherStore(store);
    }
}

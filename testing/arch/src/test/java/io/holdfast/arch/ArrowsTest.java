package io.holdfast.arch;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.holdfast.arch.Modules.Module;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every rule holds for the real code, and fails for the sample that breaks it, naming that sample. */
class ArrowsTest {
    private static final String BROKEN_ROOT = "io.holdfast.arch.broken";
    private static final JavaClasses BROKEN = new ClassFileImporter().importPackages(BROKEN_ROOT);
    private static final Arrows BROKEN_ARROWS = new Arrows(BROKEN_ROOT, Set.of("memory", "file"));

    private static final List<Module> STORES = Modules.stores();
    private static final List<Module> GUARDS = Modules.guards();
    private static final Arrows ARROWS = new Arrows("io.holdfast", Modules.names(STORES));
    private static final JavaClasses REAL = new ClassFileImporter()
            .importPaths(Modules.all().stream()
                    .map(Module::classes)
                    .filter(Files::exists)
                    .toArray(Path[]::new));

    /**
     * A rule and the sample that breaks it.
     *
     * @param what the rule as a sentence
     * @param rule the rule, for a root package
     * @param sample the class below the broken root, named in the violation
     */
    private record Proof(String what, Function<Arrows, ArchRule> rule, String sample) {}

    /** Rules about the whole code. */
    private static Stream<Proof> proofs() {
        return Stream.of(
                new Proof("the API sees itself only", Arrows::apiSeesItselfOnly, "ApiSeesTheEngine"),
                new Proof("the contract sees the API only", Arrows::spiSeesTheApiOnly, "spi.SpiSeesTheEngine"),
                new Proof("its support too", Arrows::spiSeesTheApiOnly, "spi.support.SupportSeesTheEngine"),
                new Proof("the contract sees no support", Arrows::contractSeesNoSupport, "spi.SpiSeesItsSupport"),
                new Proof("fencing sees the API only", Arrows::fenceSeesTheApiOnly, "fence.FenceSeesTheSpi"),
                new Proof("core has no dependency", Arrows::coreHasNoRuntimeDependency, "engine.EngineSeesAssertj"),
                new Proof("the command sees no engine", Arrows::usersOfTheApiSeeNoEngine, "cli.CommandSeesTheEngine"),
                new Proof("core reads no clock", Arrows::coreReadsNoClockAndNeverSleeps, "engine.EngineReadsTheClock"),
                new Proof("core never sleeps", Arrows::coreReadsNoClockAndNeverSleeps, "engine.EngineSleeps"),
                new Proof("core starts no thread", Arrows::coreStartsNoThread, "engine.EngineStartsAThread"),
                new Proof("core stays off the common pool", Arrows::coreStartsNoThread, "engine.EngineUsesCommonPool"),
                new Proof("packages are null-marked", Arrows::packagesAreNullMarked, "unmarked.Unmarked"),
                new Proof("names say the mechanism", Arrows::namesSayTheMechanism, "engine.QueueManager"),
                new Proof("the queue sees no client", room("queue"), "engine.queue.QueueSeesTheClient"),
                new Proof("a lease sees no queue", room("lease"), "engine.lease.LeaseSeesTheQueue"),
                new Proof("the runtime sees no lease", room("runtime"), "engine.runtime.RuntimeSeesTheLease"));
    }

    /** Rules about one module, with the samples that break them. */
    private static Stream<Proof> proofsForModules() {
        return Stream.of(
                new Proof("a store sees no engine", store("memory"), "memory.StoreSeesTheEngine"),
                new Proof("a store sees no guard", store("memory"), "memory.StoreSeesAGuard"),
                new Proof("a store sees no other store", store("file"), "file.StoreSeesAnotherStore"),
                new Proof("a guard sees no contract", guard("file"), "guard.file.GuardSeesTheSpi"),
                new Proof("a guard sees no store", guard("file"), "guard.file.GuardSeesAStore"),
                new Proof("a guard sees no other guard", guard("memory"), "guard.memory.GuardSeesAnotherGuard"),
                new Proof("packages have no cycle", Arrows::packagesAreFreeOfCycles, "cycle.first.First"));
    }

    @TestFactory
    Stream<DynamicTest> theRealCodeKeepsEveryRule() {
        return proofs().map(proof -> DynamicTest.dynamicTest(
                proof.what(), () -> proof.rule().apply(ARROWS).check(REAL)));
    }

    @TestFactory
    Stream<DynamicTest> everyStoreSeesTheContractOnly() {
        return STORES.stream()
                .map(store -> DynamicTest.dynamicTest(
                        store.name(), () -> store(store.name()).apply(ARROWS).check(REAL)));
    }

    @TestFactory
    Stream<DynamicTest> everyGuardSeesTheApiAndFencingOnly() {
        return GUARDS.stream()
                .map(guard -> DynamicTest.dynamicTest(
                        guard.name(), () -> guard(guard.name()).apply(ARROWS).check(REAL)));
    }

    @TestFactory
    Stream<DynamicTest> noModuleHasACycleBetweenItsPackages() {
        return Modules.all().stream()
                .filter(module ->
                        Files.exists(module.classes()) && !module.packages().isEmpty())
                .map(module -> DynamicTest.dynamicTest(
                        module.pom().artifactId(),
                        () -> ARROWS.packagesAreFreeOfCycles()
                                .check(new ClassFileImporter().importPath(module.classes()))));
    }

    @TestFactory
    Stream<DynamicTest> everyRuleFailsForTheSampleThatBreaksIt() {
        return Stream.concat(proofs(), proofsForModules())
                .map(proof -> DynamicTest.dynamicTest(proof.sample(), () -> {
                    var result = proof.rule().apply(BROKEN_ARROWS).evaluate(BROKEN);

                    assertThat(result.hasViolation()).as(proof.what()).isTrue();
                    assertThat(result.getFailureReport().getDetails())
                            .anyMatch(line -> line.contains(BROKEN_ROOT + "." + proof.sample()));
                }));
    }

    /** Rules of these names would else apply to nothing. */
    @Test
    void theFolderOfAStoreOrGuardNamesItsPackage() {
        assertThat(Modules.names(Modules.below("stores")))
                .as("every folder below stores offers a provider")
                .isEqualTo(Modules.names(STORES));
        assertThat(Modules.names(STORES)).contains("memory", "redis", "redlock");
        assertThat(STORES)
                .allSatisfy(store -> assertThat(store.packages())
                        .isNotEmpty()
                        .allMatch(name -> (name + ".").startsWith("io.holdfast." + store.name() + ".")));
        assertThat(GUARDS)
                .allSatisfy(guard -> assertThat(guard.packages())
                        .isNotEmpty()
                        .allMatch(name -> (name + ".").startsWith("io.holdfast.guard." + guard.name() + ".")));
    }

    /** The rules read compiled classes, so Maven must have compiled them before it runs this module. */
    @Test
    void everyModuleWithRulesIsBuiltBeforeThisOne() {
        assertThat(Modules.builtBefore("holdfast-arch"))
                .as("what testing/arch depends on, directly or through another module; the command is one way to it: "
                        + "add a store to cli/stores/pom.xml")
                .containsAll(Modules.published().stream()
                        .map(module -> module.pom().artifactId())
                        .toList())
                .contains("holdfast-cli");
        assertThat(REAL.contain("io.holdfast.Holdfast")).isTrue();
        assertThat(REAL.contain("io.holdfast.cli.Main")).isTrue();
        assertThat(REAL.contain(BROKEN_ROOT + ".ApiSeesTheEngine")).isFalse();
    }

    private static Function<Arrows, ArchRule> store(String store) {
        return arrows -> arrows.storeSeesNoEngineAndNoOtherStore(store);
    }

    private static Function<Arrows, ArchRule> guard(String guard) {
        return arrows -> arrows.guardSeesTheApiAndFencingOnly(guard);
    }

    private static Function<Arrows, ArchRule> room(String room) {
        return arrows -> arrows.engineDoorsOpenOneWay(room);
    }
}

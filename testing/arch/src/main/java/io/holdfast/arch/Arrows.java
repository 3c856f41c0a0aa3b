package io.holdfast.arch;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;

/**
 * The rules about dependencies. They apply to the code below a root package: {@code io.holdfast}, or the package of the
 * broken samples, which has the same layout.
 *
 * <pre>
 *   api ← spi ← engine           engine: client → queue → lease → runtime
 *   fence → api                  guard → api, fence
 *   store → api, spi, fence      command, contract suite → api, spi, fence
 * </pre>
 *
 * <p>A store is in the package that its folder below {@code stores/} names, a guard in {@code guard} and its folder's
 * name.
 */
final class Arrows {
    private static final String[] JDK = {"java..", "javax.crypto..", "org.jspecify.."};
    private static final Set<String> CLOCK_CALLS = Set.of(
            "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.lang.Thread.sleep",
            "java.util.concurrent.TimeUnit.sleep",
            "java.util.concurrent.locks.LockSupport.parkNanos",
            "java.util.concurrent.locks.LockSupport.parkUntil",
            "java.time.Instant.now",
            "java.time.LocalDateTime.now",
            "java.time.Clock.systemUTC",
            "java.time.Clock.systemDefaultZone",
            "java.util.concurrent.CompletableFuture.orTimeout",
            "java.util.concurrent.CompletableFuture.completeOnTimeout",
            "java.util.concurrent.CompletableFuture.delayedExecutor");
    private static final Set<String> THREAD_CALLS = Set.of(
            "java.lang.Thread.<init>",
            "java.lang.Thread.start",
            "java.util.Timer.<init>",
            "java.util.concurrent.ForkJoinPool.<init>",
            "java.util.concurrent.ForkJoinPool.commonPool",
            "java.util.concurrent.ThreadPoolExecutor.<init>",
            "java.util.concurrent.ScheduledThreadPoolExecutor.<init>");
    private static final Set<String> COMMON_POOL_CALLS = Set.of("runAsync", "supplyAsync");

    /** The rooms of the engine. Each sees those after it, and none before it. */
    private static final List<String> ENGINE_ROOMS = List.of("client", "queue", "lease", "runtime");

    private final String root;
    private final Set<String> stores;

    Arrows(String root, Set<String> stores) {
        this.root = root;
        this.stores = stores;
    }

    ArchRule apiSeesItselfOnly() {
        return classes()
                .that(resideInAnyPackage(root))
                .and(not(simpleName("HoldfastBuilder")))
                .and(not(simpleName("package-info")))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(with(JDK, root)))
                .because(
                        "the API is what users see; only the builder, which opens the client, knows what is behind it");
    }

    ArchRule spiSeesTheApiOnly() {
        return classes()
                .that(resideInAnyPackage(root + ".spi.."))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(with(JDK, root, root + ".spi..")))
                .because("a store must be able to live without the engine");
    }

    ArchRule fenceSeesTheApiOnly() {
        return classes()
                .that(resideInAnyPackage(root + ".fence.."))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(with(JDK, root, root + ".fence..")))
                .because("a guard stands at the resource, where there may be no store");
    }

    ArchRule coreHasNoRuntimeDependency() {
        return classes()
                .that(core())
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(with(JDK, root, root + ".spi..", root + ".fence..", root + ".engine..")))
                .because("core runs wherever a JDK does");
    }

    ArchRule contractSeesNoSupport() {
        return noClasses()
                .that(resideInAnyPackage(root + ".spi"))
                .should()
                .dependOnClassesThat(resideInAnyPackage(root + ".spi.support.."))
                .because("a store may use what several stores share, but the contract does not need it");
    }

    ArchRule storeSeesNoEngineAndNoOtherStore(String store) {
        List<String> forbidden =
                new ArrayList<>(List.of(root + ".engine..", root + ".cli..", root + ".tck..", root + ".guard.."));
        stores.stream()
                .filter(other -> !other.equals(store) && !(store.equals("redlock") && other.equals("redis")))
                .forEach(other -> forbidden.add(root + "." + other + ".."));
        return noClasses()
                .that(resideInAnyPackage(root + "." + store + ".."))
                .should()
                .dependOnClassesThat(resideInAnyPackage(forbidden.toArray(String[]::new)))
                .because("a store sees the contract, so that adding one touches no other");
    }

    ArchRule guardSeesTheApiAndFencingOnly(String guard) {
        String own = root + ".guard." + guard + "..";
        return noClasses()
                .that(resideInAnyPackage(own))
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage(root + "..").and(not(resideInAnyPackage(root, root + ".fence..", own))))
                .because("a guard is used at the resource, without a store and without a client of the lock");
    }

    /** A room of the engine sees no room before it. */
    ArchRule engineDoorsOpenOneWay(String room) {
        String[] before = ENGINE_ROOMS.subList(0, ENGINE_ROOMS.indexOf(room)).stream()
                .map(earlier -> root + ".engine." + earlier + "..")
                .toArray(String[]::new);
        return noClasses()
                .that(resideInAnyPackage(root + ".engine." + room + ".."))
                .should()
                .dependOnClassesThat(resideInAnyPackage(before))
                .because("an acquire is read downwards: client, queue, lease, runtime");
    }

    /** For the classes of one module. */
    ArchRule packagesAreFreeOfCycles() {
        return slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return SliceIdentifier.of(type.getPackageName());
                    }

                    @Override
                    public String getDescription() {
                        return "packages";
                    }
                })
                .should()
                .beFreeOfCycles()
                .ignoreDependency(simpleName("HoldfastBuilder"), alwaysTrue())
                .because("a package can be read and changed without the packages that use it");
    }

    ArchRule usersOfTheApiSeeNoEngine() {
        return noClasses()
                .that(resideInAnyPackage(root + ".cli..", root + ".tck.."))
                .should()
                .dependOnClassesThat(resideInAnyPackage(root + ".engine.."))
                .because("the command and the contract suite use what is published");
    }

    ArchRule coreReadsNoClockAndNeverSleeps() {
        return noClasses()
                .that(core())
                .and(not(nameMatching(".*\\.Ticker\\$SystemTicker")))
                .and(not(nameMatching(".*\\.engine\\.runtime\\.ClientTime")))
                .should()
                .callCodeUnitWhere(calls(CLOCK_CALLS))
                .because("time is injected (Ticker, Scheduler), so that the simulation runs the same engine");
    }

    ArchRule coreStartsNoThread() {
        return noClasses()
                .that(core())
                .and(not(nameMatching(".*\\.engine\\.(runtime\\.)?OwnThreads(\\$.*)?")))
                .should()
                .callCodeUnitWhere(calls(THREAD_CALLS).or(startsOnTheCommonPool()))
                .because("threads are injected (Scheduler, Executor); OwnThreads is the default of both");
    }

    ArchRule namesSayTheMechanism() {
        return noClasses()
                .that(resideInAnyPackage(root + ".."))
                .should()
                .haveNameMatching(".*\\.(Abstract\\w*|\\w*(Impl|Utils?|Manager|Helper))(\\$.*)?")
                .because("an implementation is named by how it works");
    }

    ArchRule packagesAreNullMarked() {
        return classes()
                .that(resideInAnyPackage(root + ".."))
                .should(new ArchCondition<>("be in a @NullMarked package") {
                    @Override
                    public void check(JavaClass item, ConditionEvents events) {
                        boolean marked = item.getPackage()
                                .tryGetAnnotationOfType(NullMarked.class)
                                .isPresent();
                        events.add(
                                new SimpleConditionEvent(item, marked, item.getName() + " is in an unmarked package"));
                    }
                })
                .because("what may be null says so, and the compiler checks it");
    }

    private DescribedPredicate<JavaClass> core() {
        return resideInAnyPackage(root, root + ".spi..", root + ".fence..", root + ".engine..");
    }

    private static DescribedPredicate<JavaCall<?>> calls(Set<String> forbidden) {
        return describe("call one of " + forbidden, call -> forbidden.contains(fullName(call.getTarget())));
    }

    private static DescribedPredicate<JavaCall<?>> startsOnTheCommonPool() {
        return describe(
                "run on the common pool",
                call -> (call.getTargetOwner().getName().equals("java.util.concurrent.CompletableFuture")
                                && COMMON_POOL_CALLS.contains(call.getTarget().getName())
                                && call.getTarget().getRawParameterTypes().size() == 1)
                        || call.getTargetOwner().getName().equals("java.util.concurrent.Executors"));
    }

    private static String fullName(CodeUnitCallTarget target) {
        return target.getOwner().getName() + "." + target.getName();
    }

    private static String[] with(String[] some, String... more) {
        List<String> all = new ArrayList<>(List.of(some));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }
}

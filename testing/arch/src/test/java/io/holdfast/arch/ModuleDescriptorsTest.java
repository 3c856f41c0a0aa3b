package io.holdfast.arch;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.arch.Modules.Module;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires.Modifier;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What published jars say of themselves as modules: they export what users call, and nothing else. */
class ModuleDescriptorsTest {
    /**
     * ZooKeeper's two jars share packages, so they resolve on no module path. The jars of jetcd carry no module name, and
     * a published artifact must not depend on a name that comes from a file name.
     */
    private static final Set<String> CLIENT_IS_NO_MODULE = Set.of("zookeeper", "etcd");

    @Test
    void coreExportsTheApiTheContractAndFencingAndNothingElse() {
        assertThat(exports(descriptor(Modules.core())))
                .containsExactlyInAnyOrder(
                        "io.holdfast", "io.holdfast.spi", "io.holdfast.spi.support", "io.holdfast.fence");
    }

    @Test
    void coreRequiresNothingAtRunTimeButTheJdkBase() {
        assertThat(descriptor(Modules.core()).requires())
                .filteredOn(required -> !required.modifiers().contains(Modifier.STATIC))
                .extracting(ModuleDescriptor.Requires::name)
                .containsExactly("java.base");
    }

    @TestFactory
    Stream<DynamicTest> aStoreExportsItsFirstPackageAndProvidesItsStores() {
        return Modules.stores().stream()
                .filter(store -> !CLIENT_IS_NO_MODULE.contains(store.name()))
                .map(store -> DynamicTest.dynamicTest(store.name(), () -> {
                    ModuleDescriptor module = descriptor(store);

                    assertThat(exports(module)).containsExactly("io.holdfast." + store.name());
                    assertThat(module.provides())
                            .extracting(ModuleDescriptor.Provides::service)
                            .containsExactly("io.holdfast.spi.StoreProvider");
                }));
    }

    @TestFactory
    Stream<DynamicTest> aGuardExportsItsFirstPackage() {
        return Modules.guards().stream()
                .filter(guard -> !CLIENT_IS_NO_MODULE.contains(guard.name()))
                .map(guard -> DynamicTest.dynamicTest(
                        guard.name(),
                        () -> assertThat(exports(descriptor(guard)))
                                .containsExactly("io.holdfast.guard." + guard.name())));
    }

    @TestFactory
    Stream<DynamicTest> anArtifactWhoseClientIsNoModuleHasAStableModuleName() {
        return Stream.of("stores/zookeeper", "stores/etcd", "guards/etcd")
                .map(folder -> DynamicTest.dynamicTest(folder, () -> {
                    String name = folder.replace("stores/", "io.holdfast.").replace("guards/", "io.holdfast.guard.");

                    assertThat(Files.readString(
                                    Repository.root().resolve(folder).resolve("pom.xml")))
                            .contains("<Automatic-Module-Name>" + name + "</Automatic-Module-Name>");
                }));
    }

    private static List<String> exports(ModuleDescriptor module) {
        return module.exports().stream()
                .filter(exported -> !exported.isQualified())
                .map(ModuleDescriptor.Exports::source)
                .toList();
    }

    private static ModuleDescriptor descriptor(Module module) {
        assertThat(module.descriptor())
                .as("module-info of %s", module.pom().artifactId())
                .isPresent();
        return module.descriptor().orElseThrow();
    }
}

package io.holdfast.arch;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.arch.Modules.Module;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires.Modifier;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What published jars say of themselves as modules: they export what users call, and nothing else. */
class ModuleDescriptorsTest {
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
                .map(guard -> DynamicTest.dynamicTest(
                        guard.name(),
                        () -> assertThat(exports(descriptor(guard)))
                                .containsExactly("io.holdfast.guard." + guard.name())));
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

package io.holdfast.arch;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires.Modifier;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What the core jar says of itself as a module. */
class CoreModuleTest {
    @Test
    void coreExportsTheApiTheContractAndFencingAndNothingElse() throws URISyntaxException {
        assertThat(core().exports())
                .extracting(ModuleDescriptor.Exports::source)
                .containsExactlyInAnyOrder(
                        "io.holdfast", "io.holdfast.spi", "io.holdfast.spi.support", "io.holdfast.fence");
    }

    @Test
    void coreRequiresNothingAtRunTimeButTheJdkBase() throws URISyntaxException {
        assertThat(core().requires())
                .filteredOn(required -> !required.modifiers().contains(Modifier.STATIC))
                .extracting(ModuleDescriptor.Requires::name)
                .containsExactly("java.base");
    }

    private static ModuleDescriptor core() throws URISyntaxException {
        Path place = Path.of(Holdfast.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        return ModuleFinder.of(place).find("io.holdfast.core").orElseThrow().descriptor();
    }
}

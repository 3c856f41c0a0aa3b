package io.holdfast.arch;

import io.holdfast.arch.Poms.Pom;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the modules of the repository and what each is: a store is a folder below {@code stores/} that offers a store
 * provider, a guard is a folder below {@code guards/}. No test lists them.
 */
final class Modules {
    private static final Path PROVIDERS =
            Path.of("src", "main", "resources", "META-INF", "services", "io.holdfast.spi.StoreProvider");

    /**
     * One module.
     *
     * @param pom its POM
     */
    record Module(Pom pom) {
        /** The name of its folder, which is also that of its package. */
        String name() {
            return pom.folder().getFileName().toString();
        }

        Path classes() {
            return pom.folder().resolve(Path.of("target", "classes"));
        }

        /** The packages that have a class in this module. */
        Set<String> packages() {
            try (Stream<Path> files = Files.walk(classes())) {
                return files.filter(file -> file.toString().endsWith(".class"))
                        .map(file -> classes().relativize(file).getParent())
                        .filter(folder -> folder != null)
                        .map(folder -> folder.toString().replace('/', '.'))
                        .collect(Collectors.toSet());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** What its module-info says, if it has one. */
        Optional<ModuleDescriptor> descriptor() {
            Path file = classes().resolve("module-info.class");
            if (!Files.exists(file)) {
                return Optional.empty();
            }
            try (var in = Files.newInputStream(file)) {
                return Optional.of(ModuleDescriptor.read(in));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Modules() {}

    static List<Module> all() {
        return Poms.modules().stream().map(Module::new).toList();
    }

    /** Every published module that has classes: all but the BOM. */
    static List<Module> published() {
        return all().stream()
                .filter(module -> module.pom().isPublished())
                .filter(module -> !module.pom().text("packaging").equals(Optional.of("pom")))
                .toList();
    }

    static List<Module> stores() {
        return below("stores").stream()
                .filter(module -> Files.exists(module.pom().folder().resolve(PROVIDERS)))
                .toList();
    }

    static List<Module> guards() {
        return below("guards");
    }

    static Module core() {
        return all().stream()
                .filter(module -> module.name().equals("core"))
                .findFirst()
                .orElseThrow();
    }

    static Set<String> names(List<Module> modules) {
        return modules.stream().map(Module::name).collect(Collectors.toSet());
    }

    /** The artifacts that Maven builds before this module, because it depends on them, directly or through others. */
    static Set<String> builtBefore(String artifactId) {
        Set<String> before = new LinkedHashSet<>();
        collect(artifactId, before);
        return before;
    }

    /** The folders below this one that the parent builds. */
    static List<Module> below(String folder) {
        return all().stream()
                .filter(module ->
                        module.pom().folder().startsWith(Repository.root().resolve(folder)))
                .toList();
    }

    private static void collect(String artifactId, Set<String> before) {
        for (Pom pom : Poms.modules()) {
            if (pom.artifactId().equals(artifactId)) {
                pom.ownDependencies().stream().filter(before::add).forEach(next -> collect(next, before));
            }
        }
    }
}

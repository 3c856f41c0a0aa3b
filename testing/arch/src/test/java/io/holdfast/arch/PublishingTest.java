package io.holdfast.arch;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.arch.Poms.Pom;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a repository asks of published artifacts, and that only those are published. */
class PublishingTest {
    @Test
    void exactlyTheBomCoreTheStoresTheGuardsAndTheContractSuiteArePublished() {
        Stream<String> parts = Stream.of("holdfast-bom", "holdfast-core", "holdfast-tck");
        Stream<String> found = Stream.concat(Modules.stores().stream(), Modules.guards().stream())
                .map(module -> module.pom().artifactId());

        assertThat(Poms.modules().stream().filter(Pom::isPublished).map(Pom::artifactId))
                .containsExactlyInAnyOrderElementsOf(Stream.concat(parts, found).toList());
    }

    @Test
    void theBomListsEveryPublishedArtifact() {
        List<Pom> modules = Poms.modules();
        Pom bom = modules.stream()
                .filter(pom -> pom.artifactId().equals("holdfast-bom"))
                .findFirst()
                .orElseThrow();
        List<String> listed = Poms.children(
                        bom.element("dependencyManagement", "dependencies").orElseThrow())
                .stream()
                .map(dependency -> new Pom(bom.folder(), dependency).artifactId())
                .toList();

        assertThat(modules.stream()
                        .filter(pom -> pom.isPublished() && !pom.equals(bom))
                        .map(Pom::artifactId))
                .containsExactlyInAnyOrderElementsOf(listed);
    }

    /** An import brings everything that the BOM manages, inherited and imported versions included, into an application. */
    @Test
    void theBomManagesNothingButOurArtifacts() {
        Pom bom = Poms.modules().stream()
                .filter(pom -> pom.artifactId().equals("holdfast-bom"))
                .findFirst()
                .orElseThrow();

        assertThat(bom.element("parent")).as("the parent manages many versions").isEmpty();
        assertThat(bom.text("version")).isEqualTo(Poms.parent().text("version"));
        assertThat(Poms.children(
                        bom.element("dependencyManagement", "dependencies").orElseThrow()))
                .isNotEmpty()
                .allSatisfy(managed -> {
                    Pom dependency = new Pom(bom.folder(), managed);
                    assertThat(dependency.text("groupId")).contains("io.holdfast");
                    assertThat(dependency.text("scope"))
                            .as("an import would manage more")
                            .isEmpty();
                });
        for (String needed : List.of("name", "description", "url", "licenses", "developers", "scm")) {
            assertThat(bom.element(needed)).as("%s of the BOM", needed).isPresent();
        }
    }

    @Test
    void everyPomSaysWhatItIs() {
        Pom parent = Poms.parent();
        for (String needed : List.of("name", "description", "url", "licenses", "developers", "scm")) {
            assertThat(parent.element(needed)).as("%s of the parent", needed).isPresent();
        }
        assertThat(parent.text("licenses", "license", "name")).contains("Apache-2.0");
        for (Pom module : Poms.modules()) {
            assertThat(module.text("name"))
                    .as("name of %s", module.artifactId())
                    .isPresent();
            assertThat(module.text("description"))
                    .as("description of %s", module.artifactId())
                    .isPresent();
            // The BOM, and the applications in testing/compat, have no parent.
            assertThat(module.text("version").or(() -> module.text("parent", "version")))
                    .as("%s has the version of the parent", module.artifactId())
                    .isEqualTo(parent.text("version"));
            assertThat(module.text("version").isPresent()
                            && module.element("parent").isPresent())
                    .as("%s has its version from the parent", module.artifactId())
                    .isFalse();
        }
    }

    @Test
    void coreHasNoDependencyThatItsUsersWouldGet() {
        Pom core = Poms.modules().stream()
                .filter(pom -> pom.artifactId().equals("holdfast-core"))
                .findFirst()
                .orElseThrow();

        assertThat(Poms.children(core.element("dependencies").orElseThrow()).stream()
                        .map(dependency -> new Pom(core.folder(), dependency))
                        .filter(dependency ->
                                !dependency.text("scope").orElse("").equals("test"))
                        .filter(dependency ->
                                !dependency.text("optional").orElse("").equals("true"))
                        .map(Pom::artifactId))
                .isEmpty();
    }

    @Test
    void everyVersionInTheParentHasItsReasonInTheDocumentation() throws IOException {
        String page = Files.readString(Repository.root().resolve("docs/dependencies.md"));
        for (Map.Entry<String, String> property : Poms.properties().entrySet()) {
            if (property.getKey().endsWith(".version") || property.getKey().startsWith("plugin.")) {
                String version = property.getValue().replaceAll("\\.(RELEASE|Final)$", "");

                assertThat(page)
                        .as("docs/dependencies.md on %s", property.getKey())
                        .contains(version);
            }
        }
    }
}

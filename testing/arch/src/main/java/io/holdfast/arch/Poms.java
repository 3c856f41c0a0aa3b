package io.holdfast.arch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** Reads the POMs of the repository. */
final class Poms {
    /**
     * One POM.
     *
     * @param folder where it is
     * @param project its root element
     */
    record Pom(Path folder, Element project) {
        Optional<String> text(String... path) {
            return element(path).map(found -> found.getTextContent().strip());
        }

        Optional<Element> element(String... path) {
            Optional<Element> at = Optional.of(project);
            for (String name : path) {
                at = at.flatMap(parent -> children(parent).stream()
                        .filter(child -> child.getTagName().equals(name))
                        .findFirst());
            }
            return at;
        }

        String artifactId() {
            return text("artifactId").orElseThrow();
        }

        /** The artifacts of this repository that this module depends on, in any scope. */
        List<String> ownDependencies() {
            return element("dependencies").map(Poms::children).orElse(List.of()).stream()
                    .map(dependency -> new Pom(folder, dependency))
                    .filter(dependency -> dependency.text("groupId").equals(Optional.of("io.holdfast")))
                    .map(Pom::artifactId)
                    .toList();
        }

        boolean isPublished() {
            return !text("properties", "maven.deploy.skip").equals(Optional.of("true"));
        }
    }

    private Poms() {}

    static Pom parent() {
        return read(Repository.root());
    }

    /** Those of the modules, in the order of the build. */
    static List<Pom> modules() {
        List<Pom> modules = new ArrayList<>();
        for (Element module : children(parent().element("modules").orElseThrow())) {
            modules.add(read(Repository.root().resolve(module.getTextContent().strip())));
        }
        return modules;
    }

    /** The properties of the parent: the one place for versions. */
    static Map<String, String> properties() {
        Map<String, String> properties = new LinkedHashMap<>();
        for (Element property : children(parent().element("properties").orElseThrow())) {
            properties.put(property.getTagName(), property.getTextContent().strip());
        }
        return properties;
    }

    static List<Element> children(Element parent) {
        List<Element> children = new ArrayList<>();
        for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) {
            if (child instanceof Element element) {
                children.add(element);
            }
        }
        return children;
    }

    private static Pom read(Path folder) {
        Path file = folder.resolve("pom.xml");
        try (var in = Files.newInputStream(file)) {
            return new Pom(
                    folder,
                    DocumentBuilderFactory.newInstance()
                            .newDocumentBuilder()
                            .parse(in)
                            .getDocumentElement());
        } catch (IOException | ParserConfigurationException | SAXException e) {
            throw new IllegalStateException("cannot read " + file, e);
        }
    }
}

package io.holdfast.cli;

import io.holdfast.HoldfastException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.StaleTokenException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.cli.command.AdmitCommand;
import io.holdfast.cli.command.BenchCommand;
import io.holdfast.cli.command.CheckCommand;
import io.holdfast.cli.command.Command;
import io.holdfast.cli.command.CompletionCommand;
import io.holdfast.cli.command.ListCommand;
import io.holdfast.cli.command.ReleaseCommand;
import io.holdfast.cli.command.RunCommand;
import io.holdfast.cli.command.SchemaCommand;
import io.holdfast.cli.command.ShowCommand;
import io.holdfast.cli.command.StoresCommand;
import io.holdfast.cli.command.VersionCommand;
import io.holdfast.cli.command.WatchCommand;
import io.holdfast.cli.input.Arguments;
import io.holdfast.cli.input.ExitCode;
import io.holdfast.cli.input.NotRunnableException;
import io.holdfast.cli.input.Suggestion;
import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.input.UsageException;
import io.holdfast.cli.output.Terminal;
import io.holdfast.cli.store.SqlitePreload;
import io.holdfast.cli.store.StoreErrors;
import io.holdfast.cli.supervise.UnsupportedSystemException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The {@code holdfast} command. Only the subcommand that was called is loaded. */
public final class Main {
    private static final String OVERVIEW = """
            Holdfast runs commands under a lock, and looks after locks.

            Usage: holdfast COMMAND [OPTIONS]

              run NAME -- COMMAND…     runs a command while holding a lock
              ls [PREFIX]              lists the locks that are held
              show NAME                shows one lock and who holds it
              watch [PREFIX]           prints changes as they happen
              release NAME --force     takes a lock from its holder
              check SEQUENCER          asks whether a lock is held under this token
              admit RESOURCE           marks a resource with a token, or refuses a stale one
              stores                   lists the stores that can be used
              schema --store jdbc:…    prints the tables of a SQL store
              completion               prints a completion script for the shell
              bench                    measures Holdfast and its peers (from a source checkout)
              version                  shows the version

            Examples:
              holdfast run nightly-report -- ./report.sh
              holdfast run deploy --wait 15m --store redis://cache:6379 -- make deploy
              holdfast run --help

            Without --store and without $HOLDFAST_STORE the embedded store of this user on this machine is used.""";

    private static final List<String> COMMANDS = List.of(
            "run",
            "ls",
            "show",
            "watch",
            "release",
            "check",
            "admit",
            "stores",
            "schema",
            "completion",
            "bench",
            "version");

    private static final Map<String, String> OTHER_WORDS =
            Map.of("lock", "run", "exec", "run", "unlock", "release", "status", "show", "info", "show", "list", "ls");

    private final Terminal terminal;

    private Main(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Runs and ends this process. */
    public static void main(String[] args) {
        useHome();
        SqlitePreload.begin(args);
        // Not System.exit: there are no hooks to run, and no thread of ours needs to be waited for.
        Runtime.getRuntime().halt(execute(Terminal.system(), args));
    }

    /** Java takes the home folder from the user database; every other command takes it from {@code $HOME}. */
    private static void useHome() {
        @Nullable String home = System.getenv("HOME");
        if (home != null && home.startsWith("/")) {
            System.setProperty("user.home", home);
        }
    }

    /** Runs and says the exit code. */
    static int execute(Terminal terminal, String... args) {
        return new Main(terminal).dispatch(args);
    }

    private int dispatch(String[] args) {
        String name = args.length == 0 ? "--help" : args[0];
        if (name.equals("help") && args.length > 1) {
            return dispatch(new String[] {args[1], "--help"});
        }
        if (name.equals("--help") || name.equals("-h") || name.equals("help")) {
            terminal.print(OVERVIEW);
            return args.length == 0 ? ExitCode.USAGE : ExitCode.OK;
        }
        @Nullable Command command = command(name.equals("--version") ? "version" : name);
        if (command == null) {
            terminal.warn("unknown command '" + name + "'"
                    + Optional.ofNullable(OTHER_WORDS.get(name))
                            .or(() -> Suggestion.of(name, COMMANDS))
                            .map(near -> ", did you mean " + near + "?")
                            .orElse("")
                    + "; holdfast --help lists all");
            return ExitCode.USAGE;
        }
        List<String> rest = Arrays.asList(args).subList(1, args.length);
        int dashes = command instanceof RunCommand ? rest.indexOf("--") : -1;
        List<String> before = dashes < 0 ? rest : rest.subList(0, dashes);
        List<String> after = dashes < 0 ? List.of() : rest.subList(dashes + 1, rest.size());
        if (before.contains("--debug")) {
            terminal.debug();
            SilentLoggers.speak();
        }
        return guarded(command, before, after);
    }

    private int guarded(Command command, List<String> before, List<String> after) {
        try {
            return parseAndRun(command, before, after);
        } catch (NotRunnableException e) {
            return failed(e, e.exitCode(), e.getMessage());
        } catch (UsageException | IllegalArgumentException | UnsupportedOperationException e) {
            return failed(e, ExitCode.USAGE, e.getMessage());
        } catch (UnsupportedSystemException e) {
            return failed(e, ExitCode.UNSUPPORTED_SYSTEM, e.getMessage());
        } catch (LockTimeoutException e) {
            return failed(e, ExitCode.NOT_OBTAINED, e.getMessage());
        } catch (StaleTokenException e) {
            return failed(e, ExitCode.STALE, e.getMessage());
        } catch (LeaseLostException e) {
            return failed(e, ExitCode.LEASE_LOST, e.getMessage());
        } catch (StoreUnavailableException e) {
            return failed(
                    e, StoreErrors.isInput(e) ? ExitCode.USAGE : ExitCode.STORE_UNAVAILABLE, StoreErrors.message(e));
        } catch (HoldfastException e) {
            return failed(e, ExitCode.INTERNAL, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed(e, ExitCode.INTERNAL, "interrupted");
        } catch (Exception | Error e) {
            return failed(e, ExitCode.INTERNAL, "internal error: " + e + "; --debug shows where it came from");
        }
    }

    private int parseAndRun(Command command, List<String> before, List<String> after) throws Exception {
        Syntax syntax = command.syntax();
        Arguments arguments = Arguments.read(syntax, before);
        if (arguments.help()) {
            terminal.print(HelpPage.of(syntax, terminal.colours()));
            return ExitCode.OK;
        }
        return command.run(new Command.Request(arguments, after, terminal));
    }

    private int failed(Throwable error, int code, @Nullable String message) {
        terminal.warn(message == null ? error.toString() : message);
        terminal.trace(error);
        return code;
    }

    private static @Nullable Command command(String name) {
        return switch (name) {
            case "run" -> new RunCommand();
            case "ls" -> new ListCommand();
            case "show" -> new ShowCommand();
            case "watch" -> new WatchCommand();
            case "release" -> new ReleaseCommand();
            case "check" -> new CheckCommand();
            case "admit" -> new AdmitCommand();
            case "stores" -> new StoresCommand();
            case "schema" -> new SchemaCommand();
            case "completion" -> new CompletionCommand(() -> Completion.script(Main::command, COMMANDS));
            case "bench" -> new BenchCommand();
            case "version" -> new VersionCommand();
            default -> null;
        };
    }
}

package io.holdfast.cli.command;

import io.holdfast.cli.input.ExitCode;
import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.input.UsageException;
import io.holdfast.cli.store.StoreOptions;
import io.holdfast.spi.StoreUrl;
import io.holdfast.sql.SqlSchema;

/** {@code schema}: the tables of a SQL store, for teams that run migrations. Talks to no database. */
public final class SchemaCommand implements Command {
    @Override
    public Syntax syntax() {
        Syntax syntax = Syntax.command(
                "schema",
                "schema --store jdbc:… [--for sql|flyway|liquibase]",
                "Prints the statements that create the tables of a SQL store (locks) and of the SQL guard (marks), for the"
                        + " database that the URL names. The database is not asked; every statement can be repeated.",
                "  holdfast schema --store jdbc:postgresql://db/app",
                "  holdfast schema --store jdbc:postgresql://db/app --for flyway >V12__holdfast.sql",
                "  holdfast schema --store jdbc:mariadb://db/app --for liquibase >changes/holdfast.sql",
                "  holdfast schema --store 'jdbc:postgresql://db/app?holdfast.schema=infra&holdfast.table=locks'");
        return StoreOptions.addTo(syntax)
                .option(
                        "--for",
                        "TOOL",
                        "sql or flyway: plain statements; liquibase: with the comments that make the file a change log."
                                + " Without it plain statements.")
                .finish();
    }

    @Override
    public int run(Request request) {
        String store = StoreOptions.of(request.arguments()).url();
        StoreUrl url = StoreUrl.parse(store);
        if (!url.scheme().equals("jdbc")) {
            throw new UsageException("--store '" + url + "' needs no schema: only jdbc: stores have tables of yours, as"
                    + " in --store jdbc:postgresql://db/app");
        }
        String tool = request.arguments().value("--for").orElse("sql");
        String script = SqlSchema.script(store);
        request.terminal()
                .print(
                        switch (tool) {
                            case "sql", "flyway" -> script;
                            case "liquibase" ->
                                "--liquibase formatted sql\n\n--changeset holdfast:1 splitStatements:true endDelimiter:;\n"
                                        + script;
                            default -> throw new UsageException("--for '" + tool + "': give sql, flyway or liquibase");
                        });
        return ExitCode.OK;
    }
}

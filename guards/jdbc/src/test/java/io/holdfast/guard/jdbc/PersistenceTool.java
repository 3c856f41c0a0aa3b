package io.holdfast.guard.jdbc;

import io.holdfast.guard.jdbc.TestDatabase.Schema;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.jooq.BatchBindStep;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** The same sale with each of the tools: admits, reads what is left, writes a row for each customer, takes them off. */
enum PersistenceTool {
    JPA {
        @Override
        void sell(Schema schema, Admission admission, String... customers) {
            HIBERNATE.setLevel(Level.OFF); // it also logs the failure that a test provokes
            Configuration configuration = new Configuration().addAnnotatedClass(Stock.class);
            configuration.addAnnotatedClass(Sale.class);
            configuration.getProperties().put("hibernate.connection.datasource", schema);
            try (SessionFactory factory = configuration.buildSessionFactory()) {
                EntityManager entities = factory.createEntityManager();
                try {
                    entities.getTransaction().begin();
                    entities.unwrap(Session.class).doWork(admission::admit);
                    Stock stock = entities.find(Stock.class, 42);
                    for (String customer : customers) {
                        Sale sale = new Sale();
                        sale.customer = customer;
                        entities.persist(sale);
                        entities.flush();
                        entities.detach(sale);
                    }
                    stock.pieces -= customers.length;
                    entities.getTransaction().commit();
                } finally {
                    if (entities.getTransaction().isActive()) {
                        entities.getTransaction().rollback();
                    }
                    entities.close();
                }
            }
        }
    },
    MYBATIS {
        @Override
        void sell(Schema schema, Admission admission, String... customers) throws SQLException {
            var configuration = new org.apache.ibatis.session.Configuration(
                    new Environment("test", new JdbcTransactionFactory(), schema));
            configuration.addMapper(Rows.class);
            SqlSessionFactory factory = new SqlSessionFactoryBuilder().build(configuration);
            try (SqlSession session = factory.openSession(ExecutorType.BATCH)) {
                admission.admit(session.getConnection());
                Rows rows = session.getMapper(Rows.class);
                int pieces = rows.pieces(42);
                for (String customer : customers) {
                    rows.sold(customer);
                }
                rows.left(42, pieces - customers.length);
                session.commit();
            }
        }
    },
    JOOQ {
        @Override
        void sell(Schema schema, Admission admission, String... customers) {
            System.setProperty("org.jooq.no-logo", "true");
            System.setProperty("org.jooq.no-tips", "true");
            SQLDialect dialect = schema.database == TestDatabase.POSTGRESQL
                    ? SQLDialect.POSTGRES
                    : SQLDialect.valueOf(schema.database.name());
            DSL.using(schema, dialect).transaction(configuration -> {
                DSLContext rows = configuration.dsl();
                rows.connection(admission::admit);
                int pieces = rows.resultQuery("SELECT pieces FROM stock WHERE id = ?", 42)
                        .fetchSingle()
                        .get(0, Integer.class);
                BatchBindStep batch = rows.batch("INSERT INTO sale (customer) VALUES (?)");
                for (String customer : customers) {
                    batch = batch.bind(customer);
                }
                batch.execute();
                rows.execute("UPDATE stock SET pieces = ? WHERE id = ?", pieces - customers.length, 42);
            });
        }
    };

    /** Kept, so that its level is. */
    private static final Logger HIBERNATE = Logger.getLogger("org.hibernate");

    /** The first statement of the transaction. */
    interface Admission {
        void admit(Connection connection) throws SQLException;
    }

    abstract void sell(Schema schema, Admission admission, String... customers) throws Exception;

    /** Of JPA. */
    @Entity
    @Table(name = "stock")
    static class Stock {
        @Id
        int id;

        int pieces;
    }

    /** Of JPA. */
    @Entity
    @Table(name = "sale")
    static class Sale {
        @Id
        String customer = "";
    }

    /** Of MyBatis. */
    interface Rows {
        @Select("SELECT pieces FROM stock WHERE id = #{id}")
        int pieces(@Param("id") int id);

        @Insert("INSERT INTO sale (customer) VALUES (#{customer})")
        int sold(@Param("customer") String customer);

        @Update("UPDATE stock SET pieces = #{pieces} WHERE id = #{id}")
        int left(@Param("id") int id, @Param("pieces") int pieces);
    }
}

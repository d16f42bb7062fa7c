/** Stores of the gate on a plain {@link javax.sql.DataSource}: H2 embedded, PostgreSQL for real. */
@NullMarked
package io.heptad.gate.jdbc;

import org.jspecify.annotations.NullMarked;

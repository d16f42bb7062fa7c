/**
 * {@code mvn -Pstress}: selects, runs, judges and reports.
 */
package io.heptad.stress.run;

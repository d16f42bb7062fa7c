/**
 * Four processes of one shop on one PostgreSQL, with thousands of orders, killed, frozen and started again all the time. In
 * the end ledger, store and log must say the same.
 */
package io.heptad.stress.instances;

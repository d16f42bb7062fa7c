/** {@code Futures} against members that end at the same time. */
package io.heptad.stress.futures;

/** What every shape has to show, whatever it is made of: test code that each module compiles into its own tests. */
package io.heptad.contract;

package io.heptad.sync;

/** Storage as it is usually written to: what it lacks is what {@link Fenced} is for. */
final class NaiveWriters {
    private NaiveWriters() {}

    /** Keeps what was written last, by whomever. */
    static final class Storage {
        String value = "";
        long version;

        void write(String written) {
            value = written;
            version++;
        }

        /** The conditional write: {@code update … set version = version + 1 where version = ?}. */
        boolean write(long expectedVersion, String written) {
            if (version != expectedVersion) {
                return false;
            }
            write(written);
            return true;
        }
    }

    /** Looks at the clock, and then writes. */
    static boolean writeIfNotExpired(
            Lease lease, ManualClock clock, Runnable betweenCheckAndWrite, Storage storage, String written) {
        if (!clock.instant().isBefore(lease.expiresAt())) {
            return false;
        }
        betweenCheckAndWrite.run();
        storage.write(written);
        return true;
    }
}

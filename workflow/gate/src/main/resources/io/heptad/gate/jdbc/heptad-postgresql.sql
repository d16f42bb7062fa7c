-- Heptad: the tables of the gate, for PostgreSQL 12 or newer. Every statement may be run again.
-- In one schema there may be several gates: "gate" is the name of the store. All times are those of the database's clock.
-- Payloads are bytes with the name and the version of their type; for a look: convert_from(phase, 'UTF8').

-- Two that create at once take turns.
SELECT pg_advisory_xact_lock(7205759403792793);

-- One row an entity: the phase it is in, and the event that led there.
CREATE TABLE IF NOT EXISTS heptad_entity (
    gate          text COLLATE "C" NOT NULL,
    id            text COLLATE "C" NOT NULL,
    version       bigint NOT NULL,
    phase_type    text NOT NULL,
    phase_version integer NOT NULL,
    phase         bytea NOT NULL,
    event_type    text,
    event_version integer,
    event         bytea,
    updated_at    timestamptz NOT NULL,
    timers        integer NOT NULL,      -- how many timers this version has set
    declines      integer NOT NULL,      -- how many actions were declined at this version
    PRIMARY KEY (gate, id)
);

-- The log. A commit has a version; a final no, which changes no phase, has none. event_id is what a caller repeats.
CREATE TABLE IF NOT EXISTS heptad_event (
    gate          text COLLATE "C" NOT NULL,
    entity_id     text COLLATE "C" NOT NULL,
    version       bigint,
    event_id      text COLLATE "C",
    phase_type    text NOT NULL,
    phase_version integer NOT NULL,
    phase         bytea NOT NULL,
    event_type    text,
    event_version integer,
    event         bytea,
    asked_type    text,                  -- what the caller sent, where another event came of it
    asked_version integer,
    asked         bytea,
    action        text,                  -- of a no: what was declined, and why
    reason        text,
    at            timestamptz NOT NULL,
    UNIQUE (gate, entity_id, version),
    UNIQUE (gate, entity_id, event_id)
);

-- Remote actions: the intent, and later the outcome. open_entity holds the entity while it is unfinished: one at most.
CREATE TABLE IF NOT EXISTS heptad_action (
    number          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    gate            text COLLATE "C" NOT NULL,
    action_key      text COLLATE "C" NOT NULL,
    entity_id       text COLLATE "C" NOT NULL,
    name            text NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('do', 'undo')),
    undoes          text COLLATE "C",
    version         bigint NOT NULL,
    state           text NOT NULL CHECK (state IN ('open', 'parked', 'done', 'declined')),
    open_entity     text COLLATE "C" CHECK ((open_entity IS NOT NULL) = (state IN ('open', 'parked'))),
    fence           bigint NOT NULL,
    lease_until     timestamptz NOT NULL,
    event_id        text COLLATE "C" NOT NULL,
    asked_type      text NOT NULL,
    asked_version   integer NOT NULL,
    asked           bytea NOT NULL,
    event_type      text,                -- where it is another than what was asked
    event_version   integer,
    event           bytea,
    request_type    text,
    request_version integer,
    request         bytea,
    result_type     text,
    result_version  integer,
    result          bytea,
    first_sent_at   timestamptz NOT NULL,
    attempts        integer NOT NULL,
    last_error      text,
    UNIQUE (action_key, gate),
    UNIQUE (open_entity, gate)
);
CREATE INDEX IF NOT EXISTS heptad_action_of_entity ON heptad_action (entity_id, gate);
CREATE INDEX IF NOT EXISTS heptad_action_expired ON heptad_action (gate, lease_until, number) WHERE state = 'open';
CREATE INDEX IF NOT EXISTS heptad_action_parked ON heptad_action (gate, first_sent_at, number) WHERE state = 'parked';

-- Armed as long as the entity has that version. Handed out again from claimed_until on.
CREATE TABLE IF NOT EXISTS heptad_timer (
    position      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    gate          text COLLATE "C" NOT NULL,
    entity_id     text COLLATE "C" NOT NULL,
    version       bigint NOT NULL,
    number        integer NOT NULL,
    due           timestamptz NOT NULL,
    claimed_until timestamptz NOT NULL,
    event_type    text NOT NULL,
    event_version integer NOT NULL,
    event         bytea NOT NULL,
    UNIQUE (gate, entity_id, version, number)
);
CREATE INDEX IF NOT EXISTS heptad_timer_due ON heptad_timer (gate, claimed_until);

-- Messages that were committed with a phase and have not left yet.
CREATE TABLE IF NOT EXISTS heptad_outbox (
    position    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    gate        text COLLATE "C" NOT NULL,
    id          text COLLATE "C" NOT NULL,
    order_key   text COLLATE "C" NOT NULL,
    destination text NOT NULL,
    type        text NOT NULL,
    payload     text NOT NULL,
    at          timestamptz NOT NULL,
    UNIQUE (gate, id)
);

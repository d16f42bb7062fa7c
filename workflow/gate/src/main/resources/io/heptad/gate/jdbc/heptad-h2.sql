-- Heptad: the tables of the gate, for H2 2.2 or newer. Every statement may be run again.
-- In one schema there may be several gates: "gate" is the name of the store. All times are those of the database's clock.
-- Payloads are bytes with the name and the version of their type; for a look: UTF8TOSTRING(phase).

-- One row an entity: the phase it is in, and the event that led there.
CREATE TABLE IF NOT EXISTS heptad_entity (
    gate          varchar(100) NOT NULL,
    id            varchar(200) NOT NULL,
    version       bigint NOT NULL,
    phase_type    varchar(1000) NOT NULL,
    phase_version integer NOT NULL,
    phase         varbinary(1048576) NOT NULL,
    event_type    varchar(1000),
    event_version integer,
    event         varbinary(1048576),
    updated_at    timestamp(6) with time zone NOT NULL,
    timers        integer NOT NULL,      -- how many timers this version has set
    declines      integer NOT NULL,      -- how many actions were declined at this version
    PRIMARY KEY (gate, id)
);

-- The log. A commit has a version; a final no, which changes no phase, has none. event_id is what a caller repeats.
CREATE TABLE IF NOT EXISTS heptad_event (
    gate          varchar(100) NOT NULL,
    entity_id     varchar(200) NOT NULL,
    version       bigint,
    event_id      varchar(200),
    phase_type    varchar(1000) NOT NULL,
    phase_version integer NOT NULL,
    phase         varbinary(1048576) NOT NULL,
    event_type    varchar(1000),
    event_version integer,
    event         varbinary(1048576),
    asked_type    varchar(1000),                  -- what the caller sent, where another event came of it
    asked_version integer,
    asked         varbinary(1048576),
    action        varchar(1000),                  -- of a no: what was declined, and why
    reason        varchar(4000),
    at            timestamp(6) with time zone NOT NULL,
    UNIQUE (gate, entity_id, version),
    UNIQUE (gate, entity_id, event_id)
);

-- Remote actions: the intent, and later the outcome. open_entity holds the entity while it is unfinished: one at most.
CREATE TABLE IF NOT EXISTS heptad_action (
    number          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    gate            varchar(100) NOT NULL,
    action_key      varchar(1000) NOT NULL,
    entity_id       varchar(200) NOT NULL,
    name            varchar(1000) NOT NULL,
    kind            varchar(10) NOT NULL CHECK (kind IN ('do', 'undo')),
    undoes          varchar(1000),
    version         bigint NOT NULL,
    state           varchar(10) NOT NULL CHECK (state IN ('open', 'parked', 'done', 'declined')),
    open_entity     varchar(200) CHECK ((open_entity IS NOT NULL) = (state IN ('open', 'parked'))),
    fence           bigint NOT NULL,
    lease_until     timestamp(6) with time zone NOT NULL,
    event_id        varchar(200) NOT NULL,
    asked_type      varchar(1000) NOT NULL,
    asked_version   integer NOT NULL,
    asked           varbinary(1048576) NOT NULL,
    event_type      varchar(1000),                -- where it is another than what was asked
    event_version   integer,
    event           varbinary(1048576),
    request_type    varchar(1000),
    request_version integer,
    request         varbinary(1048576),
    result_type     varchar(1000),
    result_version  integer,
    result          varbinary(1048576),
    first_sent_at   timestamp(6) with time zone NOT NULL,
    attempts        integer NOT NULL,
    last_error      varchar(4000),
    UNIQUE (action_key, gate),
    UNIQUE (open_entity, gate)
);
CREATE INDEX IF NOT EXISTS heptad_action_of_entity ON heptad_action (entity_id, gate);
CREATE INDEX IF NOT EXISTS heptad_action_expired ON heptad_action (gate, state, lease_until, number);

-- Armed as long as the entity has that version. Handed out again from claimed_until on.
CREATE TABLE IF NOT EXISTS heptad_timer (
    position      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    gate          varchar(100) NOT NULL,
    entity_id     varchar(200) NOT NULL,
    version       bigint NOT NULL,
    number        integer NOT NULL,
    due           timestamp(6) with time zone NOT NULL,
    claimed_until timestamp(6) with time zone NOT NULL,
    event_type    varchar(1000) NOT NULL,
    event_version integer NOT NULL,
    event         varbinary(1048576) NOT NULL,
    UNIQUE (gate, entity_id, version, number)
);
CREATE INDEX IF NOT EXISTS heptad_timer_due ON heptad_timer (gate, claimed_until);

-- Messages that were committed with a phase and have not left yet.
CREATE TABLE IF NOT EXISTS heptad_outbox (
    position    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    gate        varchar(100) NOT NULL,
    id          varchar(500) NOT NULL,
    order_key   varchar(1000) NOT NULL,
    destination varchar(1000) NOT NULL,
    type        varchar(1000) NOT NULL,
    payload     varchar(1048576) NOT NULL,
    at          timestamp(6) with time zone NOT NULL,
    UNIQUE (gate, id)
);

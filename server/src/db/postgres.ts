import { codeOf } from '#caught-error.ts';
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import type { Damage } from './damage.ts';
import { Outage } from './outage.ts';
import { type SilenceWatch, SUSPECT_MS } from './silence-watch.ts';

/** Limits of one kind of work. */
export interface Limits {
  connections: number;
  /** Statement timeout, and timeout of a transaction that is idle. */
  statementMs: number;
  /** Statements are sent without waiting for the results of those before them. */
  pipeline?: boolean;
}

/** Timeout for a connection, including the wait for a free one. */
const CONNECT_MS = 10_000;
/** Added to the statement timeout, so that a live server reports the timeout and the connection survives. */
const SILENT_MS = 2_000;
/** TCP keep-alive delay of idle connections. */
const KEEP_ALIVE_MS = 10_000;

const INT8 = 20;
const NUMERIC = 1700;

/**
 * A pool in which no query hangs: a connection that goes silent (lost packets, stopped process) is closed and its query
 * rejects with an `Outage`. Whether the query was executed is then unknown.
 */
export class PostgresConnections implements PostgresPool {
  readonly options = {};
  readonly #pool: Promise<pg.Pool>;
  readonly #limits: Limits;
  readonly #watch: SilenceWatch;
  readonly #damage: Damage;
  /** Connections that broke or were closed. */
  readonly #broken = new WeakSet<pg.PoolClient>();
  readonly #ready = new WeakSet<pg.PoolClient>();

  constructor(connectionString: string, limits: Limits, watch: SilenceWatch, damage: Damage) {
    this.#limits = limits;
    this.#watch = watch;
    this.#damage = damage;
    this.#pool = this.#open(connectionString);
    // Reported by `connect`.
    this.#pool.catch(() => {});
  }

  /** Loads the driver only here, so that servers on SQLite do without it. */
  async #open(connectionString: string): Promise<pg.Pool> {
    const { default: driver } = await import('pg');
    // Counts and sums arrive as text; values beyond the safe integers are refused rather than rounded.
    const types = {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 || oid === NUMERIC ? exactNumber : driver.types.getTypeParser(oid, format),
    };
    const pool = new driver.Pool({
      connectionString,
      max: this.#limits.connections,
      pipeline: this.#limits.pipeline === true,
      types,
      application_name: 'relay-hub',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    // The pool replaces idle connections that break; without a listener the error would end the process.
    pool.on('error', () => {});
    // The pool does not listen to connections in use; their query rejects.
    pool.on('connect', (client) => client.on('error', () => this.#broken.add(client)));
    return pool;
  }

  /** A pooled or new connection. Throws an `Outage`. */
  async connect(): Promise<Connection> {
    const client = await this.#client(await this.#pool);
    const answerMs = this.#limits.statementMs + SILENT_MS;
    const connection = new Connection(client, {
      answerMs,
      broken: this.#broken,
      watch: this.#watch,
      damage: this.#damage,
    });
    if (!this.#ready.has(client)) {
      try {
        await connection.query(settingsFor(this.#limits), []);
      } catch (error) {
        connection.release(true);
        throw error;
      }
      this.#ready.add(client);
    }
    return connection;
  }

  async #client(pool: pg.Pool): Promise<pg.PoolClient> {
    if (this.#watch.silent) throw new Outage(new Error('it has stopped answering'));
    const startMs = performance.now();
    let trust = () => {};
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      const giveUp = () => reject(new Outage(new Error(`nothing answered within ${SUSPECT_MS / 1000} seconds`)));
      timer = setTimeout(() => (trust = this.#watch.suspect(giveUp)), SUSPECT_MS);
    });
    const connecting = pool.connect();
    try {
      return await Promise.race([connecting, silence]);
    } catch (error) {
      // A connection that arrives late returns to the pool.
      connecting.then(
        (client) => client.release(),
        () => {},
      );
      if (error instanceof Outage) throw error;
      const late = performance.now() - startMs >= CONNECT_MS * 0.99;
      throw new Outage(late ? new Error(`nothing answered within ${CONNECT_MS / 1000} seconds`) : error);
    } finally {
      clearTimeout(timer);
      trust();
    }
  }

  async end(): Promise<void> {
    await (await this.#pool).end();
  }
}

/** Set per connection, because connection poolers refuse these as startup parameters. */
const settingsFor = ({ statementMs }: Limits): string =>
  `set statement_timeout = ${statementMs}; set idle_in_transaction_session_timeout = ${statementMs}`;

interface Surroundings {
  /** A query without an answer for this time is given up. */
  answerMs: number;
  broken: WeakSet<pg.PoolClient>;
  watch: SilenceWatch;
  damage: Damage;
}

/** A connection in use. */
class Connection implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #its: Surroundings;

  constructor(client: pg.PoolClient, its: Surroundings) {
    this.#client = client;
    this.#its = its;
  }

  /** PostgreSQL parses a named statement once. Throws the server's error, or an `Outage` without an answer. */
  query<R>(text: string, values: readonly unknown[], name?: string): Promise<PostgresQueryResult<R>>;
  query(): never;
  async query<R>(text = '', values: readonly unknown[] = [], name?: string): Promise<PostgresQueryResult<R>> {
    const { answerMs, broken, watch, damage } = this.#its;
    let isLate = false;
    let trust = () => {};
    const giveUp = () => {
      isLate = true;
      broken.add(this.#client);
      // The driver's `end` would wait for the answers of statements that were sent in a pipeline.
      this.#client.connection.stream.destroy();
    };
    const startMs = performance.now();
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp, answerMs - SUSPECT_MS);
      trust = watch.suspect(giveUp);
    }, SUSPECT_MS);
    try {
      const asked = { text, values: [...values], ...(name !== undefined && { name }) };
      return (await this.#client.query(asked)) as unknown as PostgresQueryResult<R>; // rows as the driver returns them
    } catch (error) {
      if (isLate) {
        const waitedS = Math.round((performance.now() - startMs) / 1000);
        throw new Outage(new Error(`it has not answered for ${waitedS} seconds`));
      }
      damage.note(error);
      throw broken.has(this.#client) && !isRefusal(error) ? new Outage(error) : error;
    } finally {
      clearTimeout(timer);
      trust();
    }
  }

  /** Returns the connection to the pool; a broken one is destroyed. */
  release(destroy = false): void {
    this.#client.release(destroy || this.#its.broken.has(this.#client));
  }
}

/** Errors that PostgreSQL itself reports have a SQLSTATE code. */
const isRefusal = (error: unknown): boolean => /^[0-9A-Z]{5}$/.test(codeOf(error) ?? '');

function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) && /^-?\d+$/.test(text))
    throw new RangeError(`${text} is beyond what can be counted exactly`);
  return value;
}

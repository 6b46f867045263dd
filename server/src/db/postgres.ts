import { codeOf } from '#caught-error.ts';
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import type { Damage } from './damage.ts';
import { Outage } from './outage.ts';
import { type SilenceWatch, SUSPECT_MS } from './silence-watch.ts';

/** What one kind of work may ask of PostgreSQL. */
export interface Limits {
  connections: number;
  /** After so long PostgreSQL itself ends a statement, and a transaction in which nothing is asked. */
  statementMs: number;
}

/** So long may a connection take, also one that others have to give free. */
const CONNECT_MS = 10_000;
/** Beyond its own limit, so that a server which lives is the one to tell, and its connection stays. */
const SILENT_MS = 2_000;
/** A connection on which nothing comes is asked after so long whether anybody is there. */
const KEEP_ALIVE_MS = 10_000;

const INT8 = 20;
const NUMERIC = 1700;

/**
 * Connections to PostgreSQL on which no question stays without an end: one that goes silent, as when its packets are
 * lost or its process stands still, is given up, and whoever asked on it gets an `Outage`. Nobody knows then whether
 * what was asked has been done.
 */
export class Connections implements PostgresPool {
  readonly options = {};
  readonly #pool: Promise<pg.Pool>;
  readonly #limits: Limits;
  readonly #watch: SilenceWatch;
  readonly #damage: Damage;
  /** Broken, whoever broke them. */
  readonly #broken = new WeakSet<pg.PoolClient>();
  readonly #ready = new WeakSet<pg.PoolClient>();

  constructor(connectionString: string, limits: Limits, watch: SilenceWatch, damage: Damage) {
    this.#limits = limits;
    this.#watch = watch;
    this.#damage = damage;
    this.#pool = this.#open(connectionString);
    // Told to whoever asks for a connection.
    this.#pool.catch(() => {});
  }

  /** The driver is loaded here, so that servers on SQLite do without it. */
  async #open(connectionString: string): Promise<pg.Pool> {
    const { default: driver } = await import('pg');
    // Counts and sums arrive as text; whatever a JSON number cannot hold exactly is refused rather than rounded.
    const types = {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 || oid === NUMERIC ? exactNumber : driver.types.getTypeParser(oid, format),
    };
    const pool = new driver.Pool({
      connectionString,
      max: this.#limits.connections,
      types,
      application_name: 'relay-hub',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
    pool.on('error', () => {});
    // The pool does not listen to one that is in use: whoever uses it is told by its query.
    pool.on('connect', (client) => client.on('error', () => this.#broken.add(client)));
    return pool;
  }

  /** A connection from the pool, or a new one. Throws an `Outage`. */
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
      // One that comes after all is of use to the next question.
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

/** Told to each connection once it is there: programs between us and PostgreSQL refuse them where it is opened. */
const settingsFor = ({ statementMs }: Limits): string =>
  `set statement_timeout = ${statementMs}; set idle_in_transaction_session_timeout = ${statementMs}`;

interface Surroundings {
  /** After so long without an answer it is given up. */
  answerMs: number;
  broken: WeakSet<pg.PoolClient>;
  watch: SilenceWatch;
  damage: Damage;
}

/** A connection while somebody has it. */
class Connection implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #its: Surroundings;

  constructor(client: pg.PoolClient, its: Surroundings) {
    this.#client = client;
    this.#its = its;
  }

  /** One with a name is parsed once by PostgreSQL. Throws its refusal, or an `Outage` when there is no answer. */
  query<R>(text: string, values: readonly unknown[], name?: string): Promise<PostgresQueryResult<R>>;
  query(): never;
  async query<R>(text = '', values: readonly unknown[] = [], name?: string): Promise<PostgresQueryResult<R>> {
    const { answerMs, broken, watch, damage } = this.#its;
    let isLate = false;
    let trust = () => {};
    const giveUp = () => {
      isLate = true;
      broken.add(this.#client);
      // With a question open it does not say goodbye first, which nobody would hear.
      void this.#client.end();
    };
    const startMs = performance.now();
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp, answerMs - SUSPECT_MS);
      trust = watch.suspect(giveUp);
    }, SUSPECT_MS);
    try {
      const asked = { text, values: [...values], ...(name !== undefined && { name }) };
      return (await this.#client.query(asked)) as unknown as PostgresQueryResult<R>; // the driver's own rows
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

  /** Gives it back; one that has broken is thrown away. */
  release(destroy = false): void {
    this.#client.release(destroy || this.#its.broken.has(this.#client));
  }
}

/** What PostgreSQL itself has said has a code. */
const isRefusal = (error: unknown): boolean => /^[0-9A-Z]{5}$/.test(codeOf(error) ?? '');

function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) && /^-?\d+$/.test(text))
    throw new RangeError(`${text} is beyond what can be counted exactly`);
  return value;
}

import { asError } from './caught-error.ts';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { BlockList } from 'node:net';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { defaultBodyMemory, LEAST_BODY_MEMORY } from '#http/limits/body-memory.ts';
import { type ConnectionLimits, defaultPerAddress, defaultTotal } from '#http/limits/connection-limits.ts';
import type { PrivateLimit } from '#http/outbound/reach.ts';
import { keepOnce, makeFolder } from '#process/atomic-file.ts';
import { type OtlpConfig, otlpConfig, otlpVariables } from '#process/otlp-config.ts';
import { parseNetworks } from './networks.ts';

/** An environment variable: its schema, its allowed values in words (for errors and docs/configuration.md), and its purpose. */
interface Variable<T> {
  schema: z.ZodMiniType<T, string | undefined>;
  allowed: string;
  about: string;
}

const variable = <T>(schema: z.ZodMiniType<T, string | undefined>, allowed: string, about: string): Variable<T> => ({
  schema,
  allowed,
  about,
});

const orElse = (fallback: string, schema: z.ZodMiniType<string, string>) => z._default(schema, fallback);
const address = (protocols: string[]) =>
  z.optional(z.string().check(z.refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol))));

const whole = (fallback: string, least: number, most: number) =>
  z.pipe(
    orElse(fallback, z.string().check(z.regex(/^\d{1,10}$/))),
    z.pipe(z.transform(Number), z.number().check(z.gte(least), z.lte(most))),
  );
const seconds = (fallback: string) => whole(fallback, 1, 3600);
const optionalWhole = (least: number, most: number) =>
  z.optional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,10}$/)),
      z.pipe(z.transform(Number), z.number().check(z.gte(least), z.lte(most))),
    ),
  );

/** Memory per worker that `auto` counts on. */
const MEMORY_OF_WORKER = 512 * 1024 * 1024;

const logLevels = ['error', 'warn', 'info', 'debug', 'silent'] as const;

/** The only list of environment variables. */
export const variables = {
  PORT: variable(
    z.pipe(
      orElse('3000', z.string().check(z.regex(/^\d{1,5}$/))),
      z.pipe(z.transform(Number), z.number().check(z.lte(65_535))),
    ),
    'a port number from 0 to 65535 (0: any free one); default 3000',
    'Where the server listens.',
  ),
  HOST: variable(
    z.optional(z.string().check(z.minLength(1), z.regex(/^[^\s/]+$/))),
    'a host name or address; default: every address of the machine',
    'The address to listen on; `127.0.0.1` behind a reverse proxy on the same machine.',
  ),
  BASE_PATH: variable(
    z.pipe(
      orElse('/', z.string().check(z.maxLength(200), z.regex(/^(?:\/[a-z\d][\w.~-]*)*\/?$/i))),
      z.transform((prefix) => prefix.replace(/\/$/, '')),
    ),
    'a path such as /hub, of letters, digits and -._~; default /',
    'Serves everything below this path of the domain. A reverse proxy has to pass the path on unchanged.',
  ),
  DATA_DIR: variable(
    orElse('./data', z.string().check(z.minLength(1))),
    'a directory; default ./data',
    'Directory of the database, the data key, the journal, result files of tasks, and temporary files of large forms. Created if missing.',
  ),
  DATABASE_URL: variable(
    address(['postgres:', 'postgresql:']),
    'a postgres://… address; unset: SQLite in DATA_DIR',
    'PostgreSQL instead of SQLite; a node uses up to 18 connections, each of several workers up to 11.',
  ),
  DATABASE_GRACE: variable(
    whole('60', 0, 3600),
    'whole seconds, from 0 to 3600; default 60',
    'How long calls of known keys go on while PostgreSQL is away, such as during a failover. They are charged when it is back.',
  ),
  DATABASE_GRACE_CREDITS: variable(
    whole('5000000', 0, 1_000_000_000),
    'whole credits, from 0 to 1000000000; default 5000000',
    'Credits that one account may use in that time on each process, never more than its last known balance. What several processes together let it overspend is lost to the operator.',
  ),
  REDIS_URL: variable(
    address(['redis:', 'rediss:']),
    'a redis://… or rediss://… address; unset: counters stay in this process',
    'Shares rate limit counters between nodes.',
  ),
  WORKERS: variable(
    z.pipe(
      orElse('1', z.string().check(z.regex(/^(?:auto|[1-9]\d?)$/))),
      z.transform((text) => (text === 'auto' ? workersHere() : Number(text))),
    ),
    'auto (one per core, at most one per 512 MiB of memory), or a whole number from 1 to 99; default 1',
    'Server processes that share the port, to use several cores. Each takes about 200 MB; limits of connections and bodies are divided among them.',
  ),
  SECRET_KEY: variable(
    z.optional(z.string().check(z.minLength(32))),
    'a text of at least 32 characters; unset: created once in DATA_DIR/secret.key',
    'Encrypts stored keys. Store it apart from the database, and never lose it.',
  ),
  ROOT_PASSWORD: variable(
    z.optional(z.string().check(z.minLength(8), z.maxLength(255))),
    'a text of at least 8 characters; unset: a random one, shown once at the very first start',
    'Password of the account `root` when it is created; common ones are refused. Ignored afterwards.',
  ),
  LOG_LEVEL: variable(
    z.pipe(orElse('info', z.string()), z.enum(logLevels)),
    `one of ${logLevels.join(', ')}; default info`,
    'Detail of the process log.',
  ),
  METRICS_TOKEN: variable(
    z.optional(z.string().check(z.regex(/^[\x21-\x7e]{16,}$/))),
    'a text of at least 16 characters without spaces; unset: from this machine only',
    'Bearer token for Prometheus at `/metrics`, and password (Basic, any user) at `/api/metrics`. Set it behind a reverse proxy on the same machine.',
  ),
  TRUSTED_PROXIES: variable(
    orElse('', z.string().check(z.refine((list) => parseNetworks(list) !== undefined))),
    'a comma-separated list of addresses and networks, e.g. 127.0.0.1,10.0.0.0/8; default: none',
    'Proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted.',
  ),
  HEADERS_TIMEOUT: variable(
    seconds('30'),
    'whole seconds, from 1 to 3600; default 30',
    'Time limit for request headers. On a new connection it starts with the connection.',
  ),
  BODY_IDLE_TIMEOUT: variable(
    seconds('30'),
    'whole seconds, from 1 to 3600; default 30',
    'Longest pause within a request body. After it, the request gets 408.',
  ),
  BODY_MIN_RATE: variable(
    whole('2048', 0, 1_000_000_000),
    'bytes per second, 0 for no minimum; default 2048',
    'Lowest average rate of a request body, measured over twice BODY_IDLE_TIMEOUT. Below it, the request gets 408.',
  ),
  KEEP_ALIVE_TIMEOUT: variable(
    seconds('65'),
    'whole seconds, from 1 to 3600; default 65',
    'Time that an idle connection stays open. Set it higher than in your reverse proxy.',
  ),
  SEND_TIMEOUT: variable(
    seconds('120'),
    'whole seconds, from 1 to 3600; default 120',
    'Time that a client may leave a reply unread before the connection is closed. Silent streams are not affected.',
  ),
  MAX_CONNECTIONS: variable(
    optionalWhole(1, 1_000_000),
    'a whole number from 1; default: half of the file descriptor limit, at most 10000',
    'Maximum number of client connections. Further connections get 503.',
  ),
  MAX_CONNECTIONS_PER_ADDRESS: variable(
    optionalWhole(1, 1_000_000),
    'a whole number from 1; default: a quarter of MAX_CONNECTIONS, and at least 256 or half of it',
    'The same per IPv4 address or IPv6 /64 network. Addresses in TRUSTED_PROXIES count only towards the total.',
  ),
  MAX_BODY_MEMORY: variable(
    optionalWhole(64, 1_000_000),
    'MiB, from 64; default: an eighth of the memory, at most a quarter of the JavaScript heap',
    'Maximum memory for request bodies and for replies that are not streamed. Above it, requests get 503.',
  ),
  OUTBOUND_PRIVATE: variable(
    z.optional(z.string().check(z.refine((text) => parsePrivate(text) !== undefined))),
    'refuse, allow, or a comma-separated list of addresses and networks, e.g. 10.0.0.0/8; unset: the setting decides',
    'Limits the private networks that the settings can allow as destinations: none, at most these, or all without a setting. `allow` opens nothing to addresses that callers send: for those, the setting *Private networks for images* decides. Link-local addresses and cloud metadata services are never reachable.',
  ),
  DRAIN_SECONDS: variable(
    whole('5', 0, 3600),
    'whole seconds, from 0 to 3600; default 5',
    'Time that the server keeps listening after SIGTERM, while `/readyz` returns 503 and load balancers move on.',
  ),
  GRACE_SECONDS: variable(
    whole('25', 0, 3600),
    'whole seconds, from 0 to 3600; default 25',
    'Time that calls have to finish after SIGTERM. Longer ones end in an error event and are charged for the delivered part.',
  ),
  NOTIFY_EMAIL: variable(
    z.optional(z.string().check(z.regex(/^(?:off|[^\s@,;<>"]+@[^\s@,;<>"]+)$/))),
    'an e-mail address, or off; default: those of the super administrators',
    'Recipient of mails about incidents, if the site can send mail.',
  ),
  ...otlpVariables,
};

export interface Config {
  /** Recipient of mails about channels; `off`: none, undefined: the super administrators. */
  notifyEmail: string | undefined;
  port: number;
  host: string | undefined;
  /** Prefix of every path, such as `/hub`; empty: none. */
  basePath: string;
  dataDir: string;
  databaseUrl: string | undefined;
  /** Seconds for which calls go on without PostgreSQL, and the credits of an account meanwhile. */
  databaseGrace: number;
  creditLine: number;
  redisUrl: string | undefined;
  /** Server processes of this node; each has its share of the limits. */
  workers: number;
  /** 32 bytes or more; the key of everything stored encrypted. */
  secretKey: string;
  rootPassword: string | undefined;
  logLevel: (typeof logLevels)[number];
  /** Undefined: metrics are served to this machine only. */
  metricsToken: string | undefined;
  /** Undefined: no traces or metrics are exported. */
  otlp: OtlpConfig | undefined;
  trustedProxies: BlockList;
  /** Upper bound of the private networks that the settings can allow. */
  outboundPrivate: PrivateLimit;
  connections: ConnectionLimits;
  /** Maximum bytes of bodies in memory. */
  bodyMemory: number;
  /** How long the server listens after SIGTERM. */
  drainMs: number;
  /** How long calls may take to finish after SIGTERM. */
  graceMs: number;
}

export class ConfigError extends Error {}

/**
 * Reads the configuration from an environment. Throws `ConfigError` naming each invalid variable and what is allowed.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const read = <T>(name: keyof typeof variables, { schema, allowed }: Variable<T>): T => {
    // An empty variable, as in compose files, means "not set".
    const result = schema.safeParse(env[name] === '' ? undefined : env[name]);
    if (!result.success) problems.push(`${name} is not valid. Allowed: ${allowed}.`);
    return result.data as T; // unused if there are problems: readConfig throws below
  };
  const values = {
    port: read('PORT', variables.PORT),
    host: read('HOST', variables.HOST),
    basePath: read('BASE_PATH', variables.BASE_PATH),
    dataDir: read('DATA_DIR', variables.DATA_DIR),
    databaseUrl: read('DATABASE_URL', variables.DATABASE_URL),
    databaseGrace: read('DATABASE_GRACE', variables.DATABASE_GRACE),
    creditLine: read('DATABASE_GRACE_CREDITS', variables.DATABASE_GRACE_CREDITS),
    redisUrl: read('REDIS_URL', variables.REDIS_URL),
    workers: read('WORKERS', variables.WORKERS),
    secret: read('SECRET_KEY', variables.SECRET_KEY),
    rootPassword: read('ROOT_PASSWORD', variables.ROOT_PASSWORD),
    logLevel: read('LOG_LEVEL', variables.LOG_LEVEL),
    metricsToken: read('METRICS_TOKEN', variables.METRICS_TOKEN),
    proxies: read('TRUSTED_PROXIES', variables.TRUSTED_PROXIES),
    headersS: read('HEADERS_TIMEOUT', variables.HEADERS_TIMEOUT),
    bodyIdleS: read('BODY_IDLE_TIMEOUT', variables.BODY_IDLE_TIMEOUT),
    bodyRate: read('BODY_MIN_RATE', variables.BODY_MIN_RATE),
    keepAliveS: read('KEEP_ALIVE_TIMEOUT', variables.KEEP_ALIVE_TIMEOUT),
    sendS: read('SEND_TIMEOUT', variables.SEND_TIMEOUT),
    total: read('MAX_CONNECTIONS', variables.MAX_CONNECTIONS) ?? defaultTotal(),
    perAddress: read('MAX_CONNECTIONS_PER_ADDRESS', variables.MAX_CONNECTIONS_PER_ADDRESS),
    bodyMemory: read('MAX_BODY_MEMORY', variables.MAX_BODY_MEMORY),
    outbound: read('OUTBOUND_PRIVATE', variables.OUTBOUND_PRIVATE),
    notifyEmail: read('NOTIFY_EMAIL', variables.NOTIFY_EMAIL),
    drain: read('DRAIN_SECONDS', variables.DRAIN_SECONDS),
    grace: read('GRACE_SECONDS', variables.GRACE_SECONDS),
    otlp: otlpConfig((name) => read(name, variables[name])),
  };
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));

  const { secret, proxies, outbound, bodyMemory, drain, grace, ...more } = values;
  const { headersS, bodyIdleS, bodyRate, keepAliveS, sendS, total, perAddress, ...rest } = more;
  const dataDir = path.resolve(values.dataDir);
  try {
    makeFolder(dataDir);
  } catch (error) {
    throw new ConfigError(`DATA_DIR cannot be created: ${asError(error).message}`);
  }
  return {
    ...rest,
    dataDir,
    secretKey: secret ?? keptSecret(dataDir),
    trustedProxies: parseNetworks(proxies) ?? new BlockList(),
    outboundPrivate: outbound === undefined ? 'setting' : (parsePrivate(outbound) ?? 'refuse'),
    drainMs: drain * 1000,
    graceMs: grace * 1000,
    connections: {
      headersMs: headersS * 1000,
      bodyIdleMs: bodyIdleS * 1000,
      bodyRate,
      keepAliveMs: keepAliveS * 1000,
      sendMs: sendS * 1000,
      total,
      perAddress: perAddress ?? defaultPerAddress(total),
    },
    bodyMemory: bodyMemory === undefined ? defaultBodyMemory() : bodyMemory * 1024 * 1024,
  };
}

/** The configuration of one worker: its share of the limits. */
export function shareOf(config: Config): Config {
  const { workers, connections, bodyMemory } = config;
  const share = (limit: number): number => Math.ceil(limit / workers);
  const { total, perAddress } = connections;
  return {
    ...config,
    connections: { ...connections, total: share(total), perAddress: share(perAddress) },
    bodyMemory: Math.max(LEAST_BODY_MEMORY, share(bodyMemory)),
  };
}

/** As many as the machine, or the container, has cores and memory for. */
function workersHere(): number {
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.max(1, Math.min(availableParallelism(), Math.floor(memory / MEMORY_OF_WORKER), 99));
}

/** The data key in DATA_DIR, created at the first start and readable by its owner only. */
function keptSecret(dataDir: string): string {
  const file = path.join(dataDir, 'secret.key');
  const secret = readOrMake(file).trim();
  if (secret.length < 32)
    throw new ConfigError(`${file} is damaged: it holds no data key. Restore it, or set SECRET_KEY.`);
  return secret;
}

function readOrMake(file: string): string {
  try {
    if (!existsSync(file)) keepOnce(file, `${randomBytes(32).toString('base64url')}\n`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`DATA_DIR cannot be used: ${asError(error).message}`);
  }
}

function parsePrivate(text: string): PrivateLimit | undefined {
  return text === 'allow' || text === 'refuse' ? text : parseNetworks(text);
}

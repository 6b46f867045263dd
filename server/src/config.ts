import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { keepOnce } from './kept-file.ts';

/** One environment variable: its rule, what it is for, and what is allowed, in words for the error and the README. */
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

const logLevels = ['error', 'warn', 'info', 'debug', 'silent'] as const;

/** The only place that says which environment variables there are. */
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
  DATA_DIR: variable(
    orElse('./data', z.string().check(z.minLength(1))),
    'a directory; default ./data',
    'Where the database and the data key are kept, and large forms while a call lasts. Created when missing.',
  ),
  DATABASE_URL: variable(
    address(['postgres:', 'postgresql:']),
    'a postgres://… address; unset: SQLite in DATA_DIR',
    'PostgreSQL instead of the embedded SQLite; a node uses up to 18 connections.',
  ),
  REDIS_URL: variable(
    address(['redis:', 'rediss:']),
    'a redis://… or rediss://… address; unset: counters stay in this process',
    'Shares the counters of rate limits between several nodes.',
  ),
  SECRET_KEY: variable(
    z.optional(z.string().check(z.minLength(32))),
    'a text of at least 32 characters; unset: created once in DATA_DIR/secret.key',
    'Encrypts stored keys. Keep it apart from the database, and never lose it.',
  ),
  ROOT_PASSWORD: variable(
    z.optional(z.string().check(z.minLength(8), z.maxLength(255))),
    'a text of at least 8 characters; unset: a random one, shown once at the very first start',
    'The password that the account `root` gets when it is created. Ignored afterwards.',
  ),
  LOG_LEVEL: variable(
    z.pipe(orElse('info', z.string()), z.enum(logLevels)),
    `one of ${logLevels.join(', ')}; default info`,
    'How much the process log tells.',
  ),
  METRICS_TOKEN: variable(
    z.optional(z.string().check(z.regex(/^[\x21-\x7e]{16,}$/))),
    'a text of at least 16 characters without spaces; unset: from this machine only',
    'The bearer token for `/metrics`, where Prometheus reads. Set it behind a reverse proxy on the same machine.',
  ),
  TRUSTED_PROXIES: variable(
    orElse('', z.string().check(z.refine((list) => parseNetworks(list) !== undefined))),
    'a comma-separated list of addresses and networks, e.g. 127.0.0.1,10.0.0.0/8; default: none',
    'Whose X-Forwarded-For and X-Forwarded-Proto headers are believed.',
  ),
  OUTBOUND_PRIVATE: variable(
    orElse('refuse', z.string().check(z.refine((text) => parsePrivate(text) !== undefined))),
    'refuse, allow, or a comma-separated list of addresses and networks, e.g. 10.0.0.0/8; default refuse',
    'Which private networks a name that is typed in may lead to: of a channel, a proxy, a price list, a picture in a chat.',
  ),
  NOTIFY_EMAIL: variable(
    z.optional(z.string().check(z.regex(/^(?:off|[^\s@,;<>"]+@[^\s@,;<>"]+)$/))),
    'an e-mail address, or off; default: those of the super administrators',
    'Who is mailed when a channel or a key of it is switched off or on by itself, once the site can send mail.',
  ),
};

export interface Config {
  /** Who is told what becomes of channels; `off`: nobody, undefined: the super administrators. */
  notifyEmail: string | undefined;
  port: number;
  host: string | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  /** 32 bytes or more; everything stored encrypted depends on it. */
  secretKey: string;
  rootPassword: string | undefined;
  logLevel: (typeof logLevels)[number];
  /** Undefined: metrics are told to this machine only. */
  metricsToken: string | undefined;
  trustedProxies: BlockList;
  /** Private networks that an address which was typed in may lead to. */
  outboundPrivate: 'all' | BlockList;
}

export class ConfigError extends Error {}

/** The configuration from an environment. Throws `ConfigError` naming each variable that is wrong and what is allowed. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const read = <T>(name: keyof typeof variables, { schema, allowed }: Variable<T>): T => {
    // An empty variable, as compose files leave them, means "not set".
    const result = schema.safeParse(env[name] === '' ? undefined : env[name]);
    if (!result.success) problems.push(`${name} is not valid. Allowed: ${allowed}.`);
    return result.data as T; // never used when there are problems: readConfig throws below
  };
  const values = {
    port: read('PORT', variables.PORT),
    host: read('HOST', variables.HOST),
    dataDir: read('DATA_DIR', variables.DATA_DIR),
    databaseUrl: read('DATABASE_URL', variables.DATABASE_URL),
    redisUrl: read('REDIS_URL', variables.REDIS_URL),
    secret: read('SECRET_KEY', variables.SECRET_KEY),
    rootPassword: read('ROOT_PASSWORD', variables.ROOT_PASSWORD),
    logLevel: read('LOG_LEVEL', variables.LOG_LEVEL),
    metricsToken: read('METRICS_TOKEN', variables.METRICS_TOKEN),
    proxies: read('TRUSTED_PROXIES', variables.TRUSTED_PROXIES),
    outbound: read('OUTBOUND_PRIVATE', variables.OUTBOUND_PRIVATE),
    notifyEmail: read('NOTIFY_EMAIL', variables.NOTIFY_EMAIL),
  };
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));

  const { secret, proxies, outbound, ...rest } = values;
  const dataDir = path.resolve(values.dataDir);
  try {
    makeFolder(dataDir);
  } catch (error) {
    throw new ConfigError(`DATA_DIR cannot be created: ${(error as Error).message}`);
  }
  return {
    ...rest,
    dataDir,
    secretKey: secret ?? keptSecret(dataDir),
    trustedProxies: parseNetworks(proxies) ?? new BlockList(),
    outboundPrivate: parsePrivate(outbound) ?? new BlockList(),
  };
}

/**
 * Makes a folder and those above it. One by one: where a file system takes no folders, such as /proc, Node's own way
 * to make several tries for ever.
 */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Somebody else made it at that moment.
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (name: string): boolean => statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** The data key in DATA_DIR, made at the first start and readable by its owner only. */
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
    throw new ConfigError(`DATA_DIR cannot be used: ${(error as Error).message}`);
  }
}

function parsePrivate(text: string): 'all' | BlockList | undefined {
  if (text === 'allow') return 'all';
  return text === 'refuse' ? new BlockList() : parseNetworks(text);
}

function parseNetworks(list: string): BlockList | undefined {
  const networks = new BlockList();
  for (const entry of list
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)) {
    const [ip = '', prefix, extra] = entry.split('/');
    const family = isIP(ip);
    if (family === 0 || extra !== undefined) return undefined;
    const type = family === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) {
      networks.addAddress(ip, type);
      continue;
    }
    const bits = Number(prefix);
    if (!/^\d+$/.test(prefix) || bits > (family === 4 ? 32 : 128)) return undefined;
    networks.addSubnet(ip, bits, type);
  }
  return networks;
}

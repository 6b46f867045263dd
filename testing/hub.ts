import type { Endpoint, Envelope, InputOf, ReplyOf } from '@relay-hub/contract';
import { accountHeader, channelApi, tokenApi, userApi, userGroupApi } from '@relay-hub/contract';
import { afterAll, beforeAll } from 'vitest';
import { readConfig } from '#config.ts';
import type { RunningServer } from '#server.ts';
import { startServer } from '#server.ts';
import { startUpstream } from '#upstream-simulator/start-upstream.ts';
import { catchUpBefore } from './caught-up.ts';
import type { EmptyDatabase, MakeDatabase } from './databases.ts';
import { ensureDocumented } from './documented.ts';

export const ROOT_PASSWORD = 'a-password-for-tests';

type EndpointInput<E extends Endpoint> = Partial<InputOf<E>>;

export interface ApiAnswer<T> {
  status: number;
  headers: Headers;
  body: Envelope<T>;
}

/** A browser's access to the management API, with a session cookie. */
export class ApiClient {
  readonly url: string;
  cookie = '';
  /** The team for whose account it acts. */
  account: number | undefined;

  constructor(url: string) {
    this.url = url;
  }

  /** The same browser for the account of a team. */
  as(team: number): ApiClient {
    const client = new ApiClient(this.url);
    client.cookie = this.cookie;
    client.account = team;
    return client;
  }

  /** Sends any request; the reply as received. */
  async send<T = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<T>> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        'accept-language': 'en-US',
        ...(this.cookie && { cookie: this.cookie }),
        ...(this.account !== undefined && { [accountHeader]: String(this.account) }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const set = response.headers.get('set-cookie');
    if (set) this.cookie = set.split(';')[0]!;
    // A stream of events may have no end.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (isStream) await response.body?.cancel();
    const text = isStream ? '{"success":true,"message":""}' : await response.text();
    // Everything else under /api has an envelope.
    const isFile = response.headers.has('content-disposition');
    const parsed: unknown = isFile ? { success: true, message: '', data: text } : JSON.parse(text);
    const code = (parsed as { code?: unknown } | null)?.code;
    if (typeof code === 'string') ensureDocumented(method, path, code);
    return { status: response.status, headers: response.headers, body: parsed as Envelope<T> };
  }

  /** Calls an endpoint; the reply with its status. */
  async try<E extends Endpoint>(
    endpoint: E,
    { params, query, body }: EndpointInput<E> = {},
  ): Promise<ApiAnswer<ReplyOf<E>>> {
    const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(String((params as unknown as Record<string, unknown>)[name])),
    );
    const search = new URLSearchParams(
      Object.entries((query as Record<string, unknown> | undefined) ?? {}).map(([key, value]) => [key, String(value)]),
    );
    return this.send(endpoint.method, search.size > 0 ? `${path}?${search.toString()}` : path, body);
  }

  /** Calls an endpoint; its data. Throws if refused. */
  async call<E extends Endpoint>(endpoint: E, input: EndpointInput<E> = {}): Promise<ReplyOf<E>> {
    const { status, body } = await this.try(endpoint, input);
    if (!body.success) throw new Error([endpoint.method, endpoint.path, status, body.code, body.message].join(' '));
    return body.data as ReplyOf<E>;
  }

  /** Downloads a file; its text. */
  async download<E extends Endpoint>(endpoint: E, input: EndpointInput<E> = {}): Promise<string> {
    const text: unknown = await this.call(endpoint, input);
    return text as string; // `send` returns a file's text as its data
  }

  async signIn(username: string, password: string): Promise<this> {
    await this.call(userApi.login, { body: { username, password } });
    return this;
  }
}

/** A running server on a new database, with a root session. */
export interface TestHub {
  url: string;
  server: RunningServer;
  root: ApiClient;
  close(): Promise<void>;
}

/** The tests' simulated services. */
const THIS_MACHINE = '127.0.0.0/8, ::1';

interface HubOptions {
  /** The allowed private networks. */
  networks?: string;
  /** Runs jobs at intervals, as in production. Left out: a round runs where a test asks for it, and beside nothing. */
  jobs?: boolean;
}

/** Starts the real server on a free port. */
export async function startHub(
  database: EmptyDatabase,
  env: Record<string, string> = {},
  { networks = THIS_MACHINE, jobs = false }: HubOptions = {},
): Promise<TestHub> {
  const config = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: database.dataDir,
    DATABASE_URL: database.databaseUrl,
    ROOT_PASSWORD,
    LOG_LEVEL: 'silent',
    ...env,
  });
  const server = await startServer(config, { jobs });
  await allowNetworks(server.deps, networks);
  catchUpBefore(server.deps);
  const url = `http://127.0.0.1:${server.port}${config.basePath}`;
  const root = await new ApiClient(url).signIn('root', ROOT_PASSWORD);
  return { url, server, root, close: () => server.close(0) };
}

/** Written directly, so that the settings' history stays empty. */
async function allowNetworks({ db, live }: RunningServer['deps'], networks: string): Promise<void> {
  if (networks === '') return;
  await db
    .insertInto('options')
    .values({ key: 'OutboundPrivateNetworks', value: networks })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  await live.changed('settings');
}

/** A hub for a suite, on a database that is removed afterwards. */
export function hubForSuite(
  make: MakeDatabase,
  env: Record<string, string> = {},
  options: HubOptions = {},
): () => TestHub {
  let hub: TestHub;
  let database: EmptyDatabase;
  beforeAll(async () => {
    database = await make();
    hub = await startHub(database, env, options);
  }, 60_000);
  afterAll(async () => {
    await hub?.close();
    await database?.remove();
  });
  return () => hub;
}

type SimulatedUpstream = Awaited<ReturnType<typeof startUpstream>>;

/** A simulated provider for a suite. */
export function upstreamForSuite(): () => SimulatedUpstream {
  let upstream: SimulatedUpstream;
  beforeAll(async () => {
    upstream = await startUpstream({});
  });
  afterAll(async () => upstream?.close());
  return () => upstream;
}

/** Adds a channel to a simulated provider; its id. */
export async function addChannel(
  hub: Pick<TestHub, 'root'>,
  baseUrl: string,
  more: Partial<InputOf<typeof channelApi.create>['body']> = {},
): Promise<number> {
  const [channel] = await hub.root.call(channelApi.create, {
    body: {
      type: 8,
      name: 'simulated',
      key: 'sk-upstream-key-0001',
      base_url: baseUrl,
      models: 'gpt-4o,gpt-4o-mini,text-embedding-3-small',
      ...more,
    },
  });
  return channel!.id;
}

/** Removes the rate limits of all groups. */
export async function liftRates(root: ApiClient): Promise<void> {
  const { data } = await root.call(userGroupApi.list, { query: { size: 100 } });
  for (const { id, name, ratio, public: isPublic } of data)
    await root.call(userGroupApi.update, { body: { id, name, ratio, public: isPublic, api_rate: 10_000_000 } });
}

/** Creates a token of root; its id and key. */
export async function addToken(
  hub: Pick<TestHub, 'root'>,
  more: Partial<InputOf<typeof tokenApi.create>['body']> = {},
): Promise<{ id: number; key: string }> {
  const { token, key } = await hub.root.call(tokenApi.create, {
    body: { name: 'test', unlimited_quota: true, ...more },
  });
  return { id: token.id, key };
}

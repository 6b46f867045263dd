import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Config, ConfigError, readConfig, shareOf, variables } from './config.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SECRET_KEY = 'a-key-of-at-least-32-characters-in-all';
const read = (env: Record<string, string | undefined>): Config => readConfig({ DATA_DIR: folder, SECRET_KEY, ...env });

function problemsOf(env: Record<string, string | undefined>): string {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('this environment was accepted');
}

describe('valid values', () => {
  test.each<[name: keyof typeof variables, text: string | undefined, key: keyof Config, value: unknown]>([
    ['PORT', undefined, 'port', 3000],
    ['PORT', '', 'port', 3000],
    ['PORT', '0', 'port', 0],
    ['NOTIFY_EMAIL', undefined, 'notifyEmail', undefined],
    ['NOTIFY_EMAIL', 'off', 'notifyEmail', 'off'],
    ['NOTIFY_EMAIL', 'ops@hub.example', 'notifyEmail', 'ops@hub.example'],
    ['PORT', '65535', 'port', 65_535],
    ['HOST', undefined, 'host', undefined],
    ['HOST', '127.0.0.1', 'host', '127.0.0.1'],
    ['HOST', '::1', 'host', '::1'],
    ['BASE_PATH', undefined, 'basePath', ''],
    ['BASE_PATH', '/', 'basePath', ''],
    ['BASE_PATH', '/hub', 'basePath', '/hub'],
    ['BASE_PATH', '/hub/', 'basePath', '/hub'],
    ['BASE_PATH', '/ai.team/hub_2~x', 'basePath', '/ai.team/hub_2~x'],
    ['DATA_DIR', path.join(folder, 'new/nested'), 'dataDir', path.join(folder, 'new/nested')],
    ['DATABASE_URL', undefined, 'databaseUrl', undefined],
    ['DATABASE_URL', '', 'databaseUrl', undefined],
    ['DATABASE_URL', 'postgres://u:p@db/hub', 'databaseUrl', 'postgres://u:p@db/hub'],
    ['DATABASE_URL', 'postgresql://db/hub', 'databaseUrl', 'postgresql://db/hub'],
    ['REDIS_URL', undefined, 'redisUrl', undefined],
    ['REDIS_URL', 'redis://cache:6379', 'redisUrl', 'redis://cache:6379'],
    ['REDIS_URL', 'rediss://cache:6379', 'redisUrl', 'rediss://cache:6379'],
    ['WORKERS', undefined, 'workers', 1],
    ['WORKERS', '4', 'workers', 4],
    ['SECRET_KEY', 'x'.repeat(32), 'secretKey', 'x'.repeat(32)],
    ['ROOT_PASSWORD', undefined, 'rootPassword', undefined],
    ['ROOT_PASSWORD', '12345678', 'rootPassword', '12345678'],
    ['LOG_LEVEL', undefined, 'logLevel', 'info'],
    ['LOG_LEVEL', 'debug', 'logLevel', 'debug'],
    ['LOG_LEVEL', 'silent', 'logLevel', 'silent'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', undefined, 'otlp', undefined],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b', 'otlp', undefined],
    ['METRICS_TOKEN', undefined, 'metricsToken', undefined],
    ['METRICS_TOKEN', 'a-token-for-prometheus', 'metricsToken', 'a-token-for-prometheus'],
  ])('%s=%s', (name, text, key, value) => {
    expect(read({ [name]: text })[key]).toEqual(value);
  });

  test('TRUSTED_PROXIES takes addresses and networks of both families', () => {
    const { trustedProxies } = read({ TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,::1,fd00::/8' });
    expect(trustedProxies.check('10.200.3.4')).toBe(true);
    expect(trustedProxies.check('127.0.0.1')).toBe(true);
    expect(trustedProxies.check('11.0.0.1')).toBe(false);
    expect(trustedProxies.check('fd12::1', 'ipv6')).toBe(true);
    expect(trustedProxies.check('fe80::1', 'ipv6')).toBe(false);
  });

  test('OUTBOUND_PRIVATE leaves private networks to a setting, or limits it', () => {
    const limit = (text?: string) => read({ OUTBOUND_PRIVATE: text }).outboundPrivate;
    expect([limit(), limit(''), limit('refuse'), limit('allow')]).toEqual(['setting', 'setting', 'refuse', 'allow']);
    const networks = limit('10.1.0.0/16,fd00::/8') as BlockList; // it is a list
    expect(networks.check('10.1.2.3')).toBe(true);
    expect(networks.check('10.2.0.1')).toBe(false);
    expect(networks.check('fd00::1', 'ipv6')).toBe(true);
  });

  test('limits of callers are in seconds and MiB, and have defaults', () => {
    expect(read({}).connections).toMatchObject({
      headersMs: 30_000,
      bodyIdleMs: 30_000,
      bodyRate: 2048,
      keepAliveMs: 65_000,
      sendMs: 120_000,
      total: expect.any(Number),
      perAddress: expect.any(Number),
    });
    expect(read({}).bodyMemory).toBeGreaterThanOrEqual(64 * 1024 * 1024);
    const { connections, bodyMemory } = read({
      HEADERS_TIMEOUT: '10',
      BODY_IDLE_TIMEOUT: '20',
      BODY_MIN_RATE: '0',
      KEEP_ALIVE_TIMEOUT: '5',
      SEND_TIMEOUT: '60',
      MAX_CONNECTIONS: '1000',
      MAX_BODY_MEMORY: '100',
    });
    expect(connections).toEqual({
      headersMs: 10_000,
      bodyIdleMs: 20_000,
      bodyRate: 0,
      keepAliveMs: 5000,
      sendMs: 60_000,
      total: 1000,
      perAddress: 256,
    });
    expect(bodyMemory).toBe(100 * 1024 * 1024);
    expect(read({ MAX_CONNECTIONS: '1000', MAX_CONNECTIONS_PER_ADDRESS: '7' }).connections.perAddress).toBe(7);
  });

  test('OpenTelemetry: each signal has its own values, or the common ones', () => {
    const { otlp } = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example/base/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi,x-tenant=7',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/otel',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-key=k%3D1',
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '3000',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=by-attribute,deployment.environment.name=prod%2Ceu',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.5',
    });
    expect(otlp).toEqual({
      traces: {
        url: 'https://traces.example/otel',
        headers: { 'x-key': 'k=1' },
        isJson: false,
        gzip: true,
        timeoutMs: 3000,
      },
      metrics: {
        url: 'https://otel.example/base/v1/metrics',
        headers: { authorization: 'Basic YTpi', 'x-tenant': '7' },
        isJson: true,
        gzip: true,
        timeoutMs: 10_000,
      },
      metricsEveryMs: 60_000,
      resource: [
        ['service.name', 'by-attribute'],
        ['deployment.environment.name', 'prod,eu'],
      ],
      sampled: { ratio: 0.5, byParent: true },
    });
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
    expect(read({ ...endpoint, OTEL_SDK_DISABLED: 'true' }).otlp).toBeUndefined();
    expect(read({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).otlp).not.toHaveProperty('traces');
    expect(read({ ...endpoint, OTEL_TRACES_SAMPLER: 'always_off' }).otlp?.sampled).toEqual({
      ratio: 0,
      byParent: false,
    });
  });

  test('each worker has its share of the limits of callers, and room for a large body', () => {
    const { connections, bodyMemory } = shareOf(
      read({ WORKERS: '3', MAX_CONNECTIONS: '1000', MAX_CONNECTIONS_PER_ADDRESS: '100', MAX_BODY_MEMORY: '100' }),
    );
    expect(connections).toMatchObject({ total: 334, perAddress: 34, headersMs: 30_000 });
    expect(bodyMemory).toBe(64 * 1024 * 1024);
    expect(shareOf(read({ MAX_CONNECTIONS: '1000' })).connections.total).toBe(1000);
    expect(read({ WORKERS: 'auto' }).workers).toBeGreaterThanOrEqual(1);
  });

  test('nobody is trusted unless it is said', () => {
    expect(read({}).trustedProxies.check('127.0.0.1')).toBe(false);
  });
});

test('what the example of secrets for Kubernetes says has to be replaced', () => {
  const file = path.join(import.meta.dirname, '../../deploy/kubernetes/secret.yaml');
  const env = Object.fromEntries(
    [...readFileSync(file, 'utf8').matchAll(/^ {2}([A-Z_]+): (.+)$/gm)].map(([, name, value]) => [name!, value!]), // both groups
  );
  expect(Object.keys(env)).toContain('ROOT_PASSWORD');
  expect(() => read(env)).toThrow(/^SECRET_KEY is not valid.*\nROOT_PASSWORD is not valid/);
});

describe('invalid values', () => {
  const invalid: [keyof typeof variables, string[]][] = [
    ['PORT', ['65536', '-1', '80a', '3000.5', ' ', '0x10']],
    ['HOST', ['a b', 'http://host', 'host/path']],
    ['BASE_PATH', ['hub', '//', '//hub', '/hub//x', '/../x', '/a b', '/hub?x', '/é', '/%2f', 'https://x/hub', '/"x']],
    ['DATABASE_URL', ['mysql://db/hub', 'db', 'file:./x.db', 'sqlite://x']],
    ['DATABASE_GRACE', ['-1', '3601', '60s']],
    ['DATABASE_GRACE_CREDITS', ['-1', '1.5', '1000000001', '$1']],
    ['REDIS_URL', ['http://cache', 'cache:6379', '6379']],
    ['WORKERS', ['0', '-1', '1.5', '100', 'all', 'AUTO']],
    ['SECRET_KEY', ['too-short', 'x'.repeat(31)]],
    ['ROOT_PASSWORD', ['1234567', 'x'.repeat(256)]],
    ['LOG_LEVEL', ['verbose', 'INFO', '3']],
    ['METRICS_TOKEN', ['too-short', 'with spaces in its text']],
    ['DRAIN_SECONDS', ['-1', '5s', '3601', 'never']],
    ['GRACE_SECONDS', ['-1', '25s', '3601', '1e3']],
    ['NOTIFY_EMAIL', ['on', 'a@b, c@d', 'Ops <ops@hub.example>', 'a@b\nc']],
    ['TRUSTED_PROXIES', ['all', '*', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0/8', '::1/129', 'proxy.local']],
    ['HEADERS_TIMEOUT', ['0', '-1', '1.5', '3601', '30s']],
    ['BODY_IDLE_TIMEOUT', ['0', '3601', 'never']],
    ['BODY_MIN_RATE', ['-1', '1k', '1e3']],
    ['KEEP_ALIVE_TIMEOUT', ['0', '3601', 'on']],
    ['SEND_TIMEOUT', ['0', '3601', '2m']],
    ['MAX_CONNECTIONS', ['0', '-5', 'all', '1000001']],
    ['MAX_CONNECTIONS_PER_ADDRESS', ['0', 'all']],
    ['MAX_BODY_MEMORY', ['0', '63', '1GiB', '64.5']],
    ['OUTBOUND_PRIVATE', ['all', 'yes', 'allow,refuse', '10.0.0.0/33', 'private.local']],
    ['OTEL_TRACES_EXPORTER', ['console', 'zipkin']],
    ['OTEL_METRICS_EXPORTER', ['prometheus']],
    ['OTEL_METRIC_EXPORT_INTERVAL', ['0', '1m']],
    ['OTEL_TRACES_SAMPLER', ['jaeger_remote', 'always']],
    ['OTEL_TRACES_SAMPLER_ARG', ['1.1', '-0.1', 'half']],
    ['OTEL_SERVICE_NAME', ['x'.repeat(256)]],
    ['OTEL_RESOURCE_ATTRIBUTES', ['service.name', 'a=%zz']],
    ['OTEL_SDK_DISABLED', ['1', 'yes']],
  ];
  const ofSignals: [string, string[]][] = [
    ['ENDPOINT', ['collector:4318', 'grpc://collector', 'https://user:word@collector']],
    ['HEADERS', ['Authorization', 'a=%zz', 'a b=c', 'a=b%0Ac=d']],
    ['PROTOCOL', ['grpc', 'HTTP/JSON']],
    ['COMPRESSION', ['zstd']],
    ['TIMEOUT', ['0', '-1', '10s']],
  ];
  for (const [part, texts] of ofSignals)
    for (const signal of ['', 'TRACES_', 'METRICS_'])
      invalid.push([`OTEL_EXPORTER_OTLP_${signal}${part}` as keyof typeof variables, texts]); // of the table
  const cases = invalid.flatMap(([name, texts]) => texts.map((text) => [name, text] as const));

  test.each(cases)('%s=%s is refused by name, with what is allowed', (name, text) => {
    const told = problemsOf({ [name]: text });
    expect(told).toContain(name);
    expect(told).toContain(variables[name].allowed);
  });

  test('every variable has a case that is refused, but for the folder, which any text may name', () => {
    expect(new Set(invalid.map(([name]) => name))).toEqual(
      new Set(Object.keys(variables).filter((name) => name !== 'DATA_DIR')),
    );
  });

  test('all problems are told at once, and no value is repeated', () => {
    const told = problemsOf({
      PORT: 'eighty',
      LOG_LEVEL: 'loud',
      SECRET_KEY: 'short-secret',
      ROOT_PASSWORD: 'secret!',
    });
    expect(told.split('\n')).toHaveLength(4);
    expect(told).not.toMatch(/eighty|loud|short-secret|secret!/);
  });

  test('a DATA_DIR that cannot be made is told', () => {
    const file = path.join(folder, 'a-file');
    writeFileSync(file, '');
    for (const name of [file, path.join(file, 'data'), path.join(file, 'data/deeper')])
      expect(problemsOf({ DATA_DIR: name })).toMatch(/^DATA_DIR cannot be created: /);
  });
});

describe('the data key', () => {
  const fresh = (): string => mkdtempSync(path.join(folder, 'key-'));
  const withoutKey = (dataDir: string): Config => readConfig({ DATA_DIR: dataDir });

  test('is made once, for its owner only, and kept', () => {
    const dataDir = fresh();
    const { secretKey } = withoutKey(dataDir);
    const file = path.join(dataDir, 'secret.key');
    expect(secretKey).toHaveLength(43);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe(`${secretKey}\n`);
    expect(withoutKey(dataDir).secretKey).toBe(secretKey);
  });

  test('differs from one installation to the next', () => {
    expect(withoutKey(fresh()).secretKey).not.toBe(withoutKey(fresh()).secretKey);
  });

  test('a damaged file is told, not replaced', () => {
    const dataDir = fresh();
    const file = path.join(dataDir, 'secret.key');
    writeFileSync(file, 'oops\n');
    expect(() => withoutKey(dataDir)).toThrow(ConfigError);
    expect(() => withoutKey(dataDir)).toThrow(file);
    expect(readFileSync(file, 'utf8')).toBe('oops\n');
  });

  test('a place where it cannot be kept is told, without a stack', () => {
    const dataDir = fresh();
    mkdirSync(path.join(dataDir, 'secret.key'));
    expect(() => withoutKey(dataDir)).toThrow(ConfigError);
    expect(() => withoutKey(dataDir)).toThrow(/^DATA_DIR cannot be used: /);
  });

  // Node's own way to make a folder with those above it tries for ever there.
  test.runIf(process.platform === 'linux')('a place that takes no folders is told at once', () => {
    for (const dataDir of ['/proc/relay-hub', '/proc/relay-hub/data'])
      expect(() => readConfig({ DATA_DIR: dataDir, SECRET_KEY })).toThrow(/^DATA_DIR cannot be created: /);
  });

  test('SECRET_KEY wins, and no file is written', () => {
    const dataDir = fresh();
    expect(readConfig({ DATA_DIR: dataDir, SECRET_KEY }).secretKey).toBe(SECRET_KEY);
    expect(() => statSync(path.join(dataDir, 'secret.key'))).toThrow('ENOENT');
  });
});

test('the configuration page lists every variable', async () => {
  const rows = Object.entries(variables).map(([name, { allowed, about }]) => `| \`${name}\` | ${allowed} | ${about} |`);
  const page = [
    '# Configuration',
    '',
    'Environment variables of the server. An invalid value stops the start with an error that names it. Everything else is a setting of the console.',
    '',
    '| variable | allowed | purpose |',
    '|---|---|---|',
    ...rows,
    '',
    'See also: [a path below a domain](reverse-proxies.md#below-a-path), [limits of connections and bodies](decisions/0028-connection-and-body-limits.md), [restarts](restarts.md).',
    '',
    '`/healthz` reports that the process responds. `/readyz` reports that it can serve calls: the database responds, or has not for less than `DATABASE_GRACE`, and is not damaged; the disk has space; and the process is not stopping. `SIGTERM` lets open calls finish.',
    '',
  ];
  await expect(page.join('\n')).toMatchFileSnapshot('../../docs/configuration.md');
});

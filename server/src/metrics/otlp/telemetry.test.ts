import { readFileSync } from 'node:fs';
import path from 'node:path';
import { noUsage, systemApi } from '@relay-hub/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { nodeReports } from '#jobs/node-state.ts';
import { readConfig } from '#config.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, liftRates, startHub } from '#testing/hub.ts';
import { setOptions } from '#testing/mailbox.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { OtlpReceiver } from '#testing/otlp/receiver.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { Telemetry } from './telemetry.ts';

const PROMPT = 'what-the-caller-asks-is-their-own';
const UPSTREAM_KEY = 'sk-upstream-key-of-this-test-0001';

const sum = <T>(items: readonly T[], of: (item: T) => unknown): number =>
  items.reduce((total, item) => total + Number(of(item) ?? 0), 0);

onOneDatabase('export of telemetry', (make) => {
  const upstream = rawUpstreamForSuite();
  const receiver = new OtlpReceiver();
  beforeAll(() => receiver.open());
  afterAll(() => receiver.close());

  describe.each(['http/protobuf', 'http/json'])('%s', (protocol) => {
    const env = { OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key' };
    const compression = protocol === 'http/json' ? 'none' : 'gzip';
    let receiverUrl = '';
    beforeAll(() => {
      receiverUrl = receiver.url;
      receiver.forget();
    });
    const hub = hubForSuite(make, {
      ...env,
      OTEL_EXPORTER_OTLP_COMPRESSION: compression,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      get OTEL_EXPORTER_OTLP_ENDPOINT() {
        return receiverUrl;
      },
    });
    let who: TestCaller;

    test('the sums of 200 calls with failures and retries are those of their log rows', async () => {
      const { db, telemetry } = hub().server.deps;
      await liftRates(hub().root);
      await setOptions(hub().root, { RetryTimes: '2', RetryCooldownSeconds: '0' });
      for (const name of ['one', 'two', 'three']) await addChannel(hub(), upstream().url, { name, key: UPSTREAM_KEY });
      let served = 0;
      upstream().reply = async (response, body) => {
        const n = served++;
        const { stream } = JSON.parse(body.toString()) as { stream?: boolean };
        const usage = { prompt_tokens: 10 + (n % 50), completion_tokens: 1 + (n % 7), total_tokens: 0 };
        if (n % 7 === 3) return sendJson(response, { error: { message: PROMPT, type: 'server_error' } }, 500);
        if (n % 11 === 5) return sendJson(response, { error: { message: PROMPT, type: 'invalid_request_error' } }, 400);
        const choice = { index: 0, finish_reason: 'stop' };
        if (!stream)
          return sendJson(response, {
            choices: [{ ...choice, message: { role: 'assistant', content: PROMPT } }],
            usage,
          });
        const event = (json: object) => `data: ${JSON.stringify(json)}\n\n`;
        await sendStream(response, [
          event({ choices: [{ ...choice, delta: { content: PROMPT } }] }),
          event({ choices: [], usage }),
          'data: [DONE]\n\n',
        ]);
      };
      who = await addCaller(db, { quota: 1_000_000_000 });
      const call = (n: number) =>
        post(hub(), who.key, {
          ...hello,
          messages: [{ role: 'user', content: PROMPT }],
          stream: n % 3 === 0,
          max_tokens: 100,
        });
      const statuses: number[] = [];
      for (let at = 0; at < 200; at += 20) {
        const some = await Promise.all(Array.from({ length: 20 }, (_, n) => call(at + n)));
        statuses.push(...some.map(({ status }) => status));
      }
      await telemetry?.exportTraces();
      await telemetry?.exportMetrics(hub().server.deps);

      const rows = await rowsOf(db, who);
      const calls = receiver.spans.filter(({ kind }) => kind === 2);
      const attempts = receiver.spans.filter(({ kind }) => kind === 3);
      const ofRows = rows.map(({ metadata }) => metadata ?? {});
      expect(rows).toHaveLength(200);
      expect(new Set(calls.map(({ attributes }) => attributes['relay_hub.request.id']))).toEqual(
        new Set(rows.map(({ request_id }) => request_id)),
      );
      expect(calls).toHaveLength(200);
      expect(attempts).toHaveLength(sum(ofRows, (row) => row.attempts?.length));
      expect(attempts.length).toBeGreaterThan(200);
      expect(sum(calls, (span) => span.attributes['relay_hub.charge.credits'])).toBe(sum(rows, (row) => row.quota));
      const tokens = {
        input: sum(rows, (row) => row.prompt_tokens),
        output: sum(rows, (row) => row.completion_tokens),
      };
      expect(tokens.input).toBeGreaterThan(0);
      expect(sum(attempts, (span) => span.attributes['gen_ai.usage.input_tokens'])).toBe(tokens.input);
      expect(sum(attempts, (span) => span.attributes['gen_ai.usage.output_tokens'])).toBe(tokens.output);
      const failed = sum(ofRows, (row) => row.attempts?.filter(({ result }) => result !== 'ok').length);
      expect(attempts.filter(({ status }) => status?.code === 2)).toHaveLength(failed);
      expect(attempts.filter(({ attributes }) => attributes['error.type'] !== undefined)).toHaveLength(failed);
      expect(new Set(statuses)).toEqual(new Set([200, 400]));

      const byId = new Map(receiver.spans.map((span) => [span.spanId, span]));
      expect(byId.size).toBe(receiver.spans.length);
      for (const attempt of attempts) {
        const parent = byId.get(attempt.parentSpanId);
        expect(parent).toMatchObject({ traceId: attempt.traceId, kind: 2, name: '/v1/chat/completions' });
        expect(attempt.name).toBe('chat gpt-4o');
        expect(BigInt(attempt.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(attempt.startTimeUnixNano));
      }
      expect(attempts.find(({ attributes }) => attributes['gen_ai.request.stream'])?.attributes).toMatchObject({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.request.max_tokens': 100,
      });
      expect(new Set(ofRows.map((row) => row.trace_id))).toEqual(new Set(calls.map(({ traceId }) => traceId)));

      const points = (metric: string) => receiver.points.filter((point) => point.metric === metric);
      const used = points('gen_ai.client.token.usage');
      const typed = (type: string) => used.filter(({ attributes }) => attributes['gen_ai.token.type'] === type);
      expect({ input: sum(typed('input'), (at) => at.value), output: sum(typed('output'), (at) => at.value) }).toEqual(
        tokens,
      );
      expect(sum(points('gen_ai.client.operation.duration'), (point) => point.count)).toBe(attempts.length);
      expect(sum(points('relay_hub_calls_total'), (point) => point.value)).toBe(200);
      for (const { count, buckets, bounds } of receiver.points.filter((point) => point.count > 0)) {
        expect(sum(buckets, (bucket) => bucket)).toBe(count);
        expect(buckets).toHaveLength(bounds.length + 1);
      }

      for (const { path: target, headers, body } of receiver.requests) {
        expect(['/v1/traces', '/v1/metrics']).toContain(target);
        expect(headers).toMatchObject({ 'x-key': 'a key' });
        for (const secret of [PROMPT, who.key, UPSTREAM_KEY]) expect(body.includes(secret)).toBe(false);
      }
      expect(receiver.resource).toMatchObject({ 'service.name': 'relay-hub', 'deployment.environment.name': 'test' });
    });

    test('a trace of the caller is continued, unless the caller does not sample it', async () => {
      receiver.forget();
      const { db, telemetry } = hub().server.deps;
      upstream().reply = (response) => sendJson(response, { choices: [{ message: { content: 'Hi' } }] });
      const [traceId, parentId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
      const send = (traceparent: string, model = 'gpt-4o') =>
        post(hub(), who.key, { ...hello, model }, '/v1/chat/completions', { headers: { traceparent } });
      const sampled = await send(`00-${traceId}-${parentId}-01`);
      const unsampled = await send(`00-${traceId}-${parentId}-00`);
      const invalid = await send(`00-${'0'.repeat(32)}-${parentId}-01`);
      const refused = await send(`00-${traceId}-${parentId}-01`, 'no-channel-has-this');
      await telemetry?.exportTraces();
      const spans = receiver.spans.filter(({ kind }) => kind === 2);
      const idOf = (span: (typeof spans)[number]) => span.attributes['relay_hub.request.id'];
      expect(spans.map(idOf)).toEqual([sampled, invalid, refused].map(({ requestId }) => requestId));
      expect(spans[0]).toMatchObject({ traceId, parentSpanId: parentId });
      expect(spans[1]).toMatchObject({ traceId: expect.stringMatching(/^[\da-f]{32}$/), parentSpanId: '' });
      expect(spans[1]?.traceId).not.toBe(traceId);
      expect(spans[2]).toMatchObject({ traceId, attributes: { 'relay_hub.outcome': 'refused' } });
      const rows = new Map((await rowsOf(db, who)).map((row) => [row.request_id, row]));
      expect(rows.get(sampled.requestId)?.metadata?.trace_id).toBe(traceId);
      expect(rows.get(unsampled.requestId)?.metadata).not.toHaveProperty('trace_id');
    });

    test('the page System shows both signals with their last export', async () => {
      await nodeReports(hub().server.deps)();
      const { nodes } = await hub().root.call(systemApi.get);
      expect(nodes[0]?.state?.telemetry).toEqual(
        ['traces', 'metrics'].map((signal) => ({
          signal,
          exported: expect.toSatisfy((count: number) => count > 0),
          dropped: 0,
          exported_time: expect.toSatisfy((time: number) => time > 1e9),
          error: '',
        })),
      );
      const scraped = await (await fetch(`${hub().url}/metrics`)).text();
      expect(scraped).toMatch(/relay_hub_telemetry_items_total\{signal="traces",result="exported"\} [1-9]/);
    });

    test('the dashboard and the alert rules name only metrics, labels and values of a scrape', async () => {
      const scraped = await (await fetch(`${hub().url}/metrics`)).text();
      const labels = new Map<string, Set<string>>();
      for (const [, name = '', type] of scraped.matchAll(/^# TYPE (\w+) (\w+)$/gm))
        for (const part of type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
          labels.set(name + part, new Set());
      for (const [, name = '', pairs = ''] of scraped.matchAll(/^(\w+)\{(.*)\} /gm))
        for (const [pair, label = ''] of pairs.matchAll(/(\w+)="[^"]*"/g)) labels.get(name)?.add(label).add(pair);

      const folder = path.join(import.meta.dirname, '../../../../deploy/monitoring');
      const dashboard = readFileSync(path.join(folder, 'grafana-dashboard.json'), 'utf8');
      const rules = readFileSync(path.join(folder, 'alert-rules.yaml'), 'utf8');
      const { panels } = JSON.parse(dashboard) as {
        panels: { title: string; targets?: { expr: string; legendFormat: string }[] }[];
      };
      const queries = [
        ...panels.flatMap(({ title, targets = [] }) =>
          targets.map(({ expr, legendFormat }) => ({ title, expr, shown: legendFormat })),
        ),
        ...rules
          .split('- alert: ')
          .slice(1)
          .map((rule) => ({
            title: rule.split('\n')[0],
            expr: /expr: '(.*)'/.exec(rule)?.[1] ?? '',
            shown: [...rule.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => `{{${label}}}`).join(' '),
          })),
      ];
      expect(queries.length).toBeGreaterThan(40);
      const unknown = queries.flatMap(({ title, expr, shown }) => {
        const known = new Set(['instance']);
        const named = [...expr.matchAll(/\b(relay_hub_\w+)(?:\{([^}]*)\})?/g)];
        if (named.length === 0) return [`${title}: no metric`];
        const missing = named.flatMap(([, name = '', matchers = '']) => {
          const of = labels.get(name);
          for (const label of of ?? []) known.add(label);
          const matched = [...matchers.matchAll(/(\w+)(?:=~|!=|=)"[^"]*"/g)];
          return [
            ...(of ? [] : [name]),
            ...matched.filter(([, label = '']) => label !== 'instance' && !of?.has(label)).map(([pair]) => pair),
            ...matched.filter(([pair]) => /^\w+="/.test(pair) && !of?.has(pair)).map(([pair]) => pair),
          ];
        });
        const grouped = [...expr.matchAll(/\b(?:by|ignoring) ?\(([^)]*)\)/g)].flatMap(([, list = '']) =>
          list.split(', '),
        );
        const told = [...shown.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
        const lost = [...grouped, ...told].filter((label) => !known.has(label));
        return [...missing, ...lost].map((text) => `${title}: ${text}`);
      });
      expect(unknown).toEqual([]);
    });
  });

  test('a receiver that hangs delays neither calls nor the stop', async () => {
    const reply = receiver.reply;
    receiver.reply = () => false;
    const hanging = await startHub(await make(), {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '50',
    });
    upstream().reply = (response) => sendJson(response, { choices: [{ message: { content: 'Hi' } }] });
    await addChannel(hanging, upstream().url);
    const { db, telemetry } = hanging.server.deps;
    const { key } = await addCaller(db);
    expect((await post(hanging, key, hello)).status).toBe(200);
    const exported = expect(telemetry?.exportTraces()).rejects.toThrow('the receiver cannot be reached');
    expect((await post(hanging, key, hello)).status).toBe(200);
    await exported;
    await hanging.close();
    expect(telemetry?.state).toMatchObject([{ signal: 'traces', exported: 0, dropped: 4 }, { signal: 'metrics' }]);
    receiver.reply = reply;
  });
});

/** A call with one attempt. */
const callWith = (n: number): Parameters<Telemetry['note']>[0] => ({
  context: { traceId: n.toString(16).padStart(32, '1'), parentId: undefined, isSampled: true },
  requestId: `call-${n}`,
  endpoint: '/v1/chat/completions',
  operation: 'chat',
  dialect: 'openai',
  endMs: 1_796_000_000_000 + n,
  totalMs: 100,
  outcome: 'answered',
  status: 200,
  code: 'ok',
  userId: 1,
  tokenId: 1,
  group: 'default',
  credits: 1,
  model: 'gpt-4o',
  requestedModel: 'gpt-4o',
  last: { provider: 'openai', upstreamModel: 'gpt-4o' },
  isStream: false,
  outputLimit: undefined,
  usage: { ...noUsage, input: 1, output: 1 },
  usageSource: 'upstream',
  finishReason: 'stop',
  isCached: false,
  attempts: [{ channel_id: 1, channel_name: 'one', status: 200, start: 0, ms: 90, result: 'ok' }],
});

describe('a receiver with troubles', () => {
  const receiver = new OtlpReceiver();
  const open: Telemetry[] = [];
  beforeAll(() => receiver.open());
  afterAll(() => receiver.close());
  afterEach(async () => {
    receiver.forget();
    receiver.reply = (response) => {
      response.end();
      return true;
    };
    for (const telemetry of open.splice(0)) await telemetry.close();
  });

  /** An export of traces alone. */
  function tracesTo(url: string, more: Record<string, string> = {}): Telemetry {
    const { otlp } = readConfig({
      SECRET_KEY: 'a-key-of-at-least-32-characters-in-all',
      DATA_DIR: import.meta.dirname,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
      ...more,
    });
    const telemetry = new Telemetry({ config: otlp!, nodeId: 'n', log: { warn() {} }, providerOf: () => 'openai' });
    open.push(telemetry);
    return telemetry;
  }
  const note = (telemetry: Telemetry, count: number): void => {
    for (let n = 0; n < count; n++) telemetry.note(callWith(n));
  };
  const answer = (status: number, headers: Record<string, string> = {}) => {
    receiver.reply = (response) => {
      response.writeHead(status, headers).end();
      return status < 300;
    };
  };

  test.each([429, 502, 503, 504])('after %d, the same spans are sent again, once', async (status) => {
    const telemetry = tracesTo(receiver.url);
    note(telemetry, 300);
    answer(status, { 'retry-after': '0' });
    await expect(telemetry.exportTraces()).rejects.toThrow(`the receiver answered ${status}`);
    expect(telemetry.state).toMatchObject([{ exported: 0, dropped: 0, error: `the receiver answered ${status}` }]);
    answer(200);
    await telemetry.exportTraces();
    expect(receiver.spans).toHaveLength(600);
    expect(telemetry.state).toMatchObject([{ exported: 600, dropped: 0, error: '' }]);
  });

  test.each([400, 401, 413, 500])('after %d, the spans are dropped and counted', async (status) => {
    const telemetry = tracesTo(receiver.url);
    note(telemetry, 3);
    answer(status);
    await expect(telemetry.exportTraces()).rejects.toThrow(`the receiver answered ${status}`);
    answer(200);
    await telemetry.exportTraces();
    expect(receiver.spans).toEqual([]);
    expect(telemetry.state).toMatchObject([{ exported: 0, dropped: 6 }]);
  });

  test.each([
    ['http/json', JSON.stringify({ partialSuccess: { rejectedSpans: '2', errorMessage: 'too old' } })],
    ['http/protobuf', Buffer.from([0x0a, 11, 0x08, 2, 0x12, 7, ...Buffer.from('too old')])],
  ])('%s: what it rejects of a request is dropped and counted', async (protocol, body) => {
    const telemetry = tracesTo(receiver.url, { OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
    note(telemetry, 5);
    receiver.reply = (response) => {
      response.end(body);
      return true;
    };
    await telemetry.exportTraces();
    expect(telemetry.state).toMatchObject([{ exported: 8, dropped: 2, error: 'the receiver rejected 2: too old' }]);
  });

  test('of what waits for a receiver that is away, the excess is dropped and counted', async () => {
    const telemetry = tracesTo('http://127.0.0.1:1');
    note(telemetry, 1);
    await expect(telemetry.exportTraces()).rejects.toThrow('the receiver cannot be reached');
    note(telemetry, 5000);
    expect(telemetry.state).toMatchObject([{ exported: 0, dropped: (5001 - 4096) * 2 }]);
    await telemetry.close();
    expect(telemetry.state).toMatchObject([{ exported: 0, dropped: 5001 * 2 }]);
  });

  test('a stop exports what waits', async () => {
    const telemetry = tracesTo(receiver.url);
    note(telemetry, 3);
    await telemetry.close();
    expect(receiver.spans).toHaveLength(6);
  });

  test('a part of the traces is exported, the same part for each span of a trace', async () => {
    const telemetry = tracesTo(receiver.url, { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' });
    const sampled = (traceId: string) =>
      telemetry.contextOf({ traceparent: `00-${traceId}-00f067aa0ba902b7-01` }).isSampled;
    expect(sampled(`${'a'.repeat(19)}3ffffffffffff`)).toBe(true);
    expect(sampled(`${'a'.repeat(19)}4000000000000`)).toBe(false);
  });
});

import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { channelApi, channelStatus, noUsage, optionApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseChat } from '#relay/dialects/open-ai.ts';
import { newRequestId } from '#relay/reply/request-id.ts';
import { chooseChannel, nothingTried } from '#relay/select/choose-channel.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { RealtimeClient } from '#testing/realtime-client.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { type CallPlan, chargedCall, type ChargedWork, settleCall } from './charged-call.ts';
import { newTrace } from '#relay/types/trace.ts';
import type { FinishedCall, RelayCall } from '#relay/types/call-types.ts';

const REALTIME = '/v1/realtime?model=gpt-realtime';

onOneDatabase('the money path', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const raw = rawUpstreamForSuite();
  const deps = () => hub().server.deps;
  let who: TestCaller;
  let admin: string;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,gpt-realtime' });
    ({ key: admin } = await addToken(hub()));
  });
  beforeEach(async () => void (who = await addCaller(deps().db)));
  afterEach(async () => {
    await expect.poll(() => deps().book.openCalls, { message: 'open calls' }).toBe(0);
    await expectBooksBalance(deps().db);
  });

  /** Calls that the metrics count for an endpoint. */
  const countedCalls = (endpoint: string): number =>
    [...(deps().meter.endpoints.get(endpoint)?.calls.values() ?? [])].reduce((sum, { count }) => sum + count, 0);

  /** Makes the server fail in the middle of each call, once the attempt has ended. */
  async function withFault(work: () => Promise<void>): Promise<void> {
    const { meter } = deps();
    meter.attempted = () => {
      throw new Error('a fault of the server');
    };
    try {
      await work();
    } finally {
      Reflect.deleteProperty(meter, 'attempted');
    }
  }

  describe('a fault of the server in the middle of a call is counted once and charges nothing', () => {
    async function expectOneFailure(endpoint: string, call: () => Promise<void>) {
      const before = countedCalls(endpoint);
      await withFault(call);
      expect(countedCalls(endpoint)).toBe(before + 1);
    }
    const failed = { quota: 0, failed: true, metadata: { outcome: 'failed', error: 'internal_error', status: 500 } };

    test('chat', async () => {
      await expectOneFailure('/v1/chat/completions', async () => {
        expect((await post(hub(), who.key, hello)).status).toBe(500);
      });
      await caughtUp(deps().db);
      expect(await rowsOf(deps().db, who)).toMatchObject([failed]);
      expect((await userOf(deps().db, who)).balance).toBe(1_000_000);
    });

    test('realtime', async () => {
      await expectOneFailure('/v1/realtime', async () => {
        const client = new RealtimeClient(hub(), REALTIME, who.key);
        await client.opened;
        client.socket.close();
        await client.closed;
        await expect.poll(() => deps().book.openCalls, { message: 'open calls' }).toBe(0);
      });
      await caughtUp(deps().db);
      expect(await rowsOf(deps().db, who)).toMatchObject([failed]);
    });

    test('realtime, before the caller is connected', async () => {
      const models = 'gpt-realtime';
      const closed = await addChannel(hub(), 'http://127.0.0.1:9', { models, priority: 9 });
      await expectOneFailure('/v1/realtime', async () => {
        await expect(new RealtimeClient(hub(), REALTIME, who.key).opened).rejects.toMatchObject({ status: 500 });
      });
      await hub().root.call(channelApi.remove, { params: { id: closed } });
      await caughtUp(deps().db);
      expect(await rowsOf(deps().db, who)).toMatchObject([failed]);
    });

    test('pass-through', async () => {
      const bytes = await addChannel(hub(), raw().url, { name: 'bytes' });
      raw().reply = (response) => sendJson(response, { data: [] }, 404);
      await expectOneFailure('/v1/files', async () => {
        const answer = await post(hub(), `${admin}#${bytes}`, undefined, '/v1/files', { method: 'GET' });
        expect(answer.status).toBe(500);
      });
    });
  });

  test('a realtime session is among the attempts that metrics count', async () => {
    const attempts = () =>
      [...(deps().meter.attempts.get('ok')?.values() ?? [])].reduce((sum, { count }) => sum + count, 0);
    const before = attempts();
    const client = new RealtimeClient(hub(), REALTIME, who.key);
    await client.opened;
    client.socket.close();
    await expect.poll(attempts, { message: 'attempts counted' }).toBe(before + 1);
  });

  test('a realtime session that is refused for the key disables the channel like a chat', async () => {
    raw().reply = (response) =>
      sendJson(response, { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }, 401);
    const set = (value: string) =>
      hub().root.call(optionApi.set, { body: { key: 'AutomaticDisableChannelEnabled', value } });
    await set('true');
    const refused = await addChannel(hub(), raw().url, { name: 'refused', models: 'gpt-realtime', priority: 9 });
    const client = new RealtimeClient(hub(), REALTIME, who.key);
    await client.opened;
    client.socket.close();
    await deps().autoSwitcher.settled();
    const { status } = await deps()
      .db.selectFrom('channels')
      .where('id', '=', refused)
      .select('status')
      .executeTakeFirstOrThrow();
    await set('false');
    expect(status).not.toBe(channelStatus.enabled);
  });

  test('a run that keeps its hold is settled later, by whoever took it over', async () => {
    const context = {
      deps: deps(),
      request: Object.assign(new IncomingMessage(new Socket()), {
        headers: { authorization: `Bearer ${who.key}` },
        url: '/v1/tasks',
      }),
      requestId: newRequestId(),
      trace: newTrace(),
    };
    let later: (() => Promise<void>) | undefined;
    const work: ChargedWork<CallPlan, FinishedCall> = {
      dialect: 'openai',
      plan({ caller, group, pin, except, rate, startMs }) {
        const call: RelayCall = {
          operation: 'chat',
          dialect: 'openai',
          request: parseChat({ ...hello }, () => {
            throw new Error('not converted');
          }),
          caller,
          group,
          pin,
          except,
          rate,
          startMs,
          requestId: context.requestId,
          endpoint: '/v1/tasks',
          sourceIp: '',
          startedS: deps().now(),
          body: Buffer.alloc(0),
          json: undefined,
          asList: false,
          reserved: 0,
          claim: undefined,
          pictures: undefined,
        };
        return { call, choice: chooseChannel(deps(), call, nothingTried) };
      },
      run({ call, choice }, hold) {
        const usage = { ...noUsage, input: 100 };
        const verdict = {
          outcome: 'answered',
          usage,
          usageSource: 'upstream',
          finishReason: undefined,
          code: 'ok',
          message: undefined,
        } as const;
        later = () => settleCall(deps(), call, { choice, verdict, attempts: [], firstMs: undefined }, hold);
        return Promise.resolve(undefined);
      },
      finish() {
        throw new Error('nothing to finish');
      },
    };
    await chargedCall(context, work);
    expect(deps().book.openCalls).toBe(1);
    await later?.();
    await caughtUp(deps().db);
    expect(await rowsOf(deps().db, who)).toMatchObject([{ quota: 125, prompt_tokens: 100, failed: false }]);
  });
});

import { createServer, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { noTimeouts } from '#live/routing-table.ts';
import type { ShutdownState } from '#relay/types/shutdown-state.ts';
import { SwapRemoveSet } from '#relay/types/swap-remove-set.ts';
import { OpenAiStreamTap } from '#relay/stream/sse-tap.ts';
import { rawUpstreamForSuite } from '#testing/network/raw-upstream.ts';
import { openAiChat } from '#usage/open-ai-chat.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import { MAX_DRAINS } from './drain.ts';
import { send } from './send.ts';
import { openUpstreams } from './upstreams.ts';

const upstreams = openUpstreams(() => 'allowed');
const raw = rawUpstreamForSuite();
let front: Server;
let shutdown: ShutdownState;

beforeAll(async () => {
  front = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => front.once('listening', resolve));
});
afterAll(async () => {
  front.close();
  await upstreams.close();
});
beforeEach(() => {
  raw().requests.length = 0;
  shutdown = { isStopping: false, openExchanges: new SwapRemoveSet(), drains: 0, background: new Set() };
});

/** A call whose caller leaves as soon as the upstream was asked. */
async function callAndLeave(stream: boolean, output?: number): Promise<{ sent: Promise<AttemptResult> }> {
  const arrived = new Promise<ServerResponse>((resolve) => front.once('request', (_, response) => resolve(response)));
  const caller = request({ port: (front.address() as AddressInfo).port }).on('error', () => {}); // it listens on TCP
  caller.end();
  const response = await arrived;
  const target = { baseUrl: raw().url, path: '/', headers: {} };
  const reading = { type: 'text/event-stream', createTap: () => new OpenAiStreamTap(false, openAiChat, undefined) };
  const sent = send(upstreams, {
    target,
    body: Buffer.from('{}'),
    limits: { timeouts: noTimeouts, onGone: { policy: 'drain' }, output },
    sink: { response, startStream: () => {}, stream: stream ? reading : undefined, claim: undefined },
    shutdown,
  });
  await expect.poll(() => raw().requests.length, { message: 'requests at the upstream' }).toBe(1);
  const left = new Promise((resolve) => response.once('close', resolve));
  caller.destroy();
  await left;
  return { sent };
}

const beat = (rounds: number): void => {
  for (let i = 0; i < rounds; i++) for (const call of shutdown.openExchanges.all()) call.onHeartbeat?.();
};

const head = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
};

test.each([
  ['no answer', true, () => {}],
  ['the head of a stream', true, head],
])('after %s and nothing more, the upstream is read for two minutes', async (_, stream, does) => {
  raw().reply = does;
  const { sent } = await callAndLeave(stream);
  expect(shutdown.drains).toBe(1);
  beat(23);
  expect(shutdown.openExchanges.size).toBe(1);
  beat(1);
  expect(await sent).toMatchObject({ clientGone: true, failure: { code: 'first_token_timeout' } });
  expect(shutdown.drains).toBe(0);
});

test('an answer in one piece may be silent for longer, but nothing is read for ever', async () => {
  raw().reply = () => {};
  const { sent } = await callAndLeave(false);
  beat(119);
  expect(shutdown.openExchanges.size).toBe(1);
  beat(1);
  expect(await sent).toMatchObject({ failure: { code: 'client_gone' } });
});

test('a stream that goes on beyond what the call may produce is read no further', async () => {
  let isClosed = false;
  raw().reply = (response) => {
    response.on('close', () => (isClosed = true));
    head(response);
    const more = () => {
      while (!response.destroyed)
        if (!response.write('data: {"choices":[{"delta":{"content":"one two three four "}}]}\n\n'))
          return void response.once('drain', more);
    };
    more();
  };
  const { sent } = await callAndLeave(true, 50);
  const { failure, clientGone, stream } = await sent;
  expect([failure?.code, clientGone]).toEqual(['client_gone', true]);
  expect(stream!.estimatedOutput()).toBeGreaterThan(50);
  await expect.poll(() => isClosed, { message: 'the connection to the upstream' }).toBe(true);
});

test('above the limit of drains, a call ends when its caller leaves', async () => {
  raw().reply = () => {};
  shutdown.drains = MAX_DRAINS;
  const { sent } = await callAndLeave(true);
  expect(await sent).toMatchObject({ failure: { code: 'client_gone' } });
  expect(shutdown.drains).toBe(MAX_DRAINS);
});

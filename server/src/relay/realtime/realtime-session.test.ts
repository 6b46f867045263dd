import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { RealtimeSession, type SessionLimits } from './realtime-session.ts';

const patient: SessionLimits = { idleMs: 60_000, totalMs: 0, pingMs: 60_000 };

const asItIs = {
  event: (event: Buffer) => event,
  closeReason: (text: string) => text,
  ofCaller: (message: Buffer) => message,
  refusal: () => undefined,
};

describe('a session', () => {
  const closing: (() => void)[] = [];
  /** Two ends of one connection. */
  let pair: () => Promise<{ near: WebSocket; far: WebSocket }>;

  beforeEach(async () => {
    const http = createServer();
    const server = new WebSocketServer({ server: http });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo; // listening on a TCP port
    pair = async () => {
      const taken = new Promise<WebSocket>((resolve) => server.once('connection', resolve));
      const far = new WebSocket(`ws://127.0.0.1:${port}`, { autoPong: far$.pongs });
      closing.push(() => far.terminate());
      await new Promise((resolve) => far.once('open', resolve));
      return { near: await taken, far };
    };
    closing.push(() => http.close());
  });
  afterEach(() => {
    vi.useRealTimers();
    far$.pongs = true;
    for (const close of closing.splice(0)) close();
  });
  const far$ = { pongs: true };

  async function open(terms: Partial<SessionLimits>) {
    const caller = await pair();
    const upstream = await pair();
    const session = new RealtimeSession(
      { caller: caller.near, upstream: upstream.near },
      { ...patient, ...terms },
      asItIs,
    );
    const closed = new Promise<number>((resolve) => caller.far.once('close', resolve));
    return { session, near: [caller.near, upstream.near], caller: caller.far, upstream: upstream.far, closed };
  }

  test('ends when both sides are silent', async () => {
    const { session, closed } = await open({ idleMs: 0, pingMs: 20 });
    expect(await session.ended).toEqual({ by: 'server', why: 'idle' });
    expect(await closed).toBe(1000);
  });

  test('ends at its longest time', async () => {
    const { session } = await open({ totalMs: 50 });
    expect(await session.ended).toEqual({ by: 'server', why: 'too_long' });
  });

  test('goes on as long as both sides answer pings', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { session, caller, near } = await open({ pingMs: 20 });
    for (let pings = 0; pings < 5; pings++) {
      const pongs = near.map((side) => once(side, 'pong'));
      vi.advanceTimersByTime(20);
      await Promise.all(pongs);
    }
    caller.close(3001);
    expect(await session.ended).toEqual({ by: 'caller', orderly: true, code: 3001 });
  });

  test('with a side that answers no ping any more ends', async () => {
    far$.pongs = false;
    const { session } = await open({ pingMs: 20 });
    expect(await session.ended).toMatchObject({ orderly: false });
  });

  test('passes the code of an end on, and makes one of an end without', async () => {
    const { session, upstream, closed } = await open({});
    upstream.close(4000, 'over');
    expect(await closed).toBe(4000);
    await session.ended;
    const other = await open({});
    other.upstream.terminate();
    expect(await other.closed).toBe(1011);
  });
});

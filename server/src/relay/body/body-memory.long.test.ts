import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { startProcess } from '#testing/process.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { callRaw, type RawCaller } from '#testing/network/slow-caller.ts';

const MIB = 1024 * 1024;
const answer = { choices: [{ message: { content: 'hi' } }], usage: { prompt_tokens: 1, completion_tokens: 1 } };

describe('bodies in memory', () => {
  const hub = hubForSuite(newSqlite, { MAX_BODY_MEMORY: '64' });
  const upstream = rawUpstreamForSuite();
  const deps = () => hub().server.deps;
  let callers: TestCaller[];
  let begun: RawCaller[] = [];

  beforeAll(async () => {
    upstream().reply = (response) => sendJson(response, answer);
    await addChannel(hub(), upstream().url, { type: 1, models: 'gpt-4o' });
    callers = await Promise.all([1, 2, 3].map(() => addCaller(deps().db, { quota: 1_000_000_000 })));
  });
  afterEach(async () => {
    for (const { socket } of begun) socket.destroy();
    begun = [];
    // Whatever became of the calls, nothing stays reserved.
    await expect.poll(() => deps().bodies.used, { message: 'bytes held for bodies' }).toBe(0);
    upstream().reply = (response) => sendJson(response, answer);
  });

  /** A request that announces a length, or none, and sends only part of it. */
  async function begin(path: string, key: string, announced: number | undefined, sent: number): Promise<RawCaller> {
    const length = announced === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${announced}`;
    const head = ['Host: x', 'Content-Type: application/json', `Authorization: Bearer ${key}`, length];
    const caller = await callRaw(hub().url, `POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    if (announced === undefined) caller.socket.write(`${sent.toString(16)}\r\n`);
    caller.socket.write(' '.repeat(sent));
    begun.push(caller);
    return caller;
  }
  const chat = (who: TestCaller | undefined, announced: number | undefined, sent: number) =>
    begin('/v1/chat/completions', who!.key, announced, sent);
  const held = async (bytes: number) => {
    await expect.poll(() => deps().bodies.used, { message: 'bytes held for bodies' }).toBe(bytes);
  };
  const busy = /^HTTP\/1\.1 503 [^]*retry-after: 5\r\n[^]*"server_?.busy"/i;

  test('are held to a sum; one that does not fit by its own account is refused unread', async () => {
    const [one, two, three] = callers;
    await chat(one, 30 * MIB, MIB);
    await chat(two, 30 * MIB, MIB);
    await held(60 * MIB);
    const third = await chat(three, 5 * MIB, 0);
    await expect.poll(() => third.text(), { message: 'reply to the third' }).toMatch(busy);
    expect((await post(hub(), three!.key, hello)).status).toBe(200);
    expect(deps().bodies.refused).toBeGreaterThan(0);

    begun[0]!.socket.destroy();
    await held(30 * MIB);
    expect((await post(hub(), three!.key, { ...hello, filler: 'x'.repeat(5 * MIB) })).status).toBe(200);
  });

  test('that do not tell their length count as they grow', async () => {
    const [one, two, three] = callers;
    await chat(one, 31 * MIB, MIB);
    await chat(two, 20 * MIB, MIB);
    await held(51 * MIB);
    const growing = await chat(three, undefined, 16 * MIB);
    await expect.poll(() => growing.text(), { message: 'reply to the growing one' }).toMatch(busy);
    await held(51 * MIB);
  });

  test('of one caller leave room for others', async () => {
    const [one, two] = callers;
    await chat(one, 30 * MIB, MIB);
    await held(30 * MIB);
    const second = await chat(one, 3 * MIB, 0);
    await expect.poll(() => second.text(), { message: 'reply to the second' }).toMatch(busy);
    expect((await post(hub(), two!.key, { ...hello, filler: 'x'.repeat(5 * MIB) })).status).toBe(200);
  });

  test('of the management API leave room for calls', async () => {
    for (let i = 0; i < 8; i++) await begin('/api/user/login', 'x', MIB, MIB - 1000);
    await held(8 * MIB);
    const ninth = await begin('/api/user/login', 'x', MIB, 0);
    await expect.poll(() => ninth.text(), { message: 'reply to the ninth' }).toMatch(busy);
    expect((await post(hub(), callers[0]!.key, { ...hello, filler: 'x'.repeat(5 * MIB) })).status).toBe(200);
  });

  test('that are answers count while they are collected, and no channel is blamed for what has no room', async () => {
    const [one] = callers;
    const before = deps().bodies.refused;
    upstream().reply = async (response) => {
      // Whole but for the end, so that none is done before the sum is reached.
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`{"filler":"${'x'.repeat(14 * MIB)}"`);
      await expect.poll(() => deps().bodies.refused, { message: 'bodies refused' }).toBeGreaterThan(before);
      response.end(`,${JSON.stringify(answer).slice(1)}`);
    };
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(hub(), one!.key, hello)));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 200).length).toBe(4 - refused.length);
    for (const { text, headers } of refused) {
      expect(text).toContain('"server_busy"');
      expect(headers.get('retry-after')).toBe('5');
    }
    expect(deps().live.health.untroubled).toBe(true);
  });

  test('are told in the metrics', async () => {
    await chat(callers[0], 30 * MIB, MIB);
    await held(30 * MIB);
    const metrics = await (await fetch(`${hub().url}/metrics`)).text();
    expect(metrics).toMatch(new RegExp(`^relay_hub_body_bytes ${30 * MIB}$`, 'm'));
    expect(metrics).toMatch(new RegExp(`^relay_hub_body_bytes_limit ${64 * MIB}$`, 'm'));
    expect(metrics).toMatch(/^relay_hub_bodies_refused_total [1-9]/m);
  });
});

describe('memory of a process', () => {
  const upstream = upstreamForSuite();

  test('is returned after large bodies without further requests', async () => {
    const database = await newSqlite();
    const server = await startProcess(database);
    const storage = openStorage(database);
    try {
      await addChannel(server, upstream().url);
      const who = await addCaller(storage.db, { quota: 1_000_000_000_000 });
      const heap = async () => {
        const metrics = await (await fetch(`${server.url}/metrics`)).text();
        return Number(/^relay_hub_memory_bytes\{kind="heap_used"\} (\d+)/m.exec(metrics)?.[1]);
      };
      const before = { heap: await heap(), resident: server.memory() };
      const body = JSON.stringify({ ...hello, filler: 'x'.repeat(25 * MIB) });
      const answers = await Promise.all(Array.from({ length: 6 }, () => post(server, who.key, body)));
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
      // The allocator may keep some memory; more than 300 MiB were in use.
      const resident = () => server.memory() - before.resident;
      await expect.poll(resident, { timeout: 20_000, message: 'memory still in use' }).toBeLessThan(120 * MIB);
      const used = async () => (await heap()) - before.heap;
      await expect.poll(used, { timeout: 20_000, message: 'heap still in use' }).toBeLessThan(15 * MIB);
    } finally {
      await server.kill();
      await storage.close();
      await database.remove();
    }
  }, 60_000);
});

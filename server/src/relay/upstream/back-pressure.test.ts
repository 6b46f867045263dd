import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel } from '#testing/hub.ts';
import { startProcess } from '#testing/process.ts';
import { rawUpstreamForSuite } from '#testing/network/raw-upstream.ts';
import { hello } from '#testing/relay-calls.ts';
import { untilStill } from '#testing/until.ts';

const MB = 1024 * 1024;
const chunk = Buffer.from(`data: {"choices":[{"delta":{"content":"${'z'.repeat(60_000)}"}}]}\n\n`);
const CHUNKS = Math.ceil((50 * MB) / chunk.length);
const END = 'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\ndata: [DONE]\n\n';

onOneDatabase('back-pressure', (make) => {
  const raw = rawUpstreamForSuite();

  test('a slow reader of a fast stream slows the upstream down, and does not fill the memory', async () => {
    const database = await make();
    const server = await startProcess(database);
    const storage = openStorage(database);
    try {
      await addChannel(server, raw().url);
      const who = await addCaller(storage.db);
      let sent = 0;
      raw().reply = async (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (let i = 0; i < CHUNKS; i++) {
          sent += chunk.length;
          if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve));
        }
        response.end(END);
      };
      const before = server.memory();
      const answer = await new Promise<IncomingMessage>((resolve) => {
        const headers = { authorization: `Bearer ${who.key}` };
        const outgoing = request(
          { port: new URL(server.url).port, path: '/v1/chat/completions', method: 'POST', headers },
          resolve,
        );
        outgoing.end(JSON.stringify({ ...hello, stream: true }));
      });
      // Nothing is read until the upstream cannot send any more.
      await untilStill('the upstream cannot send any more', () => sent);
      // Only as much as the socket buffers of both sides hold.
      expect(sent).toBeLessThan(30 * MB);
      expect(server.memory() - before).toBeLessThan(40 * MB);

      let received = 0;
      for await (const piece of answer) received += (piece as Buffer).length;
      expect(received).toBe(CHUNKS * chunk.length + 'data: [DONE]\n\n'.length);
      expect(server.memory() - before).toBeLessThan(120 * MB);
      await expect.poll(() => rowsOf(storage.db, who), { message: 'rows of the caller' }).toHaveLength(1);
      expect(await rowsOf(storage.db, who)).toMatchObject([
        { completion_tokens: 2, metadata: { outcome: 'answered' } },
      ]);
      await expectBooksBalance(storage.db);
    } finally {
      await server.kill();
      await storage.close();
      await database.remove();
    }
  });
});

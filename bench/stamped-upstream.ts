import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clockUs, stamp } from './stamps.ts';

/**
 * A stream provider whose chunks contain their send time, so that the delay of a chunk can be measured separately from
 * the request. The simulated provider of the tests prepares its texts in advance and cannot do that.
 *
 * The model sets the parameters: `stamped:chunks=80;chunkMs=50`. The role comes first, without a timestamp or delay.
 */
const finish = (head: string): string =>
  [
    event(head, '{}', '"stop"'),
    `${head}],"usage":{"prompt_tokens":40,"completion_tokens":80,"total_tokens":120}}\n\n`,
    'data: [DONE]\n\n',
  ].join('');

function event(head: string, delta: string, finishReason: string): string {
  return `${head}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finishReason}}],"usage":null}\n\n`;
}

function stream(response: ServerResponse, model: string, chunks: number, chunkMs: number): void {
  const head =
    `data: {"id":"chatcmpl-0000000000stamped0000","object":"chat.completion.chunk","created":1700000000,` +
    `"model":"${model}","service_tier":"default","system_fingerprint":"fp_3e1f5aa7c0","choices":[`;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.write(event(head, '{"role":"assistant","content":""}', 'null'));
  const start = performance.now();
  let sent = 0;
  let timer: NodeJS.Timeout;
  const next = (): void => {
    response.write(event(head, `{"content":"${stamp(clockUs())}"}`, 'null'));
    if (++sent === chunks) response.end(finish(head));
    // Relative to the start, so that a late timer does not delay later chunks.
    else timer = setTimeout(next, start + (sent + 1) * chunkMs - performance.now());
  };
  timer = setTimeout(next, chunkMs);
  response.once('close', () => clearTimeout(timer));
}

const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 0 }, (request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const ordered = /"(stamped:chunks=(\d+);chunkMs=(\d+))"/.exec(Buffer.concat(pieces).toString());
    if (ordered) stream(response, ordered[1]!, Number(ordered[2]), Number(ordered[3]));
    else response.writeHead(404).end();
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`));
process.once('SIGTERM', () => process.exit(0));
